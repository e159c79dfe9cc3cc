package revision_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/revision"
)

// files returns the content, mode and time of each file below a directory.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		var text []byte
		if info.Mode().IsRegular() {
			text, err = os.ReadFile(path)
			require.NoError(t, err)
		}
		all[path] = fmt.Sprintf("%v %v %x", info.Mode(), info.ModTime(), text)
		return nil
	}))
	return all
}

// TestUntouched checks that neither the work tree nor anything under .git changes, and that no program named in
// the repository runs. Its filters, hooks and monitors are traps here.
func TestUntouched(t *testing.T) {
	r := newRepo(t)
	sprung := filepath.Join(t.TempDir(), "sprung")
	trap := filepath.Join(t.TempDir(), "trap")
	require.NoError(t, os.WriteFile(trap, []byte("#!/bin/sh\necho \"$0 $*\" >>"+sprung+"\ncat\n"), 0o700))
	r.commit(map[string]string{"fleet.yaml": "x", "a/x.yaml": "x"})
	first := r.git("rev-parse", "HEAD")
	r.commit(map[string]string{
		".gitattributes": "* filter=trap diff=trap merge=trap text eol=crlf\n",
		"a/x.yaml":       "y",
	})
	for key, value := range map[string]string{
		"filter.trap.clean": trap, "filter.trap.smudge": trap, "filter.trap.process": trap, "filter.trap.required": "true",
		"diff.trap.textconv": trap, "diff.trap.command": trap, "merge.trap.driver": trap, "diff.external": trap,
		"core.fsmonitor": trap, "core.pager": trap, "core.editor": trap, "core.sshCommand": trap, "core.askPass": trap,
		"core.alternateRefsCommand": trap, "gpg.program": trap, "credential.helper": trap, "alias.ls-tree": "!" + trap,
		"core.hooksPath": r.path(".git/hooks"), "pager.ls-tree": trap, "pager.rev-parse": trap,
	} {
		r.git("config", key, value)
	}
	for _, hook := range []string{"post-checkout", "post-index-change", "fsmonitor-watchman", "reference-transaction"} {
		require.NoError(t, os.Symlink(trap, r.path(".git/hooks/"+hook)))
	}
	r.write(map[string]string{"a/x.yaml": "changed", "a/new.yaml": "new"})
	before := files(t, r.dir)

	opened := r.open("a")
	old, head, err := opened.Resolve(t.Context(), first+"...", revision.Worktree)
	require.NoError(t, err)
	for _, c := range []revision.Commit{old, head} {
		copied, err := opened.Checkout(t.Context(), c, r.path("a"))
		require.NoError(t, err)
		text, err := os.ReadFile(copied.Path(r.path("a/x.yaml")))
		require.NoError(t, err)
		require.Contains(t, []string{"x", "y"}, string(text), "as committed, without filters")
		require.NoError(t, copied.Close())
	}
	changed, err := opened.Changed(t.Context(), head, r.path("a"))
	require.NoError(t, err)
	require.True(t, changed)

	require.Equal(t, before, files(t, r.dir))
	require.NoFileExists(t, sprung)

	_, _ = r.try("", "status") // this fails
	require.FileExists(t, sprung, "the traps are set: git status springs them")
}

// TestChanged checks which differences from HEAD count as changes.
func TestChanged(t *testing.T) {
	r := newRepo(t)
	r.write(map[string]string{
		"fleet.yaml": "x", "_defaults.yaml": "x", "README.md": "x", "a/x.yaml": "1\n2\n", "a/.hidden/x.yaml": "x",
		"b/x.yaml": "x", ".gitignore": "ignored.yaml\n", "overlays/o.yaml": "x",
	})
	require.NoError(t, os.Symlink("x.yaml", r.path("a/link.yaml")))
	r.commit(nil)
	write := func(name, text string) func() {
		return func() { r.write(map[string]string{name: text}) }
	}
	for _, c := range []struct {
		name   string
		change func()
		want   bool
	}{
		{"nothing", func() {}, false},
		{"a file below", write("a/x.yaml", "1\n3\n"), true},
		{"line ends", write("a/x.yaml", "1\r\n2\r\n"), false},
		{"a new file", write("a/new.yaml", "x"), true},
		{"a file that Git ignores", write("a/ignored.yaml", "x"), true},
		{"a hidden file", write("a/.hidden/x.yaml", "y"), false},
		{"a hidden new file", write("a/.new.yaml", "y"), false},
		{"another kind of file", write("a/notes.txt", "y"), false},
		{"a file elsewhere", write("b/x.yaml", "y"), false},
		{"the fleet's file", write("fleet.yaml", "y"), true},
		{"inherited defaults", write("_defaults.yaml", "y"), true},
		{"a new platform", write("platform.yaml", "y"), true},
		{"an overlay", write("overlays/o.yaml", "y"), true},
		{"an executable", func() { require.NoError(t, os.Chmod(r.path("a/x.yaml"), 0o777)) }, false},
		{"a removed file", func() { require.NoError(t, os.Remove(r.path("a/x.yaml"))) }, true},
		{"a removed directory", func() { require.NoError(t, os.RemoveAll(r.path("a"))) }, true},
		{"another link", func() {
			require.NoError(t, os.Remove(r.path("a/link.yaml")))
			require.NoError(t, os.Symlink("y.yaml", r.path("a/link.yaml")))
		}, true},
		{"a file for a link", func() {
			require.NoError(t, os.Remove(r.path("a/link.yaml")))
			r.write(map[string]string{"a/link.yaml": "x.yaml"})
		}, true},
		{"a staged file", func() {
			r.write(map[string]string{"a/x.yaml": "staged"})
			r.git("add", "a/x.yaml")
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			r.git("reset", "--quiet", "--hard")
			r.git("clean", "-dfxq")
			c.change()
			opened := r.open(".")
			_, head, err := opened.Resolve(t.Context(), "HEAD", revision.Worktree)
			require.NoError(t, err)
			for _, path := range []string{"a", "."} {
				changed, err := opened.Changed(t.Context(), head, r.path(path), r.path("overlays/o.yaml"))
				require.NoError(t, err)
				want := c.want || path == "." && c.name == "a file elsewhere"
				require.Equal(t, want, changed, path)
			}
		})
	}
}

// TestChangedSHA256 checks a repository with SHA-256 object names.
func TestChangedSHA256(t *testing.T) {
	r := newRepo(t)
	require.NoError(t, os.RemoveAll(r.path(".git")))
	r.git("init", "--quiet", "--object-format=sha256")
	r.commit(map[string]string{"fleet.yaml": "x"})
	opened := r.open(".")
	_, head, err := opened.Resolve(t.Context(), "HEAD", revision.Worktree)
	require.NoError(t, err)
	changed, err := opened.Changed(t.Context(), head, r.dir)
	require.NoError(t, err)
	require.False(t, changed)
	copied, err := r.checkout("HEAD", ".")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"fleet.yaml": "x"}, content(t, copied.Path(r.dir)))
}
