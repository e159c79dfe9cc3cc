package fleet_test

import (
	"os"
	"path"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/source"
)

// spread is a fleet with VMs in directories of several depths.
const spread = `
-- site/fleet.yaml --
apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: site}
defaults: {namespace: ns, os: fedora, flavor: small}
-- site/lab/lab.yaml --
vms: {lab: {}}
-- site/lab/inner/deep.yaml --
vms: {deep: {}}
-- site/lab-b/b.yaml --
vms: {b: {}}
-- site/prod/_defaults.yaml --
flavor: medium
-- site/prod/db/db.yaml --
vms: {db: {replicas: 2}}
-- site/prod/web/web.yaml --
vms: {web: {}}
-- site/outside/_defaults.yaml.txt --
flavor: large
-- overlay.yaml --
vms: {web: {memory: 9Gi}}
`

func enter(t *testing.T) { t.Chdir(fleettest.Unpack(t, txtar.Parse([]byte(spread)))) }

func openPart(t *testing.T, path string) *fleet.Fleet {
	t.Helper()
	var diags source.Diagnostics
	f := fleet.Open(path, fleet.Options{Overlays: []string{"overlay.yaml"}}, &diags)
	require.Empty(t, diags.Sorted())
	return f
}

// inputs returns the files that each part of a fleet depends on, and more, sorted.
func inputs(root string, more ...string) []string {
	files := more
	for _, name := range []string{".held", "_defaults.yaml", "fleet.yaml", "platform.yaml"} {
		files = append(files, path.Join(root, name))
	}
	slices.Sort(files)
	return files
}

func TestInputs(t *testing.T) {
	enter(t)
	for part, want := range map[string][]string{
		"site":          nil,
		"site/lab":      inputs("site"),
		"./site/lab/":   inputs("site"),
		"site/prod/web": inputs("site", "site/prod/_defaults.yaml"),
	} {
		files, err := openPart(t, part).Inputs(part)
		require.NoError(t, err)
		require.Equal(t, want, files, part)
	}
}

// The bases of a platform are inputs as well.
func TestInputsOfBases(t *testing.T) {
	enter(t)
	base := []byte("apiVersion: vmrender.io/v1alpha1\nkind: Platform\n")
	require.NoError(t, os.WriteFile("base.yaml", base, 0o600))
	require.NoError(t, os.WriteFile("site/platform.yaml", append(base, "base: ../base.yaml\n"...), 0o600))
	files, err := openPart(t, "site/lab").Inputs("site/lab")
	require.NoError(t, err)
	require.Equal(t, inputs("site", "base.yaml"), files)
}

func TestInputsFromWithin(t *testing.T) {
	enter(t)
	t.Chdir("site/prod/web")
	f := fleet.Open(".", fleet.Options{}, new(source.Diagnostics))
	files, err := f.Inputs(".")
	require.NoError(t, err)
	require.Equal(t, inputs("../..", "../../prod/_defaults.yaml"), files)
}

// The target of a symbolic link is an input unless it is in the part itself.
func TestInputsOfLinks(t *testing.T) {
	enter(t)
	require.NoError(t, os.Symlink("../outside/_defaults.yaml.txt", "site/lab-b/_defaults.yaml"))
	require.NoError(t, os.Symlink("b.yaml", "site/lab-b/c.txt"))
	require.NoError(t, os.Mkdir("site/lab-b/.hidden", 0o755))
	require.NoError(t, os.Symlink("../../lab/lab.yaml", "site/lab-b/.hidden/x.yaml"))
	require.NoError(t, os.Symlink("../outside/_defaults.yaml.txt", "site/lab/_defaults.yaml"))
	for part, want := range map[string][]string{
		"site/lab-b":     inputs("site", "site/outside/_defaults.yaml.txt"),
		"site/lab/inner": inputs("site", "site/lab/_defaults.yaml", "site/outside/_defaults.yaml.txt"),
	} {
		files, err := openPart(t, part).Inputs(part)
		require.NoError(t, err)
		require.Equal(t, want, files, part)
	}
}

func TestInputsOfNothing(t *testing.T) {
	enter(t)
	_, err := openPart(t, "site").Inputs("site/missing")
	require.ErrorIs(t, err, os.ErrNotExist)
}
