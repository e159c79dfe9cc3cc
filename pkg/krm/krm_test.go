package krm_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/kustomize/kyaml/kio"
	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/krm"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/output"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

const listHeader = "apiVersion: config.kubernetes.io/v1\nkind: ResourceList\n"

// run runs the function on a list with the given keys, and returns the list that it writes, and its problems.
func run(t *testing.T, keys string) (string, []string) {
	t.Helper()
	var out strings.Builder
	result, err := krm.Run(strings.NewReader(listHeader+keys), &out, fleet.Options{})
	require.NoError(t, err)
	var problems []string
	for _, d := range result.Problems.Sorted() {
		problems = append(problems, d.String())
	}
	return out.String(), problems
}

// directory returns the keys of a list without items that renders a directory.
func directory(path, more string) string {
	return "functionConfig: {apiVersion: vmrender.io/v1alpha1, kind: RenderFleet, metadata: {name: x}, " +
		"spec: {path: " + path + more + "}}\nitems: []\n"
}

// template returns what `vmrender template` prints.
func template(t *testing.T, path string) string {
	t.Helper()
	c := render.NewCollector()
	_, diags := inventory.Visit(path, fleet.Options{Namespace: "prod"}, c.Visit)
	rendered := c.Rendered(diags)
	require.False(t, diags.HasErrors(), diags.Sorted())
	var text bytes.Buffer
	require.NoError(t, output.Machines(&text, manifest.YAML, rendered))
	return text.String()
}

// TestSameObjects renders every example in a list, whose objects are those of template, in the same order.
func TestSameObjects(t *testing.T) {
	t.Chdir("../../examples")
	for _, path := range []string{"first", "acp", "fleet", "lifecycle", "shapes", "migrate", "gate"} {
		t.Run(path, func(t *testing.T) {
			out, problems := run(t, directory(path, ", namespace: prod"))
			for _, p := range problems {
				require.Contains(t, p, " warning: ")
			}
			items, err := (&kio.ByteReader{Reader: strings.NewReader(out), OmitReaderAnnotations: true}).Read()
			require.NoError(t, err)
			require.NotEmpty(t, items)
			var text strings.Builder
			writer := kio.ByteWriter{Writer: &text, ClearAnnotations: []string{
				kioutil.PathAnnotation, "config.kubernetes.io/path",
			}}
			require.NoError(t, writer.Write(items))
			// The library drops empty annotations, as kustomize and kpt do.
			want := trees(t, strings.ReplaceAll(template(t, path), "  annotations: {}\n", ""))
			got := trees(t, text.String())
			require.Len(t, got, len(want))
			for i := range want {
				require.True(t, want[i].Equal(got[i]), "%s\n%s", source.AppendJSON(nil, want[i]), source.AppendJSON(nil, got[i]))
			}
		})
	}
}

// trees returns the documents of a stream.
func trees(t *testing.T, stream string) []*source.Node {
	t.Helper()
	diags := new(source.Diagnostics)
	docs := source.Parse(&source.File{Name: "stream", Data: []byte(stream)}, diags)
	require.Empty(t, diags.Sorted())
	return docs
}

// TestOtherItems passes items that are no fleets byte for byte, in the layout that kustomize and kpt write: comments,
// styles of scalars, and order of keys.
func TestOtherItems(t *testing.T) {
	others := `- # a comment
  apiVersion: v1
  kind: ConfigMap
  metadata:
    name: other
    annotations:
      config.kubernetes.io/index: '0'
      config.kubernetes.io/path: 'a.yaml'
      internal.config.kubernetes.io/index: '0'
      internal.config.kubernetes.io/path: 'a.yaml'
  # before
  data: {b: 'on', a: "1"} # after
- kind: List
  apiVersion: v1
  spec:
    folded: >-
      one two
    literal: |
      x

      y
    list:
    - a: 0x10
    - &anchor {b: 1e3}
    - *anchor
`
	out, problems := run(t, "items:\n"+others+fleetItem)
	require.Empty(t, problems)
	require.True(t, strings.HasPrefix(out, listHeader+"items:\n"+others+"- apiVersion: cdi.kubevirt.io/v1beta1\n"), out)
}

const fleetItem = `- apiVersion: vmrender.io/v1alpha1
  kind: Fleet
  metadata:
    name: site
    namespace: prod
    annotations: {config.kubernetes.io/function: "exec: {path: vmrender}"}
    labels: {team: a}
  vms: {web: {os: fedora, flavor: small}}
`

// TestStale drops objects that were rendered into a file before and no longer are.
func TestStale(t *testing.T) {
	at := "    annotations: {internal.config.kubernetes.io/path: sub/fleet.yaml, " +
		"config.kubernetes.io/local-config: 'true'}\n"
	old := "- {apiVersion: v1, kind: Secret, metadata: {name: old, annotations: {" +
		"internal.config.kubernetes.io/path: sub/rendered-site.yaml, internal.config.kubernetes.io/index: '7'}}}\n"
	item := strings.Replace(fleetItem,
		"    annotations: {config.kubernetes.io/function: \"exec: {path: vmrender}\"}\n", at, 1)
	out, problems := run(t, "items:\n"+old+item)
	require.Empty(t, problems)
	require.NotContains(t, out, "name: old")
	require.Contains(t, out, "kind: Fleet")
	again, problems := run(t, strings.TrimPrefix(out, listHeader))
	require.Empty(t, problems)
	require.Equal(t, out, again)

	t.Chdir("../../examples")
	old = strings.Replace(old, "sub/rendered-site", "rendered-x", 1)
	out, problems = run(t, strings.Replace(directory("kpt", ""), "items: []\n", "items:\n"+old, 1))
	require.Empty(t, problems)
	require.NotContains(t, out, "name: old")
}

// TestOutside refuses a fleet that a symbolic link puts outside of the working directory.
func TestOutside(t *testing.T) {
	outside := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(outside, "fleet.yaml"), []byte(`apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: outside}
vms: {web: {os: fedora, flavor: small}}
`), 0o600))
	t.Chdir(t.TempDir())
	require.NoError(t, os.Symlink(outside, "link"))
	require.NoError(t, os.Mkdir("empty", 0o700))
	const leaves = " leaves the working directory; expected a path inside it"
	for path, want := range map[string]string{
		"link":            `functionConfig: spec.path: "link"` + leaves,
		"link/fleet.yaml": `functionConfig: spec.path: "link/fleet.yaml"` + leaves,
		"empty":           "empty: no fleet.yaml here or above; `vmrender init DIR` writes one",
		"missing":         "missing: no such file or directory",
	} {
		out, problems := run(t, directory(path, ""))
		require.Equal(t, []string{want}, problems)
		require.NotContains(t, out, "kubevirt")
	}
}

// TestNoFleet refuses a list in which nothing is to be rendered, instead of rendering no VMs, and keeps its items.
func TestNoFleet(t *testing.T) {
	item := "- apiVersion: example.org/v1\n  kind: Fleet\n  metadata:\n    name: of-others\n"
	out, problems := run(t, "items:\n"+item)
	require.Equal(t, []string{"functionConfig: spec.path: not set, and no object in the list is a Fleet; " +
		"set the directory of a fleet, or add a Fleet"}, problems)
	require.Contains(t, out, "items:\n"+item+"results:\n")
}

// TestAllProblems reports the problems of all fleets, keeps all items, and renders none.
func TestAllProblems(t *testing.T) {
	wrong := strings.NewReplacer("name: site", "name: other", "small", "smal").Replace(fleetItem)
	out, problems := run(t, "items:\n"+fleetItem+wrong+strings.Replace(wrong, "other", "third", 1))
	require.Equal(t, []string{
		`Fleet/other: vms.web.flavor: unknown flavor "smal"; did you mean "small"?`,
		`Fleet/third: vms.web.flavor: unknown flavor "smal"; did you mean "small"?`,
	}, problems)
	require.True(t, strings.HasPrefix(out, listHeader+"items:\n"+fleetItem+wrong), out)
	require.NotContains(t, out, "VirtualMachine")
}

// TestSecrets shows no value of a var in problems or results.
func TestSecrets(t *testing.T) {
	for _, more := range []string{", vars: {password: 4711}", ", defaults: {memory: [4711]}", ", vars: 4711"} {
		out, problems := run(t, directory("x", more))
		require.NotEmpty(t, problems)
		_, results, found := strings.Cut(out, "\nresults:\n")
		require.True(t, found)
		require.NotContains(t, results+strings.Join(problems, "\n"), "4711")
	}
}

// FuzzRun checks that the function accepts or rejects any list, and that a fleet with an error keeps all items.
func FuzzRun(f *testing.F) {
	f.Add("items:\n" + fleetItem)
	f.Add("items: [1, null, {kind: Fleet}, [], {apiVersion: vmrender.io/v1, kind: Fleet, metadata: 1}]")
	f.Add("functionConfig: [1]\nitems: {}")
	f.Add("functionConfig: {kind: Fleet, apiVersion: vmrender.io/v1alpha1, metadata: [], vms: {a: {}}}\nitems: []")
	f.Add("functionConfig: {kind: ConfigMap, data: {path: 1}}\nitems: [&a {kind: *a}]")
	f.Fuzz(func(t *testing.T, keys string) {
		var out bytes.Buffer
		result, err := krm.Run(strings.NewReader(listHeader+keys), &out, fleet.Options{MostVMs: 10})
		if err != nil {
			require.Zero(t, out.Len(), "output next to %v", err)
			return
		}
		if result.Problems.HasErrors() {
			require.Contains(t, out.String(), "\nresults:\n")
			require.NotContains(t, out.String(), "rendered-")
		}
	})
}
