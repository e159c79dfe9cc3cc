package plan

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// labelProtected makes OpenShift refuse to delete a VM (kubevirt/ssp-operator, OpenShift 4.19 and later).
const labelProtected = "kubevirt.io/vm-delete-protection"

// machine adds the verdict on a VirtualMachine or VirtualMachinePool.
func (p *planner) machine(pair *pair) {
	links := p.links[pair]
	switch {
	case p.successors[pair] != nil:
		return // its verdict is that of the successor
	case pair.isSame() && len(links) == 0 && p.live.machine(pair.id) == nil && !p.changesHome(pair) && !p.isResynced(pair):
		p.out.VMs = append(p.out.VMs, Verdict{ID: pair.id})
		return
	}
	s := p.machineSubject(pair)
	if !pair.isSame() {
		p.templates(s)
	}
	if p.takes(s) {
		p.takers = append(p.takers, pair)
	}
	p.out.VMs = append(p.out.VMs, p.verdictOf(pair, s))
	if s.settled {
		p.differs = append(p.differs, pair.id)
	}
}

// machineSubject returns a VM with its disks and what the cluster reports about it.
func (p *planner) machineSubject(pair *pair) *subject {
	s := p.subject(pair)
	s.live = p.live.machine(pair.id)
	s.disks = p.disksOf(s)
	return s
}

// judge returns the verdict on a VM.
func (p *planner) judge(pair *pair) Verdict { return p.verdictOf(pair, p.machineSubject(pair)) }

func (p *planner) verdictOf(pair *pair, s *subject) Verdict {
	causes := slices.Concat(p.machineCauses(pair, s, p.links[pair]), p.collisions[pair], p.moved(pair, s))
	v := verdict(pair.id, withRefusals(causes, refusals(s, pair)))
	v.Stopped = s.old != nil && s.runs() == no
	if was := p.predecessors[pair]; was != nil {
		v.Was = &was.id
	}
	v.Gate = p.gate(pair, s, &v)
	return v
}

// disksOf returns the disks of a VM, by name, as they are before the sync.
func (p *planner) disksOf(s *subject) map[string]tree {
	out := map[string]tree{}
	for _, v := range manifest.List(s.old, "spec", "dataVolumeTemplates") {
		out[manifest.EntryName(v)], _ = v.(tree)
	}
	for _, name := range world.Claims(world.Spec(s.old)) {
		if d := p.disk(s.id.Namespace, name); d != nil && d.old != nil {
			out[name] = manifest.Decode(d.old)
		}
	}
	return out
}

func (p *planner) machineCauses(pair *pair, s *subject, links []*pair) []Cause {
	switch {
	case s.new == nil:
		return p.removal(s, links)
	case p.predecessors[pair] != nil:
		return p.succession(s, p.predecessors[pair])
	case s.old == nil:
		return slices.Concat([]Cause{p.newMachine(s)}, p.takenNames(s), p.returns(s, links))
	case p.isResynced(pair):
		return inDoubt(slices.Concat(replacement(s), p.lostState(s, ownedDisks(s, p.live))),
			"whether the Application has the sync option ApplyOutOfSyncOnly=true: without it, every sync recreates the VM")
	case isReplaced(s) && !pair.isSame() && !isUnseen(s):
		return slices.Concat(replacement(s), p.lostState(s, ownedDisks(s, p.live)), p.linkCauses(s, links))
	}
	found := p.changed(s)
	causes := append(combine(s, found), p.shrunkCopies(s)...)
	return p.liveCauses(s, append(causes, p.linkCauses(s, links)...))
}

// changed returns what changes of a VM do, each for itself.
func (p *planner) changed(s *subject) []finding {
	if s.isPool() {
		return poolChanges(s)
	}
	s.old, s.new = withRunStrategy(s.old), withRunStrategy(s.new)
	return findings(s, machineRules(), changes(s))
}

// withRunStrategy returns a VM with a run strategy in place of its older form.
func withRunStrategy(vm tree) tree {
	if manifest.At(vm, "spec", "running") == nil {
		return vm
	}
	spec, _ := vm["spec"].(tree)
	vm, spec = maps.Clone(vm), without(spec, "running")
	spec["runStrategy"] = world.RunStrategy(vm)
	vm["spec"] = spec
	return vm
}

// combine returns the causes of a VM after what the changes do to each other: a
// stopped VM takes everything at its next start, and KubeVirt's handlers of live
// changes wait while the VM needs a restart (KubeVirt v1.8.4,
// pkg/virt-controller/watch/vm/vm.go, sync).
func combine(s *subject, found []finding) []Cause {
	waits := s.live != nil && s.live.restartRequired || slices.ContainsFunc(found, finding.requiresRestart)
	why, way := interruption(s, found)
	stops := s.runs() == no || slices.ContainsFunc(found, finding.shutsDown)
	out := make([]Cause, len(found))
	for i, f := range found {
		switch {
		case f.rule.Copies && why != "":
			f.loseCopy(why, way)
		case stops && f.isStaged():
			f.stage(s)
		case waits && f.isHeldBack():
			f.holdBack()
		}
		if s.isRollout() && s.runs() != no {
			f.leaveToRollout(s)
		}
		if s.runs() == unknown && f.Level >= Live && f.rule.ofInstance() && f.Approximate == "" {
			f.Approximate = "whether the VM runs"
		}
		out[i] = f.Cause
	}
	return out
}

// requiresRestart reports whether KubeVirt marks a running VM for the change.
func (f finding) requiresRestart() bool { return f.rule.Compared && f.Level >= Restart }

// shutsDown reports whether the change shuts the guest down, so that its next start takes all others.
func (f finding) shutsDown() bool { return f.Code == codeStops }

// interruption returns why KubeVirt copies no volumes of a VM whose claims change, or "", and what to do instead
// (v1.8.4, pkg/virt-controller/watch/vm/vm.go, sync and handleVolumeUpdateRequest).
func interruption(s *subject, found []finding) (why, way string) {
	const apart = "make two commits of it: first the disk alone, and the other change when the data is copied"
	switch {
	case slices.ContainsFunc(found, finding.shutsDown):
		return "the same change shuts the VM down, and KubeVirt copies the disks of running VMs only", apart
	case s.live != nil && s.live.restartRequired:
		return "the VM needs a restart already, and until then KubeVirt copies nothing",
			"restart the VM before this is synced, while it still has the old disk"
	case slices.ContainsFunc(found, finding.requiresRestart):
		return "the same change needs a restart, and until then KubeVirt copies nothing",
			"do not restart the VM with both; " + apart
	}
	return "", ""
}

// loseCopy turns the copy of a volume into a start from the new claim, without the data.
func (f *finding) loseCopy(why, way string) {
	f.Level, f.Code, f.When, f.Warning = Recreate, "not-copied", atNextStart, true
	f.Approximate, f.worst = "", None
	f.Reason = why + ": the next start finds the new disk, filled from its source, and the data stays in the old one"
	f.Advice = way
}

// isStaged reports whether a stopped VM takes the change at its next start, without any other effect.
func (f *finding) isStaged() bool { return f.rule.ofInstance() && f.Level >= Live && f.Level <= Power }

// stage leaves the change of a stopped VM to its next start. What a rule assumes about migrations does not matter: a
// stopped VM does not migrate.
func (f *finding) stage(s *subject) {
	f.running(s)
	if f.rule.Assumes.isOfMigration() {
		f.Approximate = ""
	}
	f.Level, f.When, f.Advice = Staged, atNextStart, ""
}

// isHeldBack reports whether a handler of KubeVirt makes the change while the VM runs, but not while it needs a
// restart.
func (f *finding) isHeldBack() bool {
	return f.rule.Handled && (f.Level >= Live && f.Level < Staged || f.Level == Power)
}

// holdBack leaves the change to the restart that the VM needs.
func (f *finding) holdBack() {
	f.Level, f.When, f.Advice = Staged, atRestart, adviceRestart
	f.Reason += "; KubeVirt holds it back while the VM needs a restart"
	f.Code = "held-back"
	if f.rule.Assumes == Migratable || f.rule.Assumes == Room {
		f.Approximate, f.worst = "", None
	}
}

// leaveToRollout notes that a Job restarts the VM for the change, if it needs that.
func (f *finding) leaveToRollout(s *subject) {
	if f.Level != Restart && f.Level != Recreate {
		return
	}
	f.When, f.Advice = "when the rollout restarts the VM", ""
	if f.Code == "new-disk" {
		f.Reason = newRoot(s) + "; " + s.state.oldRoots(s)
	}
}

// running notes what a change of a stopped VM is if it runs: unless it is declared as
// stopped, the cluster's policies cannot determine that it is.
func (c *Cause) running(s *subject) {
	if world.RunStrategy(s.old) != "Halted" {
		c.worst = max(c.Level, c.worst)
	} else {
		c.worst = None
	}
}

// ofInstance reports whether a rule is for what the running instance is made from.
func (r *Rule) ofInstance() bool {
	p := r.pattern
	return len(p) > 1 && p[0] == "spec" && (p[1] == "template" || p[1] == "instancetype" || p[1] == "preference")
}

// isReplaced reports whether Argo CD deletes and recreates the VM for a change. It
// also reads the options from the live object (gitops-engine v0.7, sync_context.go).
func isReplaced(s *subject) bool {
	for _, side := range []tree{s.old, s.new, s.inCluster} {
		if syncOption(side, "Force") == "true" && syncOption(side, "Replace") == "true" {
			return true
		}
	}
	return false
}

// isUnseen reports whether Argo CD sees no difference of a VM that it replaces: one that
// only loses annotations. Argo CD finds out what is gone from Git by kubectl's annotation
// with the last applied object, which is not written when an object is replaced (gitops-engine
// v0.7, pkg/utils/kube/resource_ops.go, ReplaceResource, and pkg/diff/diff.go, TwoWayDiff).
func isUnseen(s *subject) bool {
	if annotation(s.inCluster, lastApplied) != "" {
		return false
	}
	return !slices.ContainsFunc(changes(s), func(c change) bool {
		isLost := len(c.path) == 3 && c.path[0] == "metadata" && c.path[1] == "annotations" && c.now == nil
		return !isLost || c.path[2] == argocd.SyncOptionsAnnotation
	})
}

// replacement returns the causes of a VM that Argo CD deletes and recreates.
func replacement(s *subject) []Cause {
	out := []Cause{{
		Path: "", Key: "lifecycle", Level: Recreate, Code: "replaced",
		Reason: "Argo CD deletes the VM with the disks of its templates, and recreates it",
		When:   "immediately",
	}}
	for _, v := range manifest.List(s.old, "spec", "dataVolumeTemplates") {
		if name := manifest.EntryName(v); name != rootDisk(s.old) {
			out = append(out, lostDisk(name))
		}
	}
	return out
}

// rootDisk returns the name of the claim that a VM starts from: that of the disk
// with the lowest bootOrder, or else the first. It is "" for a VM that starts from
// the network or from a kernel, unless its first disk is named as root disks are.
func rootDisk(vm tree) string {
	root, lowest := "", 0
	disks := manifest.List(world.Spec(vm), "domain", "devices", "disks")
	for i, d := range disks {
		n := count(manifest.At(d, "bootOrder"), 0)
		if i == 0 || n > 0 && (lowest == 0 || n < lowest) {
			root, lowest = world.ClaimOf(world.Volume(vm, "["+manifest.EntryName(d)+"]")), n
		}
	}
	if lowest == 0 && len(disks) > 0 && manifest.EntryName(disks[0]) != "rootdisk" && startsElsewhere(vm) {
		return ""
	}
	return root
}

// startsElsewhere reports whether a VM has a kernel to start, or a NIC in the boot
// order.
func startsElsewhere(vm tree) bool {
	domain := manifest.At(world.Spec(vm), "domain")
	return manifest.At(domain, "firmware", "kernelBoot") != nil ||
		slices.ContainsFunc(manifest.List(domain, "devices", "interfaces"), hasBootOrder)
}

func hasBootOrder(nic any) bool { return manifest.At(nic, "bootOrder") != nil }

// lostDisk returns the cause that a disk of a VM's template goes with it.
func lostDisk(name string) Cause {
	return Cause{
		Path: display([]string{"spec", "dataVolumeTemplates", "[" + name + "]"}), Key: "disks",
		Level: DataLoss, Code: "disk-deleted",
		Reason: fmt.Sprintf("the disk %q belongs to the VM, and is deleted with its data", name),
		Advice: "lifecycle.keepDisks, in an earlier commit, keeps disks of new VMs",
	}
}

// removal returns the causes of a VM that is no longer in Git.
func (p *planner) removal(s *subject, links []*pair) []Cause {
	kept := syncOption(s.old, "Prune") == "false"
	if kept {
		return append([]Cause{{
			Level: Left, Code: "left", Key: "lifecycle.removal",
			Reason: "Prune=false keeps the VM and its disks: it continues to run, and Argo CD reports that it requires pruning",
			Advice: "to remove it, commit lifecycle: {removal: approved} first, and the removal of the entry after it",
		}}, p.linkCauses(s, links)...)
	}
	gone := Cause{
		Level: Delete, Code: "deleted", Key: "lifecycle",
		Reason: "Argo CD shuts the VM down and deletes it",
	}
	if keepsUnseen(s) {
		gone.Approximate = "whether a disk belongs to the VM in the cluster, and is deleted with it"
	}
	if syncOption(s.old, "Prune") == "confirm" {
		gone.When = "after confirmation in Argo CD; until then, Argo CD syncs no other commit"
	}
	out := []Cause{gone}
	if manifest.Text(s.old, "metadata", "labels", labelProtected) == "True" {
		out = append(out, Cause{
			Path: `metadata.labels["kubevirt.io/vm-delete-protection"]`, Key: "lifecycle.protect",
			Level: Refused, Code: "delete-protected",
			Reason: "OpenShift Virtualization refuses to delete the VM",
			Advice: "remove the protection in an earlier commit",
		})
	}
	owned := ownedDisks(s, p.live)
	out = append(out, inTime(p.lostState(s, owned), gone.When)...)
	for _, name := range owned {
		c := lostDisk(name)
		if p.keptByGit(s.id.Namespace, name) {
			c.Reason = fmt.Sprintf("Git keeps the disk %q, but in the cluster it still belongs to the VM: "+
				"Kubernetes deletes it with the VM, and its data", name)
			c.Advice = release(name)
		}
		c.When = gone.When
		out = append(out, c)
	}
	return append(out, p.linkCauses(s, links)...)
}

// inTime returns causes with a time.
func inTime(causes []Cause, when string) []Cause {
	for i := range causes {
		causes[i].When = when
	}
	return causes
}

// keepsUnseen reports whether a VM has disks of which Git alone says that they do not go with it: a VM that was cattle
// keeps owning its first disks.
func keepsUnseen(s *subject) bool {
	vm := world.Template(s.old)
	return s.state == nil && slices.ContainsFunc(world.Claims(world.Spec(vm)), func(name string) bool {
		return manifest.At(vm, "spec", "dataVolumeTemplates", "["+name+"]") == nil
	})
}

// ownedDisks returns the disks that go with a VM: those of its templates, and
// those that belong to it in the cluster.
func ownedDisks(s *subject, l *live) []string {
	names := l.owned(s.id)
	for _, v := range manifest.List(world.Template(s.old), "spec", "dataVolumeTemplates") {
		if name := manifest.EntryName(v); !slices.Contains(names, name) && l.disk(s.id.Namespace, name) == nil {
			names = append(names, name)
		}
	}
	names = slices.DeleteFunc(names, isStateClaim)
	slices.Sort(names)
	return names
}

// newRoot describes what a VM starts from that a rollout restarts.
func newRoot(s *subject) string {
	if root := rootDisk(s.new); s.state.disk(s.id.Namespace, root) != nil {
		return fmt.Sprintf("the disk %q exists and is not filled again, and the VM starts from it", root)
	}
	return "a new disk is filled from its source, and the VM starts from it"
}

// keptRoot describes what becomes of the old root disk of a VM in a rollout.
func keptRoot(vm tree, old string) string {
	if n := annotation(vm, labels.KeepOld); n == "" || n == "0" {
		return fmt.Sprintf("the rollout deletes the old root disk %q when the VM runs from the new one", old)
	}
	return fmt.Sprintf("the old root disk %q stays for going back", old)
}
