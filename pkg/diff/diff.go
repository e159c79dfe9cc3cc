// Package diff compares objects field by field, as people read them: entries of lists by their names, quantities by
// their amounts.
package diff

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Change is one field that differs. Of a field that was added or removed, the other
// value is nil.
type Change struct {
	Path     []string
	Was, Now any
}

// The paths of objects as a whole.
const (
	Created = "(created)"
	Removed = "(removed)"
)

// Order is the last segment of the path of a list in which only the order differs.
const Order = "[]"

// Trees returns the fields that differ between two values, by path. Maps are compared
// field by field, and lists whose entries have names entry by entry; other lists are
// one field.
func Trees(was, now any) []Change {
	var d differ
	d.compare(nil, was, now)
	return d.found
}

type differ struct{ found []Change }

func (d *differ) add(path []string, was, now any) {
	d.found = append(d.found, Change{slices.Clone(path), was, now})
}

func (d *differ) compare(path []string, was, now any) {
	if Same(was, now) {
		return
	}
	a, isA := was.(manifest.Tree)
	b, isB := now.(manifest.Tree)
	switch {
	case isA && isB, isA && now == nil && len(a) > 0, isB && was == nil && len(b) > 0:
		for _, key := range Keys(a, b) {
			d.compare(append(path, key), a[key], b[key])
		}
		return
	}
	if d.lists(path, was, now) || Equal(path, was, now) {
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
	for _, key := range Keys(byWas, byNow) {
		x, y := byWas[key], byNow[key]
		if x == nil || y == nil {
			d.add(append(path, key), x, y)
			continue
		}
		d.compare(append(path, key), x, y)
	}
	if common(names(a), byNow) != common(names(b), byWas) {
		d.add(append(path, Order), Joined(a), Joined(b))
	}
	return true
}

// common returns the names that a list of entries has, in the order given.
func common(names []string, in map[string]any) string {
	return strings.Join(slices.DeleteFunc(names, func(n string) bool { return in[n] == nil }), "")
}

// Joined returns the names of the entries of a list, for users.
func Joined(l []any) any {
	out := make([]any, len(l))
	for i, v := range l {
		out[i] = manifest.EntryName(v)
	}
	return out
}

// Display returns a path for users: "spec.volumes[data].name", and
// `metadata.annotations["example.com/key"]` for keys with other characters.
func Display(path []string) string {
	var b strings.Builder
	for i, segment := range path {
		switch {
		case segment == Order, segment == Created, segment == Removed:
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
