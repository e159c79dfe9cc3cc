package recipes

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

const workflowsDir = "../../.github/workflows/"

// workflow is a workflow of this repository.
type workflow struct {
	name, text string
	on         map[string]any
	steps      []map[string]any // of all jobs
	grants     map[string]any   // permissions that may write, by job
}

// workflows returns the workflows of this repository by name.
func workflows(t *testing.T) map[string]workflow {
	t.Helper()
	paths, err := filepath.Glob(workflowsDir + "*")
	require.NoError(t, err)
	out := map[string]workflow{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		var doc map[string]any
		require.NoError(t, yaml.Unmarshal(text, &doc))
		require.Empty(t, doc["permissions"], path)
		w := workflow{name: filepath.Base(path), text: string(text), on: doc["on"].(map[string]any), grants: map[string]any{}}
		for name, job := range at(t, doc, "jobs").(map[string]any) {
			w.grants[name] = at(t, job, "permissions")
			for _, s := range at(t, job, "steps").([]any) {
				w.steps = append(w.steps, s.(map[string]any))
			}
		}
		out[w.name] = w
	}
	return out
}

func TestLintWorkflows(t *testing.T) {
	all := workflows(t)
	require.Len(t, all, 3)
	for _, w := range all {
		found, err := Lint(w.name, []byte(w.text))
		require.NoError(t, err)
		require.Empty(t, found)
	}
}

// A workflow that a pull request can start has no secret and may only read; only a release may write. What is not of
// this repository is pinned, with its version for people, and no expression becomes a part of a script.
func TestWorkflowsAreLeastPrivileged(t *testing.T) {
	grants := map[string]map[string]any{}
	pinned := regexp.MustCompile(`(?m)^ +- uses: (\S+)(.*)$`)
	for name, w := range workflows(t) {
		require.NotContains(t, w.on, "pull_request_target", name)
		require.NotContains(t, w.on, "workflow_run", name)
		grants[name] = w.grants
		for _, uses := range pinned.FindAllStringSubmatch(w.text, -1) {
			if uses[1] != "./" {
				require.Regexp(t, `^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`, uses[1]+uses[2], name)
			}
		}
		for _, s := range w.steps {
			run, _ := s["run"].(string)
			require.NotContains(t, run, "${{", name)
			if uses, _ := s["uses"].(string); strings.HasPrefix(uses, "actions/checkout@") {
				require.Equal(t, false, at(t, s, "with", "persist-credentials"), name)
			}
		}
		if name != "release.yaml" {
			require.NotContains(t, w.text, "secrets.", name)
		}
	}
	read := map[string]any{"contents": "read"}
	require.Equal(t, map[string]map[string]any{
		"ci.yaml":      {"checks": read, "action": read},
		"nightly.yaml": {"fuzz": read, "fleets": read, "release": read},
		"release.yaml": {"release": map[string]any{"contents": "write", "packages": "write", "id-token": "write"}},
	}, grants)
}

// A pull request is checked by the same script as on a developer's machine, and what workflows run exists.
func TestWorkflowsRunWhatThereIs(t *testing.T) {
	makefile, err := os.ReadFile("../../Makefile")
	require.NoError(t, err)
	var ran []string
	for name, w := range workflows(t) {
		for _, s := range w.steps {
			run, _ := s["run"].(string)
			for _, target := range regexp.MustCompile(`\bmake ([\w-]+)`).FindAllStringSubmatch(run, -1) {
				ran = append(ran, target[1])
				require.Regexp(t, `(?m)^`+target[1]+`:`, string(makefile), name)
			}
			if strings.Contains(run, ".ci/run") {
				ran = append(ran, ".ci/run")
				require.FileExists(t, "../../.ci/run")
			}
		}
	}
	require.ElementsMatch(t, []string{".ci/run", "fuzz", "fleets", "release-dry", "release-dry", "release"}, ran)
}
