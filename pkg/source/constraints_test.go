package source

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestConstraints shows which values the tags of a struct accept.
func TestConstraints(t *testing.T) {
	type limited struct {
		Run   string `json:"run" enum:"Always,Halted"`
		Port  int32  `json:"port" minimum:"1" maximum:"65535"`
		Least *int   `json:"least" minimum:"2"`
		Size  string `json:"size" format:"quantity"`
	}
	for text, want := range map[string]string{
		"{run: Always, port: 1, least: 2, size: 16}": "",
		"{run: always}": `f:1:7: x.run: unknown value "always"; did you mean "Always"?`,
		"{run: yes}":    `f:1:7: x.run: unknown value "yes"; accepted: Always, Halted`,
		"{port: 0}":     `f:1:8: x.port: 0 is out of range; accepted: 1 to 65535`,
		"{port: 65536}": `f:1:8: x.port: 65536 is out of range; accepted: 1 to 65535`,
		"{least: 1}":    `f:1:9: x.least: 1 is out of range; expected at least 2`,
		"{size: true}":  `f:1:8: x.size: wrong type: got the boolean true, expected a string; quote it: "true"`,
		"{shor: 1}":     `f:1:2: x.shor: unknown key "shor"; accepted: least, port, run, size`,
	} {
		var diags Diagnostics
		doc := Parse(&File{Name: "f", Data: []byte(text)}, &diags)[0]
		got := limited{}
		Decode(doc, &got, "x", &diags)
		var message strings.Builder
		for _, d := range diags.Sorted() {
			message.WriteString(d.String())
		}
		require.Equal(t, want, message.String(), text)
	}
}

// TestShortForm shows that a problem with a scalar that became a map is reported for the
// scalar.
func TestShortForm(t *testing.T) {
	var diags Diagnostics
	scalar := Parse(&File{Name: "f", Data: []byte("true")}, &diags)[0]
	n := &Node{
		Kind: Map, Style: ShortForm, File: scalar.File, Line: 1, Col: 1,
		Fields: []Field{{Key: "guest", Line: 1, Col: 1, Value: scalar}},
	}
	Decode(n, &struct {
		Guest string `json:"guest"`
	}{}, "memory", &diags)
	require.Equal(t, `f:1:1: memory: wrong type: got the boolean true, expected a string; quote it: "true"`,
		diags.Sorted()[0].String())
}

// TestShort shows that a short form survives when other keys are merged, is replaced and
// removed like them, and is reported as the map itself.
func TestShort(t *testing.T) {
	type cpu struct {
		Model string `json:"model"`
		Count uint32 `json:"-" source:"short" minimum:"1"`
	}
	short := func(text string) *Node {
		scalar := Parse(&File{Name: "f", Data: []byte(text)}, new(Diagnostics))[0]
		return &Node{Kind: Map, File: scalar.File, Line: 1, Col: 1, Short: scalar}
	}
	long := Parse(&File{Name: "f", Data: []byte("{model: host}")}, new(Diagnostics))[0]
	for _, c := range []struct {
		levels []*Node
		want   cpu
		error  string
	}{
		{[]*Node{short("4")}, cpu{Count: 4}, ""},
		{[]*Node{short("4"), long}, cpu{Model: "host", Count: 4}, ""},
		{[]*Node{long, short("4")}, cpu{Model: "host", Count: 4}, ""},
		{[]*Node{short("4"), short("8")}, cpu{Count: 8}, ""},
		{[]*Node{short("4"), short("null")}, cpu{}, ""},
		{[]*Node{short("0")}, cpu{}, "f:1:1: cpu: 0 is out of range; expected at least 1"},
	} {
		var n *Node
		for _, level := range c.levels {
			n = Compose(n, level)
		}
		var diags Diagnostics
		got := cpu{}
		Decode(n, &got, "cpu", &diags)
		require.Equal(t, c.want, got)
		require.Equal(t, c.error != "", diags.HasErrors())
		for _, d := range diags.Sorted() {
			require.Equal(t, c.error, d.String())
		}
	}
}

// TestMark shows that a level stays with its values when they are merged.
func TestMark(t *testing.T) {
	parse := func(text string) *Node { return Parse(&File{Name: "f", Data: []byte(text)}, new(Diagnostics))[0] }
	base := parse("{a: {b: 1, c: 2}, d: [3]}")
	merged := Compose(Mark(base, 1), Mark(parse("{a: {c: 4}}"), 2))
	require.EqualValues(t, 1, merged.Get("a", "b").Level)
	require.EqualValues(t, 2, merged.Get("a", "c").Level)
	require.EqualValues(t, 2, merged.Get("a").Level)
	require.EqualValues(t, 1, merged.Get("d").Items[0].Level)
	require.Zero(t, base.Get("a", "b").Level)
}

func TestCompose(t *testing.T) {
	for _, c := range []struct{ base, over, want string }{
		{"{a: 1}", "{a: null}", `{"a":null}`},
		{"{a: null}", "{a: {b: null}}", `{"a":{"b":null}}`},
		{"{a: {b: 1, c: 2}}", "{a: {b: null, d: 3}}", `{"a":{"b":null,"c":2,"d":3}}`},
		{"{a: [1]}", "{a: [2, null]}", `{"a":[2,null]}`},
		{"{a: {b: 1}}", "{}", `{"a":{"b":1}}`},
		{"{a: {b: 1}}", "{a: x}", `{"a":"x"}`},
	} {
		var diags Diagnostics
		base := Parse(&File{Name: "b", Data: []byte(c.base)}, &diags)[0]
		over := Parse(&File{Name: "o", Data: []byte(c.over)}, &diags)[0]
		require.JSONEq(t, c.want, string(AppendJSON(nil, Compose(base, over))))
	}
}
