// Package krm runs `vmrender krm` in kustomize's library, and in kpt, and compares what they build with `vmrender
// template`.
package krm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/kustomize/kyaml/kio"
)

// TestMain builds the programs, and puts their directory first in PATH.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "vmrender-krm-")
	if err == nil {
		err = build(dir)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	status := m.Run()
	if err := os.RemoveAll(dir); err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

func build(bin string) error {
	for _, args := range [][]string{
		{"-C", "../..", "build", "-o", bin, "./cmd/vmrender"},
		{"build", "-o", bin + "/", "./cmd/kpt", "tool"},
	} {
		if output, err := exec.Command("go", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("go %v: %w\n%s", args, err, output)
		}
	}
	return os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// run runs a program in a directory, and returns its streams and whether it succeeded.
func run(t *testing.T, dir, program string, args ...string) (stdout, stderr string, ok bool) {
	t.Helper()
	var out, messages bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &messages
	err := cmd.Run()
	return out.String(), messages.String(), err == nil
}

// must is run for a program that succeeds, and returns its stdout.
func must(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	stdout, stderr, ok := run(t, dir, program, args...)
	require.True(t, ok, "%s%s", stdout, stderr)
	return stdout
}

// example returns a copy of an example.
func example(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join("../../examples", name))))
	return dir
}

// replace replaces a text in a file.
func replace(t *testing.T, file, old, with string) {
	t.Helper()
	text, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(file, bytes.ReplaceAll(text, []byte(old), []byte(with)), 0o600))
}

// kustomize builds a directory with kustomize's library, which may run functions.
func kustomize(dir string) (string, error) {
	opts := krusty.MakeDefaultOptions()
	opts.Reorder = krusty.ReorderOptionUnspecified
	opts.PluginConfig = types.EnabledPluginConfig(types.BploUseStaticallyLinked)
	opts.PluginConfig.FnpLoadingOptions.EnableExec = true
	built, err := krusty.MakeKustomizer(opts).Run(filesys.MakeFsOnDisk(), dir)
	if err != nil {
		return "", err
	}
	text, err := built.AsYaml()
	return string(text), err
}

// objects returns the objects of streams with their keys in order.
func objects(t *testing.T, streams ...string) []string {
	t.Helper()
	nodes, err := kio.ParseAll(streams...)
	require.NoError(t, err)
	var all []string
	for _, n := range nodes {
		n.SetAnnotations(without(n.GetAnnotations(), "config.kubernetes.io/index", "internal.config.kubernetes.io/index"))
		text, err := n.MarshalJSON()
		require.NoError(t, err)
		all = append(all, string(text))
	}
	return all
}

func without(m map[string]string, keys ...string) map[string]string {
	for _, k := range keys {
		delete(m, k)
	}
	return m
}

const configMap = `# not rendered
apiVersion: v1
kind: ConfigMap
metadata: {name: other}
data:
  a: "1" # a comment
  b: |
    x

    y
`

// TestGenerator builds the example as it is: kustomize adds what template prints, in the same order.
func TestGenerator(t *testing.T) {
	dir := example(t, "kustomize")
	built, err := kustomize(dir)
	require.NoError(t, err)
	require.Equal(t, objects(t, must(t, dir, "vmrender", "template", "fleet")), objects(t, built))
}

// TestCommand builds it with kustomize's own command, with the flags that Argo CD passes.
func TestCommand(t *testing.T) {
	dir := example(t, "kustomize")
	want, err := kustomize(dir)
	require.NoError(t, err)
	require.Equal(t, want, must(t, "/", "kustomize", "build", dir, "--enable-alpha-plugins", "--enable-exec"))
	_, stderr, ok := run(t, "/", "kustomize", "build", dir)
	require.False(t, ok)
	require.Contains(t, stderr, "external plugins disabled")
}

// TestGeneratorError shows the place of an error in the file of a fleet.
func TestGeneratorError(t *testing.T) {
	dir := example(t, "kustomize")
	replace(t, filepath.Join(dir, "fleet/web.yaml"), "medium", "mediun")
	stdout, stderr, ok := run(t, dir, "kustomize", "build", "--enable-alpha-plugins", "--enable-exec")
	require.False(t, ok)
	require.Empty(t, stdout)
	require.Contains(t, stderr, "fleet/web.yaml:6:13: vms.db.flavor: unknown flavor \"mediun\"; did you mean \"medium\"?\n")
}

// function is the annotation with which kustomize runs the program.
const function = "    config.kubernetes.io/function: |\n      exec: {path: vmrender, args: [krm]}\n"

// TestInline builds a Fleet as the configuration of a generator, and as a resource for a transformer, which kustomize
// removes if it is not to be applied.
func TestInline(t *testing.T) {
	const local = "    config.kubernetes.io/local-config: \"true\"\n"
	want := objects(t, configMap, must(t, example(t, "kpt"), "vmrender", "template"))
	for _, try := range []struct{ annotations, kustomization string }{
		{function, "resources: [other.yaml]\ngenerators: [fleet.yaml]\n"},
		{"    note: replaced\n", "resources: [other.yaml, fleet.yaml]\ntransformers: [transformer.yaml]\n"},
		{local, "resources: [other.yaml, fleet.yaml]\ntransformers: [transformer.yaml]\n"},
	} {
		dir := example(t, "kpt")
		replace(t, filepath.Join(dir, "fleet.yaml"), local, try.annotations)
		for name, text := range map[string]string{
			"kustomization.yaml": try.kustomization + "sortOptions: {order: fifo}\n",
			"other.yaml":         configMap,
			"transformer.yaml": "apiVersion: vmrender.io/v1alpha1\nkind: RenderFleet\n" +
				"metadata:\n  name: vms\n  annotations:\n" + function,
		} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
		}
		built, err := kustomize(dir)
		require.NoError(t, err)
		require.Equal(t, want, objects(t, built), try)

		replace(t, filepath.Join(dir, "fleet.yaml"), "medium", "mediun")
		_, stderr, ok := run(t, dir, "kustomize", "build", "--enable-alpha-plugins", "--enable-exec")
		require.False(t, ok)
		require.Contains(t, stderr, `Fleet/shop: vms.db.flavor: unknown flavor "mediun"; did you mean "medium"?`)
	}
}

// TestPage compares docs/how-to/kustomize.md with the examples, and with the output of an error.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../docs/how-to/kustomize.md")
	require.NoError(t, err)
	for _, name := range []string{"kustomize/vms.yaml", "kustomize/kustomization.yaml", "kpt/Kptfile"} {
		file, err := os.ReadFile(filepath.Join("../../examples", name))
		require.NoError(t, err)
		_, content, _ := bytes.Cut(file, []byte("\n")) // after the comment
		require.Contains(t, string(text), "\n# "+filepath.Base(name)+"\n"+string(content)+"```\n")
	}
	mod, err := os.ReadFile("go.mod")
	require.NoError(t, err)
	for _, tool := range []string{"kustomize", "kpt"} {
		version := regexp.MustCompile("/" + tool + `(?:/v5)? v(\S+)`).FindSubmatch(mod)
		require.NotNil(t, version)
		require.Contains(t, string(text), tool+" "+string(version[1]))
	}
	dir := example(t, "kustomize")
	replace(t, filepath.Join(dir, "fleet/web.yaml"), "medium", "mediun")
	_, stderr, ok := run(t, dir, "kustomize", "build", "--enable-alpha-plugins", "--enable-exec")
	require.False(t, ok)
	require.Contains(t, string(text), "$ kustomize build --enable-alpha-plugins --enable-exec\n"+stderr+"```\n")
}
