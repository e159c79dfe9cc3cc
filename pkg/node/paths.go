package node

import (
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// Separator is between the keys of a path of [Leaves]. No key contains it.
const Separator = "\x00"

// Leaves returns the values of a tree other than maps with keys, by their paths: keys with a [Separator] between them.
// The tree can be nil; one that is not a map has no leaves.
func Leaves(n *source.Node) map[string]*source.Node { return leavesBelow(nil, n) }

func leavesBelow(at []string, n *source.Node) map[string]*source.Node {
	out := map[string]*source.Node{}
	for _, f := range n.Entries() {
		path := append(slices.Clone(at), f.Key)
		if f.Value.Kind == source.Map && len(f.Value.Fields) > 0 {
			maps.Copy(out, leavesBelow(path, f.Value))
		} else {
			out[strings.Join(path, Separator)] = f.Value
		}
	}
	return out
}

// SplitPath returns the keys of a path of [Leaves].
func SplitPath(path string) []string { return strings.Split(path, Separator) }

// Chain returns a tree with one leaf: the value at a path of [Leaves].
func Chain(path string, v *source.Node) *source.Node {
	for _, key := range slices.Backward(SplitPath(path)) {
		v = One(key, v)
	}
	return v
}

// Sorted yields the entries of a map in the order of its keys.
func Sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}
