package template_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/template"
)

// data returns the data of the templates in these tests.
func data() map[string]any {
	return map[string]any{
		"vars": map[string]any{"list": []any{"b", "a", "b"}, "map": map[string]any{"z": 1, "y": 2, "x": 3}, "n": 3},
		"vm":   map[string]any{"name": "a", "namespace": "ns", "os": "linux"},
	}
}

// TestFunctions shows the results of functions that differ from those of sprig or
// text/template.
func TestFunctions(t *testing.T) {
	for text, want := range map[string]string{
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
		t.Run(text, func(t *testing.T) {
			got, problem := new(template.Set).Expand(text, template.Map(data()))
			require.Nil(t, problem)
			require.Equal(t, want, got)
		})
	}
}

// Nothing is rendered from a value that is missing or cannot be read.
func TestMissingValues(t *testing.T) {
	for text, want := range map[string]string{
		`{{ fromJson "{" }}`:                    "unexpected end of JSON input",
		`{{ fromJson "null" }}`:                 "an expression has no value; give it one with `default`",
		`{{ first (list) }}`:                    "an expression has no value; give it one with `default`",
		`a{{ range list nil }}{{ . }}{{ end }}`: "an expression has no value; give it one with `default`",
		`{{ index (dict "a" nil) "a" }}`:        "an expression has no value; give it one with `default`",
		`{{ b64dec "?" }}`:                      "illegal base64 data at input byte 0",
		`{{ b32dec "?" }}`:                      "illegal base32 data at input byte 0",
	} {
		_, problem := new(template.Set).Expand(text, template.Map(data()))
		require.NotNil(t, problem, text)
		require.Equal(t, want, problem.Message, text)
	}
	const defined = `{{ first (list) | default "x" }}{{ b64dec "YQ==" }}{{ b32dec "ME======" }}`
	got, problem := new(template.Set).Expand(defined, template.Map(data()))
	require.Nil(t, problem)
	require.Equal(t, "xaa", got)
}

// TestTemplatesEnd proves that no template can run or grow without limit. Each of these
// would take minutes, or more memory than is available.
func TestTemplatesEnd(t *testing.T) {
	const work, length = "takes too much work", "makes more than 1048576 bytes"
	doubling := func(call string) string {
		return `{{ $x := "ab" }}{{ range until 99 }}{{ $x = ` + call + ` }}{{ end }}`
	}
	for name, test := range map[string]struct{ template, want string }{
		"nested loops":       {`{{ range until 9999 }}{{ range until 9999 }}{{ end }}{{ end }}`, work},
		"loop over a number": {`{{ range 2000000000 }}{{ end }}`, work},
		"large loop body": {
			`{{ range until 90000 }}` + strings.Repeat(`{{ if . }}{{ end }}`, 20_000) + `{{ end }}`, work,
		},
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
			_, problem := new(template.Set).Expand(test.template, template.Map(data()))
			require.NotNil(t, problem)
			require.Contains(t, problem.Message, test.want)
			require.Less(t, len(problem.Message), 400)
			require.NotContains(t, problem.Message, "\n")
		})
	}
}

// TestPureTemplates proves that templates cannot read the time, the computer or memory
// addresses, and cannot change the data of others.
func TestPureTemplates(t *testing.T) {
	for _, text := range []string{
		`{{ now }}`, `{{ ago 1 }}`, `{{ toDate "2006" "2020" }}`, `{{ env "HOME" }}`, `{{ expandenv "$HOME" }}`,
		`{{ randInt 1 9 }}`, `{{ uuidv4 }}`, `{{ shuffle "abc" }}`, `{{ genPrivateKey "rsa" }}`,
		`{{ getHostByName "x" }}`, `{{ osBase "/a" }}`,
		`{{ set .vars "a" "b" }}`, `{{ unset .vars "a" }}`, `{{ merge .vars .vars }}`, `{{ mergeOverwrite .vars .vars }}`,
		`{{ $d := dict }}{{ $_ := set $d "itself" $d }}{{ $d }}`,
		`{{ list (semver "1.2.3") | printf "%d" }}`, `{{ vmrenderStep -1000000 }}`,
	} {
		_, problem := new(template.Set).Expand(text, template.Map(data()))
		require.NotNil(t, problem, text)
		require.Regexp(t, `^(the|unknown) function "\w+"( is not accepted)?; `, problem.Message)
	}
	for _, format := range []string{"%p", "%#p", "%[1]p", "%5.3p", "%%%p", "%\u4e16%p", "%]%p", "% %%p", "%5%%5%%p"} {
		_, problem := new(template.Set).Expand(fmt.Sprintf("{{ printf %q .vars.map }}", format), template.Map(data()))
		require.NotNil(t, problem, format)
		require.Contains(t, problem.Message, "the verb %p shows an address", format)
	}
}

// TestBigVars proves that loops over large values of a file also end.
func TestBigVars(t *testing.T) {
	big := map[string]any{"vars": map[string]any{"big": strings.Repeat("x", 2<<20)}}
	_, problem := new(template.Set).Expand("{{ len .vars.big }}", template.Map(big))
	require.Nil(t, problem)
	_, problem = new(template.Set).Expand("{{ upper .vars.big }}", template.Map(big))
	require.Equal(t, "cannot use functions and loops with `vars` of more than 1048576 bytes", problem.Message)
}

// TestFunctionNames pins the functions that templates can call. A function that a new
// version of sprig adds must be reviewed first.
func TestFunctionNames(t *testing.T) {
	golden.Equal(t, "testdata/functions.txt", strings.Join(template.FunctionNames(), "\n")+"\n")
}

// FuzzTemplate proves that every template ends, either with a string that a manifest can
// contain or with a problem inside the template. A second run has the same result.
func FuzzTemplate(f *testing.F) {
	for _, name := range template.FunctionNames() {
		for _, args := range []string{"", `"a"`, `3 "a,b"`, `"a" "b" "abc"`, `.vars.list`, `"x" .vars.map`, `99999999 "x"`} {
			f.Add("{{ " + name + " " + args + " }}")
		}
	}
	f.Add(`{{ range $i, $x := .vars.list }}{{ if $i }}-{{ end }}{{ $x }}{{ else }}none{{ end }}`)
	f.Add(`{{ define "x" }}{{ . }}{{ template "x" . }}{{ end }}{{ block "x" 1 }}{{ break }}{{ end }}`)
	f.Add(`{{ $x := "a" }}{{ range until 40 }}{{ $x = printf "%s%s" $x $x }}{{ end }}{{ $x }}`)
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip()
		}
		first, problem := new(template.Set).Expand(text, template.Map(data()))
		second, again := new(template.Set).Expand(text, template.Map(data()))
		require.Equal(t, problem, again)
		require.Equal(t, first, second)
		require.True(t, utf8.ValidString(first))
		if problem == nil {
			return
		}
		require.NotEmpty(t, problem.Message)
		require.LessOrEqual(t, problem.Line, strings.Count(text, "\n")+1)
	})
}
