package source

import "slices"

// indexFrom is the product of two maps' sizes from which [Merge] uses an index to find
// keys.
const indexFrom = 512

// Merge applies over to base as RFC 7386 defines, and returns the result. Maps merge by
// key, scalars and lists replace, and a null in over removes the key. Keys keep the
// order of base, and new ones follow; a key in both has the position in over. The
// arguments are not changed, and the result shares nodes with them. Either may be nil;
// an over that is null counts as nil.
func Merge(base, over *Node) *Node {
	switch {
	case over == nil || over.Kind == Null:
		return base
	case over.Kind != Map:
		return over
	case base == nil || base.Kind != Map || len(base.Fields) == 0:
		return withoutNulls(over)
	case len(over.Fields) == 0:
		return base
	}
	merged := *over
	merged.Fields = mergeFields(base.Fields, over.Fields)
	return &merged
}

// Compose combines two merge patches into one with the effect of base and then over. It
// works like [Merge], but keeps the nulls of both, and the scalar that a map is the
// long form of. A list in over that is marked as [Appended] is appended to that of base.
func Compose(base, over *Node) *Node {
	switch {
	case over == nil:
		return base
	case base == nil || over.Kind != Map || base.Kind != Map || base.empty():
		if over.Style == Appended {
			return appendTo(base, over)
		}
		return over
	case over.empty():
		return base
	}
	composed := *over
	composed.Fields = composeFields(base.Fields, over.Fields)
	if over.Short == nil {
		composed.Short = base.Short
	}
	return &composed
}

// appendTo appends a list to that of base. The result is to be appended itself if base is. After a null, the list
// replaces what is below both. Items that are there already are appended, because commands and NICs can occur twice.
func appendTo(base, over *Node) *Node {
	if base == nil || base.Kind != List && base.Kind != Null {
		return over
	}
	all := *over
	all.Style = base.Style
	all.Items = slices.Concat(base.Items, over.Items)
	return &all
}

// empty reports whether a map sets nothing.
func (n *Node) empty() bool { return len(n.Fields) == 0 && n.Short == nil }

func composeFields(base, over []Field) []Field {
	fields := make([]Field, len(base), len(base)+len(over))
	copy(fields, base)
	find := finder(base, len(over))
	for _, f := range over {
		if i := find(f.Key); i < 0 {
			fields = append(fields, f)
		} else if value := Compose(fields[i].Value, f.Value); value != fields[i].Value {
			f.Value = value
			fields[i] = f
		}
	}
	return fields
}

func mergeFields(base, over []Field) []Field {
	fields := make([]Field, len(base), len(base)+len(over))
	copy(fields, base)
	find := finder(base, len(over))
	removed := false
	for _, f := range over {
		i := find(f.Key)
		switch {
		case f.Value.Kind == Null:
			if i >= 0 {
				fields[i].Value, removed = nil, true
			}
		case i < 0:
			f.Value = withoutNulls(f.Value)
			fields = append(fields, f)
		default:
			fields[i] = mergeField(fields[i], f)
		}
	}
	if removed {
		fields = slices.DeleteFunc(fields, func(f Field) bool { return f.Value == nil })
	}
	return fields
}

// mergeField merges two fields. It returns base unchanged if over adds nothing, because
// the position of a key belongs to the file of its value.
func mergeField(base, over Field) Field {
	value := Merge(base.Value, over.Value)
	if value == base.Value {
		return base
	}
	over.Value = value
	return over
}

// finder returns a function that returns the index of a key in fields, or -1. lookups
// is how often it will be called.
func finder(fields []Field, lookups int) func(key string) int {
	if len(fields)*lookups < indexFrom {
		return func(key string) int {
			return slices.IndexFunc(fields, func(f Field) bool { return f.Key == key })
		}
	}
	index := make(map[string]int, len(fields))
	for i := range fields {
		index[fields[i].Key] = i
	}
	return func(key string) int {
		if i, ok := index[key]; ok {
			return i
		}
		return -1
	}
}

// withoutNulls returns a map without null entries, also in nested maps, because a null
// that removes nothing is dropped. Lists are replaced as a whole and keep their nulls.
func withoutNulls(n *Node) *Node {
	if !hasNulls(n) {
		return n
	}
	clean := *n
	clean.Fields = make([]Field, 0, len(n.Fields))
	for _, f := range n.Fields {
		if f.Value.Kind != Null {
			f.Value = withoutNulls(f.Value)
			clean.Fields = append(clean.Fields, f)
		}
	}
	return &clean
}

func hasNulls(n *Node) bool {
	for i := range n.Fields {
		if v := n.Fields[i].Value; v.Kind == Null || v.Kind == Map && hasNulls(v) {
			return true
		}
	}
	return false
}

// Reposition returns a deep copy of n in which every key and value has the position and
// level of at, such as those of the value that n is computed from.
func Reposition(n, at *Node) *Node {
	if n == nil {
		return nil
	}
	c := *n
	c.File, c.Line, c.Col, c.Level = at.File, at.Line, at.Col, at.Level
	c.Short = Reposition(n.Short, at)
	if n.Fields != nil {
		c.Fields = make([]Field, len(n.Fields))
	}
	for i, f := range n.Fields {
		c.Fields[i] = Field{Key: f.Key, Line: at.Line, Col: at.Col, Value: Reposition(f.Value, at)}
	}
	if n.Items != nil {
		c.Items = make([]*Node, len(n.Items))
	}
	for i, item := range n.Items {
		c.Items[i] = Reposition(item, at)
	}
	return &c
}
