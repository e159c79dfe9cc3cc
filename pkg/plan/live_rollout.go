package plan

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// outdated returns the old root disks of a VM that its rollout deletes, and those
// that it keeps, when the VM runs from a new one: the choice of package rollout.
func (l *live) outdated(s *subject) (deleted, kept []string) {
	root := rootDisk(s.new)
	used := l.usedBy(s)
	ran := l.ran(s)
	var old []entity
	for _, d := range l.of(kindDataVolume, s.id.Namespace) {
		isRoot := manifest.Text(d.object, "metadata", "labels", labels.Disk) == labels.RootDisk
		isGoing := manifest.Text(d.object, "metadata", "deletionTimestamp") != ""
		isInUse := used[d.id.Name] || d.id.Name == root
		if isRoot && !isGoing && !isInUse && slices.Contains(l.machinesOf(d), keyOf(s.id)) {
			old = append(old, d)
		}
	}
	turn := func(e entity) int {
		if i := slices.Index(ran, e.id.Name); i >= 0 {
			return i
		}
		return len(ran)
	}
	slices.SortFunc(old, func(a, b entity) int {
		return cmp.Or(
			cmp.Compare(turn(a), turn(b)),
			cmp.Compare(created(b.object), created(a.object)),
			cmp.Compare(a.id.Name, b.id.Name),
		)
	})
	n := min(keepOld(s.new), len(old))
	for i, e := range old {
		if i < n {
			kept = append(kept, e.id.Name)
		} else {
			deleted = append(deleted, e.id.Name)
		}
	}
	return deleted, kept
}

func created(object tree) string { return manifest.Text(object, "metadata", "creationTimestamp") }

// keepOld returns the number of outdated root disks that a rollout keeps.
func keepOld(vm tree) (n int) {
	_, _ = fmt.Sscan(annotation(vm, labels.KeepOld), &n)
	return max(n, 0)
}

// losesOldDisks reports whether the cluster is known to have old root disks of a VM beyond what its rollout keeps.
func (s *subject) losesOldDisks() bool {
	if s.state == nil {
		return false
	}
	deleted, _ := s.state.outdated(s)
	return len(deleted) > 0
}

// usedBy returns the disks that other VMs of the namespace use.
func (l *live) usedBy(s *subject) map[string]bool {
	out := map[string]bool{}
	for _, vm := range l.of(kindVM, s.id.Namespace) {
		if vm.id.Name == s.id.Name {
			continue
		}
		for _, name := range world.Claims(world.Spec(vm.object)) {
			out[name] = true
		}
		for _, v := range manifest.List(vm.object, "spec", "dataVolumeTemplates") {
			out[manifest.EntryName(v)] = true
		}
	}
	return out
}

// ran returns the root disks that a VM ran from, the last one first, as the Lease
// of its rollout records.
func (l *live) ran(s *subject) []string {
	name := manifest.Text(s.new, "metadata", "labels", labels.Rollout) + labels.RolloutSuffix
	lease := l.get(kindLease, s.id.Namespace, name)
	ran := strings.Split(labels.ParsePairs(annotation(lease, labels.Ran))[s.id.Name], ",")
	if now := rootDisk(world.Template(s.live.tree())); s.live.tree() != nil && (len(ran) == 0 || ran[0] != now) {
		ran = slices.Concat([]string{now}, ran)
	}
	return ran
}

// oldRoots describes what becomes of the old root disks of a VM in a rollout.
func (l *live) oldRoots(s *subject) string {
	if l == nil {
		return keptRoot(s.new, rootDisk(s.old))
	}
	deleted, kept := l.outdated(s)
	var parts []string
	if len(deleted) > 0 {
		parts = append(parts, "the rollout then deletes the old root disks "+strings.Join(deleted, ", "))
	}
	if len(kept) > 0 {
		parts = append(parts, strings.Join(kept, ", ")+" stays for going back")
	}
	if parts == nil {
		return keptRoot(s.new, rootDisk(s.old))
	}
	return strings.Join(parts, "; ")
}

// awaitsRollout reports whether a VM waits for the restart of a rollout that was not
// done: a new rollout also restarts it, unless it has stopped at this content.
func (p *planner) awaitsRollout(namespace, name string) bool {
	pair := p.find("kubevirt.io", "VirtualMachine", namespace, name)
	if p.live == nil || pair == nil || pair.new == nil {
		return false
	}
	m := p.live.machine(pair.id)
	if m == nil || !m.restartRequired || m.running != yes {
		return false
	}
	vm := manifest.Decode(pair.new)
	id := manifest.Text(vm, "metadata", "labels", labels.Rollout)
	if id == "" || annotation(vm, labels.Lifecycle) == labels.Pet {
		return false
	}
	lease := p.live.get(kindLease, namespace, id+labels.RolloutSuffix)
	at, stopped := labels.ParsePairs(annotation(lease, labels.Stopped))[name]
	return !stopped || at != annotation(vm, labels.Content)
}

// rollouts adds the rollouts that have stopped at VMs that have not come up since, and the Jobs of earlier syncs that
// run.
func (p *planner) rollouts(namespaces []string) {
	for _, ns := range namespaces {
		for _, lease := range p.live.of(kindLease, ns) {
			stopped := labels.ParsePairs(annotation(lease.object, labels.Stopped))
			maps.DeleteFunc(stopped, func(name, _ string) bool {
				id := manifest.ID{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine", Namespace: ns, Name: name}
				m := p.live.machine(id)
				return m != nil && m.isCurrent() == yes
			})
			if names := keysOf(stopped); len(names) > 0 {
				p.note("%s: an earlier rollout (Lease %s) stopped at %s: a rollout skips these VMs "+
					"until they change again, or until you run it with --retry", ns, lease.id.Name, some(names))
			}
		}
		for _, job := range p.live.of(kindJob, ns) {
			if isRendered(job.object) && count(manifest.At(job.object, "status", "active"), 0) > 0 {
				p.note("%s: the Job %s of an earlier sync is running", ns, job.id.Name)
			}
		}
	}
}

func keysOf(m map[string]string) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

// most is the most names of a list that are shown.
const most = 5

// some returns the first names of a list, and the number of the others.
func some(names []string) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
