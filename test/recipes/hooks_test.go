package recipes

import (
	"os"
	"os/exec"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// hook is an entry of .pre-commit-hooks.yaml (pre-commit v4, clientlib.py, MANIFEST_HOOK_DICT).
type hook struct {
	ID, Name, Description, Entry, Language, Files string
	PassFilenames                                 bool `yaml:"pass_filenames"`
}

// chosenHook is the entry for a hook in the configuration in examples/ci.
type chosenHook struct {
	ID, Files string
	Args      []string
}

func decodeStrictly(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	decoder.KnownFields(true)
	require.NoError(t, decoder.Decode(into), file)
}

// hooks returns the hook of this repository and its documented configuration.
func hooks(t *testing.T) (hook, chosenHook) {
	t.Helper()
	var all []hook
	decodeStrictly(t, "../../.pre-commit-hooks.yaml", &all)
	require.Len(t, all, 1)
	var config struct {
		Repos []struct {
			Repo, Rev string
			Hooks     []chosenHook
		}
	}
	decodeStrictly(t, dir+"pre-commit.yaml", &config)
	require.Len(t, config.Repos, 1)
	require.Len(t, config.Repos[0].Hooks, 1)
	return all[0], config.Repos[0].Hooks[0]
}

// pre-commit installs all commands of the module (language golang: go install ./...), including the one it runs.
func TestHookIsInstalled(t *testing.T) {
	h, chosen := hooks(t)
	require.Equal(t, h.ID, chosen.ID)
	require.Equal(t, "golang", h.Language)
	require.False(t, h.PassFilenames)
	for _, files := range []string{h.Files, chosen.Files} {
		require.Regexp(t, regexp.MustCompile(files), "sites/a/vms.yaml")
	}
	program := strings.Fields(h.Entry)[0]
	commands := command(t, "../..", nil, "go", "list", "-f", `{{if eq .Name "main"}}{{.ImportPath}}{{end}}`, "./cmd/...")
	found := false
	for line := range strings.Lines(commands) {
		found = found || path.Base(strings.TrimSpace(line)) == program
	}
	require.True(t, found, commands)
}

// The hook passes for sound fleets and refuses a commit of broken ones, with and without arguments.
func testHook(t *testing.T, bin string) {
	h, chosen := hooks(t)
	work := clone(t, "main")
	write(t, work, map[string]string{"sites/b/fleet.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\n" +
		"metadata: {name: b}\nallowEmpty: true\n"})
	run := func(args []string) (string, error) {
		parts := append(strings.Fields(h.Entry), args...)
		cmd := exec.CommandContext(t.Context(), path.Join(bin, parts[0]), parts[1:]...)
		cmd.Dir = work
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	for _, args := range [][]string{nil, chosen.Args} {
		out, err := run(args)
		require.NoError(t, err, out)
	}
	write(t, work, map[string]string{"sites/a/vms.yaml": "vms:\n  web: {memroy: 2Gi}\n"})
	for _, args := range [][]string{nil, chosen.Args} {
		out, err := run(args)
		require.Error(t, err)
		require.Contains(t, out, `sites/a/vms.yaml:2:9: vms.web.memroy: unknown key "memroy"; did you mean "memory"?`)
	}
}
