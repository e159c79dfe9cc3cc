package drill_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleetgen"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/drill"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/world"
)

// needs are the kinds of losses that an object in Git closes.
var needs = []drill.Kind{drill.Config, drill.InstanceType, drill.Secret, drill.Network}

// A cluster that has what a fleet renders loses what Git does not bring, and nothing else: what a loss names closes it,
// and without the backup, exactly the disks are lost in addition, with what fills them.
func TestGenerated(t *testing.T) {
	fleets, disks := 0, 0
	for seed := range uint64(120) {
		objects := generated(t, seed)
		if objects == nil {
			continue
		}
		fleets++
		live := withInstances(t, objects)
		backup := read(t, kept)
		first := lossesOf(slices.Concat(objects, backup), slices.Concat(live, backup))
		for _, l := range first {
			require.Contains(t, append(slices.Clone(needs), drill.Clash), l.Kind, "seed %d: %s", seed, l.Reason)
			if slices.Contains(needs, l.Kind) {
				objects = append(objects, stub(t, l.Object))
			}
		}
		whole := lossesOf(slices.Concat(objects, backup), slices.Concat(live, backup))
		for _, l := range whole {
			require.Equal(t, drill.Clash, l.Kind, "seed %d: %s", seed, l.Reason)
		}
		lost := map[string]bool{}
		for _, l := range lossesOf(objects, live) {
			if l.Kind == drill.Clash {
				continue
			}
			require.NotEmpty(t, l.Disk, "seed %d: %s", seed, l.Reason)
			require.Contains(t, append(slices.Clone(needs), drill.Disk, drill.State, drill.Image), l.Kind, l.Reason)
			if l.Kind == drill.Disk {
				lost[l.Object.Namespace+"/"+l.Disk] = true
			}
		}
		requireDisks(t, objects, lost)
		disks += len(lost)
		requireSameInAnyOrder(t, seed, objects, live)
	}
	require.Greater(t, fleets, 40)
	require.Greater(t, disks, 100)
}

// lossesOf returns the losses of a drill.
func lossesOf(git, live []manifest.Object) []drill.Loss {
	d := drill.New(drill.Input{Git: git, Live: live, Common: catalog.Installed})
	var out []drill.Loss
	for _, list := range [][]drill.Rebuild{d.VMs, d.Objects} {
		for _, r := range list {
			out = append(out, r.Losses...)
		}
	}
	return out
}

// requireDisks checks that the disks of all pets that are written to are lost, and of other VMs at most all.
func requireDisks(t *testing.T, objects []manifest.Object, lost map[string]bool) {
	t.Helper()
	all, pets := map[string]bool{}, map[string]bool{}
	for _, o := range objects {
		vm := world.Template(o.Tree())
		isPet := o.Kind == "VirtualMachine" && manifest.Text(vm, "metadata", "annotations", "vmrender.io/lifecycle") == "pet"
		for _, v := range manifest.List(world.Spec(vm), "volumes") {
			if claim := world.ClaimOf(v); claim != "" {
				all[o.Namespace+"/"+claim] = true
				if isPet && !world.IsReadOnly(world.Spec(vm), v) {
					pets[o.Namespace+"/"+claim] = true
				}
			}
		}
	}
	for name := range pets {
		require.Contains(t, lost, name)
	}
	for name := range lost {
		require.Contains(t, all, name)
	}
}

// requireSameInAnyOrder checks that a drill does not depend on the order of its input, and that reports of it contain
// no secrets.
func requireSameInAnyOrder(t *testing.T, seed uint64, git, live []manifest.Object) {
	t.Helper()
	text := func() string {
		var out strings.Builder
		d := drill.New(drill.Input{Git: git, Live: live, Common: catalog.Installed})
		for _, f := range report.DrillFormats() {
			require.NoError(t, f.Write(&out, report.Drill{Drill: d, Verbose: true}))
		}
		return out.String()
	}
	before := text()
	require.NotContains(t, before, fleetgen.Secret)
	r := rand.New(rand.NewPCG(seed, 1)) //nolint:gosec // a seed makes the test repeatable
	for _, list := range [][]manifest.Object{git, live} {
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	}
	require.Equal(t, before, text(), "seed %d", seed)
}

// generated returns the objects of a random fleet, or nil for a fleet with errors.
func generated(t *testing.T, seed uint64) []manifest.Object {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, fleetgen.New(seed).Write(dir))
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{Limit: dir, Namespace: "prod"}, c.Visit)
	rendered := c.Rendered(diags)
	if diags.HasErrors() {
		return nil
	}
	return render.Objects(rendered...)
}

// withInstances returns objects with what KubeVirt creates for each VM: its instance, so that its addresses are known,
// and the DataVolumes of its templates.
func withInstances(t *testing.T, objects []manifest.Object) []manifest.Object {
	t.Helper()
	out := slices.Clone(objects)
	add := func(tree manifest.Tree) {
		o, err := manifest.New(tree)
		require.NoError(t, err)
		out = append(out, o)
	}
	for _, o := range objects {
		if o.Kind != "VirtualMachine" {
			continue
		}
		vm := o.Tree()
		add(manifest.Tree{
			"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance",
			"metadata": manifest.Tree{"name": o.Name, "namespace": o.Namespace}, "spec": world.Spec(vm),
			"status": manifest.Tree{"phase": "Running"},
		})
		for _, template := range manifest.List(vm, "spec", "dataVolumeTemplates") {
			add(manifest.Tree{
				"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume", "spec": manifest.Map(template, "spec"),
				"metadata": manifest.Tree{"name": manifest.EntryName(template), "namespace": o.Namespace},
			})
		}
	}
	return out
}

// stub returns an empty object.
func stub(t *testing.T, id manifest.ID) manifest.Object {
	t.Helper()
	metadata := manifest.Tree{"name": id.Name}
	if id.Namespace != "" {
		metadata["namespace"] = id.Namespace
	}
	o, err := manifest.New(manifest.Tree{"apiVersion": id.APIVersion, "kind": id.Kind, "metadata": metadata})
	require.NoError(t, err)
	return o
}
