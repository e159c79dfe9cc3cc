package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// notes adds the facts about the whole.
func (p *planner) notes() {
	p.imports()
	if p.live == nil {
		return
	}
	apps := p.applications()
	p.syncs(apps)
	p.lostApplications()
	p.rollouts(p.namespaces())
	p.waiting()
	p.migrationNotes()
	p.updating()
	p.unseen()
	p.untracked(apps)
	if n := len(p.differs); n > 0 {
		p.note("%s in the cluster from the last state in Git, without effect on a running VM: the sync reverts them: %s",
			plural(n, "object differs", "objects differ"), p.differing())
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "one " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// namespaces returns the namespaces of the VMs of the plan.
func (p *planner) namespaces() []string {
	all := map[string]bool{}
	for i := range p.pairs {
		if p.pairs[i].isMachine() {
			all[p.pairs[i].id.Namespace] = true
		}
	}
	return slices.Sorted(maps.Keys(all))
}

// waiting notes the VMs that need a restart already, and that do not change.
func (p *planner) waiting() {
	var names []string
	for i := range p.out.VMs {
		v := &p.out.VMs[i]
		if m := p.live.machine(v.ID); m != nil && m.restartRequired && len(v.Causes) == 0 {
			names = append(names, v.ID.Namespace+"/"+v.ID.Name)
		}
	}
	if len(names) > 0 {
		p.note("%s a restart already, for earlier changes: %s",
			plural(len(names), "VM needs", "VMs need"), some(names))
	}
}

// updating notes that KubeVirt is moving VMs to its own newer release.
func (p *planner) updating() {
	for _, e := range p.live.byKind[kindKubeVirt] {
		if n := count(manifest.At(e.object, "status", "outdatedVirtualMachineInstanceWorkloads"), 0); n > 0 {
			p.note("KubeVirt has been upgraded, and %s from before it: migrations of them come first or in between",
				plural(n, "VM runs", "VMs run"))
		}
	}
}

// unseen notes the VMs that the export does not have, though Git had them.
func (p *planner) unseen() {
	var names []string
	for i := range p.pairs {
		pair := &p.pairs[i]
		if pair.isMachine() && pair.old != nil && p.live.object(pair.id) == nil {
			names = append(names, pair.id.Namespace+"/"+pair.id.Name)
		}
	}
	if len(names) > 0 {
		p.note("the export lacks %s: %s; the plan for them does not consider the cluster",
			plural(len(names), "VM", "VMs"), some(names))
	}
}
