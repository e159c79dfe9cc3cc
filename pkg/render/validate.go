package render

import (
	"strconv"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/admission"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// validate reports what KubeVirt refuses, and problems that keep a VM from working although KubeVirt accepts them or
// reports them too late. It checks what users patch. key is what was applied last: overrides or patches. own are the
// refusals of the VM without them, which are not reported.
func (x *rendering) validate(
	vm *kubevirtv1.VirtualMachine, own []admission.Finding, tree *source.Node, key string,
) *source.Diagnostics {
	v := validation{rendering: x, key: key, tree: tree, own: own, found: &source.Diagnostics{}}
	v.checkIdentity(vm)
	v.checkRefusals(vm)
	if vm.Spec.Template == nil {
		return v.found
	}
	v.spec = &vm.Spec.Template.Spec
	if !v.Plain {
		v.checkSelected(vm.Spec.Template.ObjectMeta.Labels[labelDomain])
	}
	v.checkSize()
	v.checkVolumes()
	v.checkTemplates(vm)
	return v.found
}

type validation struct {
	*rendering
	key   string
	tree  *source.Node
	own   []admission.Finding
	spec  *kubevirtv1.VirtualMachineInstanceSpec
	found *source.Diagnostics
}

// errorf reports a problem with the value under keys, at the position in the user's file.
func (v *validation) errorf(id rule.ID, name, problem string, keys ...string) {
	v.found.Errorf(v.where(keys), id, v.pathOf(keys), "%s%s", quotedName(name), problem)
}

// reportNew reports a problem of new VMs, which is a warning for one that exists.
func (v *validation) reportNew(id rule.ID, name, problem string, keys ...string) {
	if v.Adopted {
		v.found.Warnf(v.where(keys), id, v.pathOf(keys), "%s%s", quotedName(name), problem)
		return
	}
	v.errorf(id, name, problem, keys...)
}

func quotedName(name string) string {
	if name == "" {
		return ""
	}
	return strconv.Quote(name) + ": "
}

func (v *validation) pathOf(keys []string) string {
	path := v.path(v.key)
	for _, k := range keys {
		path = source.JoinPath(path, k)
	}
	return path
}

// where returns the position of the deepest of keys that an override or patch
// contains. Nodes that were rendered have the position of the VM instead.
func (v *validation) where(keys []string) source.Pos {
	pos := v.overridePos()
	n := v.tree
	for _, k := range keys {
		if n = child(n, k); n == nil {
			break
		}
		if p := n.Pos(); p != v.Pos && p.Line > 0 {
			pos = p
		}
	}
	return pos
}

// overridePos returns the position of the user's overrides or patches.
func (v *validation) overridePos() source.Pos {
	if v.key == "patches" {
		return v.PatchPos
	}
	if n := len(v.Overrides); n > 0 {
		return v.Overrides[n-1].Pos()
	}
	return v.Pos
}

// checkIdentity checks that the object is still the one that the fleet declares.
func (v *validation) checkIdentity(vm *kubevirtv1.VirtualMachine) {
	for _, f := range []struct{ key, got, want string }{
		{"apiVersion", vm.APIVersion, "kubevirt.io/v1"}, {"kind", vm.Kind, "VirtualMachine"},
	} {
		if f.got != f.want {
			v.errorf(rule.Identity, "", "must not be changed", f.key)
		}
	}
	if vm.Name != v.Name {
		v.errorf(rule.Identity, "", "must not be changed; rename the VM instead", "metadata", "name")
	}
	if vm.Namespace != v.Namespace {
		v.errorf(rule.Identity, "", "must not be changed; set `namespace` instead", "metadata", "namespace")
	}
}

// checkSelected checks that the Services of the VM find its pods by their label. Nothing else does.
func (v *validation) checkSelected(domain string) {
	for i := range v.Services {
		if s := &v.Services[i]; !s.Group && domain != v.base {
			v.errorf(rule.Identity, s.Key, "the Service selects the VM by the label, which must not be changed",
				"spec", "template", "metadata", "labels", labelDomain)
		}
	}
}

// leastMemory is the minimum guest memory in bytes. KubeVirt even accepts 0 and 1Ki.
const leastMemory = 1 << 20

func (v *validation) checkSize() {
	domain := []string{"spec", "template", "spec", "domain"}
	if m := v.spec.Domain.Memory; m != nil && m.Guest != nil && m.Guest.CmpInt64(leastMemory) < 0 {
		v.errorf(rule.BelowMinimum, "", "too little for any guest; expected a quantity such as \"4Gi\"",
			append(domain, "memory", "guest")...)
	}
	for _, key := range []string{"sockets", "cores", "threads"} {
		// KubeVirt treats 0 as 1, which the user did not mean.
		if n := v.tree.Get(append(domain, "cpu", key)...); n != nil && n.Text == "0" {
			v.errorf(rule.BelowMinimum, "", "0 is not a valid number of "+key+"; expected at least 1",
				append(domain, "cpu", key)...)
		}
	}
}

// checkVolumes checks that every volume has a device. KubeVirt adds a disk for a volume without one: that is meant only
// of a VM without any.
func (v *validation) checkVolumes() {
	used := map[string]bool{}
	for _, d := range v.spec.Domain.Devices.Disks {
		used[d.Name] = true
	}
	for _, f := range v.spec.Domain.Devices.Filesystems {
		used[f.Name] = true
	}
	some := v.tree.Get("spec", "template", "spec", "domain", "devices", "disks") != nil
	for i := range v.spec.Volumes {
		s := &v.spec.Volumes[i]
		if some && !used[s.Name] && s.MemoryDump == nil && s.DownwardMetrics == nil && !v.isACPITable(s) {
			v.reportNew(rule.Unpaired, s.Name, "volume without a disk of that name", "spec", "template", "spec", "volumes")
		}
	}
}

// isACPITable reports whether the firmware reads a volume (kubevirt/kubevirt v1.8.4,
// virtwrap/converter/compute/os.go).
func (v *validation) isACPITable(s *kubevirtv1.Volume) bool {
	f := v.spec.Domain.Firmware
	return f != nil && f.ACPI != nil && s.Secret != nil && (s.Name == f.ACPI.SlicNameRef || s.Name == f.ACPI.MsdmNameRef)
}

// checkTemplates checks that every DataVolume template has a name of its own: KubeVirt would only use the first.
func (v *validation) checkTemplates(vm *kubevirtv1.VirtualMachine) {
	seen := map[string]bool{}
	for i := range vm.Spec.DataVolumeTemplates {
		name := vm.Spec.DataVolumeTemplates[i].Name
		if seen[name] {
			v.errorf(rule.Duplicate, name, "duplicate name", "spec", "dataVolumeTemplates")
		}
		seen[name] = true
	}
}
