package layers

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"
)

//go:embed shapes.yaml
var shapesYAML []byte

// kind is a kind with the shape of its objects, as described in shapes.yaml.
type kind struct {
	Group, Kind string
	Cluster     bool // whether its objects have no namespace
	Versions    map[string]map[string]any
}

// shapes returns the definitions of the kinds in shapes.yaml.
func shapes() ([]*unstructured.Unstructured, error) {
	var file struct{ Kinds []kind }
	if err := yaml.Unmarshal(shapesYAML, &file); err != nil {
		return nil, fmt.Errorf("reading shapes.yaml: %w", err)
	}
	definitions := make([]*unstructured.Unstructured, 0, len(file.Kinds))
	for _, k := range file.Kinds {
		definition, err := k.definition()
		if err != nil {
			return nil, fmt.Errorf("shapes.yaml: %s: %w", k.Kind, err)
		}
		definitions = append(definitions, definition)
	}
	return definitions, nil
}

// definition returns the CustomResourceDefinition of the kind. The first of its
// versions, by name, is stored.
func (k kind) definition() (*unstructured.Unstructured, error) {
	plural, singular := meta.UnsafeGuessKindToResource(schema.GroupVersionKind{Kind: k.Kind})
	scope := "Namespaced"
	if k.Cluster {
		scope = "Cluster"
	}
	var versions []any
	for _, name := range slices.Sorted(maps.Keys(k.Versions)) {
		fields := maps.Clone(k.Versions[name])
		fields["status"] = "any"
		content, err := schemaOf(fields)
		if err != nil {
			return nil, err
		}
		versions = append(versions, map[string]any{
			"name": name, "served": true, "storage": len(versions) == 0,
			"schema":       map[string]any{"openAPIV3Schema": content},
			"subresources": map[string]any{"status": map[string]any{}},
		})
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": plural.Resource + "." + k.Group},
		"spec": map[string]any{
			"group": k.Group, "scope": scope, "versions": versions,
			"names": map[string]any{"kind": k.Kind, "plural": plural.Resource, "singular": singular.Resource},
		},
	}}, nil
}

// schemaOf translates a shape into a schema that refuses all other fields.
func schemaOf(shape any) (map[string]any, error) {
	switch s := shape.(type) {
	case map[string]any:
		return schemaOfMap(s)
	case []any:
		if len(s) != 1 {
			return nil, fmt.Errorf("a list of %d shapes; expected one", len(s))
		}
		items, err := schemaOf(s[0])
		return map[string]any{"type": "array", "items": items}, err
	case string:
		return schemaOfName(s)
	}
	return nil, fmt.Errorf("%v is no shape", shape)
}

func schemaOfMap(shape map[string]any) (map[string]any, error) {
	if values, ok := shape["*"]; ok {
		content, err := schemaOf(values)
		return map[string]any{"type": "object", "additionalProperties": content}, err
	}
	properties := map[string]any{}
	for key, field := range shape {
		content, err := schemaOf(field)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		properties[key] = content
	}
	return map[string]any{"type": "object", "properties": properties}, nil
}

func schemaOfName(name string) (map[string]any, error) {
	switch name {
	case "string", "boolean", "integer":
		return map[string]any{"type": name}, nil
	case "int-or-string":
		return map[string]any{"x-kubernetes-int-or-string": true}, nil
	case "any":
		return map[string]any{"x-kubernetes-preserve-unknown-fields": true}, nil
	}
	return nil, fmt.Errorf("%q is no type", name)
}
