package assistant

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// inRoot writes files below a temporary directory, and makes "root" in it the working directory and the root.
func inRoot(t *testing.T, files ...string) root {
	t.Helper()
	top := t.TempDir()
	for _, name := range append(files, "root/.keep") {
		require.NoError(t, os.MkdirAll(filepath.Join(top, filepath.Dir(name)), 0o700))
		require.NoError(t, os.WriteFile(filepath.Join(top, name), nil, 0o600))
	}
	t.Chdir(filepath.Join(top, "root"))
	r, err := newRoot()
	require.NoError(t, err)
	return r
}

// A path is one below the root, and not a word with a meaning for a command.
func TestPath(t *testing.T) {
	r := inRoot(t, "root/a/b.yaml", "out/c.yaml")
	require.NoError(t, os.Symlink("a", "inside"))
	require.NoError(t, os.Symlink("../out", "outside"))
	require.NoError(t, os.Symlink("../root/a", "back"))
	for value, want := range map[string]string{
		"a": "a", "./a/../a/b.yaml": "a/b.yaml", string(r) + "/a": "a", "a/none.yaml": "a/none.yaml", "inside": "inside",
		"-": "./-", "--live=cluster": "./--live=cluster", "cluster": "./cluster", "back/b.yaml": "back/b.yaml",
	} {
		got, err := r.path("path", value)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, value := range []string{
		"..", "../out", "a/../../out", "/", "/etc/passwd", "outside", "outside/c.yaml", "outside/none", string(r) + "/..",
	} {
		_, err := r.path("path", value)
		require.ErrorContains(t, err, "outside of the root", value)
	}
	_, err := r.path("path", ".")
	require.EqualError(t, err, `path "outside": the symbolic link leads out of the root "`+string(r)+
		`"; expected files below it`)
}

// A fleet whose fleet.yaml is above the root is not read.
func TestFleetAboveTheRoot(t *testing.T) {
	r := inRoot(t, "fleet.yaml", "root/vms/a.yaml")
	_, err := r.path("path", "vms/a.yaml")
	require.ErrorContains(t, err, `path "vms/a.yaml": its fleet is outside of the root`)
}

// A platform reads files below the root of its repository if that is below the root of the server, or else below that.
func TestPlatformStaysBelowTheRoot(t *testing.T) {
	s := Server{root: inRoot(t, ".git/HEAD", "root/a/.git/HEAD", "root/a/p/platform.yaml", "root/b/platform.yaml")}
	for path, want := range map[string]string{"a/p": "", "b": string(s.root), ".": string(s.root)} {
		c, err := s.commandLine(tools(Kinds{})[2], map[string]any{"path": path})
		require.NoError(t, err)
		require.Equal(t, want, c.Root, path)
	}
}

// Values become arguments after "--", or values of a flag, and the state in the cluster is that of the start.
func TestCommandLine(t *testing.T) {
	s := Server{root: inRoot(t, "root/old/a.yaml", "root/x.yaml"), Live: []string{"--live=/export.yaml"}}
	plan := tools(Kinds{})[3]
	require.Equal(t, "plan", plan.name)
	for _, c := range []struct {
		in   map[string]any
		args []string
	}{
		{map[string]any{"from": "--output=x"}, []string{"--output=json", "--from=--output=x", "--", "."}},
		{map[string]any{"old": "old"}, []string{"--output=json", "--", "old", "."}},
		{
			map[string]any{"from": "main", "live": true, "overlays": []any{"x.yaml", "-y"}},
			[]string{"--output=json", "--from=main", "--overlay=x.yaml", "--overlay=./-y", "--live=/export.yaml", "--", "."},
		},
		{map[string]any{"export": "cluster", "live": false}, []string{"--output=json", "--live=./cluster", "--", "."}},
	} {
		got, err := s.commandLine(plan, c.in)
		require.NoError(t, err)
		require.Equal(t, Call{Command: "plan", Args: c.args, Root: string(s.root)}, got)
	}
	_, err := s.commandLine(plan, map[string]any{"old": "..", "from": "main", "export": "/x", "live": true})
	require.EqualError(t, err, "export and live exclude each other; expected one of them\n"+
		"old and from exclude each other; expected one of them\n"+
		`old "..": outside of the root "`+string(s.root)+"\"; expected a path below it\n"+
		`export "/x": outside of the root "`+string(s.root)+`"; expected a path below it`)
}
