package diff_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/manifest"
)

func tree(t *testing.T, text string) manifest.Tree {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	require.NoError(t, err)
	return manifest.Decode(data)
}

// What differs is named by the path that people would write.
func TestTrees(t *testing.T) {
	for name, test := range map[string]struct {
		was, now string
		want     []string
	}{
		"nothing":               {"{a: 1}", "{a: 1}", nil},
		"another value":         {"{a: {b: 1}}", "{a: {b: 2}}", []string{"a.b: 1 2"}},
		"an empty map comes":    {"{}", "{a: {}}", []string{"a: <nil> map[]"}},
		"entries by names":      {"{l: [{name: x, v: 1}]}", "{l: [{name: x, v: 2}]}", []string{"l[x].v: 1 2"}},
		"only the order":        {"{l: [{name: x}, {name: z}]}", "{l: [{name: z}, {name: x}]}", []string{"l: [x z] [z x]"}},
		"a list without names":  {"{l: [1, 2]}", "{l: [1, 3]}", []string{"l: [1 2] [1 3]"}},
		"the same quantity":     {"{memory: {guest: 1024Mi}}", "{memory: {guest: 1Gi}}", nil},
		"a text that is none":   {`{labels: {v: "1.1"}}`, `{labels: {v: "1.10"}}`, []string{"labels.v: 1.1 1.10"}},
		"a number as it is":     {"{a: 1}", "{a: 1.0}", nil},
		"a number and its text": {"{a: 1}", `{a: "1"}`, []string{"a: 1 1"}},
		"a key with dots":       {"{a: {x.y/z: 1}}", "{a: {}}", []string{`a["x.y/z"]: 1 <nil>`}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, c := range diff.Trees(tree(t, test.was), tree(t, test.now)) {
				got = append(got, fmt.Sprintf("%s: %v %v", diff.Display(c.Path), c.Was, c.Now))
			}
			require.Equal(t, test.want, got)
		})
	}
}

// A pattern counts the segments that it stands for.
func TestPattern(t *testing.T) {
	for _, test := range []struct {
		pattern string
		path    []string
		want    int
	}{
		{"spec.cpu", []string{"spec", "cpu"}, 2},
		{"spec.cpu", []string{"spec", "cpu", "cores"}, 0},
		{"spec.*", []string{"spec", "cpu"}, 2},
		{"spec.**", []string{"spec", "cpu", "cores"}, 1},
		{"disks[*].bus", []string{"disks", "[root]", "bus"}, 3},
		{"disks[*]", []string{"disks", diff.Order}, 0},
		{"disks[]", []string{"disks", diff.Order}, 2},
		{`labels."a.b/c"`, []string{"labels", "a.b/c"}, 2},
		{diff.Removed, []string{diff.Removed}, 1},
		{diff.Removed, []string{diff.Created}, 0},
	} {
		require.Equal(t, test.want, diff.ParsePattern(test.pattern).Match(test.path), "%s, %v", test.pattern, test.path)
	}
}
