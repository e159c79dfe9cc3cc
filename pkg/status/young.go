package status

import (
	"time"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// firstSync is more than the time between the first objects of a VM and its disks in one sync.
const firstSync = time.Hour

// youngDisks notes pets whose root disk is younger than the pet: something has deleted it,
// and a sync has filled it again.
func (p *reader) youngDisks() {
	for _, ns := range p.Namespaces() {
		for _, vm := range p.Live.Of(cluster.KindVM, ns) {
			names := world.Claims(world.Spec(vm.Object))
			isMoved := manifest.Text(vm.Object, "spec", "updateVolumesStrategy") != "" // its revisions are younger
			if cluster.Annotation(vm.Object, labels.Lifecycle) != labels.Pet || isMoved || len(names) == 0 {
				continue
			}
			disk := p.Live.Disk(ns, names[0])
			made, err := time.Parse(time.RFC3339, cluster.Created(disk))
			what, since := p.Live.OldestOf(vm)
			if err == nil && cluster.IsRendered(disk) && !since.IsZero() && made.Sub(since) > firstSync {
				p.Note("%s: the root disk %s of %s is of %s, and so younger than %s, of %s: it was filled again; "+
					"if that was not intended, get the data back from a snapshot or backup",
					ns, names[0], vm.ID.Name, made.Format(time.RFC3339), what, since.Format(time.RFC3339))
			}
		}
	}
}
