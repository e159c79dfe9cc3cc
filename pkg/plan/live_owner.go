package plan

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// owned returns the names of the disks that belong to a VM in the cluster, sorted:
// Kubernetes deletes them with it, regardless of the options of Argo CD. A DataVolume and its claim
// have one name.
func (l *live) owned(id manifest.ID) []string {
	if l == nil {
		return nil
	}
	return slices.Clone(l.disks[keyOf(id)])
}

// readOwners finds the disks of every VM.
func (l *live) readOwners() {
	l.disks = map[key][]string{}
	for _, kind := range []string{kindDataVolume, kindClaim} {
		for _, e := range l.byKind[kind] {
			for _, machine := range l.ownersOf(e) {
				if !slices.Contains(l.disks[machine], e.id.Name) {
					l.disks[machine] = append(l.disks[machine], e.id.Name)
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
func (l *live) ownersOf(disk entity) []key {
	out := l.machinesOf(disk)
	for _, owner := range manifest.List(disk.object, "metadata", "ownerReferences") {
		volume := l.get(kindDataVolume, disk.id.Namespace, manifest.Text(owner, "name"))
		if ownerKind(owner) == kindDataVolume && volume != nil {
			out = append(out, l.machinesOf(entity{disk.id, volume})...)
		}
	}
	return out
}

// machinesOf returns the VMs that the owner references of an object name. A reference
// to an earlier VM of that name does not count.
func (l *live) machinesOf(e entity) []key {
	var out []key
	for _, owner := range manifest.List(e.object, "metadata", "ownerReferences") {
		kind, group, _ := strings.Cut(ownerKind(owner), ".")
		machine := key{group, kind, e.id.Namespace, manifest.Text(owner, "name")}
		uid := manifest.Text(l.byKey[machine], "metadata", "uid")
		if uid == "" || uid == manifest.Text(owner, "uid") {
			out = append(out, machine)
		}
	}
	return out
}

// ownerKind returns the kind of an owner reference, with its group.
func ownerKind(owner any) string {
	group, _, hasGroup := strings.Cut(manifest.Text(owner, "apiVersion"), "/")
	if !hasGroup {
		return manifest.Text(owner, "kind")
	}
	return manifest.Text(owner, "kind") + "." + group
}

// disk returns a disk in the cluster: its DataVolume, or else its claim; nil if there is
// none.
func (l *live) disk(namespace, name string) tree {
	if d := l.get(kindDataVolume, namespace, name); d != nil {
		return d
	}
	return l.get(kindClaim, namespace, name)
}

// released holds for disks that belong to no VM in the cluster.
var released = Condition{"it does not belong to the VM in the cluster", func(e *edit) bool {
	name := strings.Trim(entry(e.path), "[]")
	disk := e.state.disk(e.id.Namespace, name)
	return disk != nil && !slices.Contains(e.state.owned(e.id), name)
}, unseen}

// adviceUnfilled is what to do about a disk whose source is wrong.
const adviceUnfilled = "set disks.NAME.revision to another number above 1, and after the sync delete this disk, " +
	"which has no data; " +
	"or delete it now (kubectl delete datavolume): the sync recreates it"

// unfilled holds for disks that CDI has not been able to fill.
var unfilled = Condition{"the cluster could not fill it", func(e *edit) bool { return isUnfilled(e.inCluster) }, unseen}

// isUnfilled reports whether the import of a DataVolume has failed, or fails again and again (CDI
// v1.66, core/v1beta1/types.go, DataVolumeStatus).
func isUnfilled(disk tree) bool {
	restarts, _ := strconv.Atoi(compact(manifest.At(disk, "status", "restartCount")))
	phase := manifest.Text(disk, "status", "phase")
	return phase == "Failed" || phase != "" && phase != "Succeeded" && restarts > 0
}

// filledAgain turns a copy of a disk that the cluster could not fill into a start from the new disk, and
// reports whether it has.
func (p *planner) filledAgain(s *subject, c *Cause) bool {
	if c.Code != "copied" && c.Code != "not-copied" {
		return false
	}
	for _, v := range manifest.List(world.Spec(s.old), "volumes") {
		isIt, disk := strings.Contains(c.Path, "["+manifest.Text(v, "name")+"]"), world.ClaimOf(v)
		if isIt && isUnfilled(p.live.get(kindDataVolume, s.id.Namespace, disk)) {
			c.Level, c.Code, c.When, c.Approximate, c.Warning = Power, "filled-again", "", "", false
			c.Reason = "the VM starts from a new disk that is filled from its source: the disk " + disk + " could not be filled"
			c.Advice = "after the sync, delete the disk " + disk + " (kubectl delete datavolume): " +
				"until then, the Application is Degraded"
			return true
		}
	}
	return false
}

// isOwned holds for disks that belong to the VM in the cluster.
var isOwned = Condition{"it belongs to the VM in the cluster", func(e *edit) bool {
	return slices.Contains(e.state.owned(e.id), strings.Trim(entry(e.path), "[]"))
}, unseen}

// ownership returns the disks that Git keeps, and that belong to the VM in the
// cluster nevertheless.
func (p *planner) ownership(s *subject) []Cause {
	var out []Cause
	for _, name := range p.live.owned(s.id) {
		disk := p.disk(s.id.Namespace, name)
		if disk == nil || disk.new == nil ||
			manifest.At(world.Template(s.new), "spec", "dataVolumeTemplates", "["+name+"]") != nil {
			continue
		}
		if manifest.At(world.Template(s.old), "spec", "dataVolumeTemplates", "["+name+"]") != nil {
			continue // the rules of templates define it
		}
		out = append(out, Cause{
			Object: disk.id, Level: None, Code: "still-owned", Key: "disks", Warning: true,
			Reason: "Git keeps the disk, but in the cluster it still belongs to the VM: " +
				"Kubernetes deletes it with the VM",
			Advice: release(name),
		})
	}
	return out
}

// release returns the advice for a disk that must not go with its VM.
func release(name string) string {
	return fmt.Sprintf("remove the owner reference: "+
		`kubectl patch datavolume %s --type merge --patch '{"metadata":{"ownerReferences":null}}'`, name)
}

// keptByGit reports whether Git has a disk as an object that Argo CD does not prune.
func (p *planner) keptByGit(namespace, name string) bool {
	d := p.disk(namespace, name)
	if d == nil {
		return false
	}
	return d.new != nil || syncOption(manifest.Decode(d.old), "Prune") == "false"
}
