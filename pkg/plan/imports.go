package plan

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// filled counts the disks that the sync fills.
type filled struct {
	disks, unsized int
	size           resource.Quantity
}

// imports notes how many disks the sync fills from images or other disks, and how large
// they are: it takes that time, space and network. The templates of VMs are counted already.
func (p *planner) imports() {
	f := &p.filled
	for i := range p.Pairs {
		if pair := &p.Pairs[i]; cluster.KindOf(pair.ID) == cluster.KindDataVolume && pair.Old == nil {
			f.add(manifest.Decode(pair.New), 1)
		}
	}
	if f.disks == 0 {
		return
	}
	text := fmt.Sprintf("%d disks are filled from images or other disks", f.disks)
	if f.disks == 1 {
		text = "one disk is filled from an image or another disk"
	}
	if !f.size.IsZero() {
		text += ": " + f.size.String()
	}
	if f.unsized > 0 && !f.size.IsZero() {
		text += fmt.Sprintf(", and %d of unknown size", f.unsized)
	}
	p.Note("%s", text)
}

// templates counts the disks of a VM's templates that neither exist nor were there
// before.
func (p *planner) templates(s *impact.Subject) {
	before, namespace := world.Template(s.Old), s.ID.Namespace
	members := quantities.Count(manifest.At(s.New, "spec", "replicas"), 1)
	for _, t := range manifest.List(world.Template(s.New), "spec", "dataVolumeTemplates") {
		name := manifest.EntryName(t)
		known := manifest.At(before, "spec", "dataVolumeTemplates", "["+name+"]") != nil ||
			p.Live.Disk(namespace, name) != nil || p.Find("cdi.kubevirt.io", "DataVolume", namespace, name) != nil
		if !known {
			p.filled.add(t, members)
		}
	}
}

// add counts a DataVolume, unless it stays empty or is filled manually.
func (f *filled) add(disk any, n int) {
	source := manifest.At(disk, "spec", "source")
	if manifest.At(source, "blank") != nil || manifest.At(source, "upload") != nil ||
		source == nil && manifest.At(disk, "spec", "sourceRef") == nil {
		return
	}
	f.disks += n
	for _, kind := range []string{"storage", "pvc"} {
		if q, ok := quantities.Of(manifest.At(disk, "spec", kind, "resources", "requests", "storage")); ok {
			q.Mul(int64(n))
			f.size.Add(q)
			return
		}
	}
	f.unsized += n
}
