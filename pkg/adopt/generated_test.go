package adopt_test

import (
	"flag"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleetgen"
	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

// TestGenerated renders random fleets and imports the VMs as if a user had created them
// manually. The resulting fleet renders the same VMs.
func TestGenerated(t *testing.T) {
	found, seed := 0, *first
	for ; found < *wanted; seed++ {
		found += roundTrip(t, seed)
		require.Less(t, seed-*first, uint64(50+5**wanted), "too few of the fleets are valid")
	}
	t.Logf("%d VMs of %d fleets", found, seed-*first)
}

// Which fleets are generated.
var (
	wanted = flag.Int("machines", 150, "number of VMs of random fleets that are rendered, imported and rendered")
	first  = flag.Uint64("first", 0, "seed of the first fleet")
)

// FuzzImport is [TestGenerated] for any seed.
func FuzzImport(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(func(t *testing.T, seed uint64) { roundTrip(t, seed) })
}

// roundTrip renders a generated fleet, imports the output, and returns the number of VMs, or
// 0 for a fleet with errors.
func roundTrip(t *testing.T, seed uint64) int {
	t.Helper()
	objects := generated(t, seed)
	if objects == nil {
		return 0
	}
	r, err := adopt.Import(byHand(t, objects), adopt.Options{Name: "again"})
	require.NoError(t, err, "seed %d", seed)
	for _, m := range r.Machines {
		require.True(t, m.Exact(), "seed %d, %s: %s %s", seed, m.ID, m.Refused, strings.Join(m.Differences, "\n"))
	}
	return len(r.Machines)
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

// byHand returns objects without the marks by which an import recognizes those of vmrender.
func byHand(t *testing.T, objects []manifest.Object) []manifest.Object {
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
