package examples

import (
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/source"
)

const plainHeader = "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: f}\n" +
	"defaults: {namespace: ns, os: rhel9, flavor: small}\n"

// FuzzRender proves that every header and values file gives either manifests
// that every parser reads as the same objects, or errors with positions.
func FuzzRender(f *testing.F) {
	for _, dir := range []string{".", "../pkg/starter/files", "../test/errors", "../test/admission/product/testdata"} {
		header := ""
		require.NoError(f, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || !e.Type().IsRegular() || filepath.Ext(path) != ".yaml" {
				return err
			}
			text, err := os.ReadFile(path)
			if e.Name() == "fleet.yaml" {
				header = string(text)
			}
			f.Add(header, string(text))
			return err
		}))
	}
	f.Add(plainHeader, "vms: {a: {overrides: "+
		"{spec: {template: {spec: {domain: {resources: {requests: {memory: 1e-2147483648}}}}}}}}}\n")
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, header, values string) {
		require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(header), 0o600))
		require.NoError(t, os.WriteFile(filepath.Join(dir, "vms.yaml"), []byte(values), 0o600))
		fl, diags := machine.Load(dir, fleet.Options{Namespace: "ns", Jobs: 1})
		if diags.HasErrors() || len(fl.Machines) > 100 {
			return
		}
		c, seen := render.NewCollector(), map[manifest.ID]bool{}
		for _, m := range fl.Machines {
			var found source.Diagnostics
			c.Visit(m, &found)
			for _, d := range found.Sorted() {
				require.NotEmpty(t, d.File, "%s", d)
				require.Positive(t, d.Line, "%s", d)
			}
			if found.HasErrors() {
				return
			}
		}
		rendered := c.Rendered(diags)
		require.False(t, diags.HasErrors())
		for _, r := range rendered {
			for _, o := range read(t, []render.Rendered{r}) {
				requireManifest(t, o, r.Namespace, seen)
			}
		}
	})
}

// requireManifest requires that an object is unique, and that reading it from
// JSON or YAML returns the same object.
func requireManifest(t *testing.T, object manifest.Object, namespace string, seen map[manifest.ID]bool) {
	t.Helper()
	require.Equal(t, namespace, object.Namespace)
	require.NotEmpty(t, object.Name)
	require.False(t, seen[object.ID], "%s is there twice", object.ID)
	seen[object.ID] = true

	var fromJSON, fromYAML any
	require.NoError(t, json.Unmarshal(object.JSON, &fromJSON))
	text := manifest.AppendYAML(nil, object.JSON)
	require.NoError(t, yaml.UnmarshalStrict(text, &fromYAML), "%s", text)
	require.Equal(t, fromJSON, fromYAML)
	read, err := manifest.Read(strings.NewReader(string(text)))
	require.NoError(t, err)
	require.Len(t, read, 1)
	require.Equal(t, object, read[0])
}
