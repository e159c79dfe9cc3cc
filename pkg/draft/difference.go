package draft

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/secret"
	"github.com/vmrender/vmrender/pkg/source"
)

// Difference returns the merge patch (RFC 7386) from one tree to another: nil removes a key, lists are replaced as a
// whole, and labels and annotations are removed one by one. It is empty, and not nil, if the trees are equal.
// It shares values with the second tree.
func Difference(from, to manifest.Tree) manifest.Tree {
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
			if below := Difference(a, b); len(below) > 0 {
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

// Differences returns what differs between a VM and what is rendered for it, as "spec.runStrategy: \"Always\", becomes
// nothing", sorted by path. In lists whose entries have names, it names the fields, as in
// "….disks[data].disk.bus"; of other lists, which may contain user data, it shows the number of entries, and of long
// values the beginning.
func Differences(live, rendered manifest.Tree) []string {
	over := Difference(live, rendered)
	paths := Leaves(over)
	out := make([]string, 0, len(paths))
	for _, path := range paths {
		out = append(out, differencesAt(path, Reach(live, path), Reach(over, path))...)
	}
	return out
}

// differencesAt returns the differences between two values at a path: one, or those of the entries of a list.
func differencesAt(path []string, was, becomes any) []string {
	changes := []diff.Change{{Path: path, Was: was, Now: becomes}}
	_, isList := was.([]any)
	if _, areLists := becomes.([]any); isList && areLists {
		if within := diff.Trees(placedAt(path, was), placedAt(path, becomes)); len(within) > 0 {
			changes = within // there are none if only the spelling of a quantity differs
		}
	}
	out := make([]string, len(changes))
	for i, c := range changes {
		out[i] = described(c)
	}
	return out
}

func placedAt(path []string, value any) any {
	for _, key := range slices.Backward(path) {
		value = tree{key: value}
	}
	return value
}

// described returns a change for users.
func described(c diff.Change) string {
	at := diff.Display(c.Path)
	if c.Path[len(c.Path)-1] == diff.Order {
		return at + ": the order of its entries changes"
	}
	was, becomes := shown(c.Was), shown(c.Now)
	if slices.ContainsFunc(c.Path, secret.IsField) {
		was, becomes = "a text", "another, not shown"
	}
	return at + ": " + was + ", becomes " + becomes
}

// Leaves returns the paths in a tree of all values but trees with keys, sorted: each is a list of keys.
func Leaves(t manifest.Tree) [][]string { return leavesBelow(nil, t) }

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

// Reach returns the value at a path of keys, or nil if there is none. Unlike for [manifest.At], a key can contain
// anything, such as brackets, and is never an index.
func Reach(t manifest.Tree, path []string) any {
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
	text := secret.MaskedIn(string(source.AppendJSON(nil, node.Of(v))))
	if r := []rune(text); len(r) > 60 {
		return string(r[:57]) + "..."
	}
	return text
}
