package edit_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
	sigsyaml "sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/source"
)

func text(s string) *source.Node {
	return &source.Node{Kind: source.String, Style: source.DoubleQuoted, Text: s}
}

func list(items ...*source.Node) *source.Node { return &source.Node{Kind: source.List, Items: items} }

// Strings are plain if no reader takes them for another type.
func TestFlowQuotesWhatNeedsIt(t *testing.T) {
	for s, want := range map[string]string{
		"fedora":                       `fedora`,
		"20Gi":                         `20Gi`,
		"500m":                         `500m`,
		"10.0.0.1":                     `10.0.0.1`,
		"10.0.0.1/24":                  `10.0.0.1/24`,
		"fd00::1/64":                   `fd00::1/64`,
		"default/vlan1":                `default/vlan1`,
		"https://example.org:8443/a?b": `"https://example.org:8443/a?b"`,
		"registry.example.org/a:1":     `registry.example.org/a:1`,
		"ssh-ed25519 AAAA a@b":         `ssh-ed25519 AAAA a@b`,
		"Größe":                        `Größe`,
		"a-b":                          `a-b`,
		"a#b":                          `"a#b"`,
		"it's":                         `it's`,
		"\"a\" b":                      `'"a" b'`,
		"02:00:00:00:00:01":            `"02:00:00:00:00:01"`,
		"52:54:00:12:34:56":            `"52:54:00:12:34:56"`,
		"de:ad:be:ef:00:01":            `"de:ad:be:ef:00:01"`,
		"":                             `""`,
		"on":                           `"on"`,
		"No":                           `"No"`,
		"y":                            `"y"`,
		"null":                         `"null"`,
		"~":                            `"~"`,
		"true":                         `"true"`,
		"5":                            `"5"`,
		"1.8":                          `"1.8"`,
		"1.32.1":                       `1.32.1`,
		"0644":                         `"0644"`,
		"0x1F":                         `"0x1F"`,
		"1_000":                        `"1_000"`,
		"1e3":                          `"1e3"`,
		".5":                           `".5"`,
		".inf":                         `".inf"`,
		"2026-01-02":                   `"2026-01-02"`,
		"190:20:30":                    `"190:20:30"`,
		"=":                            `"="`,
		"<<":                           `"<<"`,
		"-a":                           `"-a"`,
		"---":                          `"---"`,
		"...":                          `"..."`,
		"? a":                          `"? a"`,
		"a: b":                         `"a: b"`,
		"a:":                           `"a:"`,
		"a #b":                         `"a #b"`,
		" a":                           `" a"`,
		"a ":                           `"a "`,
		"a, b":                         `"a, b"`,
		"{{ .vm.name }}":               `"{{ .vm.name }}"`,
		"a\nb":                         `"a\nb"`,
		"\u2028":                       `"\u2028"`,
		"\ufeff":                       `"\ufeff"`,
		"\x7f\u0085\U000e0001":         `"\x7f\u0085\U000e0001"`,
		"😀":                            `"😀"`,
		"*":                            `"*"`, "&a": `"&a"`, "!a": `"!a"`, "%a": `"%a"`, "@a": `"@a"`, "`a": "\"`a\"",
	} {
		require.Equal(t, want, edit.Flow(text(s)), s)
		requireRead(t, s)
	}
}

// requireRead fails the test unless every reader reads the string that is written.
func requireRead(t testing.TB, s string) {
	t.Helper()
	inMap := &source.Node{Kind: source.Map, Fields: []source.Field{{Key: s, Value: list(text(s), text(s))}}}
	inLines := &source.Node{Kind: source.Map, Fields: []source.Field{{Key: "a", Value: list(inMap, inMap)}}}
	want := map[string]any{"a": []any{map[string]any{s: []any{s, s}}, map[string]any{s: []any{s, s}}}}
	for _, written := range []string{edit.Flow(inLines), edit.Block(inLines, 0), edit.Block(list(inLines), 4)} {
		doc := parse(t, written)[0]
		if doc.Kind == source.List {
			doc = doc.Items[0]
		}
		require.Empty(t, edit.Diff(inLines, doc), written)
		var got any
		require.NoError(t, yaml.Unmarshal([]byte(written), &got), written)
		if l, ok := got.([]any); ok {
			got = l[0]
		}
		require.Equal(t, want, got, written)
		require.NoError(t, sigsyaml.Unmarshal([]byte(written), &got), written)
	}
}

func FuzzFlow(f *testing.F) {
	for _, s := range []string{"a", "on", "a: b", "\n", "a\nb\n\n", "\x85", "12:30", "a\t", "- a", "\r\n", "a \nb "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(edit.Flow(text(s))) < 1000 && strings.ToValidUTF8(s, "") == s { // a key has at most 1024 characters
			requireRead(t, s)
		}
	})
}

// TestBlock compares new text with text as a person writes it.
func TestBlock(t *testing.T) {
	for in, want := range map[string]string{
		`{}`: "{}\n",
		`[]`: "[]\n",
		`a`:  "a\n",
		`{vms: {web: {os: fedora, disks: {root: 20Gi}}}}`: `
vms:
  web: {os: fedora, disks: {root: 20Gi}}
`,
		`
defaults: {namespace: prod}
vms: {web: {
  nics: [{network: lan, ip: 10.0.0.1}, {network: storage, ip: 10.0.0.2}],
  disks: {root: {source: {http: "https://a.b/c"}, size: 8Gi}}}}
`: `
defaults: {namespace: prod}
vms:
  web:
    nics: [{network: lan, ip: 10.0.0.1}, {network: storage, ip: 10.0.0.2}]
    disks: {root: {source: {http: https://a.b/c}, size: 8Gi}}
`,
		`{a: [{b: "x\ny\n"}, "p\nq", [1, "r\n\ns\n\n"], [], {}]}`: `
a:
  - b: |
      x
      y
  - |-
    p
    q
  - - 1
    - |+
      r

      s

  - []
  - {}
`,
		`{a: {b: {c: {d: {e: 1, f: 2}, g: 3}, h: 4}, i: 5}, n: null,
  "5": "` + strings.Repeat("long ", 25) + `"}`: `
a:
  b:
    c: {d: {e: 1, f: 2}, g: 3}
    h: 4
  i: 5
"n": null
"5": "` + strings.Repeat("long ", 25) + `"
`,
	} {
		require.Equal(t, strings.TrimPrefix(want, "\n"), edit.Block(parse(t, in)[0], 0), in)
	}
	require.Equal(t, "  a: 1\n  b:\n    - |\n      x\n      y\n",
		edit.Block(parse(t, `{a: 1, b: ["x\ny\n"]}`)[0], 2))
}
