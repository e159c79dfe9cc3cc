package edit

import (
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/pkg/source"
)

// replacing computes trees with other scalars.
type replacing struct {
	values map[source.Pos]Replacement
	done   map[*source.Node]*source.Node // aliases share the node of their anchor
	found  map[source.Pos]bool
}

// replaced returns documents with other scalars. What does not change is the same node.
func replaced(docs []*source.Node, list []Replacement) ([]*source.Node, error) {
	r := replacing{
		values: map[source.Pos]Replacement{}, done: map[*source.Node]*source.Node{}, found: map[source.Pos]bool{},
	}
	for _, replacement := range list {
		r.values[replacement.Old.Pos()] = replacement
	}
	out := make([]*source.Node, len(docs))
	for i, doc := range docs {
		out[i] = r.tree(doc)
	}
	var problems []problem
	for at, replacement := range r.values {
		if !r.found[at] {
			problems = append(problems, newProblem(replacement.Old, "",
				fmt.Sprintf("the file does not contain %q here; make the change manually", replacement.Old.Text)))
		}
	}
	return out, joined(problems)
}

func (r *replacing) tree(n *source.Node) *source.Node {
	out, ok := r.done[n]
	if ok {
		return out
	}
	out = n
	value, ok := r.values[n.Pos()]
	switch {
	case n.Kind == source.Map || n.Kind == source.List:
		out = r.collection(n)
	case ok && n.Equal(value.Old):
		out, r.found[n.Pos()] = value.New, true
	}
	r.done[n] = out
	return out
}

func (r *replacing) collection(n *source.Node) *source.Node {
	out := *n
	out.Fields, out.Items = slices.Clone(n.Fields), slices.Clone(n.Items)
	changed := false
	for i := range out.Fields {
		out.Fields[i].Value = r.tree(n.Fields[i].Value)
		changed = changed || out.Fields[i].Value != n.Fields[i].Value
	}
	for i := range out.Items {
		out.Items[i] = r.tree(n.Items[i])
		changed = changed || out.Items[i] != n.Items[i]
	}
	if !changed {
		return n
	}
	return &out
}
