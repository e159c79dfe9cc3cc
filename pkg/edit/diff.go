package edit

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/source"
)

// Diff returns the smallest list of changes that make one map the other: maps key by key,
// scalars and lists as a whole, in the order of the keys in from and then in to. Either may be nil, which
// is an empty map.
func Diff(from, to *source.Node) []Change {
	return diff(nil, nil, from, to)
}

func diff(changes []Change, path []string, from, to *source.Node) []Change {
	at := func(key string) []string { return append(slices.Clone(path), key) }
	kept := map[string]bool{}
	for i, f := range from.Entries() {
		kept[f.Key] = true
		var value *source.Node
		if to != nil {
			value = to.Likely(f.Key, i)
		}
		switch {
		case f.Value.Equal(value):
		case value != nil && value.Kind == source.Map && f.Value.Kind == source.Map:
			changes = diff(changes, at(f.Key), f.Value, value)
		default:
			changes = append(changes, Change{Path: at(f.Key), Value: value})
		}
	}
	for _, f := range to.Entries() {
		if !kept[f.Key] {
			changes = append(changes, Change{Path: at(f.Key), Value: f.Value})
		}
	}
	return changes
}
