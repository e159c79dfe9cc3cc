package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// places are texts with one mistake, the reported position, the start of the message, and
// the number of documents that are read.
var places = []struct {
	text, want string
	documents  int
}{
	// Valid text before the mistake does not affect the position.
	{"k0: [x, {y: z}]\nbad: ]\n", "2:6: a value is missing here", 0},
	{"vms:\n  a:\n    disks: {root: 40Gi, data: {size: 10Gi}}\n    nics: [pod, , lan]\n", "4:17: a value is missing", 0},
	{"a: [x, {y: z}]\n---\nb: 1\n---\nx: {os: rhel9, nics: [pod, , lan]}\n", "5:28: a value is missing here", 2},
	{"a: [1]\n---\nb: [2\n", "3:4: a list that starts with \"[\" is not closed", 1},
	// No text follows that could be wrong.
	{"x: [\n", "1:4: a value is missing here", 0},
	{"x: [\n\n# c\n---\ny: 1\n", "1:4: a value is missing here", 1},
	{"x: {a: b,\n", "1:9: a value is missing here", 0},
	{"a: 'x\nb: 1\n---\nd: 1\n", "1:4: a quote is opened and not closed before the next document", 1},
	{"a: {b: c\n---\nx: 1\n", "1:4: a map that starts with \"{\" is not closed", 1},
	// The marker of a document is not a word.
	{"---\nvms: web: {os: rhel9}\n", "2:9: a \":\" is not accepted here", 0},
	{"---\n\"a\": b: c\n", "2:7: a \":\" is not accepted here", 0},
	{"a: 1\n--- \nb: c: d\n---\ne: 1\n", "3:5: a \":\" is not accepted here", 2},
	{"a: 1\nbcd\ne: 2\n", "2:1: this is neither a key nor a value", 0},
	{"a: 1\n... b\n", "2:5: this belongs to no document", 1},
	// The position is in the line of the value, not in the next one.
	{"k: \"a\" b\nn: 1\n", "1:8: this does not belong to the map before it", 0},
	{"labels:\n  site: {{ .vars.x }}-b\n  flavor: small\n", "2:9: a value that starts with \"{{\" must be quoted", 0},
	{"vms:\n  a:\n    os: *rhel\n    b: 1\n", "3:9: unknown anchor \"rhel\"", 0},
	{"a: 1\n---\n- x\n- *y\n---\nb: 1\n", "4:3: unknown anchor \"y\"", 2},
	{"a: [[b]]]\n", "1:9: this does not belong to the map before it", 0},
	{"größe: \"é\" ü\n", "1:12: this does not belong to the map before it", 0},
	{"a:\n  b: 1\n\tc: 2\n", "3:1: a tab is used for indentation", 0},
	// The library rejects this, but JSON and YAML 1.2 do not.
	{`["\ud83d"]`, "1:5: this escape is not a character", 0},
	{"a: \"\\ud83d\\ude00\"\n", "1:7: this escape is not a character", 0},
	{"%YAML 1.3\n---\na: 1\n", "1:1: this is not valid YAML: found incompatible YAML document", 1},
	{"a: {?b: c}\n", "1:6: a: within braces, a key that starts with \"?\" must be quoted: \"?b\"", 1},
	{"a: [?b, {c: d,\n ?e: f}]\n", "1:6: a[0]: within braces, a key that starts with \"?\" must be quoted: \"?b\"", 1},
}

func TestPlaces(t *testing.T) {
	for _, c := range places {
		requirePlace(t, c.text, c.want, c.documents)
		requirePlace(t, strings.ReplaceAll(c.text, "\n", "\r\n"), c.want, c.documents)
	}
}

func requirePlace(t *testing.T, text, want string, documents int) {
	t.Helper()
	var diags Diagnostics
	docs := Parse(&File{Name: "f", Data: []byte(text)}, &diags)
	first, _, _ := strings.Cut(lines(&diags), "\n")
	require.True(t, strings.HasPrefix(first, "f:"+want), "%.80q: %s", text, first)
	if strings.Count(text, "?") < 2 {
		require.Equal(t, 1, diags.Len(), "%.80q: %s", text, lines(&diags))
	}
	require.Len(t, docs, documents, "%.80q", text)
}

// A mistake far down is located just as exactly, and nothing is read twice.
func TestPlacesInLargeFiles(t *testing.T) {
	const documents = 15_000
	one := strings.Repeat("---\nvms:\n  web: {os: rhel9, nics: [pod, {name: lan}], disks: {root: 40Gi}}\n", documents)
	require.Greater(t, len(one), 1<<20)
	for value, want := range map[string]string{
		"*x": "9: unknown anchor", "[a, , b]": "13: a value is missing",
	} {
		requirePlace(t, one+"---\nvms:\n  last: "+value+"\n---\na: 1\n",
			fmt.Sprintf("%d:%s", 3*documents+3, want), documents+1)
	}
	requirePlace(t, "vms:\n"+strings.Repeat("- {a: [b]}\n", 100_000)+"  last: 1\n", "100002:3: this does not belong", 0)
}

// The number of documents with mistakes is limited, because each is read on its own.
func TestPlacesOfManyMistakes(t *testing.T) {
	var diags Diagnostics
	docs := Parse(&File{Name: "f", Data: []byte(strings.Repeat("---\na: @\n---\nb: 1\n", 1000))}, &diags)
	require.Len(t, docs, maxBroken-1)
	require.Equal(t, maxBroken+1, diags.Len())
	require.Equal(t, fmt.Sprintf("f:%d:1: 100 documents before are not valid YAML; the rest of the file is not read",
		4*maxBroken-1), diags.list[maxBroken].String())
}

func TestAcceptable(t *testing.T) {
	for text, want := range map[string]string{
		"%YAML 1.2\n---\na: \"\\x41\"\n":                      `{"a":"A"}`,
		"# c\n\n%YAML 1.2 # c\n---\na: \"\\x41\"\n":           `{"a":"A"}`,
		`{"a": "\ud83d\ude00\uD83D\uDE00", "b": "\\ud83d"}`:   `{"a":"😀😀","b":"\\ud83d"}`,
		`{"a": "\\\ud83d\ude00", "\ud83d\ude00": ["\u00e9"]}`: `{"a":"\\😀","😀":["é"]}`,
		"a: '\\ud83d\\ude00'\n":                               `{"a":"\\ud83d\\ude00"}`,
		"a: >\n  x\n...\n%YAML 1.2\n---\nb: 1\n":              `{"a":"x\n"}`,
		"a: {? b : c}\nd: 'x{?y'\n":                           `{"a":{"b":"c"},"d":"x{?y"}`,
	} {
		require.Equal(t, want, string(AppendJSON(nil, parse(t, text))), text)
	}
	doc := parse(t, `{"a": "\ud83d\ude00", "b": "\ud83d\ude00x", "c": 1}`)
	require.Equal(t, "f.yaml:1:50", doc.Get("c").Pos().String())
}
