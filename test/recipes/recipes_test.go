package recipes

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const dir = "../../examples/ci/"

// load reads a recipe.
func load(t *testing.T, name string) map[string]any {
	t.Helper()
	text, err := os.ReadFile(dir + name)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, yaml.Unmarshal(text, &out))
	return out
}

// at returns a value in nested maps and lists. It finds the entries of lists by name.
func at(t *testing.T, v any, path ...string) any {
	t.Helper()
	for _, key := range path {
		switch in := v.(type) {
		case map[string]any:
			v = in[key]
		case []any:
			v = named(in, key)
		default:
			require.Fail(t, "no value", "%q of %v", key, path)
		}
	}
	require.NotNil(t, v, "%v", path)
	return v
}

func named(list []any, name string) any {
	for _, item := range list {
		if m, ok := item.(map[string]any); ok && m["name"] == name {
			return m
		}
	}
	return nil
}

// recipe is the script that writes the comment, with the variables that the forge's runner sets.
type recipe struct {
	name    string
	dialect dialect
	script  func(t *testing.T) string
	env     func(address string) []string
	// Whether the plan is in variables instead of files.
	variables bool
}

func recipes() []recipe {
	tekton := func(t *testing.T) string {
		return at(t, load(t, "tekton.yaml"), "spec", "steps", "comment", "script").(string)
	}
	api := func(path string, more ...string) func(address string) []string {
		return func(address string) []string { return append(more, "API="+address+path, "PR=7", "AUTHOR="+login) }
	}
	return []recipe{
		{"github", gitHub, func(t *testing.T) string {
			return at(t, load(t, "github.yaml"), "jobs", "comment", "steps", "Comment and label", "run").(string)
		}, api("/repos/o/r"), false},
		{"gitlab", gitLab, func(t *testing.T) string {
			return at(t, load(t, "gitlab.yaml"), "vmrender-comment", "script").([]any)[0].(string)
		}, func(address string) []string {
			return []string{"CI_API_V4_URL=" + address, "CI_PROJECT_ID=3", "CI_MERGE_REQUEST_IID=7", "VMRENDER_TOKEN=" + token}
		}, false},
		{"gitea", gitea, func(t *testing.T) string {
			return at(t, load(t, "gitea.yaml"), "jobs", "comment", "steps", "Comment", "run").(string)
		}, func(address string) []string {
			return []string{"SERVER=" + address + "/", "REPOSITORY=o/r", "PR=7", "AUTHOR=" + login}
		}, true},
		{"tekton", gitHub, tekton, api("/repos/o/r", "FORGE=github"), false},
		{"tekton on gitlab", gitLab, tekton, api("/projects/3", "FORGE=gitlab"), false},
		{"tekton on gitea", gitea, tekton, api("/api/v1/repos/o/r", "FORGE=gitea"), false},
	}
}

// run runs a script in a directory with a plan.
func (r recipe) run(t *testing.T, f *forge, comment, plan string, env ...string) error {
	t.Helper()
	work := t.TempDir()
	cmd := exec.Command("bash", "-c", r.script(t))
	cmd.Dir = work
	cmd.Env = append(append(os.Environ(), "PLAN=plan", "TOKEN="+token), r.env(f.URL)...)
	if r.variables {
		cmd.Env = append(cmd.Env, outputs(t, comment, plan)...)
	} else {
		write(t, work, map[string]string{"plan/comment.md": comment, "plan/plan.json": plan})
	}
	cmd.Env = append(cmd.Env, env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out.String())
	}
	require.NotContains(t, out.String(), token)
	return nil
}

// outputs returns a plan as the outputs of Gitea's first job.
func outputs(t *testing.T, comment, plan string) []string {
	t.Helper()
	var zipped bytes.Buffer
	zip := gzip.NewWriter(&zipped)
	_, err := zip.Write([]byte(comment))
	require.NoError(t, err)
	require.NoError(t, zip.Close())
	var read struct{ Summary struct{ Worst string } }
	require.NoError(t, yaml.Unmarshal([]byte(plan), &read))
	return []string{"COMMENT=" + base64.StdEncoding.EncodeToString(zipped.Bytes()), "WORST=" + read.Summary.Worst}
}

// planOf returns the parts of a plan that the scripts read.
func planOf(levels ...string) string {
	worst, labels := "none", []string{}
	for i, l := range levels {
		if i == 0 {
			worst = l
		}
		labels = append(labels, fmt.Sprintf("%q", "vm-"+l))
	}
	return fmt.Sprintf(`{"summary": {"worst": %q, "labels": [%s]}}`, worst, strings.Join(labels, ","))
}

const marker = "<!-- vmrender plan sites/a -->\n"

func TestOneCommentIsUpdated(t *testing.T) {
	for _, r := range recipes() {
		t.Run(r.name, func(t *testing.T) {
			f := newForge(t)
			require.NoError(t, r.run(t, f, marker+"### nothing changes\n", planOf()))
			f.requireBodies(t) // silent if nothing affects VMs

			require.NoError(t, r.run(t, f, marker+"### one\n", planOf("restart")))
			f.requireBodies(t, marker+"### one\n")
			require.NoError(t, r.run(t, f, marker+"### two\n", planOf("data-loss")))
			f.requireBodies(t, marker+"### two\n")
			require.NoError(t, r.run(t, f, marker+"### nothing changes any more\n", planOf()))
			f.requireBodies(t, marker+"### nothing changes any more\n")

			other := "<!-- vmrender plan sites/b -->\n### another fleet\n"
			require.NoError(t, r.run(t, f, other, planOf("live")))
			f.requireBodies(t, marker+"### nothing changes any more\n", other)
		})
	}
}

// Another user's comment with the marker is left alone, and ours is found after hundreds of others.
func TestOnlyOwnCommentsAreUpdated(t *testing.T) {
	for _, r := range recipes() {
		t.Run(r.name, func(t *testing.T) {
			f := newForge(t)
			f.add(1, marker+"of somebody else")
			for range 250 {
				f.add(me, "another comment, which quotes\n"+marker)
			}
			f.add(me, strings.ReplaceAll(marker, "\n", "\r\n")+"old")
			require.NoError(t, r.run(t, f, marker+"new", planOf("live")))
			require.Len(t, f.comments, 252)
			require.Equal(t, marker+"new", f.comments[251].body)
			require.Equal(t, marker+"of somebody else", f.comments[0].body)
		})
	}
}

// The content of a plan is data: it appears unchanged in the comment, and no shell runs it.
func TestPlansAreData(t *testing.T) {
	hostile := marker + "$(touch pwned) `touch pwned` ${TOKEN} \"'\\ \n&body=x %41 +\u202e長\n; rm -rf .\n@plan/plan.json\n"
	for _, r := range recipes() {
		t.Run(r.name, func(t *testing.T) {
			f := newForge(t)
			require.NoError(t, r.run(t, f, hostile, planOf("restart")))
			f.requireBodies(t, hostile)
			require.NoError(t, r.run(t, f, hostile+"x", planOf("restart")))
			f.requireBodies(t, hostile+"x")
		})
	}
}

// A forge that refuses a request fails the run, because a missing comment would look like a
// plan without changes.
func TestRefusalsFail(t *testing.T) {
	for _, r := range recipes() {
		t.Run(r.name, func(t *testing.T) {
			f := newForge(t)
			require.Error(t, r.run(t, f, marker+"x", planOf("live"), "TOKEN=wrong", "VMRENDER_TOKEN=wrong"))
			if r.dialect.limit > 0 {
				require.Error(t, r.run(t, f, marker+strings.Repeat("x", r.dialect.limit), planOf("live")))
			}
			require.Empty(t, f.comments)
		})
	}
	f := newForge(t)
	for _, r := range recipes() {
		if strings.HasPrefix(r.name, "tekton") {
			require.ErrorContains(t, r.run(t, f, marker, planOf("live"), "FORGE=svn"), `invalid forge "svn"; accepted: `)
		}
	}
}

// A comment of the greatest length that vmrender writes reaches every forge, even if its text cannot be compressed.
func TestLongComments(t *testing.T) {
	random, text := rand.New(rand.NewSource(1)), []byte(marker)
	for len(text) < 60_000 {
		text = append(text, byte('!'+random.Intn(94)))
	}
	for _, r := range recipes() {
		t.Run(r.name, func(t *testing.T) {
			f := newForge(t)
			require.NoError(t, r.run(t, f, string(text), planOf("live")))
			f.requireBodies(t, string(text))
		})
	}
}

// A comment that a user has deleted is written again.
func TestDeletedComments(t *testing.T) {
	for _, r := range recipes() {
		t.Run(r.name, func(t *testing.T) {
			f := newForge(t)
			require.NoError(t, r.run(t, f, marker+"one", planOf("live")))
			f.comments = nil
			require.NoError(t, r.run(t, f, marker+"two", planOf("live")))
			f.requireBodies(t, marker+"two")
		})
	}
}

func TestLabelsFollowTheLevels(t *testing.T) {
	f := newForge(t)
	f.labels = []string{"bug", "vm-restart", "vm-team"}
	r := recipes()[0]
	require.NoError(t, r.run(t, f, marker+"x", planOf("data-loss", "live")))
	require.Equal(t, []string{"bug", "vm-data-loss", "vm-live", "vm-team"}, f.labels)
	require.NoError(t, r.run(t, f, marker+"x", planOf()))
	require.Equal(t, []string{"bug", "vm-team"}, f.labels)
}

// The script removes the labels of all levels.
func TestLabelsOfAllLevels(t *testing.T) {
	schema, err := os.ReadFile("../../schema/plan.schema.json")
	require.NoError(t, err)
	var doc map[string]any
	require.NoError(t, yaml.Unmarshal(schema, &doc))
	levels := at(t, doc, "definitions", "PlanVerdict", "properties", "level", "enum").([]any)
	script := recipes()[0].script(t)
	pattern := regexp.MustCompile(`levels='(.*)'`).FindStringSubmatch(script)
	for _, l := range levels {
		require.Equal(t, l != "none", regexp.MustCompile(pattern[1]).MatchString("vm-"+l.(string)), "%s", l)
	}
}

func TestLint(t *testing.T) {
	var text []byte
	for _, name := range []string{"action.yaml", "render.yaml", "gitea.yaml", "github.yaml"} {
		var err error
		text, err = os.ReadFile(dir + name)
		require.NoError(t, err)
		found, err := Lint(name, text)
		require.NoError(t, err)
		require.Empty(t, found)
	}
	found, err := Lint("github.yaml", bytes.Replace(text, []byte("contents: read"), []byte("content: read"), 1))
	require.NoError(t, err)
	require.Len(t, found, 1)
}

// The workflow has the least privileges: nothing from a pull request runs with a token that may
// write, and no text of it becomes part of a script.
func TestGitHubIsLeastPrivileged(t *testing.T) {
	w := load(t, "github.yaml")
	require.Len(t, at(t, w, "on"), 1)
	require.NotNil(t, at(t, w, "on", "pull_request"))
	require.Empty(t, w["permissions"])
	grants := map[string]any{}
	for name, job := range at(t, w, "jobs").(map[string]any) {
		grants[name] = at(t, job, "permissions")
		for _, s := range at(t, job, "steps").([]any) {
			step := s.(map[string]any)
			if uses, ok := step["uses"].(string); ok {
				require.Regexp(t, `^[\w./-]+@[0-9a-f]{40}$`, uses)
				if strings.HasPrefix(uses, "actions/checkout@") {
					require.Equal(t, "plan", name, "a job that may write has no checkout")
					require.Equal(t, false, at(t, step, "with", "persist-credentials"))
				}
			}
			run, _ := step["run"].(string)
			require.NotContains(t, run, "${{")
		}
	}
	require.Equal(t, map[string]any{
		"plan":    map[string]any{"contents": "read"},
		"comment": map[string]any{"pull-requests": "write"},
		"sarif":   map[string]any{"security-events": "write", "actions": "read"},
	}, grants)
	for _, job := range []string{"comment", "sarif"} {
		require.Contains(t, at(t, w, "jobs", job, "if"), "head.repo.full_name == github.repository")
	}
}

// Tekton replaces parameters before a shell reads the script.
func TestTektonScriptsHaveNoParameters(t *testing.T) {
	for _, s := range at(t, load(t, "tekton.yaml"), "spec", "steps").([]any) {
		script := at(t, s, "script").(string)
		require.NotRegexp(t, `\$\((params|results|workspaces|context|tasks|steps)\b`, script)
		secret := strings.Contains(fmt.Sprint(at(t, s, "env")), "secretKeyRef")
		require.Equal(t, at(t, s, "name") == "comment", secret, "only the step that runs nothing has the token")
	}
}

// The job with the token has no checkout, and the other job has no token.
func TestGitLabKeepsTheTokenApart(t *testing.T) {
	w := load(t, "gitlab.yaml")
	require.Equal(t, "none", at(t, w, "vmrender-comment", "variables", "GIT_STRATEGY"))
	require.NotContains(t, fmt.Sprint(w["vmrender-plan"]), "TOKEN")
	require.Contains(t, fmt.Sprint(at(t, w, "vmrender-comment", "rules")), "&& $VMRENDER_TOKEN")
}

// The scripts that plan pass the name of a branch to vmrender unchanged, and no shell evaluates it.
func TestBranchesAreData(t *testing.T) {
	const branch = "a;touch pwned $(touch pwned)`touch pwned`\" --to=x"
	for name, script := range map[string]string{
		"github":      at(t, load(t, "github.yaml"), "jobs", "plan", "steps", "Plan", "run").(string),
		"github gate": at(t, load(t, "github.yaml"), "jobs", "plan", "steps", "Gate", "run").(string),
		"gitlab":      at(t, load(t, "gitlab.yaml"), "vmrender-plan", "script").([]any)[0].(string),
		"gitea":       at(t, load(t, "gitea.yaml"), "jobs", "plan", "steps", "Plan", "run").(string),
		"gitea gate":  at(t, load(t, "gitea.yaml"), "jobs", "plan", "steps", "Gate", "run").(string),
		"tekton":      at(t, load(t, "tekton.yaml"), "spec", "steps", "plan", "script").(string),
		"tekton gate": at(t, load(t, "tekton.yaml"), "spec", "steps", "gate", "script").(string),
	} {
		t.Run(name, func(t *testing.T) {
			work, bin := t.TempDir(), t.TempDir()
			stub := "#!/bin/bash\nprintf '%s\\n' \"$@\" >> calls\n"
			require.NoError(t, os.WriteFile(filepath.Join(bin, "vmrender"), []byte(stub), 0o755))
			cmd := exec.Command("bash", "-c", script)
			cmd.Dir = work
			cmd.Env = append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "HOME="+bin, "FLEET=sites/a b", "FAIL_ON=delete",
				"BASE="+branch, "CI_MERGE_REQUEST_DIFF_BASE_SHA="+branch, "PLAN=plan", "WORST=worst",
				"GITHUB_STEP_SUMMARY=summary", "GITHUB_OUTPUT=output")
			out, err := cmd.CombinedOutput()
			require.NoError(t, err, "%s", out)
			require.NoFileExists(t, filepath.Join(work, "pwned"))
			calls, err := os.ReadFile(filepath.Join(work, "calls"))
			require.NoError(t, err)
			require.Regexp(t, `^plan\nsites/a b\n--from\n(origin/)?`+regexp.QuoteMeta(branch)+`(\.\.\.)?\n-`, string(calls))
		})
	}
}
