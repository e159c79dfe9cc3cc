package recipes

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// action is the part of action.yml that a GitHub runner reads.
type action struct {
	Name, Description, Author string
	Branding                  map[string]string
	Inputs                    map[string]struct{ Description, Default string }
	Outputs                   map[string]struct{ Description, Value string }
	Runs                      struct {
		Using string
		Steps []actionStep
	}
}

type actionStep struct {
	ID               string            `yaml:"id,omitempty"`
	Name             string            `yaml:"name,omitempty"`
	If               string            `yaml:"if,omitempty"`
	Uses             string            `yaml:"uses,omitempty"`
	With             map[string]string `yaml:"with,omitempty"`
	Shell            string            `yaml:"shell,omitempty"`
	WorkingDirectory string            `yaml:"working-directory,omitempty"`
	Env              map[string]string `yaml:"env,omitempty"`
	Run              string            `yaml:"run,omitempty"`
}

func loadAction(t *testing.T) action {
	t.Helper()
	text, err := os.ReadFile("../../action.yml")
	require.NoError(t, err)
	var out action
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(&out))
	return out
}

// The linter reads only workflows, so the steps are linted as those of a job with the same inputs.
func TestLintAction(t *testing.T) {
	a := loadAction(t)
	require.Equal(t, "composite", a.Runs.Using)
	lint := func(a action) []string {
		inputs := map[string]any{}
		for name := range a.Inputs {
			inputs[name] = map[string]string{"type": "string"}
		}
		outputs := map[string]string{}
		for name, o := range a.Outputs {
			outputs[name] = o.Value
		}
		text, err := yaml.Marshal(map[string]any{
			"on": map[string]any{"workflow_call": map[string]any{"inputs": inputs}},
			"jobs": map[string]any{"action": map[string]any{
				"runs-on": "ubuntu-24.04", "outputs": outputs, "steps": a.Runs.Steps,
			}},
		})
		require.NoError(t, err)
		found, err := Lint("action.yml", text)
		require.NoError(t, err)
		return found
	}
	require.Empty(t, lint(a))

	a.Runs.Steps[len(a.Runs.Steps)-1].Env["FAIL_ON"] = "${{ inputs.fail_on }}"
	require.Len(t, lint(a), 1)
}

// No text of a pull request becomes part of a script, everything from outside this repository is pinned, and only
// the step that runs nothing of the pull request has the token.
func TestActionIsLeastPrivileged(t *testing.T) {
	for _, s := range loadAction(t).Runs.Steps {
		require.NotContains(t, s.Run, "${{", s.Name)
		if s.Uses != "" {
			require.Regexp(t, `^[\w./-]+@[0-9a-f]{40}$`, s.Uses)
			continue
		}
		require.Equal(t, "bash", s.Shell, s.Name)
		_, token := s.Env["TOKEN"]
		require.Equal(t, s.Name == "Comment and label", token, s.Name)
		if token {
			require.NotContains(t, s.Run, "vmrender ")
			require.Contains(t, s.If, "head.repo.full_name == github.repository")
		}
	}
}

// runner runs the steps of an action as GitHub does: it replaces expressions in the settings of a step, and passes
// a step's output in GITHUB_PATH and GITHUB_OUTPUT to later steps.
type runner struct {
	workspace string
	values    map[string]string // of expressions
	path      string
	output    strings.Builder
}

var expression = regexp.MustCompile(`\$\{\{ *(.*?) *\}\}`)

func (r *runner) expand(t *testing.T, text string) string {
	t.Helper()
	return expression.ReplaceAllStringFunc(text, func(e string) string {
		name := expression.FindStringSubmatch(e)[1]
		require.Contains(t, r.values, name)
		return r.values[name]
	})
}

// run runs a step and reports whether it succeeds.
func (r *runner) run(t *testing.T, s actionStep) bool {
	t.Helper()
	temp := t.TempDir()
	files := map[string]string{}
	cmd := exec.CommandContext(t.Context(), "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", s.Run)
	cmd.Env = append(os.Environ(), "PATH="+r.path, "RUNNER_TEMP="+temp, "HOME="+os.Getenv("HOME"))
	for _, name := range []string{"GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"} {
		files[name] = filepath.Join(temp, name)
		cmd.Env = append(cmd.Env, name+"="+files[name])
	}
	for name, value := range s.Env {
		cmd.Env = append(cmd.Env, name+"="+r.expand(t, value))
	}
	cmd.Dir = r.workspace
	if s.WorkingDirectory != "" {
		cmd.Dir = r.expand(t, s.WorkingDirectory)
	}
	out, err := cmd.CombinedOutput()
	r.output.Write(out)
	for line := range strings.Lines(read(files["GITHUB_PATH"])) {
		r.path = strings.TrimSpace(line) + ":" + r.path
	}
	for line := range strings.Lines(read(files["GITHUB_OUTPUT"])) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		r.values["steps."+s.ID+".outputs."+name] = value
	}
	return err == nil
}

// read returns the text of a file, or "" if there is none.
func read(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

// runAction runs the action for a pull request. It returns the output of its steps, whether all succeed, and the
// directory with the plan.
func runAction(t *testing.T, work string, f *forge, inputs map[string]string) (string, bool, string) {
	t.Helper()
	a := loadAction(t)
	source, err := filepath.Abs("../..")
	require.NoError(t, err)
	r := &runner{workspace: work, path: os.Getenv("PATH"), values: map[string]string{
		"github.action_path": source, "github.base_ref": "main", "github.token": token, "github.api_url": f.URL,
		"github.repository": "o/r", "github.event.pull_request.number": "7",
	}}
	for name, in := range a.Inputs {
		r.values["inputs."+name] = r.expand(t, in.Default)
	}
	for name, value := range inputs {
		require.Contains(t, a.Inputs, name)
		r.values["inputs."+name] = value
	}
	ok := true
	for _, s := range a.Runs.Steps {
		if s.Uses == "" && ok {
			ok = r.run(t, s)
		}
	}
	require.NotContains(t, r.output.String(), token)
	return r.output.String(), ok, r.expand(t, a.Outputs["directory"].Value)
}

// A pull request gets annotations, one comment, and labels, and fails at the level that the user chooses.
func TestAction(t *testing.T) {
	f, work := newForge(t), clone(t, "main")
	inputs := map[string]string{"fleet": "sites/a", "author": "bot[bot]"}
	out, ok, dir := runAction(t, work, f, inputs)
	require.True(t, ok, out)
	require.Contains(t, out, "::warning file=sites/a/vms.yaml,line=2,")
	comment := read(filepath.Join(dir, "comment.md"))
	require.True(t, strings.HasPrefix(comment, marker+"### 1 of 2 VMs: 1 restart"), comment)
	f.requireBodies(t, comment)
	require.Equal(t, []string{"vm-restart"}, f.labels)
	require.FileExists(t, filepath.Join(dir, "plan.sarif"))
	require.Empty(t, command(t, work, nil, "git", "status", "--porcelain"), "the work tree stays as it is")

	inputs["fail-on"] = "restart"
	_, ok, _ = runAction(t, work, f, inputs)
	require.False(t, ok)
	require.Len(t, f.comments, 1)
}

// An overlay reaches both commands, and its plan has its own comment.
func TestActionWithOverlay(t *testing.T) {
	f, work := newForge(t), clone(t, "main")
	out, ok, dir := runAction(t, work, f, map[string]string{
		"fleet": "sites/a", "overlay": "sites/a/.env/prod b.yaml", "strict": "true", "author": "bot[bot]",
	})
	require.True(t, ok, out)
	comment := read(filepath.Join(dir, "comment.md"))
	require.Contains(t, comment, "prod-prod")
	require.NotContains(t, comment, marker)
	f.requireBodies(t, comment)
}

// A pull request adds an environment: the base does not have its overlay, so everything in it is new.
func TestActionWithNewOverlay(t *testing.T) {
	f, work := newForge(t), clone(t, "main")
	write(t, work, map[string]string{"sites/a/.env/test.yaml": "environment: test\nnamespaceSuffix: -test\n"})
	out, ok, dir := runAction(t, work, f, map[string]string{
		"fleet": "sites/a", "overlay": "sites/a/.env/test.yaml", "strict": "true", "author": "bot[bot]",
	})
	require.True(t, ok, out)
	require.Contains(t, out, "note: sites/a/.env/test.yaml does not exist in merge base with origin/main")
	comment := read(filepath.Join(dir, "comment.md"))
	require.Contains(t, comment, "where sites/a/.env/test.yaml does not exist")
	require.Contains(t, comment, "create")
	f.requireBodies(t, comment)
}

// A mistake in the fleet becomes an annotation at its line, and nothing is planned.
func TestActionRefusesBrokenFleets(t *testing.T) {
	f, work := newForge(t), clone(t, "main")
	write(t, work, map[string]string{"sites/a/vms.yaml": "vms:\n  web: {memroy: 2Gi}\n"})
	out, ok, dir := runAction(t, work, f, map[string]string{"fleet": "sites/a"})
	require.False(t, ok)
	require.Contains(t, out, "::error file=sites/a/vms.yaml,line=2")
	require.NoFileExists(t, filepath.Join(dir, "comment.md"))
	require.Empty(t, f.comments)
}
