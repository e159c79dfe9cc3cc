package fleet_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Every setting of the cluster is read, and an overlay's merges over the fleet's: lists
// are replaced, gates are merged one by one.
func TestTarget(t *testing.T) {
	got, problems := target(t,
		`{kubevirt: "1.6", vmRolloutStrategy: Stage, workloadUpdateMethods: [Evict], featureGates: {A: true, B: true}}`,
		`{vmRolloutStrategy: LiveUpdate, workloadUpdateMethods: [], featureGates: {B: false}, liveMigratable: false}`)
	require.Empty(t, problems)
	require.Equal(t, values.Target{
		KubeVirt: "1.6", VMRolloutStrategy: "LiveUpdate", WorkloadUpdateMethods: []string{},
		FeatureGates: map[string]bool{"A": true, "B": false}, LiveMigratable: new(bool),
	}, got)
}

func TestTargetRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{vmRolloutStrategy: Staged}`: `target.vmRolloutStrategy: unknown value "Staged"; did you mean "Stage"?`,
		`{workloadUpdateMethods: [LiveMigrated]}`: `target.workloadUpdateMethods[0]: ` +
			`unknown value "LiveMigrated"; did you mean "LiveMigrate"?`,
		`{featureGates: {A: yes please}}`: `target.featureGates.A: wrong type: ` +
			`got the string "yes please", expected a boolean`,
		`{liveMigrateable: true}`: `unknown key "liveMigrateable"; did you mean "liveMigratable"?`,
	} {
		_, problems := target(t, text, `{}`)
		require.Len(t, problems, 1)
		require.Contains(t, problems[0], want)
	}
}

// target returns the target of a fleet with an overlay, and the problems.
func target(t *testing.T, of, overlay string) (values.Target, []string) {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"fleet.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: f}\nallowEmpty: true\n" +
			"target: " + of + "\n",
		"over.yaml": "target: " + overlay + "\n",
	}
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	var diags source.Diagnostics
	f := fleet.Open(dir, fleet.Options{Overlays: []string{filepath.Join(dir, "over.yaml")}}, &diags)
	var problems []string
	for _, d := range diags.Sorted() {
		problems = append(problems, d.Path+": "+d.Message)
	}
	return f.Header.Target, problems
}
