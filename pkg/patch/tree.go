package patch

import (
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/pkg/source"
)

// step is one container on the way to a value, and the entry that leads there.
type step struct {
	in *source.Node
	at int
}

// rebuild returns a tree in which the steps lead to another value.
func rebuild(way []step, value *source.Node) *source.Node {
	for _, s := range slices.Backward(way) {
		n := *s.in
		if n.Kind == source.Map {
			n.Fields = slices.Clone(n.Fields)
			if f := &n.Fields[s.at]; f.Value.File == value.File {
				f.Value = value
			} else {
				*f = field(f.Key, value)
			}
		} else {
			n.Items = slices.Clone(n.Items)
			n.Items[s.at] = value
		}
		value = &n
	}
	return value
}

// field returns an entry of a map. The key has the position of the value, because both
// must be in the same file.
func field(key string, value *source.Node) source.Field {
	return source.Field{Key: key, Line: value.Line, Col: value.Col, Value: value}
}

// set returns a copy of a map with a key set to a value.
func set(in *source.Node, key string, value *source.Node) *source.Node {
	if i, _ := entry(in, key); i >= 0 {
		return rebuild([]step{{in, i}}, value)
	}
	n := *in
	n.Fields = append(slices.Clip(n.Fields), field(key, value))
	return &n
}

// insert returns a copy of a list with a value inserted at an index or, for "-",
// appended.
func insert(in *source.Node, token string, value *source.Node) (*source.Node, error) {
	i, err := index(token)
	if token == "-" {
		i, err = len(in.Items), nil
	}
	if err != nil || i > len(in.Items) {
		return nil, fmt.Errorf("%q is not an index of the list; expected 0 to %d, or \"-\" to append", token, len(in.Items))
	}
	n := *in
	n.Items = slices.Insert(slices.Clip(n.Items), i, value)
	return &n, nil
}

// without returns a copy of a container without one of its entries.
func without(in *source.Node, i int) *source.Node {
	if in.Kind == source.Map {
		return in.Without(in.Fields[i].Key)
	}
	n := *in
	n.Items = slices.Delete(slices.Clone(n.Items), i, i+1)
	return &n
}
