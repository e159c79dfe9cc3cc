package revision_test

import (
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/revision"
)

// environ is the environment of Git in tests, without the configuration of the user or the
// system.
var environ = []string{
	"PATH=" + os.Getenv("PATH"), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1",
}

var identity = []string{
	"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@example.com",
}

// repo is a real repository in a temporary directory.
type repo struct {
	testing.TB
	dir  string
	temp string // directory for copies
}

// newRepo returns a repository without commits. The test fails if temporary directories are
// left behind.
func newRepo(t testing.TB) repo {
	t.Helper()
	temp := t.TempDir()
	t.Cleanup(func() {
		left, err := os.ReadDir(temp)
		require.NoError(t, err)
		require.Empty(t, left, "temporary files are left behind")
	})
	dir, err := filepath.EvalSymlinks(t.TempDir())
	require.NoError(t, err)
	r := repo{t, dir, temp}
	r.git("init", "--quiet", "--initial-branch=main")
	return r
}

// git runs Git and returns its output without the last line break.
func (r repo) git(args ...string) string {
	r.Helper()
	return r.gitWith("", args...)
}

func (r repo) gitWith(stdin string, args ...string) string {
	r.Helper()
	out, err := r.try(stdin, args...)
	require.NoError(r, err, "git %q: %s", args, out)
	return strings.TrimSuffix(string(out), "\n")
}

func (r repo) try(stdin string, args ...string) ([]byte, error) {
	quiet := []string{"-c", "gc.auto=0", "-c", "maintenance.auto=false"} // nothing keeps running in the background
	cmd := exec.CommandContext(r.Context(), "git", append(quiet, args...)...)
	cmd.Dir, cmd.Env, cmd.Stdin = r.dir, slices.Concat(environ, identity), strings.NewReader(stdin)
	return cmd.CombinedOutput()
}

// path returns the path of a file in the work tree.
func (r repo) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r repo) write(files map[string]string) {
	r.Helper()
	for name, text := range files {
		require.NoError(r, os.MkdirAll(filepath.Dir(r.path(name)), 0o700))
		require.NoError(r, os.WriteFile(r.path(name), []byte(text), 0o600))
	}
}

// commit commits everything in the work tree and returns the hash.
func (r repo) commit(files map[string]string) string {
	r.Helper()
	r.write(files)
	r.git("add", "--all", "--force")
	r.git("commit", "--quiet", "--allow-empty", "--message=x")
	return r.git("rev-parse", "HEAD")
}

func (r repo) open(path string) *revision.Repository {
	r.Helper()
	opened, err := revision.Open(r.Context(), r.path(path), append(slices.Clip(environ), "TMPDIR="+r.temp))
	require.NoError(r, err)
	return opened
}

// checkout copies the files for a path from a revision.
func (r repo) checkout(rev, path string, files ...string) (*revision.Checkout, error) {
	r.Helper()
	opened := r.open(path)
	c, _, err := opened.Resolve(r.Context(), rev, revision.Worktree)
	require.NoError(r, err)
	copied, err := opened.Checkout(r.Context(), c, r.path(path), files...)
	if err == nil {
		r.Cleanup(func() { require.NoError(r, copied.Close()) })
	}
	return copied, err
}

// content returns the files below a directory by name, except those in .git. Symbolic links
// are shown as "→ target".
func content(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		name, err := filepath.Rel(dir, path)
		require.NoError(t, err)
		switch {
		case d.IsDir() && name == ".git":
			return fs.SkipDir
		case d.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(path)
			require.NoError(t, err)
			files[filepath.ToSlash(name)] = "→ " + target
		case !d.IsDir():
			text, err := os.ReadFile(path)
			require.NoError(t, err)
			files[filepath.ToSlash(name)] = string(text)
		}
		return nil
	}))
	return files
}

func names(files map[string]string) []string { return slices.Sorted(maps.Keys(files)) }
