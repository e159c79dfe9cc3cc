package status

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// holdings returns what a VM has that no other VM can take while it runs, as the rest of a sentence; "" for nothing.
func (p *reader) holdings(e cluster.Entity) string {
	has := p.things(e)
	var parts []string
	for _, group := range []struct {
		one, many string
		kinds     []world.Kind
	}{
		{"the disk ", "the disks ", []world.Kind{world.Claim}},
		{"the address ", "the addresses ", []world.Kind{world.MAC, world.IP}},
	} {
		var names []string
		for _, t := range has {
			if slices.Contains(group.kinds, t.Kind) && !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
		switch len(names) {
		case 0:
		case 1:
			parts = append(parts, group.one+names[0])
		default:
			parts = append(parts, group.many+strings.Join(names, ", "))
		}
	}
	if world.StateOf(world.Spec(world.Template(e.Object))).Any() {
		parts = append(parts, "the state of its TPM or firmware")
	}
	if parts == nil {
		return ""
	}
	verb := map[cluster.Truth]string{cluster.Yes: "it runs, and holds ", cluster.No: "it does not run, and keeps "}
	with, ok := verb[p.Live.Machine(e.ID).Running]
	if !ok {
		with = "it has "
	}
	return "; " + with + strings.Join(parts, ", and ")
}

// things returns what the instance of a VM has, or else what its next start takes.
func (p *reader) things(e cluster.Entity) []world.Thing {
	from := world.Sources{Secret: func(name string) manifest.Tree { return p.Live.Secret(e.ID.Namespace, name) }}
	if instance := p.Live.Get(cluster.KindInstance, e.ID.Namespace, e.ID.Name); instance != nil {
		return world.HeldBy(instance, from)
	}
	return world.Addressed(e.ID.Namespace, world.Spec(world.Template(e.Object)), from)
}
