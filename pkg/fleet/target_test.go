package fleet_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// Every setting of the cluster is read, and an overlay is merged over the fleet. Lists
// are replaced, and gates are merged one by one.
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

// Versions from the command line replace those in the target, and a release of OpenShift
// replaces both.
func TestTargetReplaced(t *testing.T) {
	replaced := func(of string, target map[string]string) values.Target {
		dir := t.TempDir()
		text := "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: f}\nallowEmpty: true\ntarget: " + of + "\n"
		require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(text), 0o600))
		var diags source.Diagnostics
		f := fleet.Open(dir, fleet.Options{Target: target}, &diags)
		require.Empty(t, diags.Sorted())
		return f.Header.Target
	}
	got := replaced(`{kubevirt: "1.6", argocd: "3.2"}`, map[string]string{"kubevirt": "1.9", "cdi": "1.66"})
	require.Equal(t, values.Target{KubeVirt: "1.9", CDI: "1.66", ArgoCD: "3.2"}, got)
	got = replaced(`{kubevirt: "1.6", cdi: "1.62", openshift: false}`, map[string]string{"openshift": "4.21"})
	require.Equal(t, values.Target{KubeVirt: "1.7", OpenShift: &versions.OpenShift{Release: "4.21"}}, got)
	require.Equal(t, "1.8", replaced(`{}`, map[string]string{"openshift": "4.21", "kubevirt": "1.8"}).KubeVirt)
	require.Equal(t, "1.6", replaced(`{kubevirt: "1.6"}`, nil).KubeVirt)
}

func TestTargetRefused(t *testing.T) {
	for text, want := range map[string]string{
		`{vmRolloutStrategy: Staged}`: `target.vmRolloutStrategy: unknown value "Staged"; did you mean "Stage"?`,
		`{workloadUpdateMethods: [LiveMigrated]}`: `target.workloadUpdateMethods[0]: ` +
			`unknown value "LiveMigrated"; did you mean "LiveMigrate"?`,
		`{featureGates: {A: yes please}}`: `target.featureGates.A: wrong type: ` +
			`got a string, expected a boolean`,
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
