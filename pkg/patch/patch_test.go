package patch_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
)

func parse(t testing.TB, text string) *source.Node {
	t.Helper()
	var diags source.Diagnostics
	docs := source.Parse(&source.File{Name: "f.yaml", Data: []byte(text)}, &diags)
	require.Empty(t, diags.Sorted())
	require.Len(t, docs, 1)
	return docs[0]
}

func operations(t testing.TB, text string) (ops []patch.Operation) {
	t.Helper()
	var diags source.Diagnostics
	source.Decode(parse(t, text), &ops, "patches", &diags)
	require.Empty(t, diags.Sorted())
	return ops
}

// apply returns the JSON of the patched document, or the problem.
func apply(t testing.TB, doc, ops string) string {
	t.Helper()
	d := patch.Document{Tree: parse(t, doc)}
	for _, op := range operations(t, ops) {
		if err := d.Apply(&op); err != nil {
			return err.Error()
		}
	}
	return string(source.AppendJSON(nil, d.Tree))
}

// These problems are common to many operations.
const (
	noSlash  = `invalid path; expected one that starts with "/", such as "/metadata/labels/team"`
	noEscape = `invalid path; expected "~0" for a "~" in a key, and "~1" for a "/"`
	noIndex  = ` is not an index of the list; expected a number from 0`
)

type example struct{ name, doc, ops, want string }

func check(t *testing.T, examples []example) {
	t.Helper()
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			require.Equal(t, e.want, apply(t, e.doc, e.ops))
		})
	}
}

// The examples are from RFC 6902, appendix A, without A.11 and A.13: unknown and
// duplicate keys are errors where patches are read.
func TestExamplesOfTheStandard(t *testing.T) {
	check(t, []example{
		{"A.1", `{"foo": "bar"}`, `[{"op": "add", "path": "/baz", "value": "qux"}]`, `{"foo":"bar","baz":"qux"}`},
		{
			"A.2", `{"foo": ["bar", "baz"]}`,
			`[{"op": "add", "path": "/foo/1", "value": "qux"}]`,
			`{"foo":["bar","qux","baz"]}`,
		},
		{"A.3", `{"baz": "qux", "foo": "bar"}`, `[{"op": "remove", "path": "/baz"}]`, `{"foo":"bar"}`},
		{"A.4", `{"foo": ["bar", "qux", "baz"]}`, `[{"op": "remove", "path": "/foo/1"}]`, `{"foo":["bar","baz"]}`},
		{
			"A.5", `{"baz": "qux", "foo": "bar"}`,
			`[{"op": "replace", "path": "/baz", "value": "boo"}]`,
			`{"baz":"boo","foo":"bar"}`,
		},
		{
			"A.6", `{"foo": {"bar": "baz", "waldo": "fred"}, "qux": {"corge": "grault"}}`,
			`[{"op": "move", "from": "/foo/waldo", "path": "/qux/thud"}]`,
			`{"foo":{"bar":"baz"},"qux":{"corge":"grault","thud":"fred"}}`,
		},
		{
			"A.7", `{"foo": ["all", "grass", "cows", "eat"]}`,
			`[{"op": "move", "from": "/foo/1", "path": "/foo/3"}]`,
			`{"foo":["all","cows","eat","grass"]}`,
		},
		{
			"A.8", `{"baz": "qux", "foo": ["a", 2, "c"]}`,
			`[{"op": "test", "path": "/baz", "value": "qux"}, {"op": "test", "path": "/foo/1", "value": 2}]`,
			`{"baz":"qux","foo":["a",2,"c"]}`,
		},
		{
			"A.9", `{"baz": "qux"}`,
			`[{"op": "test", "path": "/baz", "value": "bar"}]`,
			`test "/baz": the value is different`,
		},
		{
			"A.10", `{"foo": "bar"}`,
			`[{"op": "add", "path": "/child", "value": {"grandchild": {}}}]`,
			`{"foo":"bar","child":{"grandchild":{}}}`,
		},
		{
			"A.12", `{"foo": "bar"}`,
			`[{"op": "add", "path": "/baz/bat", "value": "qux"}]`,
			`add "/baz/bat": path does not exist`,
		},
		{"A.14", `{"/": 9, "~1": 10}`, `[{"op": "test", "path": "/~01", "value": 10}]`, `{"/":9,"~1":10}`},
		{
			"A.15", `{"/": 9, "~1": 10}`,
			`[{"op": "test", "path": "/~01", "value": "10"}]`,
			`test "/~01": the value is different`,
		},
		{
			"A.16", `{"foo": ["bar"]}`,
			`[{"op": "add", "path": "/foo/-", "value": ["abc", "def"]}]`,
			`{"foo":["bar",["abc","def"]]}`,
		},
	})
}

// The examples are from RFC 6901, section 5.
func TestPointersOfTheStandard(t *testing.T) {
	doc := parse(t, `{"foo": ["bar", "baz"],
  "": 0, "a/b": 1, "c%d": 2, "e^f": 3, "g|h": 4, "i\\j": 5, "k\"l": 6, " ": 7, "m~n": 8}`)
	for _, c := range []struct{ pointer, want string }{
		{"", string(source.AppendJSON(nil, doc))},
		{"/foo", `["bar","baz"]`},
		{"/foo/0", `"bar"`},
		{"/", "0"},
		{"/a~1b", "1"},
		{"/c%d", "2"},
		{"/e^f", "3"},
		{"/g|h", "4"},
		{`/i\j`, "5"},
		{`/k"l`, "6"},
		{"/ ", "7"},
		{"/m~0n", "8"},
	} {
		found, err := patch.Find(doc, c.pointer)
		require.NoError(t, err)
		require.Equal(t, c.want, string(source.AppendJSON(nil, found)), c.pointer)
	}
}

func TestFindNothing(t *testing.T) {
	doc := parse(t, "{a: [1], b: {c: x}}")
	for pointer, want := range map[string]string{
		"/d": "", "/a/1": "", "/b/c/x": "", "/b/c/0": "", "/a/99999999999": "",
		"/a/-":  `"-"` + noIndex,
		"/a/-1": `"-1"` + noIndex,
		"/a/01": `"01"` + noIndex,
		"/a/+0": `"+0"` + noIndex,
		"/a/":   `""` + noIndex,
		"a":     noSlash,
		"/a~":   noEscape,
		"/~2":   noEscape,
	} {
		found, err := patch.Find(doc, pointer)
		require.Nil(t, found, pointer)
		if want == "" {
			require.NoError(t, err, pointer)
		} else {
			require.EqualError(t, err, want, pointer)
		}
	}
}

func TestApply(t *testing.T) {
	check(t, []example{
		{"whole document", "{a: 1}", "[{op: replace, path: '', value: {b: 2}}, {op: add, path: '', value: [3]}]", "[3]"},
		{"existing key", "{a: 1, b: 2}", "[{op: add, path: /a, value: 3}]", `{"a":3,"b":2}`},
		{"empty key", "{a: 1}", "[{op: add, path: /, value: 2}]", `{"a":1,"":2}`},
		{"end of a list", "[1]", "[{op: add, path: /1, value: 2}]", "[1,2]"},
		{"list of a list", "[[1], []]", "[{op: add, path: /1/0, value: 2}]", "[[1],[2]]"},
		{"onto itself", "{a: {b: 1}}", "[{op: move, from: /a, path: /a}]", `{"a":{"b":1}}`},
		{"key that only starts alike", "{a: 1, ab: {}}", "[{op: move, from: /a, path: /ab/c}]", `{"ab":{"c":1}}`},
		{"up", "{a: {b: {c: 1}}}", "[{op: move, from: /a/b, path: ''}]", `{"c":1}`},
		{"copy into itself", "{a: {b: 1}}", "[{op: copy, from: /a, path: /a/c}]", `{"a":{"b":1,"c":{"b":1}}}`},
		{
			"numbers by value", "[1, 1.50, 1e3, -0, 0.001, 123456789012345678901]",
			"[{op: test, path: '', value: [1.0, 15e-1, 1000, 0.0, 1E-3, 123456789012345678901]}]",
			"[1,1.50,1e3,-0,0.001,123456789012345678901]",
		},
		{
			"keys in any order", "{a: true, b: {c: null}}",
			"[{op: test, path: '', value: {b: {c: null}, a: True}}]",
			`{"a":true,"b":{"c":null}}`,
		},
	})
}

func TestProblems(t *testing.T) {
	const differs = `test "/a": the value is different`
	check(t, []example{
		{
			"key of a scalar", "{a: {b: x}}",
			"[{op: add, path: /a/b/c, value: 1}]",
			`add "/a/b/c": path does not exist; "/a/b" does`,
		},
		{"item of a scalar", "{a: x}", "[{op: remove, path: /a/0}]", `remove "/a/0": path does not exist; "/a" does`},
		{
			"escaped", "{a/b: {}}",
			"[{op: remove, path: /a~1b/c/d}]",
			`remove "/a~1b/c/d": path does not exist; "/a~1b" does`,
		},
		{"replace nothing", "{a: 1}", "[{op: replace, path: /b, value: 1}]", `replace "/b": path does not exist`},
		{"test nothing", "{a: 1}", "[{op: test, path: /b, value: 1}]", `test "/b": path does not exist`},
		{
			"move nothing", "{a: {}}",
			"[{op: move, from: /a/b, path: /a}]",
			`move "/a/b" to "/a": path does not exist; "/a" does`,
		},
		{"copy nothing", "{a: 1}", "[{op: copy, from: /b, path: /c}]", `copy "/b" to "/c": path does not exist`},
		{"copy nowhere", "{a: 1}", "[{op: copy, from: /a, path: /b/c}]", `copy "/a" to "/b/c": path does not exist`},
		{
			"remove all", "{a: 1}",
			"[{op: remove, path: ''}]",
			`remove "": the whole object cannot be removed; expected a path such as "/metadata/labels/team"`,
		},
		{
			"into itself", "{a: {}}",
			"[{op: move, from: /a, path: /a/b}]",
			`move "/a" to "/a/b": a value cannot be moved into itself; expected a path outside of ` + "`from`",
		},
		{
			"beyond the end", "[1]",
			"[{op: add, path: /2, value: 1}]",
			`add "/2": "2" is not an index of the list; expected 0 to 1, or "-" to append`,
		},
		{
			"item that is not there", "{a: [1]}",
			"[{op: remove, path: /a/1}]",
			`remove "/a/1": path does not exist; "/a" does`,
		},
		{"negative", "[1]", "[{op: remove, path: /-1}]", `remove "/-1": "-1"` + noIndex},
		{"leading zero", "[1, 2]", "[{op: replace, path: /01, value: 1}]", `replace "/01": "01"` + noIndex},
		{"end of a list", "[1]", "[{op: remove, path: /-}]", `remove "/-": "-"` + noIndex},
		{"within the end", "[1]", "[{op: add, path: /-/a, value: 1}]", `add "/-/a": "-"` + noIndex},
		{"another number", "{a: 9007199254740993}", "[{op: test, path: /a, value: 9007199254740992}]", differs},
		{"another sign", "{a: 1}", "[{op: test, path: /a, value: -1}]", differs},
		{"immense number", "{a: 1e99999999999999999999}", "[{op: test, path: /a, value: 1e99999999999999999998}]", differs},
		{"longer list", "{a: [1]}", "[{op: test, path: /a, value: [1, 2]}]", differs},
		{"another key", "{a: {b: 1}}", "[{op: test, path: /a, value: {c: 1}}]", differs},
		{"null for nothing", "{a: {b: 1}}", "[{op: test, path: /a, value: {b: 1, c: null}}]", differs},
		{"another boolean", "{a: true}", "[{op: test, path: /a, value: false}]", differs},
	})
}

// A missing key is reported where the operation is read, and the operation has no effect.
func TestMalformed(t *testing.T) {
	for text, want := range map[string]string{
		"{path: /a, value: hunter2}":             `missing key "op"`,
		"{op: put, path: /a, value: hunter2}":    `unknown value "put"; accepted: add, copy, move, remove, replace, test`,
		"{op: replce, path: /a, value: hunter2}": `unknown value "replce"; did you mean "replace"?`,
		"{op: add, value: hunter2}":              `missing key "path"`,
		"{op: add, path: /a}":                    "add \"/a\": missing key \"value\"; to remove a key, use `op: remove`",
		"{op: test, path: /a, value: null}":      "test \"/a\": missing key \"value\"; to remove a key, use `op: remove`",
		"{op: move, path: /a}":                   `move "/a": missing key "from"; expected the path to take the value from`,
		"{op: add, path: a, value: hunter2}":     `add "a": ` + noSlash,
		"{op: copy, from: a, path: /a}":          `copy "a" to "/a": ` + noSlash,
		"{op: remove, path: /a~b}":               `remove "/a~b": ` + noEscape,
		"{op: remove, path: /a, at: 1}":          `unknown key "at"; accepted: from, op, path, value`,
	} {
		var op patch.Operation
		var diags source.Diagnostics
		source.Decode(parse(t, text), &op, "patches[0]", &diags)
		found := diags.Sorted()
		require.Len(t, found, 1, text)
		require.True(t, strings.HasPrefix(found[0].Path, "patches[0]"), text)
		require.Equal(t, want, found[0].Message)
		require.Error(t, op.Check(), text)

		d := patch.Document{Tree: parse(t, "{a: 1}")}
		require.Error(t, d.Apply(&op), text)
		require.Equal(t, `{"a":1}`, string(source.AppendJSON(nil, d.Tree)))
	}
}

// Operations that a program creates have not been checked by the types of a file.
func TestMalformedInGo(t *testing.T) {
	value := parse(t, "hunter2")
	for _, c := range []struct {
		op   patch.Operation
		want string
	}{
		{patch.Operation{Path: "/a", Value: value}, `"/a": missing key "op"`},
		{
			patch.Operation{Op: "put", Path: "/a", Value: value},
			`put "/a": unknown operation "put"; accepted: add, copy, move, remove, replace, test`,
		},
		{
			patch.Operation{Op: "replace", Path: "/a"},
			"replace \"/a\": missing key \"value\"; to remove a key, use `op: remove`",
		},
		{
			patch.Operation{Op: "copy", Path: "/a", Value: value},
			`copy "/a": missing key "from"; expected the path to take the value from`,
		},
		{patch.Operation{Op: "add", Path: "a", Value: value}, `add "a": ` + noSlash},
	} {
		d := patch.Document{Tree: parse(t, "{a: 1}")}
		require.EqualError(t, d.Apply(&c.op), c.want)
	}
}

// A patched value and its key have the position where they were written.
func TestPositions(t *testing.T) {
	d := patch.Document{Tree: parse(t, "{a: {b: 1}}")}
	ops := operations(t, "\n- {op: add, path: /a/c, value: {d: 1}}\n- {op: replace, path: /a/b, value: 2}\n")
	for i := range ops {
		require.NoError(t, d.Apply(&ops[i]))
	}
	a := d.Tree.Field("a")
	require.Equal(t, "f.yaml:1:2", a.Pos().String())
	require.Equal(t, "f.yaml:2:32", a.Value.Field("c").Pos().String())
	require.Equal(t, "f.yaml:2:33", a.Value.Get("c").Field("d").Pos().String())
	require.Equal(t, "f.yaml:3:36", a.Value.Get("b").Pos().String())
	require.Equal(t, "f.yaml:2:3", ops[0].Pos.String())
}

// Copies of copies double the document. They stop at the limit and need no memory before
// that, because copies share nodes.
func TestCopiesAreBounded(t *testing.T) {
	double := func(n int) string {
		return strings.Repeat("- {op: copy, from: /a, path: /a/-}\n", n)
	}
	const bound = `copy "/a" to "/a/-": the copies are too large; expected at most 1 MiB in all`
	require.Equal(t, bound, apply(t, "{a: [x]}", double(100)))
	require.NotEqual(t, bound, apply(t, "{a: [x]}", double(15)))

	large := fmt.Sprintf("{a: %s}", strings.Repeat("x", 400_000))
	copies := "- {op: copy, from: /a, path: /b}\n"
	require.NotContains(t, apply(t, large, strings.Repeat(copies, 2)), "too large")
	require.Contains(t, apply(t, large, strings.Repeat(copies, 3)), "too large")

	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	apply(t, "{a: [x]}", double(100))
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16<<20))
}

func ExampleDocument_Apply() {
	var diags source.Diagnostics
	text := `spec: {cpu: {cores: 2}}
---
{op: replace, path: /spec/cpu/cores, value: 4}
---
{op: remove, path: /spec/memory}
`
	docs := source.Parse(&source.File{Name: "f.yaml", Data: []byte(text)}, &diags)
	d := patch.Document{Tree: docs[0]}
	for _, n := range docs[1:] {
		var op patch.Operation
		source.Decode(n, &op, "", &diags)
		if err := d.Apply(&op); err != nil {
			fmt.Printf("%s: %v\n", op.Pos, err)
		}
	}
	fmt.Printf("%s\n", source.AppendJSON(nil, d.Tree))
	// Output:
	// f.yaml:5:1: remove "/spec/memory": path does not exist; "/spec" does
	// {"spec":{"cpu":{"cores":4}}}
}
