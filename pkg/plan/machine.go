package plan

import (
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/world"
)

// machine adds the verdict on a VirtualMachine or VirtualMachinePool.
func (p *planner) machine(pair *pairs.Pair) {
	links := p.links[pair]
	switch {
	case p.successors[pair] != nil:
		return // its verdict is that of the successor
	case pair.IsSame() && len(links) == 0 && p.Live.Machine(pair.ID) == nil && !p.changesHome(pair) && !p.isResynced(pair):
		p.out.VMs = append(p.out.VMs, Verdict{ID: pair.ID})
		return
	}
	s := p.machineSubject(pair)
	if !pair.IsSame() {
		p.templates(s)
	}
	if p.takes(s) {
		p.takers = append(p.takers, pair)
	}
	p.out.VMs = append(p.out.VMs, p.verdictOf(pair, s))
	if s.Settled {
		p.Differs = append(p.Differs, pair.ID)
	}
}

// machineSubject returns a VM with its disks and what the cluster reports about it.
func (p *planner) machineSubject(pair *pairs.Pair) *impact.Subject {
	s := p.Subject(pair)
	s.Live = p.Live.Machine(pair.ID)
	s.Disks = p.DisksOf(s)
	return s
}

// judge returns the verdict on a VM.
func (p *planner) judge(pair *pairs.Pair) Verdict { return p.verdictOf(pair, p.machineSubject(pair)) }

func (p *planner) verdictOf(pair *pairs.Pair, s *impact.Subject) Verdict {
	causes := slices.Concat(p.machineCauses(pair, s, p.links[pair]), p.collisions[pair], p.moved(pair, s))
	v := verdict(pair.ID, withRefusals(causes, refusals(s, pair)))
	v.Stopped = s.Old != nil && s.Runs() == cluster.No
	if was := p.predecessors[pair]; was != nil {
		v.Was = &was.ID
	}
	v.Gate, v.Hold = p.gate(pair, s, &v), p.hold(pair, s, &v)
	return v
}

func (p *planner) machineCauses(pair *pairs.Pair, s *impact.Subject, links []*pairs.Pair) []impact.Cause {
	switch {
	case s.New == nil:
		return p.removal(s, links)
	case p.predecessors[pair] != nil:
		return p.succession(s, p.predecessors[pair])
	case s.Old == nil:
		return slices.Concat([]impact.Cause{p.newMachine(s)}, p.takenNames(s), p.returns(s, links))
	case p.isResynced(pair):
		return inDoubt(slices.Concat(impact.Replacement(s), p.lostState(s, ownedDisks(s, p.Live))),
			"whether the Application has the sync option ApplyOutOfSyncOnly=true: without it, every sync recreates the VM")
	case impact.IsMoved(s.Old, s.New):
		return slices.Concat(impact.Move(s), p.lostState(s, ownedDisks(s, p.Live)), p.linkCauses(s, links))
	case impact.IsHandedOver(s.Old, s.New):
		return inDoubt(slices.Concat(impact.Handover(s), p.lostState(s, ownedDisks(s, p.Live)), p.linkCauses(s, links)),
			"whether the Kustomization of its wave is deleted, or deletes what is gone from its directory")
	case impact.IsReplaced(s) && !pair.IsSame() && !impact.IsUnseen(s):
		return slices.Concat(impact.Replacement(s), p.lostState(s, ownedDisks(s, p.Live)), p.linkCauses(s, links))
	}
	found := p.changed(pair, s)
	causes := append(impact.Combine(s, found), p.shrunkCopies(s)...)
	p.sayRestored(s, causes)
	return p.liveCauses(s, append(causes, p.linkCauses(s, links)...))
}

// changed returns what changes of a VM do, each for itself.
func (p *planner) changed(pair *pairs.Pair, s *impact.Subject) []impact.Finding {
	if s.IsPool() {
		return impact.PoolChanges(s)
	}
	s.Old, s.New = cluster.WithRunStrategy(s.Old), cluster.WithRunStrategy(s.New)
	s.TypeOf = p.typeOf
	if pair.IsSame() {
		return nil
	}
	return impact.MachineChanges(s)
}

// removal returns the causes of a VM that is no longer in Git.
func (p *planner) removal(s *impact.Subject, links []*pairs.Pair) []impact.Cause {
	kept := cluster.SyncOption(s.Old, "Prune") == "false"
	if kept {
		return append([]impact.Cause{{
			Level: impact.Left, Code: "left", Key: "lifecycle.removal",
			Reason: "Prune=false keeps the VM and its disks: it continues to run, and Argo CD reports that it requires pruning",
			Advice: "to remove it, commit lifecycle: {removal: approved} first, and the removal of the entry after it",
		}}, p.linkCauses(s, links)...)
	}
	gone := impact.Cause{
		Level: impact.Delete, Code: "deleted", Key: "lifecycle",
		Reason: "Argo CD shuts the VM down and deletes it",
	}
	if keepsUnseen(s) {
		gone.Approximate = "whether a disk belongs to the VM in the cluster, and is deleted with it"
	}
	if cluster.SyncOption(s.Old, "Prune") == "confirm" {
		gone.When = "after confirmation in Argo CD; until then, Argo CD syncs no other commit"
	}
	out := []impact.Cause{gone}
	if manifest.Text(s.Old, "metadata", "labels", impact.LabelProtected) == "True" {
		out = append(out, impact.Cause{
			Path: `metadata.labels["kubevirt.io/vm-delete-protection"]`, Key: "lifecycle.protect",
			Level: impact.Refused, Code: "delete-protected",
			Reason: "OpenShift Virtualization refuses to delete the VM",
			Advice: "remove the protection in an earlier commit",
		})
	}
	owned := ownedDisks(s, p.Live)
	out = append(out, inTime(p.lostState(s, owned), gone.When)...)
	for _, name := range owned {
		c := impact.LostDisk(name)
		if p.keptByGit(s.ID.Namespace, name) {
			c.Reason = fmt.Sprintf("Git keeps the disk %q, but in the cluster it still belongs to the VM: "+
				"Kubernetes deletes it with the VM, and its data", name)
			c.Advice = pairs.Release(name)
		}
		c.When = gone.When
		out = append(out, c)
	}
	return append(out, p.linkCauses(s, links)...)
}

// inTime returns causes with a time.
func inTime(causes []impact.Cause, when string) []impact.Cause {
	for i := range causes {
		causes[i].When = when
	}
	return causes
}

// keepsUnseen reports whether a VM has disks of which Git alone says that they do not go with it: a VM that was cattle
// keeps owning its first disks.
func keepsUnseen(s *impact.Subject) bool {
	vm := world.Template(s.Old)
	return s.State == nil && slices.ContainsFunc(world.Claims(world.Spec(vm)), func(name string) bool {
		return manifest.At(vm, "spec", "dataVolumeTemplates", "["+name+"]") == nil
	})
}

// ownedDisks returns the disks that go with a VM: those of its templates, and
// those that belong to it in the cluster.
func ownedDisks(s *impact.Subject, l *cluster.State) []string {
	names := l.Owned(s.ID)
	for _, v := range manifest.List(world.Template(s.Old), "spec", "dataVolumeTemplates") {
		if name := manifest.EntryName(v); !slices.Contains(names, name) && l.Disk(s.ID.Namespace, name) == nil {
			names = append(names, name)
		}
	}
	names = slices.DeleteFunc(names, isStateClaim)
	slices.Sort(names)
	return names
}
