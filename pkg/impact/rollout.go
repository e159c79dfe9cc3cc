package impact

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// newRoot describes what a VM starts from that a rollout restarts.
func newRoot(s *Subject) string {
	if root := RootDisk(s.New); s.State.Disk(s.ID.Namespace, root) != nil {
		return fmt.Sprintf("the disk %q exists and is not filled again, and the VM starts from it", root)
	}
	return "a new disk is filled from its source, and the VM starts from it"
}

// keptRoot describes what becomes of the old root disk of a VM in a rollout.
func keptRoot(vm manifest.Tree, old string) string {
	if n := cluster.Annotation(vm, labels.KeepOld); n == "" || n == "0" {
		return fmt.Sprintf("the rollout deletes the old root disk %q when the VM runs from the new one", old)
	}
	return fmt.Sprintf("the old root disk %q stays for going back", old)
}

// outdated returns the old root disks of a VM that its rollout deletes, and those
// that it keeps, when the VM runs from a new one: the choice of package rollout.
func (s *Subject) outdated() (deleted, kept []string) {
	l := s.State
	root := RootDisk(s.New)
	used := s.usedByOthers()
	ran := s.ran()
	var old []cluster.Entity
	for _, d := range l.Of(cluster.KindDataVolume, s.ID.Namespace) {
		isRoot := manifest.Text(d.Object, "metadata", "labels", labels.Disk) == labels.RootDisk
		isGoing := manifest.Text(d.Object, "metadata", "deletionTimestamp") != ""
		isInUse := used[d.ID.Name] || d.ID.Name == root
		if isRoot && !isGoing && !isInUse && slices.Contains(l.MachinesOf(d), cluster.KeyOf(s.ID)) {
			old = append(old, d)
		}
	}
	turn := func(e cluster.Entity) int {
		if i := slices.Index(ran, e.ID.Name); i >= 0 {
			return i
		}
		return len(ran)
	}
	slices.SortFunc(old, func(a, b cluster.Entity) int {
		return cmp.Or(
			cmp.Compare(turn(a), turn(b)),
			cmp.Compare(cluster.Created(b.Object), cluster.Created(a.Object)),
			cmp.Compare(a.ID.Name, b.ID.Name),
		)
	})
	n := min(keepOld(s.New), len(old))
	for i, e := range old {
		if i < n {
			kept = append(kept, e.ID.Name)
		} else {
			deleted = append(deleted, e.ID.Name)
		}
	}
	return deleted, kept
}

// keepOld returns the number of outdated root disks that a rollout keeps.
func keepOld(vm manifest.Tree) (n int) {
	_, _ = fmt.Sscan(cluster.Annotation(vm, labels.KeepOld), &n)
	return max(n, 0)
}

// losesOldDisks reports whether the cluster is known to have old root disks of a VM beyond what its rollout keeps.
func (s *Subject) losesOldDisks() bool {
	if s.State == nil {
		return false
	}
	deleted, _ := s.outdated()
	return len(deleted) > 0
}

// usedByOthers returns the disks that other VMs of the namespace use.
func (s *Subject) usedByOthers() map[string]bool {
	out := map[string]bool{}
	for _, vm := range s.State.Of(cluster.KindVM, s.ID.Namespace) {
		if vm.ID.Name == s.ID.Name {
			continue
		}
		for _, name := range world.Claims(world.Spec(vm.Object)) {
			out[name] = true
		}
		for _, v := range manifest.List(vm.Object, "spec", "dataVolumeTemplates") {
			out[manifest.EntryName(v)] = true
		}
	}
	return out
}

// ran returns the root disks that a VM ran from, the last one first, as the Lease
// of its rollout records.
func (s *Subject) ran() []string {
	name := manifest.Text(s.New, "metadata", "labels", labels.Rollout) + labels.RolloutSuffix
	lease := s.State.Get(cluster.KindLease, s.ID.Namespace, name)
	ran := strings.Split(labels.ParsePairs(cluster.Annotation(lease, labels.Ran))[s.ID.Name], ",")
	if now := RootDisk(world.Template(s.Live.Tree())); s.Live.Tree() != nil && (len(ran) == 0 || ran[0] != now) {
		ran = slices.Concat([]string{now}, ran)
	}
	return ran
}

// oldRoots describes what becomes of the old root disks of a VM in a rollout.
func (s *Subject) oldRoots() string {
	if s.State == nil {
		return keptRoot(s.New, RootDisk(s.Old))
	}
	deleted, kept := s.outdated()
	var parts []string
	if len(deleted) > 0 {
		parts = append(parts, "the rollout then deletes the old root disks "+strings.Join(deleted, ", "))
	}
	if len(kept) > 0 {
		parts = append(parts, strings.Join(kept, ", ")+" stays for going back")
	}
	if parts == nil {
		return keptRoot(s.New, RootDisk(s.Old))
	}
	return strings.Join(parts, "; ")
}
