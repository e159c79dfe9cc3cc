package writeback_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleetgen"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/writeback"
)

// changesByHand are manual changes to VMs of generated fleets, each for some of the VMs.
var changesByHand = []func(vm manifest.Tree){
	func(vm manifest.Tree) {
		if cpu := manifest.Map(vm, "spec", "template", "spec", "domain", "cpu"); cpu != nil {
			cpu["sockets"] = 5
		}
	},
	func(vm manifest.Tree) {
		if memory := manifest.Map(vm, "spec", "template", "spec", "domain", "memory"); memory["guest"] != nil {
			memory["guest"] = "7Gi"
		}
	},
	func(vm manifest.Tree) { manifest.Map(vm, "metadata", "labels")["by-hand"] = "yes" },
	func(vm manifest.Tree) { manifest.Map(vm, "spec")["runStrategy"] = "Manual" },
	func(vm manifest.Tree) {
		manifest.Map(vm, "spec", "template", "spec")["nodeSelector"] = manifest.Tree{"by": "hand"}
	},
	func(vm manifest.Tree) {
		delete(manifest.Map(vm, "spec", "template", "spec"), "terminationGracePeriodSeconds")
	},
}

// TestMergeGenerated renders random fleets. Merging the unchanged output changes nothing. Merging
// VMs that were changed manually changes the fleet so that it renders them.
func TestMergeGenerated(t *testing.T) {
	merged := 0
	for seed := range uint64(60) {
		merged += mergeBack(t, seed)
	}
	require.Greater(t, merged, 30)
}

// FuzzMerge is [TestMergeGenerated] for any seed.
func FuzzMerge(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { mergeBack(t, seed) })
}

// mergeBack returns the number of VMs that were changed manually and merged, or 0 for a fleet
// with errors.
func mergeBack(t *testing.T, seed uint64) int {
	t.Helper()
	dir, objects := generated(t, seed)
	if objects == nil {
		return 0
	}
	opts := generatedOptions(dir)
	same, err := writeback.Merge(objects, dir, writeback.Options{Fleet: opts})
	require.NoError(t, err, "seed %d", seed)
	diff, report := written(t, same)
	require.Empty(t, diff, "seed %d: %s", seed, report)
	require.True(t, same.Exact(), "seed %d: %s", seed, report)

	changed, err := writeback.Merge(changedByHand(t, objects, seed), dir, writeback.Options{Fleet: opts, Templates: true})
	require.NoError(t, err, "seed %d", seed)
	_, report = written(t, changed)
	require.NotContains(t, report, fleetgen.Secret)
	require.NoError(t, changed.Save())
	n := 0
	for _, m := range changed.Machines {
		if m.Refused == "" {
			require.Empty(t, m.Differences, "seed %d: %s", seed, report)
			n++
		}
	}
	return n
}

func changedByHand(t *testing.T, objects []manifest.Object, seed uint64) []manifest.Object {
	t.Helper()
	var out []manifest.Object
	for i, o := range objects {
		if o.Kind != "VirtualMachine" {
			continue
		}
		vm := o.Tree()
		for j, change := range changesByHand {
			if (uint64(i)+uint64(j)+seed)%3 == 0 {
				change(vm)
			}
		}
		made, err := manifest.New(vm)
		require.NoError(t, err)
		out = append(out, made)
	}
	return out
}

// existing is a fleet with defaults that the VMs do not have.
const existing = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: existing}
defaults:
  flavor: small
  labels: {team: a}
  evictionStrategy: LiveMigrate
  cloudInit: {user: admin, packages: [nginx]}
  disks: {data: 5Gi}
  nodeSelector: {zone: a}
`

// TestMergeAdds adds the VMs of generated fleets, as if a user had created them manually, to a
// fleet with other defaults. No DataVolume is rendered for them, since they have their disks.
func TestMergeAdds(t *testing.T) {
	added, refused := 0, 0
	for seed := range uint64(40) {
		_, objects := generated(t, seed)
		if objects == nil {
			continue
		}
		to := t.TempDir()
		write(t, filepath.Join(to, "fleet.yaml"), []byte(existing))
		write(t, filepath.Join(to, "a.yaml"), []byte("namespace: a\nvms:\n  first: {os: rhel9}\n"))
		r, err := writeback.Merge(byHand(t, objects), to, writeback.Options{Fleet: fleet.Options{Limit: to}})
		require.NoError(t, err, "seed %d", seed)
		_, report := written(t, r)
		require.NoError(t, r.Save())
		requireNoDataVolumes(t, to, "first")
		for _, m := range r.Machines {
			if m.Refused != "" {
				refused++
				continue
			}
			require.Empty(t, m.Differences, "seed %d: %s", seed, report)
			added++
		}
	}
	require.Greater(t, added, 20)
	require.Less(t, refused, added/10, "what the format refuses of a VM, such as cloud-init for Windows")
}

// requireNoDataVolumes checks that a fleet renders none but those of one VM.
func requireNoDataVolumes(t *testing.T, dir, but string) {
	t.Helper()
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{Limit: dir}, c.Visit)
	require.False(t, diags.HasErrors())
	for _, o := range render.Objects(c.Rendered(diags)...) {
		require.True(t, o.Kind != "DataVolume" || manifest.Text(o.Tree(), "metadata", "labels", "app") == but, o.ID)
	}
}

// generated writes a random fleet and returns its directory and its objects, or nil for a
// fleet with errors.
func generated(t *testing.T, seed uint64) (string, []manifest.Object) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, fleetgen.New(seed).Write(dir))
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, generatedOptions(dir), c.Visit)
	rendered := c.Rendered(diags)
	if diags.HasErrors() {
		return dir, nil
	}
	return dir, render.Objects(rendered...)
}

// generatedOptions returns the options for reading a random fleet.
func generatedOptions(dir string) fleet.Options { return fleet.Options{Limit: dir, Namespace: "prod"} }

// byHand returns objects without the marks by which a merge recognizes those of vmrender.
func byHand(t testing.TB, objects []manifest.Object) []manifest.Object {
	t.Helper()
	var out []manifest.Object
	for _, o := range objects {
		tree := o.Tree()
		delete(manifest.Map(tree, "metadata", "labels"), labels.ManagedBy)
		made, err := manifest.New(tree)
		require.NoError(t, err)
		out = append(out, made)
	}
	return out
}
