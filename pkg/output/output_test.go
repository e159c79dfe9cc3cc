package output

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

const fleetYAML = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
defaults: {os: fedora, flavor: small}
vms: {web: {namespace: prod}, db: {namespace: test}}
`

// rendered writes a fleet to a new working directory and renders it.
func rendered(t *testing.T) []render.Rendered {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("site", 0o755))
	require.NoError(t, os.WriteFile("site/fleet.yaml", []byte(fleetYAML), 0o600))
	c := render.NewCollector()
	_, diags := machine.Visit("site", fleet.Options{}, c.Visit)
	all := c.Rendered(diags)
	require.Empty(t, diags.Sorted())
	return all
}

// The files contain the same objects as the stream, one file for each machine.
func TestFiles(t *testing.T) {
	machines := rendered(t)
	require.NoError(t, os.MkdirAll("out/old", 0o755))
	require.NoError(t, os.MkdirAll("out/.cache", 0o755))
	for _, name := range []string{"out/old/gone.yaml", "out/old/gone.json", "out/notes.yaml", "out/.cache/x.yaml"} {
		require.NoError(t, os.WriteFile(name, nil, 0o600))
	}
	others, err := Files("out", "site", manifest.YAML, machines)
	require.NoError(t, err)
	require.Equal(t, []string{"out/old/gone.yaml", "out/old/gone.json"}, others)

	var stream strings.Builder
	require.NoError(t, Machines(&stream, manifest.YAML, machines))
	var texts []string
	for _, name := range []string{"out/prod/web.yaml", "out/test/db.yaml"} {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		texts = append(texts, string(text))
	}
	require.Equal(t, stream.String(), strings.Join(texts, "---\n"))
}

func TestFilesStayOutOfTheFleet(t *testing.T) {
	machines := rendered(t)
	for dir, refused := range map[string]bool{
		"site": true, "site/out": true, "site/a/../b": true,
		".": false, "sites": false, "site/.out": false, "site/a/.b/c": false,
	} {
		_, err := Files(dir, "site", manifest.JSON, machines)
		if refused {
			require.ErrorContains(t, err, "lies in the fleet")
		} else {
			require.NoError(t, err, dir)
			require.FileExists(t, filepath.Join(dir, "prod/web.json"))
		}
	}
}

func TestDirIsNotLeft(t *testing.T) {
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("outside", 0o755))
	d, err := OpenDir("in/side")
	require.NoError(t, err)
	defer d.Close()
	require.NoError(t, os.Symlink("../../outside", "in/side/link"))
	require.Error(t, d.Write("link/a.yaml", nil))
	require.Error(t, d.Write("../a.yaml", nil))
	require.NoFileExists(t, "outside/a.yaml")
	require.True(t, d.Has("link"))
	require.False(t, d.Has("a.yaml"))
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestErrorsSayWhatWasDone(t *testing.T) {
	err := Objects(full{}, manifest.JSON, []manifest.Object{{JSON: []byte("{}")}})
	require.ErrorIs(t, err, errFull)
	require.EqualError(t, err, "writing manifests: full")
	require.EqualError(t, Struct(full{}, manifest.YAML, struct{}{}), "writing manifests: full")
}
