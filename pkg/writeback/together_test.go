package writeback_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/writeback"
)

// TestMergeIsLinear merges VMs of one file that have all changed, and VMs that are all new: four times as many take
// about four times the memory, and not sixteen times, which it would be if each rendered the others. The catalog entry
// of those that have changed, and their own entries, have overrides.
func TestMergeIsLinear(t *testing.T) {
	for name, isNew := range map[string]bool{"changed": false, "new": true} {
		t.Run(name, func(t *testing.T) {
			few, many := allocationsOf(t, 25, isNew), allocationsOf(t, 100, isNew)
			require.Less(t, many/few, 5.5, "%v allocations, then %v", few, many)
		})
	}
}

// TestMergeKeepsOthers merges VMs of which one cannot be changed with VMs that can: it alone is refused.
func TestMergeKeepsOthers(t *testing.T) {
	dir, live := alike(t, 9)
	entries := strings.Replace(alikeEntries(9), "vm-0004: {", "vm-0004: &four {", 1)
	write(t, filepath.Join(dir, "vms.yaml"), []byte(entries))
	merged, err := writeback.Merge(live, dir, writeback.Options{Fleet: fleet.Options{Limit: dir}})
	require.NoError(t, err)
	for i, m := range merged.Machines {
		require.Equal(t, i == 4, m.Refused != "", "%s: %s", m.Name, m.Refused)
		if i != 4 {
			require.NotEmpty(t, m.Changes)
			require.Empty(t, m.Differences)
		}
	}
}

// BenchmarkMerge merges VMs that have all changed, or of which some are new and the others have not changed.
func BenchmarkMerge(b *testing.B) {
	for _, of := range []struct{ all, added int }{{500, 0}, {500, 50}, {5000, 0}, {5000, 500}} {
		b.Run(fmt.Sprintf("%d,new=%d", of.all, of.added), func(b *testing.B) {
			dir, live := alike(b, of.all)
			if of.added > 0 {
				live = someNew(b, dir, of.all, of.added)
			}
			b.ReportAllocs()
			for b.Loop() {
				merged, err := writeback.Merge(live, dir, writeback.Options{Fleet: fleet.Options{Limit: dir}})
				if err != nil || !merged.Exact() {
					b.Fatal(err, "not all VMs are exact")
				}
			}
		})
	}
}

func allocationsOf(t *testing.T, n int, isNew bool) float64 {
	t.Helper()
	dir, live := alike(t, n)
	if isNew {
		live = someNew(t, dir, n+1, n)
	}
	return testing.AllocsPerRun(1, func() {
		merged, err := writeback.Merge(live, dir, writeback.Options{Fleet: fleet.Options{Limit: dir}})
		require.NoError(t, err)
		require.True(t, merged.Exact())
		last := merged.Machines[len(live)-1]
		require.Equal(t, isNew, last.Added)
		require.True(t, isNew || len(last.Changes) == 2)
	})
}

// alike writes a fleet of VMs that inherit and set overrides, and returns them as a cluster has them that was changed.
func alike(tb testing.TB, n int) (dir string, live []manifest.Object) {
	tb.Helper()
	dir = tb.TempDir()
	for _, o := range alikeAsIs(tb, dir, n) {
		vm := o.Tree()
		manifest.Map(vm, "spec", "template", "spec", "domain", "cpu")["sockets"] = 5
		manifest.Map(vm, "spec", "template", "spec")["schedulerName"] = "by-hand"
		made, err := manifest.New(vm)
		require.NoError(tb, err)
		live = append(live, made)
	}
	return dir, live
}

// alikeAsIs writes a fleet of VMs, and returns what it renders of them.
func alikeAsIs(tb testing.TB, dir string, n int) (vms []manifest.Object) {
	tb.Helper()
	for name, text := range map[string]string{"fleet.yaml": alikeFleet, "vms.yaml": alikeEntries(n)} {
		write(tb, filepath.Join(dir, name), []byte(text))
	}
	for _, o := range rendered(tb, dir, fleet.Options{Limit: dir}) {
		if o.Kind == "VirtualMachine" {
			vms = append(vms, o)
		}
	}
	require.Len(tb, vms, n)
	return vms
}

// someNew writes the fleet without entries for the last of its VMs, and returns all as a cluster has them where those
// were created manually.
func someNew(tb testing.TB, dir string, all, added int) []manifest.Object {
	tb.Helper()
	live := alikeAsIs(tb, dir, all)
	write(tb, filepath.Join(dir, "vms.yaml"), []byte(alikeEntries(all-added)))
	return append(live[:all-added:all-added], byHand(tb, live[all-added:])...)
}

const alikeFleet = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: site}
catalog:
  os:
    mine:
      from: rhel9
      overrides: {spec: {template: {spec: {subdomain: mine, domain: {devices: {rng: {}}}}}}}
`

func alikeEntries(n int) string {
	var out strings.Builder
	out.WriteString("namespace: prod\nvms:\n")
	for i := range n {
		over := fmt.Sprintf("{spec: {template: {spec: {schedulerName: s-%d}}}}", i)
		fmt.Fprintf(&out, "  vm-%04d: {os: mine, flavor: small, overrides: %s}\n", i, over)
	}
	return out.String()
}
