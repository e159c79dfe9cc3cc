package adopt

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// difference returns the merge patch (RFC 7386) from one tree to another: nil removes a
// key, lists are replaced. It is empty if they are equal.
func difference(from, to tree) tree {
	out := tree{}
	for key, got := range from {
		if _, ok := to[key]; !ok {
			out[key] = removed(key, got)
		}
	}
	for key, want := range to {
		got, ok := from[key]
		a, isTree := got.(tree)
		b, areTrees := want.(tree)
		switch {
		case isTree && areTrees:
			if below := difference(a, b); len(below) > 0 {
				out[key] = below
			}
		case !ok || !reflect.DeepEqual(got, want):
			out[key] = want
		}
	}
	return out
}

// removed returns the patch that removes the value of a key: of labels and annotations each,
// since other levels add to them.
func removed(key string, value any) any {
	all, ok := value.(tree)
	if !ok || key != "labels" && key != "annotations" && key != "metadata" {
		return nil
	}
	out := tree{}
	for name, below := range all {
		out[name] = removed(name, below)
	}
	return out
}

// differences returns what differs between two trees, as `path: was, becomes`, sorted.
func differences(live, rendered tree) []string {
	over := difference(live, rendered)
	paths := leaves(over)
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		was, becomes := reach(live, path), reach(over, path)
		out = append(out, strings.Join(path, ".")+": "+shown(was)+", becomes "+shown(becomes))
	}
	return out
}

// leaves returns the paths of a tree that do not lead to trees with keys, sorted.
func leaves(t tree) [][]string { return leavesBelow(nil, t) }

func leavesBelow(at []string, t tree) [][]string {
	var out [][]string
	for _, key := range slices.Sorted(maps.Keys(t)) {
		path := append(slices.Clone(at), key)
		if below, ok := t[key].(tree); ok && len(below) > 0 {
			out = append(out, leavesBelow(path, below)...)
		} else {
			out = append(out, path)
		}
	}
	return out
}

// reach returns the value at a path of keys, which may have brackets in their names.
func reach(t tree, path []string) any {
	var v any = t
	for _, key := range path {
		below, _ := v.(tree)
		v = below[key]
	}
	return v
}

// shown returns a value as a report shows it: lists, which may contain user data, by the
// number of their entries.
func shown(v any) string {
	switch v := v.(type) {
	case nil:
		return "nothing"
	case []any:
		return fmt.Sprintf("%d entries", len(v))
	case tree:
		return fmt.Sprintf("%d keys", len(v))
	}
	text := string(source.AppendJSON(nil, node.Of(v)))
	if r := []rune(text); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return text
}
