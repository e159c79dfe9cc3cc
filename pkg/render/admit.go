package render

import (
	"slices"
	"strconv"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/admission"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// refusals returns what KubeVirt and the API server of the target refuse of a VM.
func (x *rendering) refusals(vm *kubevirtv1.VirtualMachine) []admission.Finding {
	t := &x.Target
	staged := t.Plain() && versions.Before(t.KubeVirt, "1.6") // by default
	found := admission.Check(vm, &admission.Cluster{
		KubeVirt: t.KubeVirt,
		Stage:    t.VMRolloutStrategy == "Stage" || t.VMRolloutStrategy == "" && staged,
		Gate:     t.Gate,
	})
	for i := range found {
		if x.Adopted && t.KubeVirt == "" && found[i].From != "" { // an older KubeVirt has accepted it
			found[i].Doubt = "the version of KubeVirt"
		}
	}
	return found
}

// reportRefusals reports what is refused of the VM because of its keys, and not of its overrides and patches.
func (x *rendering) reportRefusals(found []admission.Finding) {
	for i := range found {
		f := &found[i]
		path, at := x.keyOf(f)
		isMisread := func(key string) bool { return strings.HasPrefix(path, key) || strings.HasPrefix(key, path) }
		switch {
		case slices.ContainsFunc(x.misread, isMisread):
		case f.Doubt != "":
			x.diags.Warnf(at, f.Kind, x.path(path), "%s", advised(f, f.Text))
		default:
			x.Errorf(x.diags, at, f.Kind, path, "%s", advised(f, f.Text))
		}
	}
}

// advised returns a problem with what to do about a feature gate that is off.
func advised(f *admission.Finding, problem string) string {
	if f.Gate == "" {
		return problem
	}
	return problem + values.GateAdvice(f.Gate)
}

// checkRefusals reports what is refused of the patched VM, and was not before.
func (v *validation) checkRefusals(vm *kubevirtv1.VirtualMachine) {
	found := v.refusals(vm)
	for i := range found {
		f := &found[i]
		if slices.ContainsFunc(v.own, f.Same) {
			continue
		}
		path := v.path(v.key) + "." + f.Path
		if f.Entry != "" {
			path = path[:strings.LastIndexByte(path, '[')]
		}
		report := v.found.Errorf
		if f.Doubt != "" { // the cluster may have settings with which it accepts the VM
			report = v.found.Warnf
		}
		report(v.where(segments(f.Path)), f.Kind, path, "%s", advised(f, f.Problem()))
	}
}

// remainingRefusals returns those of a VM that are still found in it when it is patched.
func (x *rendering) remainingRefusals(own []admission.Finding, vm *kubevirtv1.VirtualMachine) []admission.Finding {
	if len(own) == 0 {
		return nil
	}
	found := x.refusals(vm)
	return slices.DeleteFunc(own, func(f admission.Finding) bool { return !slices.ContainsFunc(found, f.Same) })
}

// segments returns the keys and indexes of a path: "disks[0].serial" has disks, [0] and serial.
func segments(path string) []string {
	var out []string
	for key := range strings.SplitSeq(strings.ReplaceAll(path, "[", ".["), ".") {
		if key != "" {
			out = append(out, key)
		}
	}
	return out
}

// child returns the value of a key, or of an index such as "[0]".
func child(n *source.Node, segment string) *source.Node {
	index, isIndex := strings.CutPrefix(segment, "[")
	if !isIndex {
		return n.Get(segment)
	}
	i, err := strconv.Atoi(strings.TrimSuffix(index, "]"))
	if err != nil || n == nil || i >= len(n.Items) {
		return nil
	}
	return n.Items[i]
}

// deepest returns the deepest value on a path that is there, and the rest of the path.
func deepest(n *source.Node, path []string) (*source.Node, []string) {
	for i, segment := range path {
		next := child(n, segment)
		if next == nil {
			return n, path[i:]
		}
		n = next
	}
	return n, nil
}
