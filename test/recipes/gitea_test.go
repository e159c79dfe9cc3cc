package recipes

import (
	"net/http"
	"net/http/cgi"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// The workflow runs nothing of other repositories, passes no text to a script, and only two steps name the token:
// the one that clones, and the one that runs nothing of the pull request.
func TestGiteaIsLeastPrivileged(t *testing.T) {
	w := load(t, "gitea.yaml")
	require.Len(t, at(t, w, "on"), 1)
	require.NotNil(t, at(t, w, "on", "pull_request"))
	require.Empty(t, w["permissions"])
	text, err := yaml.Marshal(w)
	require.NoError(t, err)
	require.NotContains(t, string(text), "uses:")
	require.NotContains(t, string(text), "secrets.")
	tokens := []string{}
	for _, job := range []string{"plan", "comment"} {
		for _, s := range at(t, w, "jobs", job, "steps").([]any) {
			require.NotContains(t, at(t, s, "run"), "${{")
			if at(t, s, "env").(map[string]any)["TOKEN"] != nil {
				tokens = append(tokens, at(t, s, "name").(string))
			}
		}
	}
	require.Equal(t, []string{"Check out", "Comment"}, tokens)
	require.Equal(t, map[string]any{"contents": "read"}, at(t, w, "jobs", "plan", "permissions"))
	require.Equal(t, map[string]any{"pull-requests": "write"}, at(t, w, "jobs", "comment", "permissions"))
	require.Contains(t, at(t, w, "jobs", "comment", "if"), "head.repo.full_name == github.repository")
	require.NotContains(t, calls(t, at(t, w, "jobs", "comment", "steps", "Comment", "run").(string)), "vmrender")
}

// The runner sets the token of the job in the environment of every step (gitea.com/gitea/act, pkg/runner,
// withGithubEnv; Gitea's runner, internal/app/run/runner.go, for ACTIONS_RUNTIME_TOKEN): programs that read the pull
// request do not inherit it.
func TestGiteaRendersWithoutToken(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{"vmrender", "jq"} {
		text := []byte("#!/bin/sh\nenv >> \"$SEEN\"\n")
		require.NoError(t, os.WriteFile(filepath.Join(bin, name), text, 0o755)) //nolint:gosec // a program
	}
	for _, step := range []string{"Plan", "Gate"} {
		work := t.TempDir()
		seen := filepath.Join(work, "seen")
		env := []string{
			"PATH=" + bin + ":" + os.Getenv("PATH"), "SEEN=" + seen, "BASE=main", "FLEET=a", "FAIL_ON=none", "PLAN=plan",
			"GITHUB_STEP_SUMMARY=" + filepath.Join(work, "summary"), "GITHUB_OUTPUT=" + filepath.Join(work, "output"),
		}
		for _, name := range []string{"GITHUB", "GITEA", "FORGEJO", "ACTIONS_RUNTIME", "ACTIONS_ID_TOKEN_REQUEST"} {
			env = append(env, name+"_TOKEN="+token)
		}
		script := at(t, load(t, "gitea.yaml"), "jobs", "plan", "steps", step, "run").(string)
		command(t, work, env, "bash", "-c", script)
		require.Contains(t, read(seen), "FLEET=a", step)
		require.NotContains(t, read(seen), token, step)
	}
}

// serveGit serves a repository as Gitea does: only to requests whose password is the token of the job, whatever the
// user (go-gitea/gitea 00705da102, services/auth/basic.go), and with the commit of a pull request in refs/pull. Its
// address ends in a slash, as that of Gitea does.
func serveGit(t *testing.T, origin string) string {
	t.Helper()
	root := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(root, "o"), 0o755))
	command(t, root, nil, "git", "clone", "--quiet", "--mirror", origin, "o/r.git")
	handler := &cgi.Handler{
		Path: filepath.Join(strings.TrimSpace(command(t, root, nil, "git", "--exec-path")), "git-http-backend"),
		Env:  []string{"GIT_PROJECT_ROOT=" + root, "GIT_HTTP_EXPORT_ALL=1"},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != token {
			w.Header().Set("WWW-Authenticate", `Basic realm="Gitea"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		handler.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// The workflow clones without an action: every branch, the commit of the pull request, and no token.
func TestGiteaChecksOut(t *testing.T) {
	origin, work := clone(t, "main"), t.TempDir()
	commit := strings.TrimSpace(command(t, origin, nil, "git", "rev-parse", "HEAD"))
	command(t, origin, nil, "git", "branch", "--quiet", "--force", "main", "origin/main")
	command(t, origin, nil, "git", "update-ref", "refs/pull/7/head", commit)
	command(t, origin, nil, "git", "checkout", "--quiet", "--detach")
	command(t, origin, nil, "git", "branch", "--quiet", "--delete", "--force", "change")
	script := at(t, load(t, "gitea.yaml"), "jobs", "plan", "steps", "Check out", "run").(string)
	out := command(t, work, []string{
		"SERVER=" + serveGit(t, origin), "REPOSITORY=o/r", "PR=7", "COMMIT=" + commit, "TOKEN=" + token,
		"GIT_TERMINAL_PROMPT=0",
	}, "bash", "-c", script)
	require.NotContains(t, out, token)
	require.Equal(t, commit, strings.TrimSpace(command(t, work, nil, "git", "rev-parse", "HEAD")))
	require.NotEmpty(t, command(t, work, nil, "git", "merge-base", "HEAD", "origin/main"))
	require.NoError(t, filepath.WalkDir(work, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			require.NotContains(t, read(path), "Authorization", path)
		}
		return err
	}))
}
