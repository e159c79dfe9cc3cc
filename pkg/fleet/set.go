package fleet

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// parseSets turns "a.b=value" options into a tree of vars.
func parseSets(sets []string, diags *source.Diagnostics) *source.Node {
	var out *source.Node
	file := &source.File{Name: "--set"}
	for _, set := range sets {
		key, value, ok := strings.Cut(set, "=")
		if !ok || strings.Contains("."+key+".", "..") {
			diags.Errorf(source.Pos{File: file.Name}, "bad-option", "", "bad option %q; want key=value, with a dot between the keys of a path", key)
			continue
		}
		out = source.Merge(out, setNode(file, strings.Split(key, "."), value))
	}
	return out
}

func setNode(file *source.File, keys []string, value string) *source.Node {
	n := &source.Node{Kind: source.String, Text: value, File: file}
	if value == "true" || value == "false" {
		n.Kind = source.Bool
	}
	for _, key := range slices.Backward(keys) {
		n = mapAt(&source.Node{File: file}, key, n)
	}
	return n
}
