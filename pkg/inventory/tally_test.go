package inventory_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
)

// boundedFleet is a fleet of VMs, with a file of defaults for those in the directory patched.
const boundedFleet = `-- fleet.yaml --
apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
defaults: {namespace: ns, os: rhel9, flavor: small}
-- patched/_defaults.yaml --
overrides: {metadata: {annotations: {a: b}}}
-- vms.yaml --
vms:
`

// visited returns the problems of a fleet with a bound of VMs, and the number of VMs that were decided.
func visited(t *testing.T, files string, opts fleet.Options) (problems []string, vms int) {
	t.Helper()
	dir := fleettest.Unpack(t, txtar.Parse([]byte(boundedFleet+files)))
	_, diags := inventory.Visit(dir, opts, func(*machine.Machine, *source.Diagnostics) { vms++ })
	return fleettest.Problems(diags, dir), vms
}

// The VMs of a render have a bound, and those that take longer count several times. Beyond it, none is decided. The
// problem is that of the first entry, in the order of the files, with which the VMs exceed it.
func TestMostVMs(t *testing.T) {
	many := "overrides: {metadata: {annotations: {" + nulls(150) + "}}}"
	for name, c := range map[string]struct {
		files, at  string // at is empty if the VMs are within the bound
		vms, count int    // up to there; count is 0 if they count as they are
	}{
		"as many":        {files: "  a: {replicas: 99}\n  b: {}\n"},
		"none":           {files: "  a: {replicas: 0}\n  b: {replicas: 100}\n"},
		"a pool":         {files: "  a: {replicas: 5000, lifecycle: {type: cattle, strategy: pool}}\n"},
		"vars":           {files: "  a: {replicas: 100, vars: {" + nulls(2000) + "}}\n"},
		"plain":          {"  a: {replicas: 99}\n  b: {}\n  c: {}\n", "4:3: vms.c", 101, 0},
		"replicas":       {"  a: {}\n  b: {replicas: 100}\n  c: {replicas: 9}\n", "3:3: vms.b", 101, 0},
		"overrides":      {"  a: {replicas: 26, overrides: {metadata: {annotations: {a: b}}}}\n", "2:3: vms.a", 26, 104},
		"many overrides": {"  a: {replicas: 15, " + many + "}\n", "2:3: vms.a", 15, 120},
		"one of many":    {"  a: {" + many + "}\n  b: {replicas: 97}\n", "3:3: vms.b", 98, 101},
		"templates":      {"  a: {replicas: 51, labels: {x: '{{ .vm.name }}'}}\n", "2:3: vms.a", 51, 102},
		"values":         {"  a: {replicas: 51, labels: {" + nulls(200) + "}}\n", "2:3: vms.a", 51, 102},
		"patches": {
			"  a: {replicas: 26, patches: [{op: test, path: /kind, value: VirtualMachine}]}\n", "2:3: vms.a", 26, 104,
		},
		"a directory": {
			"  z: {}\n-- patched/vms.yaml --\nvms: {a: {}, b: {replicas: 25}}\n", "1:14: vms.b", 26, 101,
		},
	} {
		t.Run(name, func(t *testing.T) {
			problems, vms := visited(t, c.files, fleet.Options{MostVMs: 100, Jobs: 1})
			require.LessOrEqual(t, vms, 100)
			if c.at == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Contains(t, problems[0], fmt.Sprintf("vms.yaml:%s: %d VMs up to this one", c.at, c.vms))
			require.Equal(t, c.count > 0, strings.Contains(problems[0], fmt.Sprintf(", which count as %d because of", c.count)))
			require.Contains(t, problems[0], "are too many for one Application; expected at most 100; divide the fleet")
			problems, _ = visited(t, c.files, fleet.Options{Jobs: 1})
			require.Empty(t, problems, "without a bound")
		})
	}
}

// The entry does not depend on how many files and parts of files are read at the same time.
func TestMostVMsInAnyOrder(t *testing.T) {
	var files strings.Builder
	for i := range 600 { // in three parts
		fmt.Fprintf(&files, "  v%d: {replicas: 2}\n", i)
	}
	for i := range 9 {
		fmt.Fprintf(&files, "-- more/%d.yaml --\nvms: {w%[1]d: {replicas: 100}}\n", i)
	}
	for _, jobs := range []int{1, 2, 8} {
		dir := fleettest.Unpack(t, txtar.Parse([]byte(boundedFleet+files.String())))
		_, diags := inventory.Visit(dir, fleet.Options{MostVMs: 1500, Jobs: jobs}, nil)
		require.Equal(t, []string{"vms.yaml:302:3: vms.v300: 1502 VMs up to this one are too many for one Application; " +
			"expected at most 1500; divide the fleet among several Applications"}, fleettest.Problems(diags, dir))
	}
}

// nulls returns keys without values.
func nulls(count int) string {
	var b strings.Builder
	for i := range count {
		fmt.Fprintf(&b, "k%d: null, ", i)
	}
	return b.String()
}
