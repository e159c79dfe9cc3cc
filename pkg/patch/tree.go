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

// rebuild returns the tree in which the way leads to another value.
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

// field returns an entry of a map, with the value's position for its key: the
// two are in one file.
func field(key string, value *source.Node) source.Field {
	return source.Field{Key: key, Line: value.Line, Col: value.Col, Value: value}
}

// set returns a map in which a key has a value.
func set(in *source.Node, key string, value *source.Node) *source.Node {
	if i, _ := entry(in, key); i >= 0 {
		return rebuild([]step{{in, i}}, value)
	}
	n := *in
	n.Fields = append(slices.Clip(n.Fields), field(key, value))
	return &n
}

// insert returns a list with a value inserted at an index or, for "-", appended.
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

// without returns a container without one of its entries.
func without(in *source.Node, i int) *source.Node {
	n := *in
	if n.Kind == source.Map {
		n.Fields = slices.Delete(slices.Clone(n.Fields), i, i+1)
	} else {
		n.Items = slices.Delete(slices.Clone(n.Items), i, i+1)
	}
	return &n
}
