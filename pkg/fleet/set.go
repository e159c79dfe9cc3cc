package fleet

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// setOption and defaultOption are the names of options in diagnostics, in
// place of a file.
const (
	setOption     = "--set"
	defaultOption = "--default"
)

// parseSets converts "a.b=value" options to a tree of vars.
func parseSets(sets []string, diags *source.Diagnostics) *source.Node {
	var out *source.Node
	file := &source.File{Name: setOption}
	for _, set := range sets {
		if keys, value, ok := parsePair(file, set, diags); ok {
			out = source.Merge(out, setNode(file, keys, value))
		}
	}
	return out
}

// parsePair splits a "key=value" option.
func parsePair(file *source.File, pair string, diags *source.Diagnostics) (keys []string, value string, ok bool) {
	key, value, ok := strings.Cut(pair, "=")
	if !ok || strings.Contains("."+key+".", "..") {
		diags.Errorf(source.Pos{File: file.Name}, rule.BadOption, "",
			"invalid option %q; expected key=value, with a dot between the keys of a path", key)
		return nil, "", false
	}
	return strings.Split(key, "."), value, true
}

func setNode(file *source.File, keys []string, value string) *source.Node {
	n := &source.Node{Kind: source.String, Text: value, File: file}
	if value == "true" || value == "false" {
		n.Kind = source.Bool
	}
	return underKeys(file, keys, n)
}

// underKeys returns a value under a path of keys.
func underKeys(file *source.File, keys []string, n *source.Node) *source.Node {
	for _, key := range slices.Backward(keys) {
		m := source.EmptyMap(&source.Node{File: file})
		m.Add(key, n)
		n = m
	}
	return n
}
