package revision_test

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/revision"
	"github.com/vmrender/vmrender/pkg/source"
)

// TestCheckout checks which files of a commit are copied for a path.
func TestCheckout(t *testing.T) {
	r := newRepo(t)
	r.commit(map[string]string{
		"README.md":                 "text",
		"overlay.yaml":              "{}",
		"a b/ü/fleet.yaml":          "in",
		"a b/ü/new\nline/x.yaml":    "in",
		"a b/ü/new\nline/y z.txt":   "in",
		"a b/ü/:(top)/x.yaml":       "in",
		"a b/ü/.hidden/target.yaml": "in",
		"a b/other.yaml":            "out",
		"site/platform.yaml":        "in",
		"site/deep/x.txt":           "in",
	})
	fleet := []string{
		"a b/ü/.hidden/target.yaml", "a b/ü/:(top)/x.yaml", "a b/ü/fleet.yaml", "a b/ü/new\nline/x.yaml",
		"a b/ü/new\nline/y z.txt",
	}
	all := r.git("ls-files", "-z")
	// The committed files count, not those in the work tree.
	require.NoError(t, os.RemoveAll(r.path("a b/ü/new\nline")))
	r.write(map[string]string{"a b/ü/fleet.yaml": "changed", "a b/ü/more.yaml": "new"})

	for path, want := range map[string][]string{
		"a b/ü":                  fleet,
		"a b/ü/new\nline":        fleet,
		"a b/ü/new\nline/x.yaml": fleet,
		"a b/ü/:(top)":           fleet,
		"site":                   strings.Split(strings.TrimSuffix(all, "\x00"), "\x00"),
		"site/platform.yaml":     strings.Split(strings.TrimSuffix(all, "\x00"), "\x00"),
		"a b":                    nil, // no fleet here or in a parent directory
		"a b/ü/more.yaml":        nil, // not committed
		"a b/ü/none/none":        nil,
		"none":                   nil,
		".":                      nil,
	} {
		t.Run(path, func(t *testing.T) {
			copied, err := r.checkout("HEAD", path)
			require.NoError(t, err)
			require.Equal(t, want == nil, copied.Missing)
			if want == nil {
				return
			}
			require.ElementsMatch(t, want, names(content(t, copied.Path(r.dir))))
			text, err := os.ReadFile(copied.Path(r.path("a b/ü/fleet.yaml")))
			require.NoError(t, err)
			require.Equal(t, "in", string(text))
		})
	}
	copied, err := r.checkout("HEAD", "a b/ü", r.path("overlay.yaml"), "/etc/hostname")
	require.NoError(t, err)
	require.ElementsMatch(t, append(fleet, "overlay.yaml"), names(content(t, copied.Path(r.dir))))
	require.Equal(t, "/etc/hostname", copied.Path("/etc/hostname"), "a file outside belongs to no commit")
}

// TestCheckoutIsPrivate checks that only the user can read the copy, and that it is removed.
func TestCheckoutIsPrivate(t *testing.T) {
	r := newRepo(t)
	r.write(map[string]string{"fleet.yaml": "x", "a/b/c.yaml": "x"})
	require.NoError(t, os.Chmod(r.path("a/b/c.yaml"), 0o777))
	r.commit(nil)
	copied, err := r.checkout("HEAD", "a")
	require.NoError(t, err)
	dir := copied.Path(r.dir)
	require.NoError(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		require.NoError(t, err)
		info, err := d.Info()
		require.NoError(t, err)
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		require.Equal(t, want, info.Mode().Perm(), path)
		return nil
	}))
	require.NoError(t, copied.Close())
	require.NoDirExists(t, dir)
	require.NoError(t, copied.Close())
}

// TestRelabel checks that positions in a copy are shown as Git's.
func TestRelabel(t *testing.T) {
	r := newRepo(t)
	r.commit(map[string]string{"site/fleet.yaml": "x"})
	copied, err := r.checkout("main", "site")
	require.NoError(t, err)
	var diags source.Diagnostics
	diags.Errorf(source.Pos{File: copied.Path(r.path("site/fleet.yaml")), Line: 3, Col: 5}, "x", "vms", "wrong")
	copied.Relabel(&diags)
	require.Equal(t, "main:site/fleet.yaml:3:5: vms: wrong", diags.Sorted()[0].String())
}

// TestLinks checks that symbolic links are copied unchanged, so that readers can reject them, and that copying a
// link to an overlay also copies its target.
func TestLinks(t *testing.T) {
	r := newRepo(t)
	r.write(map[string]string{"site/fleet.yaml": "x", "site/vms/a.yaml": "x", "shared/overlay.yaml": "shared"})
	for link, target := range map[string]string{
		"site/out.yaml": "/etc/passwd", "site/up.yaml": "../../x", "site/in.yaml": "vms/a.yaml", "current": "site",
		"overlay.yaml": "shared/overlay.yaml",
	} {
		require.NoError(t, os.Symlink(target, r.path(link)))
	}
	r.commit(nil)
	copied, err := r.checkout("HEAD", "site")
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		"site/fleet.yaml": "x", "site/vms/a.yaml": "x", "site/out.yaml": "→ /etc/passwd", "site/up.yaml": "→ ../../x",
		"site/in.yaml": "→ vms/a.yaml",
	}, content(t, copied.Path(r.dir)))

	copied, err = r.checkout("HEAD", "site", r.path("overlay.yaml"))
	require.NoError(t, err)
	text, err := os.ReadFile(copied.Path(r.path("overlay.yaml")))
	require.NoError(t, err)
	require.Equal(t, "shared", string(text))

	// Directories above the path are followed, as in the work tree.
	copied, err = r.checkout("HEAD", "current/vms/a.yaml")
	require.NoError(t, err)
	require.False(t, copied.Missing)
	require.FileExists(t, copied.Path(r.path("current/vms/a.yaml")))
}

// rawTree writes a tree object that no version of Git would write. Each entry is "MODE NAME HASH".
func (r repo) rawTree(entries ...string) string {
	var raw strings.Builder
	for _, e := range entries {
		fields := strings.Fields(e)
		raw.WriteString(fields[0] + " " + fields[1] + "\x00")
		for i := 0; i < len(fields[2]); i += 2 {
			raw.WriteByte(unhex(fields[2][i])<<4 | unhex(fields[2][i+1]))
		}
	}
	return r.gitWith(raw.String(), "hash-object", "-t", "tree", "-w", "--literally", "--stdin")
}

func unhex(c byte) byte {
	if c >= 'a' {
		return c - 'a' + 10
	}
	return c - '0'
}

// TestHostileTrees checks that no commit can make a copy write outside its directory.
func TestHostileTrees(t *testing.T) {
	r := newRepo(t)
	outside := t.TempDir()
	file := r.gitWith("x", "hash-object", "-w", "--stdin")
	link := r.gitWith(outside, "hash-object", "-w", "--stdin")
	files := r.rawTree("100644 x.yaml " + file)
	links := r.rawTree("120000 x.yaml " + link)
	for name, tree := range map[string]string{
		"a file called ..":            r.rawTree("100644 .. "+file, "100644 fleet.yaml "+file),
		"a directory called ..":       r.rawTree("40000 .. "+files, "100644 fleet.yaml "+file),
		"a directory called .git":     r.rawTree("40000 .git "+files, "100644 fleet.yaml "+file),
		"a directory called .GIT":     r.rawTree("40000 .GIT "+files, "100644 fleet.yaml "+file),
		"a name with a slash":         r.rawTree("100644 ../x.yaml "+file, "100644 fleet.yaml "+file),
		"an absolute name":            r.rawTree("100644 "+outside+"/x.yaml "+file, "100644 fleet.yaml "+file),
		"a file below a link":         r.rawTree("120000 a "+link, "40000 a "+files, "100644 fleet.yaml "+file),
		"a link below a link":         r.rawTree("120000 a "+link, "40000 a "+links, "100644 fleet.yaml "+file),
		"the same link and directory": r.rawTree("40000 a "+links, "120000 a "+link, "100644 fleet.yaml "+file),
		"the same file twice":         r.rawTree("100644 a "+file, "100644 a "+file, "100644 fleet.yaml "+file),
	} {
		t.Run(name, func(t *testing.T) {
			commit := r.git("commit-tree", tree, "-m", "x")
			_, err := r.checkout(commit, ".")
			require.Error(t, err)
			require.Empty(t, content(t, outside))
		})
	}
}

// TestLargeFile checks that only the size of a file is copied if nothing reads the file.
func TestLargeFile(t *testing.T) {
	r := newRepo(t)
	r.write(map[string]string{"fleet.yaml": "x", "image.yaml": "", "z.yaml": "x"})
	require.NoError(t, os.Truncate(r.path("image.yaml"), source.MaxFileSize+1))
	r.commit(nil)
	copied, err := r.checkout("HEAD", ".")
	require.NoError(t, err)
	_, err = source.ReadFile(copied.Path(r.path("image.yaml")))
	require.ErrorIs(t, err, source.ErrTooLarge)
	text, err := os.ReadFile(copied.Path(r.path("z.yaml")))
	require.NoError(t, err)
	require.Equal(t, "x", string(text))
}

// TestSubmodule checks that a submodule is rejected if its files would be read.
func TestSubmodule(t *testing.T) {
	r := newRepo(t)
	hash := r.commit(map[string]string{"fleet.yaml": "x", "a/x.yaml": "x", "platform/platform.yaml": "x"})
	r.git("update-index", "--add", "--cacheinfo", "160000,"+hash+",sub")
	r.git("update-index", "--add", "--cacheinfo", "160000,"+hash+",.hidden/sub")
	r.git("commit", "--quiet", "--message=x")
	_, err := r.checkout("HEAD", ".")
	require.ErrorContains(t, err, "sub: a submodule of HEAD (")
	_, err = r.checkout("HEAD", "sub")
	require.ErrorContains(t, err, "sub: a submodule of HEAD (")
	for _, path := range []string{"a", "platform"} {
		copied, err := r.checkout("HEAD", path)
		require.NoError(t, err)
		require.False(t, copied.Missing)
	}
}

// TestMissingOverlay checks that a file that is missing on one side is an error.
func TestMissingOverlay(t *testing.T) {
	r := newRepo(t)
	r.commit(map[string]string{"fleet.yaml": "x"})
	_, err := r.checkout("HEAD", ".", r.path("new.yaml"))
	require.ErrorContains(t, err, "new.yaml: no such file in HEAD (")
}

// TestCanceled checks that a canceled copy leaves nothing behind.
func TestCanceled(t *testing.T) {
	r := newRepo(t)
	r.commit(map[string]string{"fleet.yaml": "x", "a.yaml": strings.Repeat("x", 1<<20)})
	opened := r.open(".")
	c, _, err := opened.Resolve(t.Context(), "HEAD", revision.Worktree)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = opened.Checkout(ctx, c, r.dir)
	require.ErrorIs(t, err, context.Canceled)
}

// TestLostObjects checks that the error about a file whose content is missing from the repository says what to do.
func TestLostObjects(t *testing.T) {
	r := newRepo(t)
	r.commit(map[string]string{"fleet.yaml": "x", "a.yaml": "lost"})
	lost := r.git("rev-parse", "HEAD:a.yaml")
	require.NoError(t, os.Remove(r.path(".git/objects/"+lost[:2]+"/"+lost[2:])))
	_, err := r.checkout("HEAD", ".")
	require.ErrorContains(t, err, "git fetch --refetch --no-filter")
}

// TestNoRoom checks that a copy is on disk if memory is too small for it or cannot be used.
func TestNoRoom(t *testing.T) {
	r := newRepo(t)
	r.commit(map[string]string{"fleet.yaml": "x", "a.yaml": strings.Repeat("x", 10_000)})
	for _, c := range []struct {
		small string
		room  int64
		want  string
	}{
		{"small", 20_000, "small"}, {"small", 15_000, "large"}, {"none", 20_000, "large"},
	} {
		dir := t.TempDir()
		require.NoError(t, os.Mkdir(filepath.Join(dir, "small"), 0o700))
		require.NoError(t, os.Mkdir(filepath.Join(dir, "large"), 0o700))
		opened := r.open(".")
		opened.CopyTo(filepath.Join(dir, c.small), c.room, filepath.Join(dir, "large"))
		head, _, err := opened.Resolve(t.Context(), "HEAD", revision.Worktree)
		require.NoError(t, err)
		copied, err := opened.Checkout(t.Context(), head, r.dir)
		require.NoError(t, err)
		require.Equal(t, c.want, filepath.Base(filepath.Dir(copied.Path(r.dir))))
		require.Len(t, content(t, dir), 2)
		require.NoError(t, copied.Close())
		require.Empty(t, content(t, dir))
	}
}

// TestDefaultPlace checks that a copy is private, and is removed, if no directory is set.
func TestDefaultPlace(t *testing.T) {
	r := newRepo(t)
	r.commit(map[string]string{"fleet.yaml": "x"})
	opened, err := revision.Open(t.Context(), r.dir, environ)
	require.NoError(t, err)
	c, _, err := opened.Resolve(t.Context(), "HEAD", revision.Worktree)
	require.NoError(t, err)
	copied, err := opened.Checkout(t.Context(), c, r.dir)
	require.NoError(t, err)
	dir := copied.Path(r.dir)
	info, err := os.Stat(dir)
	require.NoError(t, err)
	require.Equal(t, fs.ModeDir|0o700, info.Mode())
	require.NoError(t, copied.Close())
	require.NoDirExists(t, dir)
}

// TestHasFile checks that a file is looked up in the right revision, and that a file outside the repository belongs
// to every revision.
func TestHasFile(t *testing.T) {
	r := newRepo(t)
	old := r.commit(map[string]string{"site/fleet.yaml": "a", "env/a.yaml": "a"})
	r.git("rm", "--quiet", "env/a.yaml")
	changed := r.commit(map[string]string{"env/b.yaml": "b"})
	r.write(map[string]string{"env/c.yaml": "c"})
	repo := r.open(".")
	worktree := revision.Commit{Name: revision.Worktree}
	for file, want := range map[string][3]bool{
		"env/a.yaml":             {true, false, false},
		"env/b.yaml":             {false, true, true},
		"env/c.yaml":             {false, false, true},
		"none/d.yaml":            {false, false, false},
		"../outside/no/one.yaml": {true, true, true},
	} {
		for i, c := range []revision.Commit{{Name: "old", Hash: old}, {Name: "new", Hash: changed}, worktree} {
			has, err := repo.HasFile(t.Context(), c, r.path(file))
			require.NoError(t, err)
			require.Equal(t, want[i], has, "%s in %s", file, c)
		}
	}
	for _, c := range []revision.Commit{{Name: "old", Hash: old}, worktree} {
		exists, err := repo.Exists(t.Context(), c, r.path("site"))
		require.NoError(t, err)
		require.True(t, exists)
		exists, err = repo.Exists(t.Context(), c, r.path("env"))
		require.NoError(t, err)
		require.False(t, exists, "no fleet or platform is in %s", c)
	}
}
