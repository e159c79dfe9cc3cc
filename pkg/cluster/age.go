package cluster

import (
	"time"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// OldestOf returns the oldest object that a VM has had from the time of its first sync on,
// in words, and its time: the VM, which a forced replacement recreates, a snapshot of it,
// or the claim with the state of its TPM or EFI. The time is zero if none has one.
func (l *State) OldestOf(vm Entity) (what string, since time.Time) {
	older := func(words string, object manifest.Tree) {
		if at, err := time.Parse(time.RFC3339, Created(object)); err == nil && (since.IsZero() || at.Before(since)) {
			what, since = words, at
		}
	}
	older("the VM", vm.Object)
	for _, s := range l.Of(KindSnapshot, vm.ID.Namespace) {
		if manifest.Text(s.Object, "spec", "source", "name") == vm.ID.Name {
			older("its snapshot "+s.ID.Name, s.Object)
		}
	}
	for _, c := range l.Of(KindClaim, vm.ID.Namespace) {
		if manifest.Text(c.Object, "metadata", "labels", "persistent-state-for") == vm.ID.Name {
			older("the state of its TPM or EFI", c.Object)
		}
	}
	return what, since
}
