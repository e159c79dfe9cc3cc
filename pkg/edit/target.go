package edit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// target returns the documents with the changes, and the comments of the values set. A
// document that does not change is the same node.
func target(docs []*source.Node, changes []Change) ([]*source.Node, map[*source.Node]string, error) {
	t := tree{own: map[*source.Node]bool{}, comments: map[*source.Node]string{}}
	var problems []problem
	out := slices.Clone(docs)
	for _, c := range changes {
		if c.Value != nil {
			value := *c.Value // a node of its own: one value may be set in several places
			c.Value = &value
			t.comments[&value] = c.Comment
		}
		if len(c.Path) == 0 {
			problems = append(problems, newProblem(docs[0], "", "a document is not changed as a whole; set its keys"))
			continue
		}
		i := choose(out, c.Path)
		t.root = docs[i]
		n, err := t.set(out[i], "", c.Path, c.Value)
		if p, failed := errors.AsType[problem](err); failed {
			problems = append(problems, p)
			continue
		}
		out[i] = n
	}
	return out, t.comments, joined(problems)
}

// choose returns the index of the document that has the longest part of a path.
func choose(docs []*source.Node, path []string) int {
	best, most := 0, -1
	for i, doc := range docs {
		have := 0
		for n := doc; n != nil && have < len(path); have++ {
			if n = child(n, path[have]); n == nil {
				break
			}
		}
		if doc.Kind == source.Map {
			have++ // before an empty one
		}
		if have > most {
			best, most = i, have
		}
	}
	return best
}

// child returns the value of a key or item, or nil if there is none.
func child(n *source.Node, key string) *source.Node {
	if n.Kind != source.List {
		return n.Get(key)
	}
	if i, ok := index(key); ok && i < len(n.Items) {
		return n.Items[i]
	}
	return nil
}

// index returns the number in "[0]".
func index(key string) (int, bool) {
	digits, open := strings.CutPrefix(key, "[")
	digits, closed := strings.CutSuffix(digits, "]")
	i, err := strconv.ParseUint(digits, 10, 31)
	return int(i), open && closed && err == nil
}

// tree computes trees with changes. It changes no node but its own.
type tree struct {
	own      map[*source.Node]bool
	root     *source.Node // position of problems with what is missing
	comments map[*source.Node]string
}

// set returns n, which is at a path, with the value at the rest of the path. n is nil if it
// is missing.
func (t *tree) set(n *source.Node, at string, rest []string, value *source.Node) (*source.Node, error) {
	if len(rest) == 0 {
		return value, nil
	}
	switch {
	case !n.IsSet() && value != nil:
		n = t.copied(n, source.Node{Kind: source.Map, File: t.root.File, Line: t.root.Line, Col: t.root.Col})
	case !n.IsSet():
		return nil, newProblem(t.root, at, fmt.Sprintf("there is no key %q to remove", rest[0]))
	case n.Kind == source.List:
		return t.setItem(n, at, rest, value)
	case n.Kind != source.Map:
		return nil, newProblem(n, at,
			fmt.Sprintf("this is not a map, so it has no key %q; set the value as a whole", rest[0]))
	}
	i := slices.IndexFunc(n.Fields, func(f source.Field) bool { return f.Key == rest[0] })
	f := source.Field{Key: rest[0], Line: n.Line, Col: n.Col}
	if i >= 0 {
		f = n.Fields[i]
	} else if value == nil && len(rest) == 1 {
		return nil, newProblem(n, at, fmt.Sprintf("there is no key %q to remove", rest[0]))
	}
	var err error
	if f.Value, err = t.set(f.Value, source.JoinPath(at, f.Key), rest[1:], value); err != nil {
		return nil, err
	}
	out := t.copied(n, *n)
	out.Fields = placed(out.Fields, i, f, f.Value != nil)
	return out, nil
}

// setItem does what set does for a list.
func (t *tree) setItem(n *source.Node, at string, rest []string, value *source.Node) (*source.Node, error) {
	i, ok := index(rest[0])
	if !ok || i > len(n.Items) || i == len(n.Items) && value == nil {
		return nil, newProblem(n, at,
			fmt.Sprintf("%q is not an item of this list; accepted: [0] to [%d]", rest[0], len(n.Items)))
	}
	var item *source.Node
	if i < len(n.Items) {
		item = n.Items[i]
	}
	item, err := t.set(item, source.IndexPath(at, i), rest[1:], value)
	if err != nil {
		return nil, err
	}
	out := t.copied(n, *n)
	out.Items = placed(out.Items, i, item, item != nil)
	return out, nil
}

// copied returns a node of its own for what n becomes, with the comment of n. A node that
// already is one is changed: without that, changes in a large map would take quadratic time.
func (t *tree) copied(n *source.Node, content source.Node) *source.Node {
	if t.own[n] {
		*n = content
		return n
	}
	if comment := t.comments[n]; comment != "" {
		t.comments[&content] = comment
	}
	content.Fields, content.Items = slices.Clone(content.Fields), slices.Clone(content.Items)
	t.own[&content] = true
	return &content
}

// placed returns a list with its element i set or removed. If the list has no element i, it
// appends one.
func placed[T any](list []T, i int, element T, keep bool) []T {
	switch {
	case !keep:
		return slices.Delete(list, i, i+1)
	case i < 0 || i == len(list):
		return append(list, element)
	}
	list[i] = element
	return list
}
