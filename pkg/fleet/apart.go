package fleet

import "github.com/vmrender/vmrender/pkg/source"

// Apart returns the VM keys that an entry itself sets, as its levels have them, and those
// that it would have without them, but with its flavor. The entry has to set
// only what differs. Levels of overlays are in neither.
func (f *Fleet) Apart(e *Entry) (own, inherited *source.Node) {
	l := e.Top
	for l.mark != ownMark {
		l = l.Parent
	}
	inherited = f.base(l.Parent, e.OS)
	if l.flavor != nil {
		inherited = source.Compose(inherited, l.flavor)
	}
	return l.Keys, inherited
}

// Imposed returns the name of a level above the entry's own that sets the value under keys, or
// a part of it: one of an overlay. It returns "" if none does.
func (e *Entry) Imposed(keys ...string) string {
	for l := e.Top; l.mark != ownMark; l = l.Parent {
		if touches(l.Keys, keys) {
			return l.Name
		}
	}
	return ""
}

// touches reports whether a map sets something at, above or below a path of keys.
func touches(n *source.Node, keys []string) bool {
	for _, key := range keys {
		f := n.Field(key)
		if f == nil {
			return false
		}
		if n = f.Value; n.Kind != source.Map {
			return true
		}
	}
	return true
}
