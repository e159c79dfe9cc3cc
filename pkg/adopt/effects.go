package adopt

import (
	"fmt"
	"slices"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/admission"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Effects returns what a sync does with the differences between a VM and what is rendered for it, in the words of a
// plan, the worst first: "restart: spec.….disks[data].disk.bus: …". What KubeVirt would refuse of the rendered VM, and
// does not refuse of the VM as it is, is "refused". The settings of the cluster are not known, so they are KubeVirt's
// defaults.
func Effects(l *draft.Live, rendered manifest.Tree) []string {
	s := &impact.Subject{ID: l.ID, Old: l.Tree, New: rendered}
	all := refusals(l, rendered)
	for _, f := range impact.MachineChanges(s) {
		all = append(all, f.Cause)
	}
	slices.SortStableFunc(all, func(a, b impact.Cause) int { return int(b.Level) - int(a.Level) })
	out := make([]string, len(all))
	for i := range all {
		out[i] = fmt.Sprintf("%s: %s: %s", all[i].Level, all[i].Path, all[i].Reason)
	}
	return slices.Compact(out)
}

// refusals returns what KubeVirt refuses of what is rendered, and not of the VM.
func refusals(l *draft.Live, rendered manifest.Tree) []impact.Cause {
	o, err := manifest.New(rendered)
	if err != nil {
		return nil
	}
	now, err := draft.ReadUncounted(o, l.Namespace)
	if err != nil {
		return []impact.Cause{{Path: "spec", Level: impact.Refused, Reason: err.Error()}}
	}
	before := checked(l.VM)
	var out []impact.Cause
	for _, f := range checked(now.VM) {
		if !f.Starts && !slices.ContainsFunc(before, f.Same) {
			reason := "KubeVirt refuses it: " + f.Problem()
			out = append(out, impact.Cause{Path: named(&f), Level: impact.Refused, Reason: reason})
		}
	}
	return out
}

// named returns the path of a finding with the name of the entry in the place of its index, as other paths have it.
func named(f *admission.Finding) string {
	open := strings.LastIndexByte(f.Path, '[')
	if f.Entry == "" || open < 0 {
		return f.Path
	}
	return f.Path[:open] + "[" + f.Entry + f.Path[open+strings.IndexByte(f.Path[open:], ']'):]
}

func checked(vm *kubevirtv1.VirtualMachine) []admission.Finding {
	var settings cluster.Settings
	return admission.Check(vm, &admission.Cluster{Stage: settings.Stages(), Gate: settings.KnownGate})
}
