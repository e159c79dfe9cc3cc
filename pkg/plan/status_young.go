package plan

import (
	"time"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// firstSync is more than the time between the first objects of a VM and its disks in one sync.
const firstSync = time.Hour

// youngDisks notes pets whose root disk is younger than the pet: something has deleted it,
// and a sync has filled it again.
func (p *planner) youngDisks() {
	for _, ns := range p.namespaces() {
		for _, vm := range p.live.of(kindVM, ns) {
			names := world.Claims(world.Spec(vm.object))
			isMoved := manifest.Text(vm.object, "spec", "updateVolumesStrategy") != "" // its revisions are younger
			if annotation(vm.object, labels.Lifecycle) != labels.Pet || isMoved || len(names) == 0 {
				continue
			}
			disk := p.live.disk(ns, names[0])
			made, err := time.Parse(time.RFC3339, created(disk))
			what, since := p.live.oldestOf(vm)
			if err == nil && isRendered(disk) && !since.IsZero() && made.Sub(since) > firstSync {
				p.note("%s: the root disk %s of %s is of %s, and so younger than %s, of %s: it was filled again; "+
					"if that was not intended, get the data back from a snapshot or backup",
					ns, names[0], vm.id.Name, made.Format(time.RFC3339), what, since.Format(time.RFC3339))
			}
		}
	}
}

// oldestOf returns the oldest object that a VM has had from the time of its first sync on,
// in words, and its time: the VM, which a forced replacement recreates, a snapshot of it,
// or the claim with the state of its TPM or EFI. The time is zero if none has one.
func (l *live) oldestOf(vm entity) (what string, since time.Time) {
	older := func(words string, object tree) {
		if at, err := time.Parse(time.RFC3339, created(object)); err == nil && (since.IsZero() || at.Before(since)) {
			what, since = words, at
		}
	}
	older("the VM", vm.object)
	for _, s := range l.of(kindSnapshot, vm.id.Namespace) {
		if manifest.Text(s.object, "spec", "source", "name") == vm.id.Name {
			older("its snapshot "+s.id.Name, s.object)
		}
	}
	for _, c := range l.of(kindClaim, vm.id.Namespace) {
		if manifest.Text(c.object, "metadata", "labels", "persistent-state-for") == vm.id.Name {
			older("the state of its TPM or EFI", c.object)
		}
	}
	return what, since
}
