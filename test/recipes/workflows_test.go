package recipes

import (
	"go/version"
	"os"
	"os/exec"
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

// A workflow that a pull request can start has no secret and may only read. Only a release may write. Everything from
// outside this repository is pinned, with its version as a comment, and no expression becomes part of a script.
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
		"nightly.yaml": {"fuzz": read, "fleets": read, "versions": read, "mutate": read, "outages": read, "release": read},
		"release.yaml": {"release": map[string]any{"contents": "write", "packages": "write", "id-token": "write"}},
	}, grants)
}

// The container of a job is the image of one Go release, so that a new release does not change the checks of a commit.
// It is not older than the program and the tools require, since the image downloads no other Go. The files of the
// images have the same release.
func TestContainersArePinned(t *testing.T) {
	var images []string
	for _, w := range workflows(t) {
		for _, image := range regexp.MustCompile(`(?m)^ +(?:image|container): (.+)$`).FindAllStringSubmatch(w.text, -1) {
			images = append(images, image[1])
		}
	}
	require.Len(t, images, 1)
	pinned := regexp.MustCompile(`^golang:(\d+\.\d+\.\d+)-trixie$`).FindStringSubmatch(images[0])
	require.NotNil(t, pinned, images[0])
	mods, err := filepath.Glob("../../tools/*/go.mod")
	require.NoError(t, err)
	require.NotEmpty(t, mods)
	for _, mod := range append(mods, "../../go.mod", "../../tools/go.mod") {
		text, err := os.ReadFile(mod)
		require.NoError(t, err)
		requires := regexp.MustCompile(`(?m)^go (\S+)$`).FindSubmatch(text)
		require.NotNil(t, requires, mod)
		require.LessOrEqual(t, version.Compare("go"+string(requires[1]), "go"+pinned[1]), 0, mod)
	}
	for _, w := range workflows(t) {
		for _, set := range regexp.MustCompile(`go-version(?:-file)?: (.+)`).FindAllStringSubmatch(w.text, -1) {
			require.Equal(t, `"`+pinned[1]+`"`, set[1], "setup-go downloads no other Go, either")
		}
	}
	dockerfile, err := os.ReadFile("../../Dockerfile")
	require.NoError(t, err)
	build, _, _ := strings.Cut(string(dockerfile)[strings.Index(string(dockerfile), "FROM "):], "\n\n")
	require.True(t, strings.HasPrefix(build, "FROM golang:"+pinned[1]+" "), "Dockerfile")
	require.Contains(t, read("../../Dockerfile.ci"), build, "both images are built of the same files")
}

// A pull request is checked by the same script as on a developer's machine, and everything that workflows run exists.
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
	require.ElementsMatch(t, []string{".ci/run", "fuzz", "fleets", "outages", "impact-versions", "mutate", "release-dry", "release-dry", "release"}, ran)
}

// The jobs for a pull request run all parts of the script, each part once.
func TestWorkflowRunsEveryPart(t *testing.T) {
	script, err := os.ReadFile("../../.ci/run")
	require.NoError(t, err)
	var parts []string
	for _, function := range regexp.MustCompile(`(?m)^part_(\w+)\(\)`).FindAllStringSubmatch(string(script), -1) {
		parts = append(parts, function[1])
	}
	require.NotEmpty(t, parts)
	var jobs []string
	for _, w := range workflows(t) {
		for _, matrix := range regexp.MustCompile(`(?m)^ +part: \[(.+)\]$`).FindAllStringSubmatch(w.text, -1) {
			jobs = append(jobs, strings.Split(matrix[1], ", ")...)
		}
	}
	require.ElementsMatch(t, parts, jobs)

	unknown := exec.CommandContext(t.Context(), "../../.ci/run", "checks")
	output, err := unknown.CombinedOutput()
	require.Error(t, err)
	require.Equal(t, "unknown part \"checks\"; accepted: "+strings.Join(parts, ", ")+"\n", string(output))
}
