package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// testTypes are the named types in these tests.
var testTypes = chartTypeSet{
	"port": {"type": "integer", "minimum": 1, "description": "a port"},
	"endpoint": {
		"type": "object", "description": "a host and its ports",
		"properties": jsonSchema{"ports": jsonSchema{"type": "array", "items": jsonSchema{"type": "port"}}},
	},
}

func TestChartSchemaFollowsFromDefaultsAndComments(t *testing.T) {
	for name, test := range map[string]struct{ values, want string }{
		"type of the default": {
			"# -- A.\na: x",
			`{type: string, description: A.}`,
		},
		"keywords come on top": {
			"# -- A,\n# on two lines.\n# @schema {minimum: 1,\n# maximum: 3}\na: 1",
			`{type: integer, minimum: 1, maximum: 3, description: "A, on two lines."}`,
		},
		"null is accepted where it is the default": {
			"# -- A.\n# @schema {enum: [x, y]}\na: null",
			`{enum: [x, y, null], description: A.}`,
		},
		"named types are put in place, and maps closed": {
			"# -- A.\n# @schema {type: endpoint}\na: null",
			`{type: [object, "null"], description: A., additionalProperties: false,
			  properties: {ports: {type: array, items: {type: integer, minimum: 1, description: a port}}}}`,
		},
		"keys of users have values of a type": {
			"# -- A.\n# @schema {additionalProperties: {type: port}}\na: {ssh: 22}",
			`{type: object, description: A., additionalProperties: {type: integer, minimum: 1, description: a port}}`,
		},
		"keys with comments are all there are": {
			"# -- A.\na:\n  # -- B.\n  b: true",
			`{type: object, description: A., additionalProperties: false, properties: {b: {type: boolean, description: B.}}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			read, err := readChartValues([]byte(test.values), testTypes)
			require.NoError(t, err)
			got, err := yaml.Marshal(read.Keys[0].schema)
			require.NoError(t, err)
			require.YAMLEq(t, test.want, string(got))
		})
	}
}

func TestChartValuesThatSayTooLittle(t *testing.T) {
	for values, want := range map[string]string{
		"a: 1":             "line 1: a: no comment \"# -- …\" describes it",
		"# A.\na: 1":       "line 2: a: no comment \"# -- …\" describes it",
		"# -- A.\na: null": "line 2: a: null has no type; set it with @schema",
		"# -- A.\na: []":   "line 2: a: @schema does not say what its items are",
		"# -- A.\na: {}": "line 2: a: the keys of the map are missing; " +
			"set properties, or additionalProperties: true for any",
		"# -- A.\n# @schema {description: b, c}\na: 1": "line 3: a: keyword \"c\" has no value; " +
			"quote a description with a comma",
		"# -- A.\n# @schema {type: prt}\na: 1": "line 3: a: unknown type \"prt\"; " +
			"types.yaml has the names in addition to those of JSON",
		"# -- A.\n# @schema {items: {type: prt}}\na: []": "line 3: a: items: unknown type \"prt\"; " +
			"types.yaml has the names in addition to those of JSON",
		"# -- A.\na:\n  b: 1\n  c: 1": "line 2: a: line 3: a.b: no comment \"# -- …\" describes it\n" +
			"line 4: a.c: no comment \"# -- …\" describes it",
		"- 1": "not a map",
	} {
		_, err := readChartValues([]byte(values), testTypes)
		require.EqualError(t, err, want)
	}
}

var ownLink = regexp.MustCompile(`\]\(#([^)]*)\)`)

func TestChartReferencesLeadToTypes(t *testing.T) {
	seen := 0
	for name, text := range generated(t) {
		if !strings.HasPrefix(name, "charts/") || !strings.HasSuffix(name, ".md") {
			continue
		}
		anchors := map[string]bool{}
		for _, h := range heading.FindAllStringSubmatch(withoutBlocks(string(text)), -1) {
			anchors[anchor(h[1])] = true
		}
		for _, l := range ownLink.FindAllStringSubmatch(string(text), -1) {
			require.True(t, anchors[l[1]], "%s links to #%s", name, l[1])
			seen++
		}
	}
	require.NotZero(t, seen)
}
