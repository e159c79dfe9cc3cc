package values

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/source"
)

func TestAppended(t *testing.T) {
	for _, c := range []struct{ name, keys, want, problems string }{
		{"a list", "{dependsOn+: [a]}", `{"dependsOn":["a"]}`, ""},
		{"a nested list", "{services: {http: {ports+: [80]}}}", `{"services":{"http":{"ports":[80]}}}`, ""},
		{"a free list", "{tolerations+: [{key: a}]}", `{"tolerations":[{"key":"a"}]}`, ""},
		{"in free values", "{vars: {a+: [1]}, overrides: {b+: 1}}", `{"vars":{"a+":[1]},"overrides":{"b+":1}}`, ""},
		{
			"no list", "{os+: a, arch: amd64}", `{"arch":"amd64"}`,
			`x.yaml:1:2: vms.a.os+: unknown key "os+": "os" is not a list, so nothing can be appended to it; use "os"`,
		},
		{
			"an unknown key", "{cpu: {feature+: [a]}}", `{"cpu":{}}`,
			`x.yaml:1:8: vms.a.cpu.feature+: unknown key "feature+"; did you mean "features+"?`,
		},
		{
			"both", "{gpus: [a], gpus+: [b]}", `{"gpus":["a"]}`,
			`x.yaml:1:13: vms.a.gpus+: "gpus+" appends to the inherited list, which "gpus" at x.yaml:1:2 replaces; ` +
				`remove one of them`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			var diags source.Diagnostics
			keys := source.Parse(&source.File{Name: "x.yaml", Data: []byte(c.keys)}, &diags)[0]
			got := Appended(keys, "vms.a", &diags)
			require.Equal(t, c.want, string(source.AppendJSON(nil, got)))
			var problems []string
			for _, d := range diags.Sorted() {
				problems = append(problems, d.String())
			}
			require.Equal(t, c.problems, strings.Join(problems, "\n"))
			if len(problems) == 0 {
				require.Equal(t, string(source.AppendJSON(nil, keys)), string(source.AppendJSON(nil, Spelled(got))))
			}
		})
	}
}

// Files without a KEY+ take no memory for it.
func TestAppendedIsFree(t *testing.T) {
	var diags source.Diagnostics
	keys := source.Parse(&source.File{Data: []byte("{cloudInit: {packages: [a+]}}")}, &diags)[0]
	require.Zero(t, testing.AllocsPerRun(10, func() { require.Same(t, keys, Appended(keys, "", &diags)) }))
}
