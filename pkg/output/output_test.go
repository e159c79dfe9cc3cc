package output

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
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
	_, diags := inventory.Visit("site", fleet.Options{}, c.Visit)
	all := c.Rendered(diags)
	require.Empty(t, diags.Sorted())
	return all
}

// site is the origin of the VMs of rendered.
var site = Origin{Root: "site", Fleet: "f", Part: "."}

// The files contain the same objects as the stream, in one file per VM.
func TestFiles(t *testing.T) {
	machines := rendered(t)
	counts, err := Files("out", site, manifest.YAML, machines)
	require.NoError(t, err)
	require.Equal(t, Counts{Written: 2}, counts)

	var stream strings.Builder
	require.NoError(t, Machines(&stream, manifest.YAML, machines))
	var texts []string
	for _, name := range []string{"out/prod/web.yaml", "out/test/db.yaml"} {
		texts = append(texts, read(t, name))
	}
	require.Equal(t, stream.String(), strings.Join(texts, "---\n"))

	counts, err = Files("out", site, manifest.YAML, machines)
	require.NoError(t, err)
	require.Equal(t, Counts{Unchanged: 2}, counts)
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

func write(t *testing.T, name, text string) {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
	require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
}

// A listed file that is no longer rendered is removed, and no other file is.
func TestStaleFilesAreRemoved(t *testing.T) {
	machines := rendered(t)
	for _, name := range []string{"out/test/own.yaml", "out/notes.yaml", "out/other/x.json"} {
		write(t, name, "own")
	}
	_, err := Files("out", site, manifest.YAML, machines)
	require.NoError(t, err)
	require.Equal(t, "prod/web.yaml\ntest/db.yaml\n", listed(t, "out"))

	counts, err := Files("out", site, manifest.YAML, machines[:1])
	require.NoError(t, err)
	require.Equal(t, Counts{Unchanged: 1, Removed: 1}, counts)
	require.NoFileExists(t, "out/test/db.yaml")
	require.Equal(t, "prod/web.yaml\n", listed(t, "out"))

	counts, err = Files("out", site, manifest.JSON, machines[:1])
	require.NoError(t, err)
	require.Equal(t, Counts{Written: 1, Removed: 1}, counts)
	require.NoFileExists(t, "out/prod/web.yaml")

	counts, err = Files("out", site, manifest.JSON, nil)
	require.NoError(t, err)
	require.Equal(t, Counts{Removed: 1}, counts)
	require.NoDirExists(t, "out/prod")
	for _, name := range []string{"out/test/own.yaml", "out/notes.yaml", "out/other/x.json"} {
		require.Equal(t, "own", read(t, name))
	}
}

// listed returns the names in the list of a directory.
func listed(t *testing.T, dir string) string {
	t.Helper()
	lines := strings.SplitN(read(t, filepath.Join(dir, ListName)), "\n", 3)
	return lines[2]
}

// Rendering a selection of VMs only removes their own files in another format.
func TestSelectionRemovesNoOthers(t *testing.T) {
	machines := rendered(t)
	_, err := Files("out", site, manifest.YAML, machines)
	require.NoError(t, err)
	selected := site
	selected.Selected = true
	counts, err := Files("out", selected, manifest.JSON, machines[:1])
	require.NoError(t, err)
	require.Equal(t, Counts{Written: 1, Removed: 1}, counts)
	require.Equal(t, "prod/web.json\ntest/db.yaml\n", listed(t, "out"))
	require.FileExists(t, "out/test/db.yaml")
}

// A directory belongs to one render.
func TestOtherOriginsAreRefused(t *testing.T) {
	machines := rendered(t)
	_, err := Files("out", site, manifest.YAML, machines)
	require.NoError(t, err)
	for _, other := range []Origin{
		{Root: "site", Fleet: "g", Part: "."},
		{Root: "site", Fleet: "f", Part: "prod"},
		{Root: "site", Fleet: "f", Part: ".", Overlays: []string{"dev.yaml"}},
		{Part: "-"},
	} {
		_, err := Files("out", other, manifest.YAML, machines[:1])
		require.ErrorContains(t, err, "the directory has the files of another render")
		require.FileExists(t, "out/test/db.yaml")
	}
	one := Origin{Root: "site", Fleet: "f", Part: ".", Overlays: []string{"site/../dev.yaml"}}
	require.Equal(t, `# from fleet "f", path ".", overlay "../dev.yaml"`, one.String())
}

// Files of others are never overwritten, and nothing is written if there are any. A file with the same content
// is added to the list, as is the output of an older release.
func TestFilesInTheWay(t *testing.T) {
	machines := rendered(t)
	write(t, "out/prod/web.yaml", "own")
	_, err := Files("out", site, manifest.YAML, machines)
	require.ErrorContains(t, err, filepath.FromSlash("out/prod/web.yaml")+": exists, and is not a file of this")
	require.Equal(t, "own", read(t, "out/prod/web.yaml"))
	require.NoFileExists(t, "out/test/db.yaml")
	require.NoFileExists(t, "out/"+ListName)

	_, err = Files("first", site, manifest.YAML, machines)
	require.NoError(t, err)
	require.NoError(t, os.Remove("first/"+ListName))
	counts, err := Files("first", site, manifest.YAML, machines)
	require.NoError(t, err)
	require.Equal(t, Counts{Unchanged: 2}, counts)
	require.Equal(t, "prod/web.yaml\ntest/db.yaml\n", listed(t, "first"))

	require.NoError(t, os.Remove("first/prod/web.yaml"))
	require.NoError(t, os.Mkdir("first/prod/web.yaml", 0o755))
	_, err = Files("first", site, manifest.YAML, machines)
	require.ErrorContains(t, err, "web.yaml: not a regular file")
}

// A run that was killed before it wrote its files left a list with their names. The next run completes it.
func TestListOfAKilledRun(t *testing.T) {
	machines := rendered(t)
	_, err := Files("out", site, manifest.YAML, machines[:1])
	require.NoError(t, err)
	write(t, "out/"+ListName, read(t, "out/"+ListName)+"old/gone.yaml\ntest/db.yaml\n")
	counts, err := Files("out", site, manifest.YAML, machines)
	require.NoError(t, err)
	require.Equal(t, Counts{Written: 1, Unchanged: 1}, counts)
	require.Equal(t, "prod/web.yaml\ntest/db.yaml\n", listed(t, "out"))
}

// A list that was edited manually, or changed by a merge, cannot name files elsewhere.
func TestListsAreConfined(t *testing.T) {
	machines := rendered(t)
	write(t, "outside/a.yaml", "own")
	_, err := Files("out", site, manifest.YAML, machines)
	require.NoError(t, err)
	require.NoError(t, os.Symlink("../outside", "out/linked"))
	require.NoError(t, os.Symlink("test", "out/inside"))
	good := read(t, "out/"+ListName)
	for line, problem := range map[string]string{
		"../outside/a.yaml":  "invalid line",
		"/outside/a.yaml":    "invalid line",
		"x/../../a.yaml":     "invalid line",
		".git/config":        "invalid line",
		"a.yaml":             "invalid line",
		"<<<<<<< HEAD":       "invalid line",
		"linked/a.yaml":      "linked: not a directory",
		"inside/db.yaml":     "inside: not a directory",
		"prod/web.yaml/../x": "invalid line",
	} {
		write(t, "out/"+ListName, good+line+"\n")
		_, err := Files("out", site, manifest.YAML, machines)
		require.ErrorContains(t, err, problem, line)
		require.Equal(t, "own", read(t, "outside/a.yaml"))
		require.FileExists(t, "out/test/db.yaml")
	}
	write(t, "out/"+ListName, "mine\n")
	_, err = Files("out", site, manifest.YAML, machines)
	require.ErrorContains(t, err, "not a list of vmrender")
	require.Equal(t, "mine\n", read(t, "out/"+ListName))
	write(t, "out/"+ListName, strings.ReplaceAll(good, "\n", "\r\n"))
	_, err = Files("out", site, manifest.YAML, machines)
	require.NoError(t, err)
}

func TestFilesStayOutOfTheFleet(t *testing.T) {
	machines := rendered(t)
	for dir, refused := range map[string]bool{
		"site": true, "site/out": true, "site/a/../b": true,
		".": false, "sites": false, "site/.out": false, "site/a/.b/c": false,
	} {
		_, err := Files(dir, site, manifest.JSON, machines)
		if refused {
			require.ErrorContains(t, err, "lies in the fleet")
		} else {
			require.NoError(t, err, dir)
			require.FileExists(t, filepath.Join(dir, "prod/web.json"))
		}
	}
}

func TestDirIsNotLeft(t *testing.T) {
	machines := rendered(t)
	require.NoError(t, os.MkdirAll("outside", 0o755))
	require.NoError(t, os.Mkdir("in", 0o755))
	require.NoError(t, os.Symlink("../outside", "in/prod"))
	_, err := Files("in", site, manifest.YAML, machines)
	require.ErrorContains(t, err, "prod: not a directory")
	require.NoFileExists(t, "outside/web.yaml")
}

type full struct{}

var errFull = errors.New("full")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestErrorsSayWhatWasDone(t *testing.T) {
	err := Objects(full{}, manifest.JSON, []manifest.Object{{JSON: []byte("{}")}})
	require.ErrorIs(t, err, errFull)
	require.EqualError(t, err, "writing manifests: full")
	require.EqualError(t, Structs(full{}, manifest.YAML, struct{}{}), "writing manifests: full")
}
