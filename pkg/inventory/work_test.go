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
)

// greedyFleet is a fleet whose VMs have a template that takes much work in little time.
const greedyFleet = `-- fleet.yaml --
apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
defaults: {namespace: ns, os: rhel9, flavor: small, labels: {x: 'a{{ $x := repeat 5000000 "x" }}'}}
-- vms.yaml --
vms:
`

func problemsOf(t *testing.T, vms string, jobs int) []string {
	t.Helper()
	dir := fleettest.Unpack(t, txtar.Parse([]byte(greedyFleet+vms)))
	_, diags := inventory.Load(dir, fleet.Options{Jobs: jobs})
	return fleettest.Problems(diags, dir)
}

// The templates of a fleet have one budget, and one problem, however many VMs are resolved at the same time, and
// whatever else is wrong with some of them.
func TestWorkOfFleet(t *testing.T) {
	var vms strings.Builder
	for i := range 200 {
		fmt.Fprintf(&vms, "  vm-%d: {wave: %d}\n", i, i)
	}
	want := []string{"fleet.yaml: the templates take too much work: their functions and loops together read and make " +
		"more than 224 MiB; let them do less, or divide the VMs among several Applications"}
	for _, jobs := range []int{1, 2, 8} {
		require.Equal(t, want, problemsOf(t, vms.String(), jobs))
	}
	require.Empty(t, problemsOf(t, "  a: {}\n  b: {}\n", 2))
}

// The replicas of an entry have a part of it, and the problem names the template.
func TestWorkOfReplicas(t *testing.T) {
	problems := problemsOf(t, "  a: {replicas: 100}\n", 0)
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], "fleet.yaml:4:")
	require.Contains(t, problems[0],
		"vms.a.labels.x: template: takes too much work: with those before it in the same entry")
}
