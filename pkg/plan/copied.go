package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// shrunkCopies returns a cause for each disk of a VM that KubeVirt is to copy to a
// smaller claim: the destination of a volume migration must be at least as large
// (kubevirt/user-guide docs/storage/volume_migration.md).
func (p *planner) shrunkCopies(s *impact.Subject) []impact.Cause {
	if manifest.Text(s.New, "spec", "updateVolumesStrategy") != "Migration" {
		return nil
	}
	var out []impact.Cause
	for _, v := range manifest.List(world.Spec(s.New), "volumes") {
		entry := "[" + manifest.EntryName(v) + "]"
		if !impact.MovesClaim(s, entry) {
			continue
		}
		from, to := world.ClaimOf(world.Volume(s.Old, entry)), world.ClaimOf(v)
		have, want := p.sizeBefore(s, from), p.sizeAfter(s, to)
		if have.Cmp(want) <= 0 || want.IsZero() {
			continue
		}
		out = append(out, impact.Cause{
			Path:  diff.Display([]string{"spec", "template", "spec", "volumes", entry}),
			Key:   "disks." + impact.DiskKey(manifest.EntryName(v)),
			Level: impact.Refused, Code: "cannot-shrink",
			Reason: fmt.Sprintf("KubeVirt cannot copy the disk %s of %s to %s of %s", from, &have, to, &want),
			Advice: fmt.Sprintf("set size to %s or more, and expandTo to nothing", &have),
		})
	}
	return out
}

// sizeBefore returns the size of a disk before the sync: as it was created, as Git has grown
// it, or as the cluster has it, what is most.
func (p *planner) sizeBefore(s *impact.Subject, name string) resource.Quantity {
	most := requested(s.Disks[name])
	sides := []manifest.Tree{p.Live.Get(cluster.KindClaim, s.ID.Namespace, name)}
	if growth := p.Find("", "PersistentVolumeClaim", s.ID.Namespace, name); growth != nil {
		sides = append(sides, manifest.Decode(growth.Old))
	}
	for _, side := range sides {
		if q := requested(side); q.Cmp(most) > 0 {
			most = q
		}
	}
	return most
}

// sizeAfter returns the size that a disk is created with; 0 if its source has it.
func (p *planner) sizeAfter(s *impact.Subject, name string) resource.Quantity {
	if d := p.Find("cdi.kubevirt.io", "DataVolume", s.ID.Namespace, name); d != nil {
		return requested(manifest.Decode(d.New))
	}
	template, _ := manifest.At(s.New, "spec", "dataVolumeTemplates", "["+name+"]").(manifest.Tree)
	return requested(template)
}

// requested returns the size that a DataVolume or claim asks for, or 0.
func requested(disk manifest.Tree) resource.Quantity {
	for _, path := range [][]string{{"spec", "storage"}, {"spec", "pvc"}, {"spec"}} {
		if q, ok := quantities.Of(manifest.At(disk, append(path, "resources", "requests", "storage")...)); ok {
			return q
		}
	}
	return resource.Quantity{}
}
