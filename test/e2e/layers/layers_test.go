package layers

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestSchemaOf(t *testing.T) {
	got, err := schemaOf(map[string]any{
		"names": []any{"string"}, "labels": map[string]any{"*": "string"}, "size": "int-or-string", "rest": "any",
	})
	require.NoError(t, err)
	text := map[string]any{"type": "string"}
	require.Equal(t, map[string]any{"type": "object", "properties": map[string]any{
		"names":  map[string]any{"type": "array", "items": text},
		"labels": map[string]any{"type": "object", "additionalProperties": text},
		"size":   map[string]any{"x-kubernetes-int-or-string": true},
		"rest":   map[string]any{"x-kubernetes-preserve-unknown-fields": true},
	}}, got)
}

func TestNoSchemaOf(t *testing.T) {
	for name, shape := range map[string]any{
		"type": "text", "list": []any{"string", "string"}, "number": 1, "field": map[string]any{"a": map[string]any{"b": nil}},
	} {
		_, err := schemaOf(shape)
		require.Error(t, err, name)
	}
}

// A definition in the directory replaces the shape of the kind.
func TestExtraDefinitions(t *testing.T) {
	dir := t.TempDir()
	fetched := filepath.Join(dir, "fetched")
	require.NoError(t, os.WriteFile(fetched, []byte("kind: CustomResourceDefinition\nmetadata: {name: a.example.com}\n"), 0o600))
	extra := t.TempDir()
	for name, text := range map[string]string{
		"list.json": `{"kind":"List","items":[{"kind":"CustomResourceDefinition","metadata":{"name":"metallbs.metallb.io"},"spec":{"group":"real"}}]}`,
		"one.yaml":  "kind: CustomResourceDefinition\nmetadata: {name: unasked.example.com}\n",
		"README.md": "{",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(extra, name), []byte(text), 0o600))
	}
	definitions, err := Definitions(fetched, extra)
	require.NoError(t, err)
	groups := map[string]any{}
	for _, d := range definitions {
		groups[d.GetName()], _, err = unstructured.NestedFieldNoCopy(d.Object, "spec", "group")
		require.NoError(t, err)
	}
	require.Equal(t, "real", groups["metallbs.metallb.io"])
	require.Equal(t, "nmstate.io", groups["nodenetworkconfigurationpolicies.nmstate.io"])
	require.Contains(t, groups, "a.example.com")
	require.NotContains(t, groups, "unasked.example.com")
}

// No shape has a field that the real definition does not have, if
// VMRENDER_EXTRA_CRDS names a directory with the definition.
func TestShapesAreReal(t *testing.T) {
	dir := os.Getenv("VMRENDER_EXTRA_CRDS")
	if dir == "" {
		t.Skip("VMRENDER_EXTRA_CRDS names no directory")
	}
	known, err := readAll(dir)
	require.NoError(t, err)
	shaped, err := shapes()
	require.NoError(t, err)
	for _, s := range shaped {
		if definition := known[s.GetName()]; definition != nil {
			t.Run(s.GetName(), func(t *testing.T) {
				for version, ours := range schemas(t, s) {
					require.Empty(t, beyond(version, ours, schemas(t, definition)[version]))
				}
			})
		}
	}
}

// schemas returns the schemas of a definition's versions.
func schemas(t *testing.T, definition *unstructured.Unstructured) map[string]any {
	t.Helper()
	versions, _, err := unstructured.NestedSlice(definition.Object, "spec", "versions")
	require.NoError(t, err)
	found := map[string]any{}
	for _, v := range versions {
		version, ok := v.(map[string]any)
		require.True(t, ok)
		name, _, err := unstructured.NestedString(version, "name")
		require.NoError(t, err)
		found[name], _, err = unstructured.NestedFieldNoCopy(version, "schema", "openAPIV3Schema")
		require.NoError(t, err)
	}
	return found
}

// beyond lists the fields of one schema that the other does not have with the same
// type.
func beyond(path string, ours, theirs any) []string {
	our, _ := ours.(map[string]any)     //nolint:errcheck // what is no map has no fields
	their, _ := theirs.(map[string]any) //nolint:errcheck // as above
	if theirs == nil || our["type"] != nil && our["type"] != their["type"] {
		return []string{path}
	}
	var paths []string
	for _, inner := range []string{"items", "additionalProperties"} {
		if our[inner] != nil {
			paths = append(paths, beyond(path+"."+inner, our[inner], their[inner])...)
		}
	}
	fields, _ := our["properties"].(map[string]any)  //nolint:errcheck // as above
	known, _ := their["properties"].(map[string]any) //nolint:errcheck // as above
	for name, field := range fields {
		paths = append(paths, beyond(path+"."+name, field, known[name])...)
	}
	slices.Sort(paths)
	return paths
}
