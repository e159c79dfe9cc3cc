package source

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/rule"
)

// option is the name of the option in diagnostics, in place of a file.
const option = "--set"

// ParseOptions converts "a.b=value" options to a tree of strings and booleans, or nil if there
// are none.
func ParseOptions(sets []string, diags *Diagnostics) *Node {
	var out *Node
	file := &File{Name: option}
	for _, set := range sets {
		keys, value, ok := SplitOption(file, set, diags)
		if !ok {
			continue
		}
		n := &Node{Kind: String, Text: value, File: file}
		if value == "true" || value == "false" {
			n.Kind = Bool
		}
		out = Merge(out, Under(file, keys, n))
	}
	return out
}

// SplitOption splits a "key=value" option with dotted keys. file stands for the option.
func SplitOption(file *File, pair string, diags *Diagnostics) (keys []string, value string, ok bool) {
	key, value, ok := strings.Cut(pair, "=")
	if !ok || strings.Contains("."+key+".", "..") {
		diags.Errorf(Pos{File: file.Name}, rule.BadOption, "",
			"invalid option %q; expected key=value, with a dot between the keys of a path", key)
		return nil, "", false
	}
	return strings.Split(key, "."), value, true
}

// Under returns a value under a path of keys.
func Under(file *File, keys []string, n *Node) *Node {
	for _, key := range slices.Backward(keys) {
		m := EmptyMap(&Node{File: file})
		m.Add(key, n)
		n = m
	}
	return n
}
