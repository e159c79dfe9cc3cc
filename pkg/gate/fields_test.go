package gate_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
)

// Every rule about a VM for which a gate can require approval covers a field that the
// admission policy compares.
func TestGateComparesWhatRulesName(t *testing.T) {
	topics := impact.Topics()
	last := slices.IndexFunc(topics, func(t impact.Topic) bool { return t.Title == "Pools" })
	require.Positive(t, last)
	asked := 0
	for _, topic := range topics[:last] {
		for _, r := range topic.Rules {
			if r.Level < impact.Live || r.Level == impact.Refused || r.Before != "" {
				continue
			}
			asked++
			require.True(t, slices.ContainsFunc(gate.Fields(), func(f gate.Field) bool { return isFor(f, r) }), r.Path)
		}
	}
	require.Greater(t, asked, 60)
}

// isFor reports whether a field of the gate is the field of a rule, or contains it.
func isFor(f gate.Field, r impact.Rule) bool {
	path := strings.TrimSuffix(strings.ReplaceAll(r.Path, `annotations."`, `annotations["`), ".**")
	if strings.HasSuffix(path, `"`) {
		path += "]"
	}
	return f.Level >= r.Level && (path == f.Path || strings.HasPrefix(path, f.Path+"."))
}

// A variable of the gate uses only variables before it.
func TestGateVariablesAreInOrder(t *testing.T) {
	known := []string{"params"}
	for _, v := range gate.Variables() {
		require.NotContains(t, known, v.Name)
		require.NotContains(t, v.Expression, "{{", "it stands in a template")
		for _, used := range regexp.MustCompile(`variables\.(\w*)`).FindAllStringSubmatch(v.Expression, -1) {
			require.Contains(t, known, used[1], v.Name)
		}
		known = append(known, v.Name)
	}
	require.Subset(t, known, []string{"machine", "instance", "pool", "levels", "names"})
}

func TestSettings(t *testing.T) {
	for name, test := range map[string]struct {
		cluster cluster.Settings
		want    []string
	}{
		"KubeVirt's defaults": {cluster.Settings{}, []string{"DeclarativeHotplugVolumes", "LiveUpdateNADRef"}},
		"HyperConverged's defaults": {
			cluster.Settings{OpenShift: true}, []string{"DeclarativeHotplugVolumes", "LiveMigrate", "LiveUpdateNADRef"},
		},
		"an older KubeVirt": {cluster.Settings{KubeVirt: "1.5"}, []string{"Stage"}},
		"what is said": {cluster.Settings{
			VMRolloutStrategy: "Stage", WorkloadUpdateMethods: []string{"Evict"},
			FeatureGates: map[string]bool{"HotplugVolumes": true, "DeclarativeHotplugVolumes": false, "LiveUpdateNADRef": false},
		}, []string{"Evict", "HotplugVolumes", "Stage"}},
	} {
		t.Run(name, func(t *testing.T) { require.Equal(t, test.want, test.cluster.ForGate()) })
	}
}
