// Package vars handles the free values that templates insert: as options of a command,
// as Go values, and in messages about those that are missing. Fleets and platforms
// share it. It does not depend on either.
package vars

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// option is the name of the option in diagnostics, in place of a file.
const option = "--set"

// Parse converts "a.b=value" options to a tree of strings and booleans, or nil if there
// are none.
func Parse(sets []string, diags *source.Diagnostics) *source.Node {
	var out *source.Node
	file := &source.File{Name: option}
	for _, set := range sets {
		keys, value, ok := Split(file, set, diags)
		if !ok {
			continue
		}
		n := &source.Node{Kind: source.String, Text: value, File: file}
		if value == "true" || value == "false" {
			n.Kind = source.Bool
		}
		out = source.Merge(out, Under(file, keys, n))
	}
	return out
}

// Split splits a "key=value" option with dotted keys. file stands for the option.
func Split(file *source.File, pair string, diags *source.Diagnostics) (keys []string, value string, ok bool) {
	key, value, ok := strings.Cut(pair, "=")
	if !ok || strings.Contains("."+key+".", "..") {
		diags.Errorf(source.Pos{File: file.Name}, rule.BadOption, "",
			"invalid option %q; expected key=value, with a dot between the keys of a path", key)
		return nil, "", false
	}
	return strings.Split(key, "."), value, true
}

// Under returns a value under a path of keys.
func Under(file *source.File, keys []string, n *source.Node) *source.Node {
	for _, key := range slices.Backward(keys) {
		m := source.EmptyMap(&source.Node{File: file})
		m.Add(key, n)
		n = m
	}
	return n
}

// Value converts a value to the form that templates and JSON use. It omits null entries
// of maps.
func Value(n *source.Node) any {
	switch n.Kind {
	case source.Map:
		m := make(map[string]any, len(n.Fields))
		for _, f := range n.Fields {
			if f.Value.Kind != source.Null {
				m[f.Key] = Value(f.Value)
			}
		}
		return m
	case source.List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = Value(item)
		}
		return list
	case source.Bool:
		return strings.EqualFold(n.Text, "true")
	case source.Int:
		if i, err := strconv.Atoi(n.Text); err == nil {
			return i
		}
	case source.Float:
		if f, err := strconv.ParseFloat(n.Text, 64); err == nil {
			return f
		}
	case source.Null:
		return nil
	}
	return n.Text
}

// Missing returns the message for a name that is not among the vars, in an expression
// such as ".vars.dns.servers", or "" if the expression is not about vars.
func Missing(expr, name string, vars any) string {
	if !strings.HasPrefix(expr, ".vars.") {
		return ""
	}
	known := nextTo(expr, name, vars)
	if len(known) == 0 {
		return fmt.Sprintf("missing variable %q; set it under `vars` or with --set", name)
	}
	return fmt.Sprintf("missing variable %q; %s", name, suggest.DidYouMean(name, known))
}

// nextTo returns the keys of the map in which an expression looks for a name.
func nextTo(expr, name string, vars any) []string {
	at, _ := vars.(map[string]any)
	for _, key := range strings.Split(expr, ".")[2:] {
		if key == name {
			break
		}
		at, _ = at[key].(map[string]any)
	}
	known := make([]string, 0, len(at))
	for k := range at {
		known = append(known, k)
	}
	slices.Sort(known)
	return known
}
