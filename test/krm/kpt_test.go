package krm

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(text)
}

// TestPackage renders the example with kpt, twice: the fleet and other files stay as they are, and what is rendered is
// replaced.
func TestPackage(t *testing.T) {
	dir := example(t, "kpt")
	require.NoError(t, os.WriteFile(filepath.Join(dir, "other.yaml"), []byte(configMap), 0o600))
	fleet := read(t, dir, "fleet.yaml")
	want := must(t, example(t, "kpt"), "vmrender", "template")
	must(t, dir, "kpt", "fn", "render", "--allow-exec")
	require.Equal(t, objects(t, want), objects(t, read(t, dir, "rendered-shop.yaml")))
	require.Equal(t, fleet, read(t, dir, "fleet.yaml"))
	require.Equal(t, configMap, read(t, dir, "other.yaml"))

	replace(t, filepath.Join(dir, "fleet.yaml"), "    disks: {data: 100Gi}\n", "")
	must(t, dir, "kpt", "fn", "render", "--allow-exec")
	require.NotContains(t, read(t, dir, "rendered-shop.yaml"), "db-data")
}

// TestPackageDirectory renders a directory that kpt does not read, because values files are no Kubernetes objects.
func TestPackageDirectory(t *testing.T) {
	dir := example(t, "kustomize")
	for name, text := range map[string]string{
		"Kptfile": "apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: shop}\npipeline:\n  mutators:\n" +
			"  - exec: vmrender krm\n    configPath: vms.yaml\n",
		".krmignore": "fleet/\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	require.NoError(t, os.Remove(filepath.Join(dir, "kustomization.yaml")))
	want := objects(t, must(t, dir, "vmrender", "template", "fleet"))
	for range 2 {
		must(t, dir, "kpt", "fn", "render", "--allow-exec")
		require.Equal(t, want, objects(t, read(t, dir, "rendered-shop.yaml")))
	}
}

// TestEval passes parameters on the command line.
func TestEval(t *testing.T) {
	dir := example(t, "kustomize")
	require.NoError(t, os.WriteFile(filepath.Join(dir, ".krmignore"), []byte("*\n"), 0o600))
	replace(t, filepath.Join(dir, "fleet/fleet.yaml"), "namespace: shop, ", "")
	out := must(t, dir, "kpt", "fn", "eval", "--exec", "vmrender krm", "--output", "unwrap", "--",
		"path=fleet", "namespace=shop")
	require.Equal(t, objects(t, must(t, dir, "vmrender", "template", "fleet", "--namespace", "shop")), objects(t, out))
}

// TestResults shows the results of a fleet with an error, and keeps the package as it is.
func TestResults(t *testing.T) {
	dir := example(t, "kpt")
	replace(t, filepath.Join(dir, "fleet.yaml"), "medium", "mediun")
	_, stderr, ok := run(t, dir, "kpt", "fn", "render", "--allow-exec", "--results-dir", "results")
	require.False(t, ok)
	require.Contains(t, stderr, `fleet.yaml: vms.db.flavor: unknown flavor "mediun"; did you mean "medium"?`)
	require.Contains(t, read(t, dir, "results/results.yaml"), `        severity: error
        resourceRef:
          apiVersion: vmrender.io/v1alpha1
          kind: Fleet
          name: shop
        field:
          path: vms.db.flavor
        file:
          path: fleet.yaml
        tags:
          rule: unknown-name
`)
	require.NoFileExists(t, filepath.Join(dir, "rendered-shop.yaml"))
}
