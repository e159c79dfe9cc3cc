package source

import (
	"strconv"
	"strings"
)

// Plain converts a value to the form that templates and JSON use. It omits null entries
// of maps.
func (n *Node) Plain() any {
	switch n.Kind {
	case Map:
		m := make(map[string]any, len(n.Fields))
		for _, f := range n.Fields {
			if f.Value.Kind != Null {
				m[f.Key] = f.Value.Plain()
			}
		}
		return m
	case List:
		list := make([]any, len(n.Items))
		for i, item := range n.Items {
			list[i] = item.Plain()
		}
		return list
	case Bool:
		return strings.EqualFold(n.Text, "true")
	case Int:
		if i, err := strconv.Atoi(n.Text); err == nil {
			return i
		}
	case Float:
		if f, err := strconv.ParseFloat(n.Text, 64); err == nil {
			return f
		}
	case Null:
		return nil
	}
	return n.Text
}
