package resolve

import (
	"cmp"
	"slices"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
)

// partName returns a name for the set of VMs that are rendered together, for
// objects that belong to no single VM. Every Application and environment has another
// name, so that fleets of one name in one namespace share no Jobs. The format must never change, because
// Jobs select VMs by it.
func partName(f *fleet.Fleet) string {
	texts := append([]string{f.Part()}, slices.Sorted(slices.Values(f.VMs))...)
	if f.Application != "" {
		texts = append(texts, "application="+f.Application)
	}
	if f.Environment != "" {
		texts = append(texts, "environment="+f.Environment)
	}
	return cmp.Or(f.Header.Metadata.Name, "fleet") + "-" + machine.Hash(texts...)
}
