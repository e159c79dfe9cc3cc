package manifest

// Tree is a decoded JSON object: its values are Trees, []any, string, bool, [json.Number]
// and nil.
type Tree = map[string]any

// Tree returns the object as a tree; nil if its JSON is not an object. The tree is a new one, except for that of a
// [Reader] with trees, which must not be changed.
func (o Object) Tree() Tree {
	if o.tree != nil {
		return o.tree
	}
	return Decode(o.JSON)
}

// Decode returns the tree of a JSON object; nil if the text is something else. Numbers
// stay as they are written.
func Decode(text []byte) Tree {
	v, _ := decode(text)
	out, _ := v.(Tree)
	return out
}

// At returns the value at a path in a tree, or nil. A segment such as "[data]" names the
// entry of a list; see [Keyed].
func At(v any, path ...string) any {
	for _, segment := range path {
		switch in := v.(type) {
		case Tree:
			v = in[segment]
		case []any:
			entries, _ := Keyed(in)
			v = entries[segment]
		default:
			return nil
		}
	}
	return v
}

// Text returns the string at a path of [At], or "".
func Text(v any, path ...string) string {
	s, _ := At(v, path...).(string)
	return s
}

// List returns the list at a path of [At], or nil.
func List(v any, path ...string) []any {
	l, _ := At(v, path...).([]any)
	return l
}

// Map returns the tree at a path of [At], or nil.
func Map(v any, path ...string) Tree {
	t, _ := At(v, path...).(Tree)
	return t
}

// Keyed returns the entries of a list by "[name]", and whether their names are distinct.
// If an entry has no name, there are no entries.
func Keyed(l []any) (entries map[string]any, distinct bool) {
	out := make(map[string]any, len(l))
	for _, v := range l {
		name := EntryName(v)
		if name == "" {
			return nil, false
		}
		out["["+name+"]"] = v
	}
	return out, len(out) == len(l)
}

// EntryName returns the name of an entry of a list, or "". DataVolume templates have their
// names in metadata.
func EntryName(v any) string {
	if name := Text(v, "name"); name != "" {
		return name
	}
	return Text(v, "metadata", "name")
}
