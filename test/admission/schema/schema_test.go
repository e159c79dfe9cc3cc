package schema_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/test/admission/object"
	"github.com/vmrender/vmrender/test/admission/schema"
)

const definition = `
metadata: {name: boxes.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Box}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [size]
            properties:
              size: {type: integer, minimum: 1}
              color: {type: string, enum: [red, blue]}
              min: {type: integer}
              max: {type: integer}
              labels: {type: object, x-kubernetes-preserve-unknown-fields: true}
              items:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [name]
                items: {type: object, required: [name], properties: {name: {type: string}}}
            x-kubernetes-validations:
            - {rule: "!has(self.min) || !has(self.max) || self.min <= self.max", message: min is above max}
`

func judge(t *testing.T, box string) []string {
	t.Helper()
	var d apiextensionsv1.CustomResourceDefinition
	require.NoError(t, yaml.UnmarshalStrict([]byte(definition), &d))
	j, err := schema.New(&d)
	require.NoError(t, err)
	objects, err := object.Read([]byte("apiVersion: example.org/v1\nkind: Box\n" + box))
	require.NoError(t, err)
	return j.Problems(objects[0])
}

func TestAccepted(t *testing.T) {
	require.Empty(t, judge(t, "metadata: {name: a, namespace: lab}\nspec: {size: 2, color: red, min: 1, max: 2, labels: {any: 1}}"))
}

func TestRefused(t *testing.T) {
	for name, tc := range map[string]struct{ spec, message string }{
		"missing":         {"{}", "spec.size: Required value"},
		"type":            {"{size: big}", "must be of type integer"},
		"minimum":         {"{size: 0}", "should be greater than or equal to 1"},
		"enumeration":     {"{size: 1, color: green}", `Unsupported value: "green"`},
		"rule":            {"{size: 1, min: 2, max: 1}", "min is above max"},
		"list key":        {"{size: 1, items: [{name: a}, {name: a}]}", "Duplicate value"},
		"unknown field":   {"{size: 1, items: [{name: a, size: b}]}", `unknown field "spec.items[0].size"`},
		"field's letters": {"{size: 1, Color: red}", `unknown field "spec.Color"`},
	} {
		t.Run(name, func(t *testing.T) {
			problems := judge(t, "metadata: {name: a, namespace: lab}\nspec: "+tc.spec)
			require.Contains(t, strings.Join(problems, "\n"), tc.message)
		})
	}
}

func TestMetadataRefused(t *testing.T) {
	for name, tc := range map[string]struct{ metadata, message string }{
		"name":         {"{name: A_b, namespace: lab}", "metadata.name: Invalid value"},
		"no namespace": {"{name: a}", "metadata.namespace: Required value"},
		"label":        {`{name: a, namespace: lab, labels: {x: "a b"}}`, "metadata.labels: Invalid value"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, strings.Join(judge(t, "spec: {size: 1}\nmetadata: "+tc.metadata), "\n"), tc.message)
		})
	}
}

func TestUnknownKind(t *testing.T) {
	j, err := schema.New()
	require.NoError(t, err)
	require.Equal(t, []string{"no schema for v1 Secret"}, j.Problems(object.Object{APIVersion: "v1", Kind: "Secret"}))
}
