package revision_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/revision"
)

// branched returns a repository in which main and topic each have one commit after a common one. It also returns
// the hashes of the three commits.
func branched(t *testing.T) (r repo, base, main, topic string) {
	t.Helper()
	r = newRepo(t)
	base = r.commit(map[string]string{"fleet.yaml": "base"})
	r.git("checkout", "--quiet", "-b", "topic")
	topic = r.commit(map[string]string{"fleet.yaml": "topic"})
	r.git("checkout", "--quiet", "main")
	main = r.commit(map[string]string{"fleet.yaml": "main"})
	r.git("checkout", "--quiet", "topic")
	return r, base, main, topic
}

func TestResolve(t *testing.T) {
	r, base, main, topic := branched(t)
	r.git("tag", "-a", "-m", "x", "v1", main)
	r.git("checkout", "--quiet", "--detach", "topic")
	short := func(hash string) string { return " (" + hash[:12] + ")" }
	for _, c := range []struct{ from, to, old, changed string }{
		{"main", "topic", "main" + short(main), "topic" + short(topic)},
		{"HEAD~1", "worktree", "HEAD~1" + short(base), "worktree" + short(topic)},
		{"worktree", "v1", "worktree" + short(topic), "v1" + short(main)},
		{base[:8], main, base[:8], main}, // a hash needs no further text
		{"main...", "worktree", "merge base with main" + short(base), "worktree" + short(topic)},
		{"main...", "v1", "merge base with main" + short(main), "v1" + short(main)},
		{"HEAD^{/x}", "main@{0}", "HEAD^{/x}" + short(topic), "main@{0}" + short(main)},
	} {
		old, changed, err := r.open(".").Resolve(t.Context(), c.from, c.to)
		require.NoError(t, err, c)
		require.Equal(t, c.old, old.String())
		require.Equal(t, c.changed, changed.String())
	}
	old, _, err := r.open(".").Resolve(t.Context(), "main...", "topic")
	require.NoError(t, err)
	require.Equal(t, base[:12], old.Name, "Git knows files of a merge base by its hash")
}

// TestResolveRefuses checks the errors about revisions that do not exist. None is ever taken for an option of Git.
func TestResolveRefuses(t *testing.T) {
	r, _, _, _ := branched(t)
	expected := `; expected a branch, tag or commit of ` + r.dir + `, or "worktree"; git fetch gets those of a remote`
	for rev, want := range map[string]string{
		"mian":                          `unknown revision "mian"; did you mean "main"?`,
		"v9":                            `unknown revision "v9"` + expected,
		"":                              `unknown revision ""` + expected,
		"-":                             `unknown revision "-"` + expected,
		"--git-dir":                     `unknown revision "--git-dir"` + expected,
		"--output=" + r.path("written"): `unknown revision "--output=` + r.path("written") + `"` + expected,
		"^main":                         `unknown revision "^main"; did you mean "main"?`,
		"topic main":                    `unknown revision "topic main"; did you mean "topic"?`,
		"main..topic":                   `unknown revision "main..topic"; did you mean "main"?`,
		"main...topic":                  `unknown revision "main...topic"; did you mean "main"?`,
		"HEAD:fleet.yaml":               `unknown revision "HEAD:fleet.yaml"` + expected,
		"main\ntopic":                   `unknown revision "main\ntopic"; did you mean "main"?`,
	} {
		_, _, err := r.open(".").Resolve(t.Context(), rev, revision.Worktree)
		require.EqualError(t, err, want)
		_, _, err = r.open(".").Resolve(t.Context(), revision.Worktree, rev)
		require.EqualError(t, err, want)
	}
	require.NoFileExists(t, r.path("written"))
	r.git("checkout", "--quiet", "--orphan", "other")
	r.commit(nil)
	_, _, err := r.open(".").Resolve(t.Context(), "main...", "other")
	require.ErrorContains(t, err, `have no common commit; compare them without "..."`)
}

// TestNoCommits checks a repository without commits: only the work tree can be read.
func TestNoCommits(t *testing.T) {
	r := newRepo(t)
	r.write(map[string]string{"fleet.yaml": "x"})
	_, _, err := r.open(".").Resolve(t.Context(), "HEAD", revision.Worktree)
	require.EqualError(t, err, `unknown revision "HEAD"; `+r.dir+" has no commit yet")
	_, c, err := r.open(".").Resolve(t.Context(), revision.Worktree, revision.Worktree)
	require.NoError(t, err)
	require.Equal(t, "worktree", c.String())
	changed, err := r.open(".").Changed(t.Context(), c, r.dir)
	require.NoError(t, err)
	require.True(t, changed)
}

// clone returns a clone of a repository, made with further options.
func (r repo) clone(args ...string) repo {
	r.Helper()
	c := newRepo(r.TB.(*testing.T))
	require.NoError(r, os.RemoveAll(c.path(".git")))
	r.git(append(append([]string{"clone", "--quiet"}, args...), "file://"+r.dir, c.dir)...)
	return c
}

// TestShallowClone checks the messages in a pipeline's clone that has only one commit.
func TestShallowClone(t *testing.T) {
	r, base, main, _ := branched(t)
	c := r.clone("--depth=1", "--branch=topic")
	_, _, err := c.open(".").Resolve(t.Context(), base, revision.Worktree)
	require.EqualError(t, err, `unknown revision "`+base+`"; `+c.dir+
		" is a shallow clone, so fetch it first: git fetch --unshallow")
	c.git("fetch", "--quiet", "--depth=1", "origin", main)
	_, _, err = c.open(".").Resolve(t.Context(), main+"...", revision.Worktree)
	require.ErrorContains(t, err, "which is a shallow clone; fetch more of the history: git fetch --unshallow")
	c.git("fetch", "--quiet", "--unshallow", "origin")
	_, _, err = c.open(".").Resolve(t.Context(), main+"...", revision.Worktree)
	require.NoError(t, err)
}

// TestPartialClone checks that nothing is fetched in a clone without old files, and the message about it.
func TestPartialClone(t *testing.T) {
	r, base, _, _ := branched(t)
	r.git("config", "uploadpack.allowFilter", "true")
	c := r.clone("--filter=blob:none", "--branch=topic")
	before := files(t, c.path(".git"))
	_, err := c.checkout(base, ".")
	require.ErrorContains(t, err, "if it is a partial clone, fetch the rest first: git fetch --refetch --no-filter")
	require.Equal(t, before, files(t, c.path(".git")))
	c.git("fetch", "--quiet", "--refetch", "--no-filter")
	_, err = c.checkout(base, ".")
	require.NoError(t, err)
}

// TestOpen checks which directories are in a repository, and the messages about others.
func TestOpen(t *testing.T) {
	r := newRepo(t)
	r.commit(map[string]string{"fleet.yaml": "x", "a/x.yaml": "x"})
	for _, path := range []string{".", "a", "a/x.yaml", "none/none/x.yaml"} {
		_, err := revision.Open(t.Context(), r.path(path), environ)
		require.NoError(t, err)
	}
	none := t.TempDir()
	_, err := revision.Open(t.Context(), none, environ)
	require.EqualError(t, err, none+": not in a Git repository; "+
		"compare two directories, or two sets of manifests, without revisions")
	bare := r.clone("--bare")
	_, err = revision.Open(t.Context(), bare.dir, environ)
	require.EqualError(t, err, bare.dir+": in a Git repository without a work tree; use a clone of it")
	_, err = revision.Open(t.Context(), r.path(".git/refs"), environ)
	require.Error(t, err)

	// A hook runs with the variables of its own repository.
	hook := append([]string{"GIT_DIR=" + bare.dir, "GIT_WORK_TREE=/", "GIT_INDEX_FILE=/none"}, environ...)
	hook = append(hook, "GIT_CONFIG_PARAMETERS='core.worktree'='/'")
	opened, err := revision.Open(t.Context(), r.path("a"), hook)
	require.NoError(t, err)
	exists, err := opened.Exists(t.Context(), revision.Commit{Name: revision.Worktree}, r.path("a"))
	require.NoError(t, err)
	require.True(t, exists)
}

// TestLinkedWorktree checks a work tree whose repository is elsewhere, with a HEAD of its own.
func TestLinkedWorktree(t *testing.T) {
	r, _, main, topic := branched(t)
	linked := repo{t, filepath.Join(t.TempDir(), "linked"), r.temp}
	r.git("worktree", "add", "--quiet", linked.dir, "main")
	old, changed, err := linked.open(".").Resolve(t.Context(), "topic", revision.Worktree)
	require.NoError(t, err)
	require.Equal(t, topic, old.Hash)
	require.Equal(t, main, changed.Hash)
	copied, err := linked.checkout("topic", ".")
	require.NoError(t, err)
	require.Equal(t, map[string]string{"fleet.yaml": "topic"}, content(t, copied.Path(linked.dir)))
}

// TestOtherOwner checks the message about a repository that Git does not trust.
func TestOtherOwner(t *testing.T) {
	r := newRepo(t)
	r.commit(map[string]string{"fleet.yaml": "x"})
	if os.Getuid() != 0 {
		t.Skip("only root can give a repository to another user")
	}
	require.NoError(t, os.Chown(r.dir, 4711, 4711))
	require.NoError(t, os.Chown(r.path(".git"), 4711, 4711))
	_, err := revision.Open(t.Context(), r.dir, environ)
	require.EqualError(t, err, r.dir+": the repository belongs to another user, and Git does not read it; "+
		`if you trust it: git config --global --add safe.directory "`+r.dir+`"`)
	config := filepath.Join(t.TempDir(), "gitconfig")
	require.NoError(t, exec.CommandContext(t.Context(),
		"git", "config", "--file", config, "--add", "safe.directory", r.dir).Run())
	trusting := []string{environ[0], "GIT_CONFIG_GLOBAL=" + config}
	_, err = revision.Open(t.Context(), r.dir, trusting)
	require.NoError(t, err)
}

// TestNoGit checks the message if Git is missing. The program is looked up on the process's own path.
func TestNoGit(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := revision.Open(t.Context(), ".", environ)
	require.ErrorContains(t, err, "the program git was not found; install it to compare revisions")
	require.NotContains(t, strings.TrimPrefix(err.Error(), ".: "), "\n")
}
