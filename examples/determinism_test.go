package examples

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

const plainHeader = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: f}\n" +
	"defaults: {namespace: ns, os: rhel9, flavor: small}\n"

// variant is a condition that must not affect the output.
type variant struct {
	procs, jobs int
	order       func(files []string)
}

var variants = []variant{
	{1, 1, func([]string) {}},
	{4, 0, slices.Reverse[[]string]},
	{2, 7, func(files []string) { slices.SortFunc(files, func(a, b string) int { return len(b) - len(a) }) }},
	{8, 3, func(files []string) { files[0], files[len(files)-1] = files[len(files)-1], files[0] }},
}

// TestDeterministic proves that the number of CPUs and tasks, and the order in which
// files were created, do not affect manifests and errors.
func TestDeterministic(t *testing.T) {
	dirs, err := filepath.Glob("../test/errors/*")
	require.NoError(t, err)
	for _, dir := range append(dirs, "acp", "fleet", "gate", "lifecycle", "../pkg/starter/files") {
		t.Run(filepath.Base(dir), func(t *testing.T) { requireDeterministic(t, os.DirFS(dir)) })
	}
}

// TestDeterministicErrors renders a fleet with errors in many files, at the
// same position and at other positions of the same levels.
func TestDeterministicErrors(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
	write("fleet.yaml", plainHeader+"  labels: {wrong: '{{ .vars.missing }}', also: 'not a label'}\n  cpu: {nothing: 1}\n")
	for i := range 40 {
		write(fmt.Sprintf("d%d/_defaults.yaml", i%5), "labels: {bad key: x}\nnics: [nowhere]\n")
		write(fmt.Sprintf("d%d/f%d.yaml", i%5, i), fmt.Sprintf(
			"vms: {a%d: {memory: 3}, same: {os: nothing}, same%d: {disks: {root: {storageClas: x}}}}\n", i, i%3))
	}
	requireDeterministic(t, os.DirFS(dir))
	_, problems := output(t, dir, variants[0])
	require.Greater(t, len(problems), 40)
}

func requireDeterministic(t *testing.T, files fs.FS) {
	var text string
	var problems []string
	for i, v := range variants {
		gotText, gotProblems := output(t, copied(t, files, v), v)
		if i == 0 {
			text, problems = gotText, gotProblems
			require.NotEmpty(t, text+strings.Join(problems, ""))
		}
		require.Equal(t, text, gotText)
		require.Equal(t, problems, gotProblems)
	}
}

// copied creates a copy of the files in the order of the variant.
func copied(t *testing.T, files fs.FS, v variant) string {
	t.Helper()
	dir := t.TempDir()
	var names []string
	require.NoError(t, fs.WalkDir(files, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			names = append(names, name)
		}
		return err
	}))
	v.order(names)
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		require.NoError(t, err)
		path := filepath.Join(dir, filepath.FromSlash(name))
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, text, 0o600))
	}
	return dir
}

// output returns a fleet's problems and, if there are no errors, its manifests, which are
// rendered as soon as each VM is resolved.
func output(t *testing.T, dir string, v variant) (string, []string) {
	t.Helper()
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(v.procs))
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{Namespace: "ns", Jobs: v.jobs}, c.Visit)
	var out strings.Builder
	w := manifest.NewWriter(&out, manifest.YAML)
	require.NoError(t, render.Write(w, c.Rendered(diags)...))
	require.NoError(t, w.Close())
	problems := lines(diags)
	for i := range problems {
		problems[i] = strings.ReplaceAll(problems[i], dir, "")
	}
	if diags.HasErrors() {
		return "", problems
	}
	return out.String(), problems
}
