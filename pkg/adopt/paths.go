package adopt

import (
	"github.com/vmrender/vmrender/pkg/source"
	"iter"
	"maps"
	"slices"
	"strings"
)

// splitPath returns the keys of a path of [leavesOf].
func splitPath(path string) []string { return strings.Split(path, separator) }

// chain returns the map in which a value is at a path of [leavesOf].
func chain(path string, v *source.Node) *source.Node {
	for _, key := range slices.Backward(strings.Split(path, separator)) {
		v = one(key, v)
	}
	return v
}

// separator is between the keys of a path, none of which contains it.
const separator = "\x00"

// sorted yields the entries of a map in the order of its keys.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// leavesOf returns the values of a tree other than maps with keys, by their paths.
func leavesOf(at []string, n *source.Node) map[string]*source.Node {
	out := map[string]*source.Node{}
	for _, f := range n.Entries() {
		path := append(slices.Clone(at), f.Key)
		if f.Value.Kind == source.Map && len(f.Value.Fields) > 0 {
			maps.Copy(out, leavesOf(path, f.Value))
		} else {
			out[strings.Join(path, separator)] = f.Value
		}
	}
	return out
}
