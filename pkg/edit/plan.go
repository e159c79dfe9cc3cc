package edit

import (
	"github.com/vmrender/vmrender/pkg/source"
)

// plan is what becomes of a collection.
type plan struct {
	steps []step
	last  int            // step of the entry that the new ones follow
	added []source.Field // without keys in a list
}

// step is what becomes of an entry.
type step struct {
	entry
	path string
	to   *source.Node // nil for a merge key, which stays
	gone bool
}

// mapPlan compares the entries of a map with those that it should have.
func (e *editor) mapPlan(p place, to *source.Node, path string) plan {
	var out plan
	entries, _ := e.entries(p)
	own := map[string]bool{}
	for i, entry := range entries {
		s := step{entry: entry, path: source.JoinPath(path, entry.key), to: to.Likely(entry.key, i)}
		s.gone = s.to == nil && entry.value.node != nil
		own[entry.key] = true
		if out.steps = append(out.steps, s); !s.gone {
			out.last = i
		}
	}
	for i, f := range to.Fields {
		switch old := p.node.Likely(f.Key, i); {
		case own[f.Key]:
		case old == nil:
			out.added = append(out.added, f)
		case !old.Equal(f.Value):
			e.share(p.start, source.JoinPath(path, f.Key), inherited)
		}
	}
	for i, f := range p.node.Fields {
		if !own[f.Key] && to.Likely(f.Key, i) == nil {
			e.share(p.start, source.JoinPath(path, f.Key), inherited)
		}
	}
	return out
}

const inherited = `this key comes from a merge key ("<<") and is not changed by a program; edit it manually`

// listPlan compares the items of a list with those that it should have. Equal items at its
// start and end stay; those between are compared in their order.
func (e *editor) listPlan(p place, to *source.Node, path string) plan {
	var out plan
	entries, _ := e.entries(p)
	old, items := p.node.Items, to.Items
	fewer := min(len(old), len(items))
	first, last := 0, 0
	for first < fewer && old[first].Equal(items[first]) {
		first++
	}
	for last < fewer-first && old[len(old)-1-last].Equal(items[len(items)-1-last]) {
		last++
	}
	if last == len(old) && len(items) > len(old) {
		last = 0 // new items follow one that was there
	}
	pairs := fewer - last
	for i, entry := range entries {
		s := step{entry: entry, path: source.IndexPath(path, i), gone: i >= pairs && i < len(old)-last}
		switch {
		case i < pairs:
			s.to = items[i]
		case !s.gone:
			s.to = items[len(items)-len(old)+i]
		}
		out.steps = append(out.steps, s)
	}
	for _, item := range items[pairs : len(items)-last] {
		out.added = append(out.added, source.Field{Value: item})
	}
	out.last = pairs - 1
	return out
}
