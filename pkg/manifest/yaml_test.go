package manifest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// awkward contains strings that YAML readers fail to read, or do not read as strings.
var awkward = []string{
	"", " ", "plain", "two words", "16Gi", "100m", "10.0.0.5/24", "default/vlan2003", "C:\\Windows", "a,b", "x=y",
	"y", "Y", "n", "N", "yes", "Yes", "YES", "no", "on", "On", "off", "true", "True", "FALSE", "null", "Null", "~",
	"0", "1", "-1", "+1", "1.0", ".5", "5.", "1e3", "1E-3", "1_000", "0x1F", "0o17", "017", "08", "0b101",
	".inf", "-.Inf", ".NaN", "1e400",
	"02:11:22", "190:20:30", "12:30", "02:11:22:33:44:55", "02:11:22:33:44:aa",
	"2026-01-02", "2026-01-02T10:00:00Z", "2026-01-02 10:00:00",
	"- a", "-", "--", "---", "...", "--- a", "? a", "?", ": a", ":", "a: b", "a:b", "a:", "a :b",
	"#", "# a", "a # b", "a #", "a#b",
	"[a]", "{a}", "]", "}", ",", "&a", "*a", "!a", "!!str a", "|", "|-", ">", "%a", "@a", "`a",
	"'", "\"", "'a'", "\"a\"", "it's", `say "hi"`, `both ' and "`,
	"<<", "=", "a\\nb", "\\", "${HOME}", "{{ .vars.x }}",
	" lead", "trail ", "\ttab", "a\tb", "tab\t", "a\nb", "a\nb\n", "a\nb\n\n", "a\n\nb", "\na",
	"\n", "\n\n", " a\nb", "\ta\nb", "a\n b\n", "a\n  ", "a\n  \n", "a \nb", "a\n\tb",
	"a\n---\nb\n", "a\n...\n", "#cloud-config\nuser: x\n", "a\r\nb", "a\rb", "\r", "- a\n- b\n", "%x\ny", "a\n#b\n",
	"é", "日本\n語", "😀", "a\u0085b", "a\u00a0b", "\u2028", "x\u2029y\nz", "\ufeff", "\ufffd",
	"\uffff", "\x00", "\x7f", "\x1b[0m", "\u009f", "\xff", "a\xc3\nb",
}

// requireYAMLEqual reads the YAML with two readers and compares the results with the JSON.
func requireYAMLEqual(t *testing.T, source, text []byte) {
	t.Helper()
	var want, fromV2, fromV3 any
	require.NoError(t, json.Unmarshal(source, &want))
	require.NoError(t, yaml.UnmarshalStrict(text, &fromV2), "%s", text)
	require.Equal(t, want, fromV2, "sigs.k8s.io/yaml reads something else from\n%s", text)
	require.NoError(t, yamlv3.Unmarshal(text, &fromV3), "%s", text)
	require.Equal(t, want, floats(fromV3), "yaml/v3 reads something else from\n%s", text)
}

// floats converts every number to float64, as encoding/json does.
func floats(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			v[key] = floats(v[key])
		}
	case []any:
		for i := range v {
			v[i] = floats(v[i])
		}
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	}
	return v
}

func TestYAMLGolden(t *testing.T) {
	inputs(t, "yaml/*.in.json", func(t *testing.T, name string, text []byte) {
		got := manifest.AppendYAML(nil, text)
		requireYAMLEqual(t, text, got)
		golden.Equal(t, goldenOf(name, "yaml"), string(got))
	})
}

// TestYAMLStrings puts each awkward string at every position where a string is allowed.
func TestYAMLStrings(t *testing.T) {
	for _, s := range awkward {
		t.Run(fmt.Sprintf("%q", s), func(t *testing.T) {
			for _, v := range []any{
				s,
				[]any{s, s},
				[]any{[]any{s}},
				map[string]any{s: s},
				map[string]any{"a": s, "b": s},
				map[string]any{"k": []any{s, map[string]any{s: s, "x": s}}},
			} {
				text, err := json.Marshal(v)
				require.NoError(t, err)
				requireYAMLEqual(t, text, manifest.AppendYAML(nil, text))
			}
		})
	}
}

// TestYAMLLikeKubectl checks that kubectl prints the same text for ordinary manifests,
// except for the order of keys and the style of quotes.
func TestYAMLLikeKubectl(t *testing.T) {
	text := []byte(`{"a":[{"b":[["c","d"],[]],"e":{}},"f"],"g":{"h":"i\nj\n","k":[{"l":null,"m":[1,true]}]},"o":"x y: z"}`)
	want, err := yaml.JSONToYAML(text)
	require.NoError(t, err)
	got := strings.ReplaceAll(string(manifest.AppendYAML(nil, text)), `"`, `'`)
	require.Equal(t, string(want), got)
}

// TestYAMLLong tests long keys: YAML readers reject a key if its colon is too far away.
func TestYAMLLong(t *testing.T) {
	for _, unit := range []string{"a", "a b ", "\u0085", "é", "\\"} {
		for _, n := range []int{150, 900, 998, 999, 1000, 1024, 3000} {
			long := strings.Repeat(unit, n)
			for _, v := range []any{
				long,
				[]any{long},
				map[string]any{long: "x"},
				map[string]any{"a": map[string]any{long: []any{long}}, "b": long},
				[]any{map[string]any{long: map[string]any{"x": "a\nb"}, "z": map[string]any{}}},
			} {
				text, err := json.Marshal(v)
				require.NoError(t, err)
				requireYAMLEqual(t, text, manifest.AppendYAML(nil, text))
			}
		}
	}
}

func TestYAMLDeep(t *testing.T) {
	text := []byte(strings.Repeat(`{"a":[`, 60) + `1` + strings.Repeat(`]}`, 60))
	requireYAMLEqual(t, text, manifest.AppendYAML(nil, text))
}

// FuzzYAML checks that two YAML readers read the same value from the YAML of any JSON
// value. For any other input, AppendYAML must end.
func FuzzYAML(f *testing.F) {
	for _, s := range awkward {
		text, err := json.Marshal([]any{s, map[string]any{s: s}})
		require.NoError(f, err)
		f.Add(text)
	}
	f.Add([]byte(` { "a" : [ 1 , -0.5e+3 , true , null , { } , [ ] ] , "\ud83d\ude00\ud800" : "\/\b\u0041" } `))
	f.Add([]byte(`{"a":}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		got := manifest.AppendYAML(nil, text)
		var v any
		if json.Unmarshal(text, &v) == nil && comparableJSON(text) {
			requireYAMLEqual(t, text, got)
		}
	})
}

// comparableJSON reports whether the readers can be compared on a JSON value. It must not
// contain duplicate keys, which YAML rejects, or numbers that readers of int64 and float64
// read differently.
func comparableJSON(text []byte) bool {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var v any
	if d.Decode(&v) != nil {
		return false
	}
	once, err := json.Marshal(v)
	var compact bytes.Buffer
	return err == nil && json.Compact(&compact, text) == nil && plainNumbers(v) &&
		bytes.Count(compact.Bytes(), []byte(":")) == bytes.Count(once, []byte(":"))
}

func plainNumbers(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for key := range v {
			if !plainNumbers(v[key]) {
				return false
			}
		}
	case []any:
		for i := range v {
			if !plainNumbers(v[i]) {
				return false
			}
		}
	case json.Number:
		f, err := v.Float64()
		return err == nil && math.Abs(f) < 1<<53
	}
	return true
}
