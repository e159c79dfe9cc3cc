package resolve

import (
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// longestClaim is the length of a claim's name with which forklift's and CDI's names that contain it have 63 characters
// (kubev2v/forklift v2.12.5, pkg/apis/forklift/v1beta1/plan.go, PVCNameTemplate).
const longestClaim = 46

// migratedDisks returns the disks that the migration fills, in the order of vSphere.
func (d *draft) migratedDisks(m *machine.Machine) []machine.MigratedDisk {
	byName := map[string]machine.MigratedDisk{}
	var names []string
	for i := range m.Disks {
		disk := &m.Disks[i]
		if !disk.Migrated {
			continue
		}
		if len(disk.Claim) > longestClaim {
			d.errorf(d.entry.Pos, rule.BadName, "disks."+disk.Name,
				"its claim %q has %d characters, and forklift derives longer names from it; at most %d are accepted",
				disk.Claim, len(disk.Claim), longestClaim)
		}
		names = append(names, disk.Name)
		byName[disk.Name] = machine.MigratedDisk{Claim: disk.Claim, Volume: disk.Volume}
	}
	if given := d.vm.Migrate.Disks; given != nil {
		d.checkDiskOrder(given, names)
		names = given
	}
	out := make([]machine.MigratedDisk, 0, len(names))
	for _, name := range names {
		out = append(out, byName[name])
	}
	return out
}

// checkDiskOrder reports an order of the disks that does not name each of them once.
func (d *draft) checkDiskOrder(given, names []string) {
	for i, name := range given {
		at, path := d.entry.Keys.Get("migrate", "disks").Items[i].Pos(), source.IndexPath("migrate.disks", i)
		switch {
		case !slices.Contains(names, name):
			problem := fmt.Sprintf("unknown disk %q, or one that the migration does not fill", name)
			d.errorf(at, rule.UnknownName, path, "%s",
				suggest.Later(problem, name, len(names), func() []string { return names }))
		case slices.Index(given, name) < i:
			d.errorf(at, rule.Duplicate, path, "duplicate disk %q; name each once", name)
		}
	}
	for _, name := range names {
		if !slices.Contains(given, name) {
			d.errorf(d.entry.At("migrate", "disks"), rule.MissingKey, "migrate.disks",
				"missing disk %q; expected all that the migration fills, in the order of vSphere", name)
		}
	}
}
