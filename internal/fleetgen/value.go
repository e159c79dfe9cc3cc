package fleetgen

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// maker generates the values of one fleet.
type maker struct {
	*sources
	*draw
}

// deepest is the depth at which objects stay empty.
const deepest = 9

// value returns a value of a schema. The name is that of the definition, or
// DEFINITION.KEY.
func (m maker) value(s *shape, name string, depth int) any {
	if m.slip() {
		return m.odd(s, name)
	}
	if list := m.Values[name]; len(list) > 0 {
		return m.known(name, list, depth)
	}
	f := pick(m.draw, m.alternatives(s, name))
	if list := m.Values[f.name]; len(list) > 0 {
		return m.known(f.name, list, depth)
	}
	return m.made(f, depth)
}

// odd returns a value that is hardly ever valid.
func (m maker) odd(s *shape, name string) any {
	for _, f := range m.alternatives(s, name) {
		if list := m.Wrong[f.name]; len(list) > 0 && !m.one(3) {
			return clone(pick(m.draw, list))
		}
	}
	return clone(pick(m.draw, m.Odd))
}

// known returns a value of the table, some of them with further keys.
func (m maker) known(name string, list []any, depth int) any {
	v := clone(pick(m.draw, list))
	object, ok := v.(map[string]any)
	if !ok || !slices.Contains(m.Free, name) || !m.one(2) {
		return v
	}
	for _, f := range m.alternatives(&shape{Ref: name}, name) {
		if len(f.Properties) > 0 {
			maps.Copy(object, m.object(f, depth))
		}
	}
	return object
}

func (m maker) made(f form, depth int) any {
	if len(f.Enum) > 0 {
		return pick(m.draw, slices.DeleteFunc(slices.Clone(f.Enum), func(v any) bool { return v == nil }))
	}
	switch {
	case len(f.Properties) > 0:
		return m.object(f, depth)
	case slices.Contains(f.Types, "object"):
		return m.entries(f, depth)
	case slices.Contains(f.Types, "array"):
		return m.list(f, depth)
	case slices.Contains(f.Types, "integer") && slices.Contains(f.Types, "string"):
		return pick(m.draw, m.Values["Disk.size"])
	case slices.Contains(f.Types, "integer"):
		return m.integer(f)
	case slices.Contains(f.Types, "boolean"):
		return m.one(2)
	}
	return pick(m.draw, []string{"a", "web", "x1"})
}

// object returns an object with the required keys and a few others.
func (m maker) object(f form, depth int) map[string]any {
	out := map[string]any{}
	free := slices.DeleteFunc(slices.Sorted(maps.Keys(f.Properties)), func(key string) bool {
		list, listed := m.Values[f.name+"."+key]
		return slices.Contains(f.Required, key) || strings.HasSuffix(key, plus) || m.wrong == 0 && listed && len(list) == 0
	})
	if depth < deepest {
		free = some(m.draw, free, m.IntN(4))
	}
	for _, key := range slices.Concat(f.Required, free) {
		out[key] = m.value(f.Properties[key], f.name+"."+key, depth+1)
	}
	if m.slip() {
		out["unknown"] = true
	}
	return out
}

// entries returns a map from names to values.
func (m maker) entries(f form, depth int) map[string]any {
	out := map[string]any{}
	if f.Entries == nil || depth >= deepest {
		return out
	}
	names := m.Names[f.name]
	if names == nil {
		names = []string{"a", "b"}
	}
	for _, name := range some(m.draw, names, 1+m.IntN(2)) {
		out[name] = m.value(f.Entries, f.name+".*", depth+1)
	}
	if m.slip() {
		out[fmt.Sprint(pick(m.draw, m.Odd))] = m.value(f.Entries, f.name+".*", depth+1)
	}
	return out
}

func (m maker) list(f form, depth int) []any {
	out := []any{}
	if f.Items == nil || depth >= deepest {
		return out
	}
	for range 1 + m.IntN(2) {
		out = append(out, m.value(f.Items, f.name+".*", depth+1))
	}
	return out
}

func (m maker) integer(f form) int64 {
	least, most := int64(0), int64(10)
	if f.Minimum != nil {
		least, most = *f.Minimum, *f.Minimum+10
	}
	if f.Maximum != nil {
		most = *f.Maximum
	}
	switch {
	case m.slip():
		return pick(m.draw, []int64{least - 1, most + 1})
	case m.one(8):
		return pick(m.draw, []int64{least, most})
	}
	return least + m.Int64N(min(most-least, 10)+1)
}
