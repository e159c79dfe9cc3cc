package drill

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/world"
)

// unrecorded is what is unknown if an object does not record what Argo CD has applied last.
const unrecorded = "whether Git or the cluster is newer: the object does not record what was applied last"

// driftLosses returns the changes of a VM and of its disks that the cluster has, and Git has not.
func (d *driller) driftLosses(v *vm, machine *pairs.Pair) []Loss {
	out := d.driftOf(machine)
	for _, name := range world.Claims(world.Spec(v.git)) {
		for _, kind := range [][2]string{{"cdi.kubevirt.io", "DataVolume"}, {"", "PersistentVolumeClaim"}} {
			if disk := d.Find(kind[0], kind[1], v.id.Namespace, name); disk != nil {
				d.disks[disk] = true
				out = append(out, d.driftOf(disk)...)
			}
		}
	}
	return out
}

// driftOf returns the changes of an object that the cluster has, and Git has not. What Git has changed since the last
// sync is not lost.
func (d *driller) driftOf(pair *pairs.Pair) []Loss {
	drift, pending := d.Differences(pair)
	var out []Loss
	add := func(fields []impact.FieldStatus, unknown ...string) {
		if len(fields) > 0 {
			out = append(out, Loss{
				Kind: Drift, Object: pair.ID, Reason: named(pair.ID) + " has other values in the cluster: " + changed(fields),
				Unknown: unknown,
			})
		}
	}
	add(drift)
	if cluster.Applied(d.Live.Object(pair.ID)) == nil {
		add(slices.DeleteFunc(pending, func(f impact.FieldStatus) bool { return f.Is == "" }), unrecorded)
	}
	return out
}

// changed returns fields with the clients that have set them, each once and without values: "memory (kubectl-edit),
// runStrategy".
func changed(fields []impact.FieldStatus) string {
	var out []string
	for i := range fields {
		label := fields[i].Label()
		if by := fields[i].By; by != "" {
			label += " (" + by + ")"
		}
		if !slices.Contains(out, label) {
			out = append(out, label)
		}
	}
	return strings.Join(out, ", ")
}

// ofOthers adds the other objects of Git that have changes in the cluster.
func (d *driller) ofOthers() {
	for i := range d.Pairs {
		pair := &d.Pairs[i]
		if pair.IsMachine() || d.disks[pair] {
			continue
		}
		if losses := d.driftOf(pair); len(losses) > 0 {
			d.out.Objects = append(d.out.Objects, rebuildOf(pair.ID, losses))
		}
	}
}
