// Package node builds trees of YAML: maps whose keys have an order, values in the place of what Go and JSON have, and
// paths to the leaves of a tree. What it builds has no position in a file.
package node

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/source"
)

// Map is a map that is being built. The zero value is empty.
type Map struct {
	Fields []source.Field // in the order in which their keys were set, each key once
}

// Set sets a key to a value, of any type that [Value] accepts. It leaves the map as it is if the value is the zero
// value of its type: nil, "", 0, false, or a map or list without entries.
func (n *Map) Set(key string, value any) {
	if v := Value(value); v != nil {
		n.Put(key, v)
	}
}

// Put sets a key to a node, also a null or an empty one. A key that is set already keeps its place.
func (n *Map) Put(key string, v *source.Node) {
	for i := range n.Fields {
		if n.Fields[i].Key == key {
			n.Fields[i].Value = v
			return
		}
	}
	n.Fields = append(n.Fields, source.Field{Key: key, Value: v})
}

// Replace is [Map.Put], and removes the key if v is nil.
func (n *Map) Replace(key string, v *source.Node) {
	if v == nil {
		n.Remove(key)
		return
	}
	n.Put(key, v)
}

// Get returns the value of a key, or nil if it is not set.
func (n *Map) Get(key string) *source.Node { return n.Node().Get(key) }

// Remove removes a key if it is set.
func (n *Map) Remove(key string) {
	n.Fields = slices.DeleteFunc(n.Fields, func(f source.Field) bool { return f.Key == key })
}

// IsEmpty reports whether no key is set.
func (n *Map) IsEmpty() bool { return len(n.Fields) == 0 }

// Node returns the map as a node, which has no position and shares the fields.
func (n *Map) Node() *source.Node { return &source.Node{Kind: source.Map, Fields: n.Fields} }

// Short returns the map in its short form if no key but this one is set, which is the value of the key alone, and as a
// map otherwise.
func (n *Map) Short(key string) *source.Node {
	if len(n.Fields) == 1 && n.Fields[0].Key == key {
		return n.Fields[0].Value
	}
	return n.Node()
}

// From returns a map to build on: the fields of n, of which nothing changes; or n under the key, if n is not a map but
// the short form of one. It is empty for nil and for a null.
func From(n *source.Node, key string) *Map {
	out := new(Map)
	switch {
	case n == nil || n.Kind == source.Null:
	case n.Kind == source.Map:
		out.Fields = slices.Clone(n.Fields)
	default:
		out.Put(key, n)
	}
	return out
}

// One returns a map with one key. The value can be nil.
func One(key string, value *source.Node) *source.Node {
	n := Map{}
	n.Put(key, value)
	return n.Node()
}
