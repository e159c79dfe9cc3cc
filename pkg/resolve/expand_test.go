package resolve_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
)

// annotation expands a template in an annotation and returns the result and the problems.
func annotation(t testing.TB, template string) (string, []string) {
	t.Helper()
	machines, problems := fleettest.Load(t, "vars: {list: [b, a, b], map: {z: 1, y: 2, x: 3}, n: 3}\n"+
		"vms: {a: {annotations: {it: "+quoted(template)+"}}}\n")
	if len(machines) == 0 {
		return "", problems
	}
	return machines[0].Annotations["it"], problems
}

// quoted returns a string as double-quoted YAML on one line.
func quoted(text string) string {
	json, _ := json.Marshal(text) // strings can always be marshaled
	return strings.NewReplacer("\x7f", `\x7f`, "\u0085", `\x85`, "\ufeff", `\ufeff`).Replace(string(json))
}

func TestTemplateProblems(t *testing.T) {
	for template, want := range map[string]string{
		`{{ .vars.lst }}`: `vms.yaml:2:38: vms.a.annotations.it: template: ` +
			`missing variable "lst"; did you mean "list"?`,
		`{{ .vars.list | trunc }}`:                   "wrong number of args for trunc: want 2 got 1",
		`{{ .vm.nam }}`:                              `unknown name "nam" in ".vm.nam"; templates see .vars`,
		`{{ .vm.ordinal }}`:                          "ordinal of replicas",
		`{{ fail "no\n\n  luck" }}`:                  "template: no luck",
		`{{ fail (repeat 999 "x") }}`:                "xxx …",
		`{{ trunc 1 "é" }}`:                          "template: makes text that is not valid UTF-8",
		`{{ b64dec "/w==" }}`:                        "template: makes text that is not valid UTF-8",
		`{{ if }}`:                                   "missing value for if",
		`{{ template "none" }}`:                      `template "none" not defined`,
		`{{ index .vars.list 7 }}`:                   "index out of range",
		`{{ mustRegexMatch "(" "x" }}`:               "missing closing )",
		`{{ regexMatch "(" "x" | not | ternary 1 }}`: "wrong number of args",
		`{{ first "x" }}`:                            "Cannot find first on type string",
	} {
		_, problems := annotation(t, template)
		require.Len(t, problems, 1, template)
		require.Contains(t, problems[0], want)
	}
}

// TestTemplatePosition shows that a problem with a whole string is reported at its start,
// and any other problem inside it.
func TestTemplatePosition(t *testing.T) {
	_, problems := annotation(t, "{{ until 2000000000 }}")
	require.Len(t, problems, 1)
	require.Regexp(t, `^vms\.yaml:2:29: vms\.a\.annotations\.it: template: takes too much work`, problems[0])
	_, problems = annotation(t, "{{ .vars.n }} {{ nosuch }}")
	require.Equal(t, []string{`vms.yaml:2:47: vms.a.annotations.it: template: unknown function "nosuch"; ` +
		`accepted: Go's own and the hermetic ones of sprig; to keep a literal {{ write {{ "{{" }}`}, problems)
}
