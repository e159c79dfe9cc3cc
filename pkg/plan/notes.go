package plan

import (
	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// addNotes adds the facts about the whole.
func (p *planner) addNotes() {
	p.imports()
	p.layerNotes()
	if p.layered.now != nil {
		p.Reviews(p.layered.now.Reviews)
	}
	p.firstBoots()
	if p.Live == nil {
		return
	}
	apps := p.Applications()
	p.Syncs(apps)
	p.SelfHeals(apps)
	p.LostApplications()
	p.Rollouts(p.Namespaces())
	p.waiting()
	p.migrationNotes()
	p.updating()
	p.unseen()
	p.untracked(apps)
	if n := len(p.Differs); n > 0 {
		p.Note("%s in the cluster from the last state in Git, without effect on a running VM: the sync reverts them: %s",
			wording.Plural(n, "object differs", "objects differ"), p.differing())
	}
}

// waiting notes the VMs that need a restart already, and that do not change.
func (p *planner) waiting() {
	var names []string
	for i := range p.out.VMs {
		v := &p.out.VMs[i]
		if m := p.Live.Machine(v.ID); m != nil && m.RestartRequired && len(v.Causes) == 0 {
			names = append(names, v.ID.Namespace+"/"+v.ID.Name)
		}
	}
	if len(names) > 0 {
		p.Note("%s a restart already, for earlier changes: %s",
			wording.Plural(len(names), "VM needs", "VMs need"), wording.Some(names))
	}
}

// updating notes that KubeVirt is moving VMs to its own newer release.
func (p *planner) updating() {
	for _, e := range p.Live.ByKind[cluster.KindKubeVirt] {
		if n := quantities.Count(manifest.At(e.Object, "status", "outdatedVirtualMachineInstanceWorkloads"), 0); n > 0 {
			p.Note("KubeVirt has been upgraded, and %s from before it: migrations of them come first or in between",
				wording.Plural(n, "VM runs", "VMs run"))
		}
	}
}

// unseen notes the VMs that the export does not have, though Git had them.
func (p *planner) unseen() {
	var names []string
	for i := range p.Pairs {
		pair := &p.Pairs[i]
		if pair.IsMachine() && pair.Old != nil && p.Live.Object(pair.ID) == nil {
			names = append(names, pair.ID.Namespace+"/"+pair.ID.Name)
		}
	}
	if len(names) > 0 {
		p.Note("the export lacks %s: %s; the plan for them does not consider the cluster",
			wording.Plural(len(names), "VM", "VMs"), wording.Some(names))
	}
}
