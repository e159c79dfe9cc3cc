package starter

import (
	"bytes"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/schema"
)

// An editor shows no problems in a new fleet. Each of its files names a schema that init
// writes, and is valid against it.
func TestStarterMatchesItsSchemas(t *testing.T) {
	all, err := contents("site-a", Options{})
	require.NoError(t, err)
	written := map[string]bool{}
	for _, f := range all {
		written[f.Name] = true
	}
	checked := 0
	for _, f := range all {
		if path.Ext(f.Name) != ".yaml" {
			continue
		}
		checked++
		line, _, _ := strings.Cut(string(f.Data), "\n")
		ref, ok := strings.CutPrefix(line, "# yaml-language-server: $schema=")
		require.True(t, ok, f.Name)
		target := path.Join(path.Dir(f.Name), ref)
		require.True(t, written[target], "%s names %s", f.Name, target)
		require.NoError(t, compile(t, path.Base(target)).Validate(decode(t, f.Data)), f.Name)
	}
	require.Equal(t, 3, checked)
}

func compile(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	text, err := fs.ReadFile(schema.FS, name)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	require.NoError(t, err)
	compiler := jsonschema.NewCompiler()
	require.NoError(t, compiler.AddResource(name, doc))
	parts, err := fs.ReadFile(schema.FS, "kubernetes.schema.json")
	require.NoError(t, err)
	kubernetes, err := jsonschema.UnmarshalJSON(bytes.NewReader(parts))
	require.NoError(t, err)
	require.NoError(t, compiler.AddResource("https://vmrender.io/schema/v1alpha1/kubernetes.schema.json", kubernetes))
	compiled, err := compiler.Compile(name)
	require.NoError(t, err)
	return compiled
}

func decode(t *testing.T, text []byte) any {
	t.Helper()
	json, err := yaml.YAMLToJSON(text)
	require.NoError(t, err)
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(json))
	require.NoError(t, err)
	return doc
}

func TestFleetName(t *testing.T) {
	for dir, want := range map[string]string{
		"sites/Site A":                      "site-a",
		"/srv/_fleet.v2_":                   "fleet-v2",
		"2026":                              "fleet-2026",
		"/":                                 "fleet",
		"Köln":                              "k-ln",
		"a/" + strings.Repeat("long-", 20):  "long-long-long-long-long-long-long-long",
		"x/..":                              FleetName("."),
		filepath.Join("deep", "..", "made"): "made",
	} {
		require.Equal(t, want, FleetName(dir), dir)
	}
}

// The fleet is read without errors, whatever the name of its directory.
func TestStarterIsAFleetUnderAnyName(t *testing.T) {
	for _, name := range []string{"plain", "UPPER case", "123", "-dash-", "日本"} {
		dir := filepath.Join(t.TempDir(), name)
		require.NoError(t, Write(dir, Options{}))
		f, diags := inventory.Load(dir, fleet.Options{})
		require.Empty(t, diags.Sorted())
		require.Len(t, f.Machines, 2)
	}
}
