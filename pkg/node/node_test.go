package node

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// is requires a tree to be a text of JSON, with its keys in this order.
func is(t *testing.T, want string, n *source.Node, about ...any) {
	t.Helper()
	require.Equal(t, want, string(source.AppendJSON(nil, n)), about...)
}

func TestMap(t *testing.T) {
	var m Map
	require.True(t, m.IsEmpty())
	m.Set("size", "1Gi")
	is(t, `"1Gi"`, m.Short("size"))
	is(t, `{"size":"1Gi"}`, m.Short("name"))
	for _, zero := range []any{
		nil, "", 0, false, (*bool)(nil), []string{}, map[string]string{}, new(Map), &source.Node{Kind: source.List},
	} {
		m.Set("zero", zero)
	}
	m.Set("count", 3)
	m.Put("size", Null())
	m.Replace("none", nil)
	is(t, `{"size":null,"count":3}`, m.Node())
	is(t, `{"size":null,"count":3}`, m.Short("size"))

	of := From(m.Node(), "")
	of.Remove("size")
	is(t, `{"count":3}`, of.Node())
	require.NotNil(t, m.Get("size"), "the other map has its fields")
	is(t, `{"size":"5Gi"}`, From(Value("5Gi"), "size").Node())
	require.True(t, From(Null(), "size").IsEmpty())
}

func TestValues(t *testing.T) {
	no := false
	is(t, `false`, Value(&no), "a pointer is set")
	is(t, `[{},"a"]`, List([]any{nil, "a"}))
	require.Nil(t, List(nil))
	require.Nil(t, Joined(nil, nil))
	is(t, `["a","b"]`, Joined(List([]any{"a"}), List([]any{"b"})))
	decoded := manifest.Decode([]byte(`{"b":[1,2.5,true,null],"a":{}}`))
	is(t, `{"a":{},"b":[1,2.5,true,null]}`, Of(decoded))
	require.True(t, IsTrue(Bool(true)))
	require.False(t, IsTrue(nil))
}

// A tree is what its leaves are, one after the other.
func TestLeaves(t *testing.T) {
	tree := Of(manifest.Decode([]byte(`{"a":{"b":1,"c":[2]},"d":{}}`)))
	var again *source.Node
	var paths [][]string
	for path, v := range Sorted(Leaves(tree)) {
		paths = append(paths, SplitPath(path))
		again = source.Compose(again, Chain(path, v))
	}
	require.Equal(t, [][]string{{"a", "b"}, {"a", "c"}, {"d"}}, paths)
	require.True(t, tree.Equal(again))
	require.Empty(t, Leaves(nil))
}
