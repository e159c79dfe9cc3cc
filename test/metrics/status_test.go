package metrics

import (
	"bytes"
	"maps"
	"slices"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"github.com/stretchr/testify/require"
)

const fleet = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: a}
ignore: [live.yaml]
defaults: {namespace: shop, os: fedora, flavor: small}
`

// Prometheus reads the metrics, its linter finds no fault with them, and each has a value of 1 for each VM.
func TestStatusIsReadAndLinted(t *testing.T) {
	dir := t.TempDir()
	file(t, dir, "fleet.yaml", fleet)
	file(t, dir, "vms.yaml", "vms: {web: {}, db: {services: {db: {ports: [5432]}}}}\n")
	live := file(t, dir, "live.yaml", `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: w1, creationTimestamp: "2026-11-22T03:00:00Z"}}
- {apiVersion: v1, kind: Service, metadata: {name: other, namespace: shop}}
`)
	families := read(t, vmrender(t, "status", dir, "--live", live, "-o", "prometheus"))
	require.Equal(t, map[string]int{
		"vmrender_vm_state": 2, "vmrender_vm_fact": 2, "vmrender_vms": 11, "vmrender_object_state": 1,
		"vmrender_status_gaps": 1, "vmrender_status_export_timestamp_seconds": 1,
	}, families)
}

func TestDrainIsReadAndLinted(t *testing.T) {
	live := file(t, t.TempDir(), "live.yaml", `apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: w1}}
- {apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db, namespace: prod}, spec: {runStrategy: Always}}
- apiVersion: kubevirt.io/v1
  kind: VirtualMachineInstance
  metadata: {name: db, namespace: prod}
  spec: {evictionStrategy: LiveMigrate}
  status: {nodeName: w1, phase: Running, conditions: [{type: LiveMigratable, status: "False"}]}
`)
	families := read(t, vmrender(t, "status", "--live", live, "--drain", "w1", "-o", "prometheus"))
	require.Equal(t, map[string]int{"vmrender_drain_vm": 1, "vmrender_drain_vms": 3}, families)
}

// read returns the number of values of each metric in a text that Prometheus accepts and its linter approves of.
func read(t *testing.T, text []byte) map[string]int {
	t.Helper()
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(bytes.NewReader(text))
	require.NoError(t, err, "%s", text)
	problems, err := promlint.New(bytes.NewReader(text)).Lint()
	require.NoError(t, err)
	require.Empty(t, problems)
	counts := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(families)) {
		require.NotEmpty(t, families[name].GetHelp(), name)
		require.Equal(t, "GAUGE", families[name].GetType().String(), name)
		for _, m := range families[name].GetMetric() {
			require.Nil(t, m.TimestampMs, name)
		}
		counts[name] = len(families[name].GetMetric())
	}
	return counts
}
