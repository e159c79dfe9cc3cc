package catalog

import (
	"slices"
	"sync"

	"github.com/vmrender/vmrender/pkg/source"
)

// Set is the built-in catalog with a fleet's own entries merged over it. Entries are
// merged on first use and then kept. It is safe for concurrent use, and what it returns
// must not be changed.
type Set struct {
	user  *source.Node // the fleet's own entries, sources normalized; nil if there are none
	plain bool         // the cluster has no boot sources of OpenShift

	os, traits, networks, images, storageClasses sync.Map // name → entry

	kinds sync.Map // kind → *index

	findImages sync.Once
	ofImage    map[string]string // name of an image in lower case → operating system
}

// index finds the entries of one kind, of which there can be thousands.
type index struct {
	own   map[string]*source.Field // the fleet's own
	names []string                 // of all, sorted
}

// New merges the entries under a fleet's `catalog` key, which may be nil, over the
// built-in ones, key by key; a null removes a built-in entry. It checks all of the
// fleet's own entries, whether or not a VM uses them, except the parts that consist of
// VM keys: `defaults`, and the long forms of a flavor. The set can be used even if
// there are errors.
func New(user *source.Node, diags *source.Diagnostics) *Set {
	return newSet(&Set{user: Normalize(user)}, diags)
}

// NewPlain is like [New] for a cluster that is not OpenShift: operating systems have
// public images instead of OpenShift's boot sources, or none.
func NewPlain(user *source.Node, diags *source.Diagnostics) *Set {
	return newSet(&Set{user: Normalize(user), plain: true}, diags)
}

func newSet(s *Set, diags *source.Diagnostics) *Set {
	if s.user != nil {
		check(s, diags)
	}
	return s
}

// Normalize applies [NormalizeSource] to all disk sources under a `catalog` key as
// written. If several such maps are merged, as with overlays, each must be normalized
// first.
func Normalize(user *source.Node) *source.Node {
	return mapValue(mapValue(user, "images", func(images *source.Node) *source.Node {
		return images.MapValues(func(_ string, image *source.Node) *source.Node { return NormalizeSource(image) })
	}), "os", func(entries *source.Node) *source.Node {
		return entries.MapValues(func(_ string, entry *source.Node) *source.Node {
			return mapValue(entry, "image", NormalizeSource)
		})
	})
}

// WithDefaults replaces the VM keys that operating systems have as `defaults` under a `catalog` key as written. change
// gets their path, and returns the others.
func WithDefaults(user *source.Node, change func(defaults *source.Node, path string) *source.Node) *source.Node {
	return mapValue(user, "os", func(entries *source.Node) *source.Node {
		return entries.MapValues(func(name string, entry *source.Node) *source.Node {
			return mapValue(entry, "defaults", func(defaults *source.Node) *source.Node {
				return change(defaults, source.JoinPath("catalog.os", name)+".defaults")
			})
		})
	})
}

// mapValue replaces the value of one key of a map, if the key exists.
func mapValue(n *source.Node, key string, change func(*source.Node) *source.Node) *source.Node {
	if n.Field(key) == nil {
		return n
	}
	out := *n
	out.Fields = slices.Clone(n.Fields)
	f := out.Field(key)
	f.Value = change(f.Value)
	return &out
}

// own returns the fleet's own entry with a name, or nil if there is none.
func (s *Set) own(kind, name string) *source.Field {
	if s.user == nil {
		return nil
	}
	return s.index(kind).own[name]
}

func (s *Set) index(kind string) *index {
	return remember(&s.kinds, kind, func(string) *index {
		x := &index{own: map[string]*source.Field{}}
		if t := builtin(kind); t != nil {
			x.names = slices.Clone(t.names)
		}
		if own := s.user.Get(kind); own != nil {
			for i := range own.Fields {
				x.own[own.Fields[i].Key] = &own.Fields[i]
				x.names = append(x.names, own.Fields[i].Key)
			}
		}
		slices.Sort(x.names)
		x.names = slices.DeleteFunc(slices.Compact(x.names), x.removed)
		return x
	})
}

// removed reports whether the fleet removes an entry.
func (x *index) removed(name string) bool {
	f := x.own[name]
	return f != nil && f.Value.Kind == source.Null
}

// entry merges the fleet's own entry over the built-in one. It returns nil if there is
// neither, or if the fleet's own is not a map.
func (s *Set) entry(kind, name string) *source.Node {
	base := builtin(kind).get(name)
	f := s.own(kind, name)
	if f == nil {
		return base
	}
	if f.Value.Kind != source.Map {
		return nil
	}
	return source.Compose(base, f.Value)
}

// Node returns an entry as written, merged over those that it is built from, or nil if
// there is none. Kinds are the keys of `catalog` and "traits".
func (s *Set) Node(kind, name string) *source.Node {
	if kind == "os" {
		return s.compose(name, DefaultArch)
	}
	return s.entry(kind, name)
}

// Names returns the names of all entries of a kind, sorted. Kinds are the keys
// of `catalog` and "traits".
func (s *Set) Names(kind string) []string { return s.index(kind).names }

// Has reports whether there is an entry of that name, like [Set.Names].
func (s *Set) Has(kind, name string) bool {
	_, found := slices.BinarySearch(s.Names(kind), name)
	return found
}

// Flavor returns a flavor, a map with the VM keys `cpu` and `memory` as written, or nil
// if there is none.
func (s *Set) Flavor(name string) *source.Node { return s.entry("flavors", name) }

// Network returns a network, or nil if there is none.
func (s *Set) Network(name string) *Network { return lookup[Network](s, &s.networks, "networks", name) }

// Image returns a named disk source, or nil if there is none.
func (s *Set) Image(name string) *Source { return lookup[Source](s, &s.images, "images", name) }

// StorageClass returns a named storage class, or nil if there is none.
func (s *Set) StorageClass(name string) *StorageClass {
	return lookup[StorageClass](s, &s.storageClasses, "storageClasses", name)
}

// Trait returns a named piece of virtual hardware, or nil if there is none.
func (s *Set) Trait(name string) *Trait { return lookup[Trait](s, &s.traits, "traits", name) }

func lookup[T any](s *Set, known *sync.Map, kind, name string) *T {
	return remember(known, name, func(name string) *T {
		node := s.entry(kind, name)
		if node == nil {
			return nil
		}
		t := new(T)
		decode(node, t)
		return t
	})
}

// remember returns the value that was built for a name before, or builds it. If several
// goroutines build it at the same time, all get the same value.
func remember[T any](known *sync.Map, name string, build func(string) *T) *T {
	if v, ok := known.Load(name); ok {
		return v.(*T)
	}
	v, _ := known.LoadOrStore(name, build(name))
	return v.(*T)
}

// decode reads an entry whose problems, if any, [New] has reported.
func decode(n *source.Node, into any) {
	var reported source.Diagnostics
	source.Decode(n, into, "", &reported)
}
