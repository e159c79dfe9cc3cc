package node

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

// Value returns a value as a node, and nil for zero values: nil, "", 0, false, and maps and lists without entries. It
// accepts nodes, a [*Map], and all that has a form in JSON. A *bool is its value, and nil if it is nil.
func Value(value any) *source.Node {
	switch v := value.(type) {
	case nil:
		return nil
	case *source.Node:
		if v == nil || v.Kind == source.Map && len(v.Fields) == 0 || v.Kind == source.List && len(v.Items) == 0 {
			return nil
		}
		return v
	case *Map:
		return Value(v.Node())
	case string:
		if v == "" {
			return nil
		}
		return &source.Node{Kind: source.String, Text: v}
	case bool:
		if !v {
			return nil
		}
		return Bool(v)
	case *bool:
		if v == nil {
			return nil
		}
		return Bool(*v)
	}
	return otherValue(value)
}

// otherValue is [Value] for numbers and for what has a form in JSON.
func otherValue(value any) *source.Node {
	switch text := fmt.Sprint(value); value.(type) {
	case int, int32, int64, uint32:
		if text == "0" {
			return nil
		}
		return Number(text)
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

// Bool returns a boolean, also for false.
func Bool(v bool) *source.Node { return &source.Node{Kind: source.Bool, Text: strconv.FormatBool(v)} }

// Number returns an integer, as it is written.
func Number(text string) *source.Node { return &source.Node{Kind: source.Int, Text: text} }

// Null returns the value that removes what is inherited.
func Null() *source.Node { return &source.Node{Kind: source.Null} }

// Of returns a value that [manifest.Decode] has decoded, with all that it contains, keys sorted. Unlike for [Value],
// nil is a null, and what is empty stays.
func Of(v any) *source.Node {
	switch v := v.(type) {
	case nil:
		return Null()
	case manifest.Tree:
		n := Map{}
		for _, key := range slices.Sorted(maps.Keys(v)) {
			n.Put(key, Of(v[key]))
		}
		return n.Node()
	case []any:
		n := &source.Node{Kind: source.List}
		for _, item := range v {
			n.Items = append(n.Items, Of(item))
		}
		return n
	case string:
		return &source.Node{Kind: source.String, Text: v}
	case bool:
		return Bool(v)
	}
	text := fmt.Sprint(v)
	n := Number(text)
	if strings.ContainsAny(text, ".eE") {
		n.Kind = source.Float
	}
	return n
}

// List returns a list of values, each as [Value] has it, and nil if there are none. A zero value is an empty map.
func List(items []any) *source.Node {
	if len(items) == 0 {
		return nil
	}
	n := &source.Node{Kind: source.List}
	for _, item := range items {
		if v := Value(item); v != nil {
			n.Items = append(n.Items, v)
		} else {
			n.Items = append(n.Items, &source.Node{Kind: source.Map})
		}
	}
	return n
}

// Joined returns a list with the items of two lists. Either can be nil; the result is nil if both are.
func Joined(a, b *source.Node) *source.Node {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	return &source.Node{Kind: source.List, Items: append(slices.Clone(a.Items), b.Items...)}
}

// IsTrue reports whether a node is the boolean true. It can be nil.
func IsTrue(n *source.Node) bool { return n != nil && n.Kind == source.Bool && n.Text == "true" }
