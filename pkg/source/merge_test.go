package source

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMerge(t *testing.T) {
	for _, c := range []struct{ name, base, over, want string }{
		{"new keys follow", "{a: 1, b: 2}", "{c: 3, a: 4}", `{"a":4,"b":2,"c":3}`},
		{"maps merge", "{m: {a: 1, b: 2}}", "{m: {b: 3}}", `{"m":{"a":1,"b":3}}`},
		{"lists replace", "{l: [1, 2]}", "{l: [3]}", `{"l":[3]}`},
		{"null removes", "{a: 1, b: {c: 1, d: 2}}", "{a: null, b: {c: null}}", `{"b":{"d":2}}`},
		{"null for nothing", "{a: 1}", "{b: null}", `{"a":1}`},
		{"nulls in a new map", "{a: 1}", "{b: {c: null, d: {e: null, f: 1}}}", `{"a":1,"b":{"d":{"f":1}}}`},
		{"nulls over a scalar", "{a: 1}", "{a: {b: null}}", `{"a":{}}`},
		{"nulls in lists stay", "{a: 1}", "{a: [null, {b: null}]}", `{"a":[null,{"b":null}]}`},
		{"false, zero and empty are set", "{a: true, b: 1, c: x}", `{a: false, b: 0, c: ""}`, `{"a":false,"b":0,"c":""}`},
		{"scalar for map", "{a: {b: 1}}", "{a: 1}", `{"a":1}`},
		{"empty over", "{a: 1}", "{}", `{"a":1}`},
		{"empty base", "{}", "{a: null, b: 1}", `{"b":1}`},
		{"nothing over", "{a: 1}", "", `{"a":1}`},
		{"scalars", "1", "2", "2"},
		{"map over scalar", "1", "{a: null}", "{}"},
	} {
		t.Run(c.name, func(t *testing.T) {
			base, over := parse(t, c.base), parse(t, c.over)
			before := AppendJSON(AppendJSON(nil, base), over)
			require.Equal(t, c.want, string(AppendJSON(nil, Merge(base, over))))
			require.Equal(t, string(before), string(AppendJSON(AppendJSON(nil, base), over)), "arguments changed")
		})
	}
}

// The examples are from RFC 7386, appendix A, except the patch null, which counts as no
// patch here.
func TestMergePatchesOfTheStandard(t *testing.T) {
	for _, c := range []struct{ base, over, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`["a","b"]`, `["c","d"]`, `["c","d"]`},
		{`{"a":"b"}`, `["c"]`, `["c"]`},
		{`{"a":"foo"}`, `"bar"`, `"bar"`},
		{`{"e":null}`, `{"a":1}`, `{"e":null,"a":1}`},
		{`[1,2]`, `{"a":"b","c":null}`, `{"a":"b"}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
	} {
		require.Equal(t, c.want, string(AppendJSON(nil, Merge(parse(t, c.base), parse(t, c.over)))))
	}
}

func TestMergeNil(t *testing.T) {
	n := parse(t, "a: 1")
	require.Nil(t, Merge(nil, nil))
	require.Same(t, n, Merge(n, nil))
	require.Same(t, n, Merge(nil, n))
	require.Equal(t, `{"b":1}`, string(AppendJSON(nil, Merge(nil, parse(t, "{a: null, b: 1}")))))
}

// An origin is the position in the file of the level that sets the value.
func TestMergePositions(t *testing.T) {
	read := func(name, text string) *Node {
		return Parse(&File{Name: name, Data: []byte(text)}, new(Diagnostics))[0]
	}
	base := read("base", "a: 1\nm:\n  x: 1\n  y: 1\nsame: {z: 1}\nlast: 1\n")
	over := read("over", "\n\nsame: {}\nm: {y: 2}\na: 2\n")
	merged := Merge(base, over)

	require.Equal(t, "over:5:1", merged.Field("a").Pos().String())
	require.Equal(t, "over:4:1", merged.Field("m").Pos().String())
	require.Equal(t, "base:3:3", merged.Get("m").Field("x").Pos().String())
	require.Equal(t, "over:4:8", merged.Get("m", "y").Pos().String())
	require.Equal(t, "base:5:1", merged.Field("same").Pos().String())
	require.Same(t, base.Get("same"), merged.Get("same"))
	require.Equal(t, "base:6:7", merged.Get("last").Pos().String())
}

// Large maps use an index. The result must be the same.
func TestMergeLarge(t *testing.T) {
	var base, over, want strings.Builder
	for i := range 100 {
		fmt.Fprintf(&base, "k%d: %d\n", i, i)
		switch i % 3 {
		case 0:
			fmt.Fprintf(&over, "k%d: null\n", i)
		case 1:
			fmt.Fprintf(&over, "k%d: x\n", i)
			fmt.Fprintf(&want, "k%d: x\n", i)
		default:
			fmt.Fprintf(&want, "k%d: %d\n", i, i)
		}
	}
	over.WriteString("new: 1\n")
	want.WriteString("new: 1\n")
	got := Merge(parse(t, base.String()), parse(t, over.String()))
	require.Equal(t, string(AppendJSON(nil, parse(t, want.String()))), string(AppendJSON(nil, got)))
}

func TestReposition(t *testing.T) {
	n, at := parse(t, "a: {b: [1, x]}\n"), parse(t, "\n\n\n   q: 1\n").Get("q")
	moved := Reposition(n, at)
	require.Equal(t, string(AppendJSON(nil, n)), string(AppendJSON(nil, moved)))
	require.Equal(t, "f.yaml:4:7", moved.Field("a").Pos().String())
	require.Equal(t, "f.yaml:4:7", moved.Get("a", "b").Items[1].Pos().String())
	require.Equal(t, "f.yaml:1:1", n.Pos().String(), "the original is not changed")
	require.Nil(t, Reposition(nil, at))
}

func ExampleMerge() {
	var diags Diagnostics
	defaults := Parse(&File{Name: "_defaults.yaml", Data: []byte("{os: rhel9, disks: {root: 40Gi, data: 10Gi}}")}, &diags)
	machine := Parse(&File{Name: "web.yaml", Data: []byte("{disks: {data: null, log: 5Gi}}")}, &diags)
	fmt.Printf("%s\n", AppendJSON(nil, Merge(defaults[0], machine[0])))
	// Output: {"os":"rhel9","disks":{"root":"40Gi","log":"5Gi"}}
}

func BenchmarkMerge(b *testing.B) {
	base, over := parse(b, fleetFile), parse(b, "vms: {web01: {os: fedora, disks: {data0: {size: 1Gi}}}}\n")
	b.ReportAllocs()
	for b.Loop() {
		Merge(base, over)
	}
}
