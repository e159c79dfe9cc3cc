package plan

import (
	"bytes"
	"slices"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// key identifies an object in any version of its API.
type key struct{ group, kind, namespace, name string }

func keyOf(id manifest.ID) key { return key{id.Group(), id.Kind, id.Namespace, id.Name} }

// pair is an object on both sides; a side is nil if it has none.
type pair struct {
	id       manifest.ID
	old, new []byte
	// git is the old side in Git if the cluster's replaces it.
	git []byte
	// missing is true if Git had the object, and the cluster does not; takenOver the
	// reverse.
	missing, takenOver bool
}

func (p *pair) isMachine() bool {
	k := kindOf(p.id)
	return k == kindVM || k == kindPool
}

func (p *pair) isSame() bool { return p.old != nil && p.new != nil && bytes.Equal(p.old, p.new) }

// pairs returns the objects of both sides, by namespace, kind and name. Of several
// with one identity, the last one counts.
func pairs(was, now []manifest.Object) []pair {
	byKey := make(map[key]int, max(len(was), len(now)))
	out := make([]pair, 0, max(len(was), len(now)))
	find := func(id manifest.ID) *pair {
		i, ok := byKey[keyOf(id)]
		if !ok {
			i = len(out)
			byKey[keyOf(id)] = i
			out = append(out, pair{})
		}
		out[i].id = id
		return &out[i]
	}
	for i := range was {
		find(was[i].ID).old = was[i].JSON
	}
	for i := range now {
		find(now[i].ID).new = now[i].JSON
	}
	slices.SortFunc(out, func(a, b pair) int { return a.id.Compare(b.id) })
	return out
}

// subject returns the pair as a subject.
func (p *pair) subject(c Cluster) *subject {
	return &subject{
		id: p.id, old: manifest.Decode(p.old), new: manifest.Decode(p.new), git: manifest.Decode(p.git), cluster: c,
		missing: p.missing, takenOver: p.takenOver,
	}
}

// former returns the old side in Git.
func (p *pair) former() []byte {
	if p.git != nil {
		return p.git
	}
	return p.old
}
