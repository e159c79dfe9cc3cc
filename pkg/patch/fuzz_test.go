package patch_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
)

// A patch returns valid JSON or is rejected. It does not change the tree that it is
// applied to.
func FuzzApply(f *testing.F) {
	for _, seed := range []struct{ doc, ops string }{
		{
			"{a: [1, {b: x}], c: null}",
			"[{op: add, path: /a/-, value: [.5]}, {op: move, from: /a/1, path: /c}, {op: copy, from: /c, path: /d}]",
		},
		{"[]", "[{op: add, path: /0, value: {}}, {op: test, path: /0, value: {}}, {op: replace, path: '', value: +1e9}]"},
		{"{a/b: {m~n: 1}}", "[{op: remove, path: /a~1b/m~0n}, {op: test, path: /a~1b, value: {}}]"},
		{"{a: [x]}", "[{op: copy, from: /a, path: /a/-}, {op: copy, from: /a, path: /a/0}, {op: remove, path: /a/-1}]"},
	} {
		f.Add(seed.doc, seed.ops)
	}
	f.Fuzz(func(t *testing.T, doc, text string) {
		var diags source.Diagnostics
		docs := source.Parse(&source.File{Data: []byte(doc)}, &diags)
		lists := source.Parse(&source.File{Data: []byte(text)}, &diags)
		if diags.HasErrors() || len(docs) != 1 || len(lists) != 1 {
			return
		}
		var ops []patch.Operation
		source.Decode(lists[0], &ops, "", &diags)
		before := source.AppendJSON(nil, docs[0])
		d := patch.Document{Tree: docs[0]}
		for i := range ops {
			was := d.Tree
			if d.Apply(&ops[i]) != nil {
				require.Same(t, was, d.Tree)
				continue
			}
		}
		require.True(t, json.Valid(source.AppendJSON(nil, d.Tree)))
		require.Equal(t, string(before), string(source.AppendJSON(nil, docs[0])), "the input tree was changed")
	})
}
