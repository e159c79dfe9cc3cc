package writeback

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// plainKeys returns VM keys in long forms that are maps and scalars alone, to be compared key by
// key: a number of virtual CPUs is the part of the topology that grows with it, a boolean
// is a boolean, and a NIC is a map. The nulls of levels stay if they are wanted.
func plainKeys(keys *source.Node, topology string, nulls bool) *source.Node {
	keys = values.Long(keys)
	out := node.Map{}
	for _, f := range keys.Entries() {
		v := f.Value
		switch {
		case f.Key == "cpu":
			v = plainCPU(v, topology)
		case v.Kind == source.Map && v.Short.IsSet() && !anySet(v):
			v = v.Short
		case f.Key == "nics" && v.Kind == source.List:
			v = longNICs(v)
		}
		if v = stripped(v, nulls); v != nil {
			out.Put(f.Key, v)
		}
	}
	return out.Node()
}

// plainCPU returns `cpu` with the number of virtual CPUs as a part of the topology.
func plainCPU(n *source.Node, topology string) *source.Node {
	if n.Kind != source.Map || !n.Short.IsSet() || n.Get(topology).IsSet() {
		return n
	}
	of := node.Map{}
	of.Put(topology, n.Short)
	for _, f := range n.Fields {
		if f.Key != topology {
			of.Put(f.Key, f.Value)
		}
	}
	return of.Node()
}

func longNICs(n *source.Node) *source.Node {
	out := &source.Node{Kind: source.List, Style: n.Style}
	for _, item := range n.Items {
		out.Items = append(out.Items, node.From(item, "network").Node())
	}
	return out
}

// anySet reports whether a map has a value other than null.
func anySet(n *source.Node) bool {
	return slices.ContainsFunc(n.Fields, func(f source.Field) bool { return f.Value.IsSet() })
}

// stripped returns a value without the nulls in its maps, if they are not wanted, and without
// what only programs set. It returns nil for a null that is not wanted.
func stripped(n *source.Node, nulls bool) *source.Node {
	switch {
	case !n.IsSet() && !nulls:
		return nil
	case n == nil || n.Kind != source.Map:
		return n
	}
	out := *n
	out.Fields, out.Short = nil, nil
	for _, f := range n.Fields {
		if f.Value = stripped(f.Value, nulls); f.Value != nil {
			out.Fields = append(out.Fields, f)
		}
	}
	return &out
}

// placed returns a map with the value at a path, or without it if that is nil. Maps that are
// left without keys are also left out.
func placed(n *source.Node, path []string, value *source.Node) *source.Node {
	if len(path) == 0 {
		return value
	}
	of := node.Map{}
	if n != nil && n.Kind == source.Map {
		of.Fields = slices.Clone(n.Fields)
	}
	below := placed(of.Get(path[0]), path[1:], value)
	if below == nil || value == nil && below.Kind == source.Map && len(below.Fields) == 0 {
		of.Remove(path[0])
	} else {
		of.Put(path[0], below)
	}
	return of.Node()
}

// atomic are the paths of maps that are set as a whole; "*" is any key.
var atomic = [][]string{{"disks", "*", "source"}, {"sysprep"}, {"instancetype"}, {"preference"}}

// changed returns the changes from some VM keys to others, in plain forms. A null is a value
// that is missing.
func changed(from, to *source.Node) []edit.Change {
	var out []edit.Change
	for _, c := range edit.Diff(from, to) {
		for _, whole := range atomic {
			if n := len(whole); len(c.Path) > n && matchesPath(whole, c.Path[:n]) {
				c = edit.Change{Path: c.Path[:n], Value: to.Get(c.Path[:n]...)}
			}
		}
		if !slices.ContainsFunc(out, func(o edit.Change) bool { return slices.Equal(o.Path, c.Path) }) {
			out = append(out, c)
		}
	}
	return out
}

func matchesPath(pattern, path []string) bool {
	return slices.EqualFunc(pattern, path, func(p, key string) bool { return p == "*" || p == key })
}

// shorts are the maps with a short form, by path, and the key that it is the value of.
var shorts = []struct {
	path []string
	key  string
}{
	{[]string{"memory"}, "guest"},
	{[]string{"instancetype"}, "name"},
	{[]string{"preference"}, "name"},
	{[]string{"firmware"}, "type"},
	{[]string{"disks", "*"}, "size"},
	{[]string{"disks", "*", "source"}, "blank"},
	{[]string{"nics", "*"}, "network"},
}

// speller writes VM keys as a user does.
type speller struct{ topology string }

// respelled returns a value of VM keys in the shortest form, and what has not changed as it
// is written. Old and to are the plain forms of what is written, and of what it becomes.
func (s speller) respelled(path []string, written, old, to *source.Node) *source.Node {
	switch {
	case written != nil && old.Equal(to):
		return written
	case to.Kind == source.List && len(path) == 1 && path[0] == "nics":
		return s.items(path, written, old, to)
	case to.Kind != source.Map:
		return to
	}
	out := node.Map{}
	for _, f := range to.Fields {
		var was, before *source.Node
		if written != nil && written.Kind == source.Map {
			was, before = written.Get(f.Key), old.Get(f.Key)
		}
		if was == nil && !f.Value.IsSet() && old.Get(f.Key) != nil {
			continue // a null that the short form of what was written implies
		}
		key := strings.TrimSuffix(f.Key, values.Plus)
		out.Put(f.Key, s.respelled(append(slices.Clone(path), key), was, before, f.Value))
	}
	return s.short(path, &out)
}

func (s speller) items(path []string, written, old, to *source.Node) *source.Node {
	out := &source.Node{Kind: source.List}
	for i, item := range to.Items {
		var was, before *source.Node
		if written != nil && i < len(written.Items) && i < len(old.Items) {
			was, before = written.Items[i], old.Items[i]
		}
		out.Items = append(out.Items, s.respelled(append(slices.Clone(path), strconv.Itoa(i)), was, before, item))
	}
	return out
}

// short returns a map in its short form if it has one.
func (s speller) short(path []string, n *node.Map) *source.Node {
	if slices.Equal(path, []string{"cpu"}) {
		return n.Short(s.topology)
	}
	for _, form := range shorts {
		if matchesPath(form.path, path) && form.key == "blank" {
			return draft.ShortSource(n)
		} else if matchesPath(form.path, path) {
			return n.Short(form.key)
		}
	}
	return n.Node()
}
