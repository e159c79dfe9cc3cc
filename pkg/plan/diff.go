package plan

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// change is one field that differs. Of a field that was added or removed, the other
// value is nil.
type change struct {
	path     []string
	was, now any
}

// order is the last segment of the path of a list in which only the order differs.
const order = "[]"

// diff returns the fields that differ between two values, by path. Maps are compared
// field by field, and lists whose entries have names entry by entry; other lists are
// one field.
func diff(was, now any) []change {
	var d differ
	d.compare(nil, was, now)
	return d.found
}

type differ struct{ found []change }

func (d *differ) add(path []string, was, now any) {
	d.found = append(d.found, change{slices.Clone(path), was, now})
}

func (d *differ) compare(path []string, was, now any) {
	if same(was, now) {
		return
	}
	a, isA := was.(tree)
	b, isB := now.(tree)
	switch {
	case isA && isB, isA && now == nil && len(a) > 0, isB && was == nil && len(b) > 0:
		for _, key := range keys(a, b) {
			d.compare(append(path, key), a[key], b[key])
		}
		return
	}
	if d.lists(path, was, now) || equal(path, was, now) {
		return
	}
	d.add(path, was, now)
}

// lists compares two lists entry by entry, and reports whether it could.
func (d *differ) lists(path []string, was, now any) bool {
	a, isA := was.([]any)
	b, isB := now.([]any)
	if !isA && !isB || !isA && was != nil || !isB && now != nil {
		return false
	}
	byWas, okA := manifest.Keyed(a)
	byNow, okB := manifest.Keyed(b)
	if !okA || !okB {
		return false
	}
	for _, key := range keys(byWas, byNow) {
		x, y := byWas[key], byNow[key]
		if x == nil || y == nil {
			d.add(append(path, key), x, y)
			continue
		}
		d.compare(append(path, key), x, y)
	}
	if common(names(a), byNow) != common(names(b), byWas) {
		d.add(append(path, order), joined(a), joined(b))
	}
	return true
}

// common returns the names that a list of entries has, in the order given.
func common(names []string, in map[string]any) string {
	return strings.Join(slices.DeleteFunc(names, func(n string) bool { return in[n] == nil }), "")
}

// joined returns the names of the entries of a list, for users.
func joined(l []any) any {
	out := make([]any, len(l))
	for i, v := range l {
		out[i] = manifest.EntryName(v)
	}
	return out
}

// display returns a path for users: "spec.volumes[data].name", and
// `metadata.annotations["example.com/key"]` for keys with other characters.
func display(path []string) string {
	var b strings.Builder
	for i, segment := range path {
		switch {
		case segment == order, segment == Created, segment == Removed:
		case strings.HasPrefix(segment, "["):
			b.WriteString(segment)
		case strings.ContainsAny(segment, "./[]\" "):
			b.WriteString(`["` + strings.ReplaceAll(segment, `"`, `\"`) + `"]`)
		default:
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(segment)
		}
	}
	return b.String()
}
