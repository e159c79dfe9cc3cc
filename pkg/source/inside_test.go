package source

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

const insideFile = `plain: ab{{ x
single: 'ab{{ x'
escaped: 'it''s {{ x'
double: "ab{{ x"
tabbed: "a\tb{{ x"
literal: |  # text
    one
      two {{ x

    größe {{ x
folded: >
  one {{ x
multi: one
  {{ x
anchored: &a ab{{ x
`

func TestInside(t *testing.T) {
	text := insideFile
	for _, data := range []string{text, "\ufeff" + text} {
		doc := parse(t, data)
		for _, c := range []struct {
			key       string
			line, col int
			want      string
		}{
			{"plain", 1, 3, "f.yaml:1:10"},
			{"single", 1, 3, "f.yaml:2:12"},
			{"escaped", 1, 6, "f.yaml:3:10"},
			{"double", 1, 3, "f.yaml:4:12"},
			{"tabbed", 1, 4, "f.yaml:5:9"},
			{"literal", 1, 1, "f.yaml:7:5"},
			{"literal", 2, 7, "f.yaml:8:11"},
			{"literal", 4, 7, "f.yaml:10:11"},
			{"literal", 99, 1, "f.yaml:6:10"},
			{"literal", 1, 99, "f.yaml:6:10"},
			{"folded", 1, 5, "f.yaml:11:9"},
			{"multi", 1, 5, "f.yaml:13:8"},
			{"anchored", 1, 3, "f.yaml:15:11"},
		} {
			require.Equal(t, c.want, Inside(doc.Get(c.key), c.line, c.col).String(), c.key)
		}
	}
}

func TestInsideOfRepositioned(t *testing.T) {
	doc := parse(t, "a: {b: hello}\nc: world\n")
	moved := Reposition(doc.Get("a", "b"), doc.Get("c"))
	require.Equal(t, "f.yaml:2:4", Inside(moved, 1, 3).String())
}

func TestAppendJSON(t *testing.T) {
	for text, want := range map[string]string{
		"{b: 1, a: [x, {}, []]}":           `{"b":1,"a":["x",{},[]]}`,
		"[True, FALSE, ~, null]":           `[true,false,null,null]`,
		"[+5, -5, 0, 1.50, 1e3, -0]":       `[5,-5,0,1.50,1e3,-0]`,
		"[.5, -.5, 5., 007.5, 1.E+2, 0.0]": `[0.5,-0.5,5,7.5,1E+2,0.0]`,
		"123456789012345678901234567890":   "123456789012345678901234567890",
		`"q\"b\\s\n\t\x01é\u2028"`:         `"q\"b\\s\n\t\u0001é\u2028"`,
		"<a&b>":                            `"<a&b>"`,
		"{a\\b: yes}":                      `{"a\\b":"yes"}`,
	} {
		got := AppendJSON(nil, parse(t, text))
		require.Equal(t, want, string(got))
		require.True(t, json.Valid(got), text)
	}
	require.Equal(t, "null", string(AppendJSON(nil, nil)))
	require.Equal(t, `"\ufffd\ufffda"`, string(AppendJSON(nil, &Node{Kind: String, Text: "\xff\xfea"})))
}
