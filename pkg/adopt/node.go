package adopt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
)

// tree is a decoded JSON object; see [manifest.Decode].
type tree = manifest.Tree

// node is a map that is being built, with its keys in the order in which they are set. The
// zero value is empty.
type node struct{ fields []source.Field }

// set sets a key, unless the value is the zero value of its type: nil, "", 0, false, or a
// map or list without entries.
func (n *node) set(key string, value any) {
	if v := valueOf(value); v != nil {
		n.put(key, v)
	}
}

// put sets a key to a node, in its place if it is set already.
func (n *node) put(key string, v *source.Node) {
	for i := range n.fields {
		if n.fields[i].Key == key {
			n.fields[i].Value = v
			return
		}
	}
	n.fields = append(n.fields, source.Field{Key: key, Value: v})
}

// replace sets a key in its place, or removes it if there is no value.
func (n *node) replace(key string, v *source.Node) {
	if v == nil {
		n.remove(key)
		return
	}
	n.put(key, v)
}

// get returns the value of a key, or nil.
func (n *node) get(key string) *source.Node { return n.tree().Get(key) }

// remove removes a key.
func (n *node) remove(key string) {
	n.fields = slices.DeleteFunc(n.fields, func(f source.Field) bool { return f.Key == key })
}

// empty reports whether no key is set.
func (n *node) empty() bool { return len(n.fields) == 0 }

// tree returns the map as a node.
func (n *node) tree() *source.Node { return &source.Node{Kind: source.Map, Fields: n.fields} }

// long returns a map of one required key in its short form if nothing else is set: its
// value alone.
func (n *node) short(key string) *source.Node {
	if len(n.fields) == 1 && n.fields[0].Key == key {
		return n.fields[0].Value
	}
	return n.tree()
}

// valueOf returns a value as a node, and nil for zero values.
func valueOf(value any) *source.Node {
	switch v := value.(type) {
	case nil:
		return nil
	case *source.Node:
		if v == nil || v.Kind == source.Map && len(v.Fields) == 0 || v.Kind == source.List && len(v.Items) == 0 {
			return nil
		}
		return v
	case *node:
		return valueOf(v.tree())
	case string:
		if v == "" {
			return nil
		}
		return &source.Node{Kind: source.String, Text: v}
	case bool:
		if !v {
			return nil
		}
		return truth(v)
	case *bool:
		if v == nil {
			return nil
		}
		return truth(*v)
	}
	return otherValue(value)
}

// otherValue is [valueOf] for numbers and for what has a form in JSON.
func otherValue(value any) *source.Node {
	switch text := fmt.Sprint(value); value.(type) {
	case int, int32, int64, uint32:
		if text == "0" {
			return nil
		}
		return number(text)
	}
	text, err := manifest.Encode(nil, value)
	if err != nil || slices.Contains([]string{"null", "{}", "[]", `""`, "0"}, string(text)) {
		return nil
	}
	n, err := patch.FromJSON(text, new(source.Node))
	if err != nil {
		return nil // never happens: it is JSON
	}
	return n
}

func truth(v bool) *source.Node { return &source.Node{Kind: source.Bool, Text: strconv.FormatBool(v)} }

func number(text string) *source.Node { return &source.Node{Kind: source.Int, Text: text} }

// null returns the value that removes what is inherited.
func null() *source.Node { return &source.Node{Kind: source.Null} }

// nodeOf returns a decoded JSON value as a node, keys sorted. A nil is a null.
func nodeOf(v any) *source.Node {
	switch v := v.(type) {
	case nil:
		return null()
	case tree:
		n := node{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.put(key, nodeOf(v[key]))
		}
		return n.tree()
	case []any:
		n := &source.Node{Kind: source.List}
		for _, item := range v {
			n.Items = append(n.Items, nodeOf(item))
		}
		return n
	case string:
		return &source.Node{Kind: source.String, Text: v}
	case bool:
		return truth(v)
	}
	text := fmt.Sprint(v)
	n := number(text)
	if strings.ContainsAny(text, ".eE") {
		n.Kind = source.Float
	}
	return n
}

// nodeFrom returns a map to build on: the one given, or one with a scalar under the key
// that it is short for.
func nodeFrom(n *source.Node, key string) *node {
	out := new(node)
	switch {
	case n == nil || n.Kind == source.Null:
	case n.Kind == source.Map:
		out.fields = slices.Clone(n.Fields)
	default:
		out.put(key, n)
	}
	return out
}

// joined returns a list with the items of both; either may be nil.
func joined(a, b *source.Node) *source.Node {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return &source.Node{Kind: source.List, Items: append(slices.Clone(a.Items), b.Items...)}
}

// nodes returns a list of values, or nil if there are none.
func nodes(items []any) *source.Node {
	if len(items) == 0 {
		return nil
	}
	n := &source.Node{Kind: source.List}
	for _, item := range items {
		if v := valueOf(item); v != nil {
			n.Items = append(n.Items, v)
		} else {
			n.Items = append(n.Items, &source.Node{Kind: source.Map})
		}
	}
	return n
}

// one returns a map with one key.
func one(key string, value *source.Node) *source.Node {
	n := node{}
	n.put(key, value)
	return n.tree()
}

func isTrue(n *source.Node) bool { return n != nil && n.Kind == source.Bool && n.Text == "true" }
