package cluster

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Owned returns the names of the disks that belong to a VM in the cluster, sorted:
// Kubernetes deletes them with it, regardless of the options of Argo CD. A DataVolume and its claim
// have one name.
func (l *State) Owned(id manifest.ID) []string {
	if l == nil {
		return nil
	}
	return slices.Clone(l.disks[KeyOf(id)])
}

// readOwners finds the disks of every VM.
func (l *State) readOwners() {
	l.disks = map[Key][]string{}
	for _, kind := range []string{KindDataVolume, KindClaim} {
		for _, e := range l.ByKind[kind] {
			for _, machine := range l.ownersOf(e) {
				if !slices.Contains(l.disks[machine], e.ID.Name) {
					l.disks[machine] = append(l.disks[machine], e.ID.Name)
				}
			}
		}
	}
	for _, names := range l.disks {
		slices.Sort(names)
	}
}

// ownersOf returns the VMs that the owner references of a disk name, themselves or
// by the DataVolume that created the claim.
func (l *State) ownersOf(disk Entity) []Key {
	out := l.MachinesOf(disk)
	for _, owner := range manifest.List(disk.Object, "metadata", "ownerReferences") {
		volume := l.Get(KindDataVolume, disk.ID.Namespace, manifest.Text(owner, "name"))
		if ownerKind(owner) == KindDataVolume && volume != nil {
			out = append(out, l.MachinesOf(Entity{disk.ID, volume})...)
		}
	}
	return out
}

// MachinesOf returns the VMs that the owner references of an object name. A reference
// to an earlier VM of that name does not count.
func (l *State) MachinesOf(e Entity) []Key {
	var out []Key
	for _, owner := range manifest.List(e.Object, "metadata", "ownerReferences") {
		kind, group, _ := strings.Cut(ownerKind(owner), ".")
		machine := Key{group, kind, e.ID.Namespace, manifest.Text(owner, "name")}
		uid := manifest.Text(l.byKey[machine], "metadata", "uid")
		if uid == "" || uid == manifest.Text(owner, "uid") {
			out = append(out, machine)
		}
	}
	return out
}

// Disk returns a disk in the cluster: its DataVolume, or else its claim; nil if there is
// none.
func (l *State) Disk(namespace, name string) manifest.Tree {
	if d := l.Get(KindDataVolume, namespace, name); d != nil {
		return d
	}
	return l.Get(KindClaim, namespace, name)
}
