package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// shrunkCopies returns a cause for each disk of a VM that KubeVirt is to copy to a
// smaller claim: the destination of a volume migration must be at least as large
// (kubevirt/user-guide docs/storage/volume_migration.md).
func (p *planner) shrunkCopies(s *subject) []Cause {
	if manifest.Text(s.new, "spec", "updateVolumesStrategy") != "Migration" {
		return nil
	}
	var out []Cause
	for _, v := range manifest.List(world.Spec(s.new), "volumes") {
		entry := "[" + manifest.EntryName(v) + "]"
		if !movesClaim(s, entry) {
			continue
		}
		from, to := world.ClaimOf(world.Volume(s.old, entry)), world.ClaimOf(v)
		have, want := p.sizeBefore(s, from), p.sizeAfter(s, to)
		if have.Cmp(want) <= 0 || want.IsZero() {
			continue
		}
		out = append(out, Cause{
			Path:  display([]string{"spec", "template", "spec", "volumes", entry}),
			Key:   "disks." + diskKey(manifest.EntryName(v)),
			Level: Refused, Code: "cannot-shrink",
			Reason: fmt.Sprintf("KubeVirt cannot copy the disk %s of %s to %s of %s", from, &have, to, &want),
			Advice: fmt.Sprintf("set size to %s or more, and expandTo to nothing", &have),
		})
	}
	return out
}

// diskKey returns the key of the disk of a volume.
func diskKey(volume string) string {
	if volume == "rootdisk" {
		return "root"
	}
	return volume
}

// sizeBefore returns the size of a disk before the sync: as it was created, as Git has grown
// it, or as the cluster has it, what is most.
func (p *planner) sizeBefore(s *subject, name string) resource.Quantity {
	most := requested(s.disks[name])
	sides := []tree{p.live.get(kindClaim, s.id.Namespace, name)}
	if growth := p.find("", "PersistentVolumeClaim", s.id.Namespace, name); growth != nil {
		sides = append(sides, manifest.Decode(growth.old))
	}
	for _, side := range sides {
		if q := requested(side); q.Cmp(most) > 0 {
			most = q
		}
	}
	return most
}

// sizeAfter returns the size that a disk is created with; 0 if its source has it.
func (p *planner) sizeAfter(s *subject, name string) resource.Quantity {
	if d := p.find("cdi.kubevirt.io", "DataVolume", s.id.Namespace, name); d != nil {
		return requested(manifest.Decode(d.new))
	}
	template, _ := manifest.At(s.new, "spec", "dataVolumeTemplates", "["+name+"]").(tree)
	return requested(template)
}

// requested returns the size that a DataVolume or claim asks for, or 0.
func requested(disk tree) resource.Quantity {
	for _, path := range [][]string{{"spec", "storage"}, {"spec", "pvc"}, {"spec"}} {
		if q, ok := quantity(manifest.At(disk, append(path, "resources", "requests", "storage")...)); ok {
			return q
		}
	}
	return resource.Quantity{}
}
