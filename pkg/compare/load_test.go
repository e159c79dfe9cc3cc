package compare_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/output"
)

const (
	fleetYAML = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: shop}\n"
	vmsYAML   = "namespace: shop\nvms:\n  web: {os: fedora, cpu: 2, memory: 2Gi, disks: {root: {size: 30Gi}}}\n"
	stageYAML = "environment: stage\nnamespaceSuffix: -stage\n"
)

// environ is the environment of Git, without the configuration of the user or the system.
var environ = []string{
	"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
	"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
}

// writeTree replaces the files below a directory, except those of Git.
func writeTree(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for _, old := range []string{"site", "env"} {
		require.NoError(t, os.RemoveAll(filepath.Join(dir, old)))
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o644)) //nolint:gosec // a fleet
	}
}

func loader(t *testing.T) *compare.Loader {
	return &compare.Loader{
		Fleet: fleet.Options{Jobs: 1}, Fits: func(bool) error { return nil }, Environ: environ,
		Stop: func() { t.Error("nothing stops this test") },
	}
}

// TestAbsentSides checks which side does not exist if files are only in one revision, and what that means for users.
func TestAbsentSides(t *testing.T) {
	site := map[string]string{"site/fleet.yaml": fleetYAML, "site/vms.yaml": vmsYAML}
	staged := map[string]string{"site/fleet.yaml": fleetYAML, "site/vms.yaml": vmsYAML, "env/stage.yaml": stageYAML}
	for name, c := range map[string]struct {
		old, changed       map[string]string
		overlays, fromOnly []string
		toOnly             []string
		from, to           bool   // whether the side exists
		note               string // of the side that does not
		err                string
	}{
		"both":      {old: site, changed: site, from: true, to: true},
		"a fleet":   {changed: site, to: true, note: "so everything is new"},
		"no fleet":  {old: site, from: true, note: "so everything is removed"},
		"neither":   {err: "no fleet or platform here or above, neither in"},
		"a setting": {old: staged, changed: staged, overlays: []string{"env/stage.yaml"}, from: true, to: true},
		"an environment": {
			old: site, changed: staged, overlays: []string{"env/stage.yaml"}, to: true,
			note: "if it is a renamed overlay, use --from-overlay OLD --to-overlay",
		},
		"a lost environment": {
			old: staged, changed: site, overlays: []string{"env/stage.yaml"}, err: "if its environment is removed, use only",
		},
		"no environment": {
			old: staged, changed: site, fromOnly: []string{"env/stage.yaml"}, from: true,
			note: "use --to-overlay with an empty file",
		},
		"a typo": {old: site, changed: site, overlays: []string{"env/stagge.yaml"}, err: "no such file, neither in"},
		"a renamed environment": {
			old: staged, changed: map[string]string{
				"site/fleet.yaml": fleetYAML, "site/vms.yaml": vmsYAML, "env/staging.yaml": stageYAML,
			},
			fromOnly: []string{"env/stage.yaml"}, toOnly: []string{"env/staging.yaml"}, from: true, to: true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			require.NoError(t, err)
			git := func(args ...string) {
				cmd := exec.CommandContext(t.Context(), "git", append([]string{"-C", dir}, args...)...)
				cmd.Env = environ
				out, err := cmd.CombinedOutput()
				require.NoError(t, err, string(out))
			}
			git("init", "--quiet", "--initial-branch=main")
			writeTree(t, dir, map[string]string{"README.md": "a repository\n"})
			writeTree(t, dir, c.old)
			git("add", "--all")
			git("commit", "--quiet", "--message=old")
			writeTree(t, dir, c.changed)
			t.Chdir(dir)

			sides, err := compare.Choose(compare.Request{
				Args: []string{"site"}, Given: given(),
				From: compare.Own{Revision: "main", Overlays: c.fromOnly},
				To:   compare.Own{Revision: "worktree", Overlays: c.toOnly},
			})
			require.NoError(t, err)
			l := loader(t)
			l.Fleet.Overlays = c.overlays
			from, to, err := l.Load(t.Context(), sides)
			if c.err != "" {
				require.ErrorContains(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.from, from.Fleet != nil)
			require.Equal(t, c.to, to.Fleet != nil)
			require.Contains(t, from.Note+to.Note, c.note)
			require.Equal(t, c.note == "", from.Note+to.Note == "")
			require.Equal(t, c.from, len(from.Objects) > 0)
			require.Equal(t, c.to, len(to.Objects) > 0)
			require.Empty(t, from.Diags.Sorted())
			require.Empty(t, to.Diags.Sorted())
		})
	}
}

// TestFleetAndItsManifests checks that a fleet does not differ from the manifests that it was rendered to.
func TestFleetAndItsManifests(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{"site/fleet.yaml": fleetYAML, "site/vms.yaml": vmsYAML})
	l := loader(t)
	site, err := l.Current(compare.Side{Path: filepath.Join(dir, "site")})
	require.NoError(t, err)
	require.Empty(t, site.Diags.Sorted())
	var stream bytes.Buffer
	require.NoError(t, output.Objects(&stream, manifest.YAML, site.Objects))
	require.Contains(t, stream.String(), "kind: VirtualMachine")

	l.Fleet.Stdin = &stream
	sides, err := compare.Choose(compare.Request{Args: []string{"-", filepath.Join(dir, "site")}, Given: given()})
	require.NoError(t, err)
	from, to, err := l.Load(t.Context(), sides)
	require.NoError(t, err)
	require.Equal(t, "standard input", from.Label)
	require.Equal(t, from.Objects, to.Objects)
}

// TestFlagsThatDoNotFit checks that the flags are judged before anything is rendered.
func TestFlagsThatDoNotFit(t *testing.T) {
	dir := t.TempDir()
	writeTree(t, dir, map[string]string{"site/fleet.yaml": fleetYAML, "site/vms.yaml": "a: broken\nfile"})
	l := loader(t)
	l.Fits = func(isPlatform bool) error {
		require.False(t, isPlatform)
		return errors.New("--layer is for a platform.yaml")
	}
	_, err := l.Current(compare.Side{Path: filepath.Join(dir, "site")})
	require.EqualError(t, err, "--layer is for a platform.yaml")
}

func TestManifestsReportAllProblems(t *testing.T) {
	l := compare.Manifests("-", strings.NewReader("a: 1\n---\nb: 2\n"))
	require.Empty(t, l.Objects)
	var found []string
	for _, d := range l.Diags.Sorted() {
		found = append(found, d.String())
	}
	require.Len(t, found, 2, found)
	require.Contains(t, found[0], "<stdin>:1")
	require.Contains(t, found[1], "<stdin>:3")
}
