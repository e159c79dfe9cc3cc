package recipes

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// command runs a program in a directory and returns its output.
func command(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
	return string(out)
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o755))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
}

// git runs git in a directory, with an identity for commits.
func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	identity := []string{"-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgSign=false"}
	command(t, dir, nil, "git", append(identity, args...)...)
}

// clone returns a clone of a repository with a fleet. The memory of a VM is changed in it,
// and the base branch has newer commits.
func clone(t *testing.T, branch string) string {
	t.Helper()
	origin, work := t.TempDir(), t.TempDir()
	git(t, origin, "init", "-q", "-b", branch)
	write(t, origin, map[string]string{
		"sites/a/fleet.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: a}\n" +
			"defaults: {namespace: prod, os: fedora, flavor: small}\n",
		"sites/a/vms.yaml":         "vms:\n  web: {memory: 4Gi}\n  db: {memory: 8Gi}\n",
		"sites/a/.env/prod b.yaml": "namespaceSuffix: -prod\n",
	})
	git(t, origin, "add", "-A")
	git(t, origin, "commit", "-q", "-m", "base")
	git(t, work, "clone", "-q", origin, ".")
	git(t, work, "checkout", "-q", "-b", "change")
	write(t, work, map[string]string{"sites/a/vms.yaml": "vms:\n  web: {memory: 2Gi}\n  db: {memory: 8Gi}\n"})
	git(t, work, "commit", "-q", "-a", "-m", "change")
	write(t, origin, map[string]string{"sites/a/vms.yaml": "vms:\n  web: {memory: 4Gi}\n  db: {memory: 8Gi}\n  other: {}\n"})
	git(t, origin, "commit", "-q", "-a", "-m", "somebody else's")
	git(t, work, "fetch", "-q")
	return work
}

// The scripts run the program of this repository.
func TestWithTheProgram(t *testing.T) {
	bin := t.TempDir()
	command(t, "../..", nil, "go", "build", "-buildvcs=false", "-o", bin, "./cmd/vmrender")
	t.Run("from commits to comment", func(t *testing.T) { testFromCommitsToComment(t, bin) })
	t.Run("gate", func(t *testing.T) { testGate(t, bin) })
	t.Run("unapproved", func(t *testing.T) { testUnapproved(t, bin) })
	t.Run("hook", func(t *testing.T) { testHook(t, bin) })
	t.Run("render", func(t *testing.T) { testRender(t, bin) })
}

// The branch has exactly the rendered files. Files that are gone from the fleet are removed
// from the branch, other directories stay, and a run that changes nothing commits nothing.
func testRender(t *testing.T, bin string) {
	script := at(t, load(t, "render.yaml"), "jobs", "render", "steps", "Render", "run").(string)
	work := clone(t, "main")
	identity := []string{"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b.c", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b.c"}
	render := func(to, overlay string) string {
		t.Helper()
		command(t, work, append(identity, "FLEET=sites/a", "OVERLAY="+overlay, "BRANCH=rendered", "TO="+to,
			"PATH="+bin+":"+os.Getenv("PATH"), "HOME="+t.TempDir()), "bash", "-c", script)
		command(t, work, nil, "git", "fetch", "-q", "origin", "rendered")
		return command(t, work, nil, "git", "ls-tree", "-r", "--name-only", "FETCH_HEAD")
	}
	head := func() string { return command(t, work, nil, "git", "rev-parse", "FETCH_HEAD") }
	require.Equal(t, "a/.vmrender-files\na/prod/db.yaml\na/prod/web.yaml\n", render("a", ""))
	first := head()
	require.NotEmpty(t, render("a", ""))
	require.Equal(t, first, head())

	write(t, work, map[string]string{
		"sites/a/vms.yaml": "vms:\n  db: {memory: 8Gi}\n", "sites/a/.dev.yaml": "namespaceSuffix: -dev\n",
	})
	dev := "a-dev/.vmrender-files\na-dev/prod-dev/db.yaml\n"
	require.Equal(t, dev+"a/.vmrender-files\na/prod/db.yaml\na/prod/web.yaml\n", render("a-dev", "sites/a/.dev.yaml"))
	require.Equal(t, dev+"a/.vmrender-files\na/prod/db.yaml\n", render("a", ""))
	require.Equal(t, "2\n", command(t, work, nil, "git", "rev-list", "--count", first[:len(first)-1]+"..FETCH_HEAD"))
}

// Changes by others on the base branch are not in the comment.
func testFromCommitsToComment(t *testing.T, bin string) {
	const branch = "main;touch${IFS}pwned"
	for name, script := range map[string]string{
		"github": at(t, load(t, "github.yaml"), "jobs", "plan", "steps", "Plan", "run").(string),
		"gitlab": at(t, load(t, "gitlab.yaml"), "vmrender-plan", "script").([]any)[0].(string),
		"gitea":  at(t, load(t, "gitea.yaml"), "jobs", "plan", "steps", "Plan", "run").(string),
		"tekton": at(t, load(t, "tekton.yaml"), "spec", "steps", "plan", "script").(string),
	} {
		t.Run(name, func(t *testing.T) {
			work := clone(t, branch)
			base := strings.TrimSpace(command(t, work, nil, "git", "merge-base", "HEAD", "origin/"+branch))
			var comments, plans, posted []string
			for _, overlay := range []string{"", "sites/a/.env/prod b.yaml"} {
				dir := t.TempDir()
				command(t, work, []string{
					"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "FLEET=sites/a", "OVERLAY=" + overlay,
					"FAIL_ON=data-loss", "BASE=" + branch, "CI_MERGE_REQUEST_DIFF_BASE_SHA=" + base, "WORST=" + dir + "/worst",
					"GITHUB_STEP_SUMMARY=" + dir + "/summary", "GITHUB_OUTPUT=" + dir + "/output", "PLAN=" + dir + "/plan",
				}, "bash", "-c", script)
				require.NoFileExists(t, filepath.Join(work, "pwned"))
				comment := read(filepath.Join(dir, "plan/comment.md"))
				require.Equal(t, overlay == "", strings.HasPrefix(comment, marker+"### 1 of 2 VMs: 1 restart"), "%s", comment)
				comments, plans = append(comments, comment), append(plans, read(filepath.Join(dir, "plan/plan.json")))
				posted = append(posted, read(filepath.Join(dir, "output")))
			}
			for _, r := range recipes() {
				if !strings.HasPrefix(r.name, name) {
					continue
				}
				f := newForge(t)
				for i, comment := range comments {
					require.NoError(t, r.run(t, f, comment, plans[i], jobOutputs(t, posted[i])...))
				}
				f.requireBodies(t, comments...) // one for each environment
			}
		})
	}
}

// jobOutputs returns the outputs of a step as variables, as the runners of Gitea pass them to another job.
func jobOutputs(t *testing.T, text string) []string {
	t.Helper()
	var env []string
	for len(text) > 0 {
		line, rest, _ := strings.Cut(text, "\n")
		name, value, found := strings.Cut(line, "=")
		if key, end, block := strings.Cut(line, "<<"); block {
			name = key
			value, rest, found = strings.Cut(rest, "\n"+end+"\n")
		}
		require.True(t, found, "%q", line)
		env, text = append(env, strings.ToUpper(name)+"="+value), rest
	}
	return env
}

// A level that the gate names fails the run, but a milder plan passes.
func testGate(t *testing.T, bin string) {
	for name, script := range map[string]string{
		"github": at(t, load(t, "github.yaml"), "jobs", "plan", "steps", "Gate", "run").(string),
		"gitea":  at(t, load(t, "gitea.yaml"), "jobs", "plan", "steps", "Gate", "run").(string),
		"tekton": at(t, load(t, "tekton.yaml"), "spec", "steps", "gate", "script").(string),
	} {
		for level, passes := range map[string]bool{"data-loss": true, "restart": false, "live": false, "none": true} {
			cmd := exec.Command("bash", "-c", script)
			cmd.Dir = clone(t, "main")
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "FLEET=sites/a", "BASE=main", "FAIL_ON="+level)
			out, err := cmd.CombinedOutput()
			require.Equal(t, passes, err == nil, "%s, %s: %s", name, level, out)
		}
	}
}

// A change without its approval gets a comment with the line that approves it, and then
// fails the run, whatever its level.
func testUnapproved(t *testing.T, bin string) {
	github := at(t, load(t, "github.yaml"), "jobs", "plan", "steps").([]any)
	gitea := at(t, load(t, "gitea.yaml"), "jobs", "plan", "steps").([]any)
	tekton := at(t, load(t, "tekton.yaml"), "spec", "steps").([]any)
	for name, scripts := range map[string][]string{
		"github": {at(t, named(github, "Plan"), "run").(string), at(t, named(github, "Gate"), "run").(string)},
		"gitlab": {at(t, load(t, "gitlab.yaml"), "vmrender-plan", "script").([]any)[0].(string)},
		"gitea":  {at(t, named(gitea, "Plan"), "run").(string), at(t, named(gitea, "Gate"), "run").(string)},
		"tekton": {at(t, named(tekton, "plan"), "script").(string), at(t, named(tekton, "gate"), "script").(string)},
	} {
		t.Run(name, func(t *testing.T) {
			work := clone(t, "main")
			header, err := os.ReadFile(filepath.Join(work, "sites/a/fleet.yaml"))
			require.NoError(t, err)
			write(t, work, map[string]string{"sites/a/fleet.yaml": string(header) + "policy: {approve: restart}\n"})
			base := strings.TrimSpace(command(t, work, nil, "git", "merge-base", "HEAD", "origin/main"))
			for i, script := range scripts {
				cmd := exec.Command("bash", "-c", script)
				cmd.Dir = work
				cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+t.TempDir(), "FLEET=sites/a",
					"FAIL_ON=none", "BASE=main", "CI_MERGE_REQUEST_DIFF_BASE_SHA="+base,
					"GITHUB_STEP_SUMMARY=summary", "GITHUB_OUTPUT=output", "PLAN=plan", "WORST=worst")
				out, err := cmd.CombinedOutput()
				if i == len(scripts)-1 {
					require.Error(t, err, "%s", out)
					require.Contains(t, string(out), "1 VM not approved")
				} else {
					require.NoError(t, err, "%s", out)
				}
			}
			comment, err := os.ReadFile(filepath.Join(work, "plan/comment.md"))
			require.NoError(t, err)
			require.Regexp(t, "write `approve: none-[0-9a-f]{32}` at `sites/a/vms.yaml:2:3`", string(comment))
			require.FileExists(t, filepath.Join(work, "plan/plan.json"))
		})
	}
}
