package fleet_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
)

// annotation expands a template in an annotation, and gives the text or the problems.
func annotation(t testing.TB, template string) (string, []string) {
	t.Helper()
	machines, problems := load(t, "vars: {list: [b, a, b], map: {z: 1, y: 2, x: 3}, n: 3}\nvms: {a: {annotations: {it: "+quoted(template)+"}}}\n")
	if len(machines) == 0 {
		return "", problems
	}
	return machines[0].Annotations["it"], problems
}

// quoted is a text as YAML in double quotes, on one line.
func quoted(text string) string {
	json, _ := json.Marshal(text) // strings can always be marshaled
	return strings.NewReplacer("\x7f", `\x7f`, "\u0085", `\x85`, "\ufeff", `\ufeff`).Replace(string(json))
}

// TestFunctions shows what functions that are not sprig's or text/template's own give.
func TestFunctions(t *testing.T) {
	for template, want := range map[string]string{
		`{{ keys .vars.map }}`:                                     "[x y z]",
		`{{ keys .vars.map (dict "a" 1) | join "," }}`:             "a,x,y,z",
		`{{ values .vars.map }}`:                                   "[3 2 1]",
		`{{ values (dict) }}`:                                      "[]",
		`{{ until 3 }} {{ until -2 }}`:                             "[0 1 2] [0 -1]",
		`{{ untilStep 3 9 3 }} {{ untilStep 1 2 0 }}`:              "[3 6] []",
		`{{ seq 3 }} {{ seq 0 2 4 }} {{ seq }}`:                    "1 2 3 0 2 4 ",
		`{{ repeat 3 "ab" }}`:                                      "ababab",
		`{{ printf "%-4s|%03d%%p" "a" 7 }}`:                        "a   |007%p",
		`{{ print 1 2 }}{{ println "x" }}`:                         "1 2x\n",
		`{{ html "<" }}{{ js "'" }}{{ urlquery "a b" }}`:           `&lt;\'a+b`,
		`{{ .vars.list | uniq | join "-" }}`:                       "b-a",
		`{{ without .vars.list "b" }}`:                             "[a]",
		`{{ range $i, $x := .vars.list }}{{ $i }}{{ end }}`:        "012",
		`{{ define "x" }}<{{ . }}>{{ end }}{{ template "x" 1 }}`:   "<1>",
		`{{ regexReplaceAll "a(.)" "abac" "$1$1" }}`:               "bbcc",
		`{{ indent 2 "a\nb" }}`:                                    "  a\n  b",
		`{{ wrapWith 2 "/" "abcd" }}`:                              "ab/cd",
		`{{ addf 1.5 2 }} {{ divf 1 4 }}`:                          "3.5 0.25",
		`{{ with .vars.map }}{{ (index . "x") | add 1 }}{{ end }}`: "4",
		`{{ (dict "a" (list 1 2)).a | toJson }}`:                   "[1,2]",
		`{{ if and (eq .vars.n 3) (lt 1 2) }}y{{ end }}`:           "y",
	} {
		t.Run(template, func(t *testing.T) {
			got, problems := annotation(t, template)
			require.Empty(t, problems)
			require.Equal(t, want, got)
		})
	}
}

// TestTemplatesEnd proves that no template runs or grows without a bound: each
// of these would take minutes, or more memory than there is.
func TestTemplatesEnd(t *testing.T) {
	const work, length = "takes too much work", "makes more than 1048576 bytes"
	doubling := func(call string) string {
		return `{{ $x := "ab" }}{{ range until 99 }}{{ $x = ` + call + ` }}{{ end }}`
	}
	for name, test := range map[string]struct{ template, want string }{
		"nested loops":        {`{{ range until 9999 }}{{ range until 9999 }}{{ end }}{{ end }}`, work},
		"loop over a number":  {`{{ range 2000000000 }}{{ end }}`, work},
		"large loop body":     {`{{ range until 90000 }}` + strings.Repeat(`{{ if . }}{{ end }}`, 20_000) + `{{ end }}`, work},
		"recursion":           {`{{ define "x" }}{{ template "x" }}{{ end }}{{ template "x" }}`, work},
		"recursion of itself": {`{{ template "t" }}`, work},
		"wide recursion":      {`{{ define "x" }}{{ template "x" }}{{ template "x" }}{{ end }}{{ template "x" }}`, work},
		"output":              {`{{ range until 90000 }}0123456789012345678901234567890{{ end }}`, length},
		"output at once":      {`{{ repeat 2000000 "x" }}`, length},

		"until":                  {`{{ until 2000000000 }}`, work},
		"until below":            {`{{ until -2000000000 }}`, work},
		"until the last":         {`{{ until 9223372036854775807 }}`, work},
		"untilStep":              {`{{ untilStep 0 2000000000 1 }}`, work},
		"untilStep past the end": {`{{ untilStep 0 9223372036854775807 9223372036854775806 }}`, work},
		"seq":                    {`{{ seq 2000000000 }}`, work},
		"seq with a step":        {`{{ seq 0 1 2000000000 }}`, work},
		"repeat":                 {`{{ repeat 2000000000 "x" }}`, work},
		"repeat past the end":    {`{{ repeat 4611686018427387904 "xxxx" }}`, work},
		"repeat nothing":         {`{{ repeat 9223372036854775807 "" }}`, work},
		"indent":                 {`{{ indent 2000000000 "x" }}`, work},
		"nindent":                {`{{ nindent 20000 (repeat 2000 "\n") }}`, work},
		"wrapWith":               {`{{ wrapWith 1 (repeat 5000 "x") (repeat 5000 "x") }}`, work},
		"replace":                {`{{ replace "x" (repeat 5000 "y") (repeat 5000 "x") }}`, work},
		"replace nothing":        {`{{ replace "" (repeat 5000 "y") (repeat 5000 "x") }}`, work},
		"join":                   {`{{ until 9999 | join (repeat 5000 "x") }}`, work},
		"printf width":           {`{{ printf "` + strings.Repeat("%999999d", 99) + `" 1 }}`, work},
		"printf precision":       {`{{ printf "` + strings.Repeat("%.999999f", 99) + `" 1.0 }}`, work},
		"printf star":            {`{{ printf "` + strings.Repeat("%[1]*[1]d", 99) + `" 999999 }}`, work},
		"printf once more":       {`{{ printf "` + strings.Repeat("%[1]s", 9999) + `" (repeat 9999 "x") }}`, work},
		"splitList":              {`{{ splitList "" (repeat 900000 "x") }}`, work},
		"split":                  {`{{ split "" (repeat 900000 "x") }}`, work},
		"uniq":                   {`{{ until 9999 | uniq }}`, work},
		"without":                {`{{ $l := until 9999 }}{{ without $l $l }}`, work},
		"decimals":               {`{{ mulf ` + strings.Repeat("1e300 ", 9999) + `}}`, work},
		"pattern":                {`{{ regexMatch (repeat 300 "x{999}") "x" }}`, work},
		"places in a pattern":    {`{{ regexMatch "(a{99}){9}" (repeat 90000 "a") }}`, work},
		"regexReplaceAll":        {`{{ regexReplaceAll "." (repeat 9999 "x") (repeat 9999 "y") }}`, work},
		"regexSplit":             {`{{ regexSplit "" (repeat 900000 "x") -1 }}`, work},

		"doubling texts":  {doubling(`printf "%s%s" $x $x`), work},
		"doubling by cat": {doubling(`cat $x $x`), work},
		"doubling lists":  {doubling(`list $x $x`), work},
		"doubling maps":   {doubling(`dict "a" $x "b" $x`), work},
		"doubling JSON":   {doubling(`toJson $x`), work},
		"doubling quotes": {doubling(`quote $x`), work},
		"nesting":         {`{{ $x := list }}{{ range until 99999 }}{{ $x = list $x }}{{ end }}`, work},

		"chunk of nothing": {`{{ chunk 0 (list 1) }}`, "makeslice: len out of range"},
		"division by zero": {`{{ div 1 0 }}`, "integer divide by zero"},
		"long template":    {strings.Repeat("x", 1<<20) + `{{ .vm.name }}`, "is longer than 1048576 bytes"},
		"deep template":    {strings.Repeat("{{ if 1 }}", 50_000), "`{{ end }}` is missing"},
		"brackets":         {"{{ " + strings.Repeat("(", 500_000), "max expression depth exceeded"},
	} {
		t.Run(name, func(t *testing.T) {
			_, problems := annotation(t, test.template)
			require.Len(t, problems, 1)
			require.Regexp(t, `^vms.yaml:2:\d+: vms\.a\.annotations\.it: template: `, problems[0])
			require.Contains(t, problems[0], test.want)
			require.Less(t, len(problems[0]), 500)
		})
	}
}

// TestPureTemplates proves that templates cannot tell the time, the machine or
// the place in memory, and cannot change what others see.
func TestPureTemplates(t *testing.T) {
	for _, template := range []string{
		`{{ now }}`, `{{ ago 1 }}`, `{{ toDate "2006" "2020" }}`, `{{ env "HOME" }}`, `{{ expandenv "$HOME" }}`,
		`{{ randInt 1 9 }}`, `{{ uuidv4 }}`, `{{ shuffle "abc" }}`, `{{ genPrivateKey "rsa" }}`, `{{ getHostByName "x" }}`, `{{ osBase "/a" }}`,
		`{{ set .vars "a" "b" }}`, `{{ unset .vars "a" }}`, `{{ merge .vars .vars }}`, `{{ mergeOverwrite .vars .vars }}`,
		`{{ $d := dict }}{{ $_ := set $d "itself" $d }}{{ $d }}`,
		`{{ list (semver "1.2.3") | printf "%d" }}`, `{{ vmrenderStep -1000000 }}`,
	} {
		_, problems := annotation(t, template)
		require.Len(t, problems, 1, template)
		require.Regexp(t, `: template: (the|unknown) function "\w+"( is not accepted)?; `, problems[0])
	}
	for _, format := range []string{"%p", "%#p", "%[1]p", "%5.3p", "%%%p", "%\u4e16%p", "%]%p", "% %%p", "%5%%5%%p"} {
		_, problems := annotation(t, fmt.Sprintf("{{ printf %q .vars.map }}", format))
		require.Len(t, problems, 1, format)
		require.Contains(t, problems[0], "the verb %p shows an address", format)
	}
}

func TestTemplateProblems(t *testing.T) {
	for template, want := range map[string]string{
		`{{ .vars.lst }}`:                            `vms.yaml:2:38: vms.a.annotations.it: template: missing variable "lst"; did you mean "list"?`,
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

// TestBigVars proves that loops over what a file holds end as well.
func TestBigVars(t *testing.T) {
	values := "vars: {big: " + strings.Repeat("x", 2<<20) + "}\nvms: {a: {annotations: {it: '{{ %s }}'}}}\n"
	_, problems := load(t, fmt.Sprintf(values, "len .vars.big"))
	require.Empty(t, problems)
	_, problems = load(t, fmt.Sprintf(values, "upper .vars.big"))
	require.Equal(t, []string{"vms.yaml:2:29: vms.a.annotations.it: template: cannot use functions and loops with `vars` of more than 1048576 bytes"}, problems)
}

// TestFunctionNames pins the functions that templates can call: one that a new
// version of sprig brings must be judged before it gets in.
func TestFunctionNames(t *testing.T) {
	const golden = "testdata/functions.txt"
	got := strings.Join(fleet.FunctionNames(), "\n") + "\n"
	if *update {
		require.NoError(t, os.WriteFile(filepath.FromSlash(golden), []byte(got), 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), got)
}
