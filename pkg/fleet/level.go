package fleet

import (
	"sync"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Level is one level of inheritance: VM keys that all VMs below it start from,
// or those of one VM.
type Level struct {
	// Name is the level as `explain` shows it, such as "fleet defaults".
	Name string
	// Keys are the level's VM keys in their long forms.
	Keys *source.Node
	// Parent is the level that this one merges over; nil for the lowest, which
	// merges over what the operating system's entry sets.
	Parent *Level

	flavor *source.Node // what the level's flavor expands to, which Keys merge over
	depth  uint16       // levels up to this one, from the bottom
	mark   uint16       // source.Node.Level of its values; those of its flavor have the next
	// inDoubt reports that there were errors in the level or below it: what seems
	// to be missing may be among what was not understood.
	inDoubt bool

	mu    sync.Mutex
	bases map[string]*source.Node // merged with all below, by operating system
}

// The marks of values on the VM's own level, which are most values and are left
// as they were read, and on the lowest level. Others follow.
const (
	ownMark     = 0
	catalogMark = 2
)

// flavorMark returns the mark of what a level's flavor sets.
func flavorMark(mark uint16) uint16 { return mark + 1 }

// newLevel returns a level of VM keys from [levelKeys]; path is where they stand
// in their file. Without keys it returns the parent.
func (f *Fleet) newLevel(name string, parent *Level, keys *source.Node, path string, diags *source.Diagnostics) *Level {
	inDoubt := diags.HasErrors() || parent != nil && parent.inDoubt
	switch {
	case keys != nil:
	case !inDoubt:
		return parent
	default:
		keys = &source.Node{Kind: source.Map}
	}
	l := f.level(name, parent, keys, path, diags)
	l.inDoubt = inDoubt
	l.stamp()
	return l
}

// level returns a level whose keys are checked for names that the catalog does
// not have, and for keys that mean nothing next to others.
func (f *Fleet) level(name string, parent *Level, keys *source.Node, path string, diags *source.Diagnostics) *Level {
	if n := keys.Get("os"); n != nil && n.Kind == source.String && f.Catalog.OS(n.Text) == nil {
		f.unknownName(diags, n, source.JoinPath(path, "os"), "operating system", "os")
	}
	values.CheckLifecycle(keys.Get("lifecycle"), source.JoinPath(path, "lifecycle"), diags)
	l := &Level{Name: name, Parent: parent, Keys: keys, flavor: f.flavorOf(keys, path, diags), depth: 1}
	if parent != nil {
		l.depth = parent.depth + 1
	}
	return l
}

// stamp marks the level's values as its own.
func (l *Level) stamp() {
	l.mark = catalogMark + 2*l.depth
	l.Keys, l.flavor = source.Mark(l.Keys, l.mark), source.Mark(l.flavor, flavorMark(l.mark))
}

// levelKeys checks VM keys as written and returns them in their long forms, or
// nil if there are none.
func levelKeys(keys *source.Node, path string, diags *source.Diagnostics) *source.Node {
	long := values.Long(keys)
	source.Decode(long, new(values.VM), path, diags)
	if long == nil || long.Kind != source.Map {
		return nil
	}
	return long
}

// flavorOf returns the VM keys of the flavor that a level names, or nil if it names none.
func (f *Fleet) flavorOf(keys *source.Node, path string, diags *source.Diagnostics) *source.Node {
	named := keys.Get("flavor")
	if named == nil || named.Kind != source.String {
		return nil
	}
	flavor := f.Catalog.Flavor(named.Text)
	if flavor == nil {
		f.unknownName(diags, named, source.JoinPath(path, "flavor"), "flavor", "flavors")
		return nil
	}
	at := *named
	at.Level = flavorMark(ownMark)
	return values.OfFlavor(flavor, &at)
}

// unknownName reports a name that the catalog does not have among its entries of a kind.
func (f *Fleet) unknownName(diags *source.Diagnostics, n *source.Node, path, what, kind string) {
	diags.Errorf(n.Pos(), rule.UnknownName, path, "unknown %s %q; %s", what, n.Text, source.DidYouMean(n.Text, f.Catalog.Names(kind)))
}

// osName returns the operating system that the level or the nearest below it names, or nil.
func (l *Level) osName() *source.Node {
	for ; l != nil; l = l.Parent {
		if f := l.Keys.Field("os"); f != nil {
			return f.Value
		}
	}
	return nil
}

// base merges a shared level over all below it, and that over what the operating
// system sets. Nulls stay, because overrides need theirs; a null counts as a
// missing value.
func (f *Fleet) base(l *Level, os *catalog.ResolvedOS) *source.Node {
	if l == nil {
		return f.osKeys(os)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, ok := l.bases[os.Name]; ok {
		return n
	}
	n := l.onto(f.base(l.Parent, os))
	if l.bases == nil {
		l.bases = map[string]*source.Node{}
	}
	l.bases[os.Name] = n
	return n
}

// merged merges a VM's levels, which are not shared, over the shared ones.
func (f *Fleet) merged(l, shared *Level, os *catalog.ResolvedOS) *source.Node {
	if l == shared {
		return f.base(l, os)
	}
	return l.onto(f.merged(l.Parent, shared, os))
}

func (l *Level) onto(base *source.Node) *source.Node {
	if l.flavor != nil {
		base = source.Compose(base, l.flavor)
	}
	return source.Compose(base, l.Keys)
}

// osKeys returns the lowest level: the VM keys of the operating system's entry.
func (f *Fleet) osKeys(os *catalog.ResolvedOS) *source.Node {
	if n, ok := f.bases.Load(os); ok {
		return n.(*source.Node)
	}
	keys, disks, root := source.EmptyMap(os.Node), source.EmptyMap(os.Node), source.EmptyMap(os.Node)
	addField(root, os.Node.Field("rootSize"), "size")
	addField(root, os.Node.Field("image"), "source")
	if f := root.Field("source"); f != nil {
		f.Value = values.LongSource(f.Value)
	}
	disks.Add(values.RootDisk, root)
	keys.Add("disks", disks)
	addField(keys, os.Node.Field("workload"), "workload")
	n, _ := f.bases.LoadOrStore(os, source.Mark(source.Compose(keys, values.Long(os.Defaults)), catalogMark))
	return n.(*source.Node)
}

// addField adds the entry f to m under the name key.
func addField(m *source.Node, f *source.Field, key string) {
	if f == nil || !f.Value.IsSet() {
		return
	}
	m.Fields = append(m.Fields, source.Field{Key: key, Line: f.Line, Col: f.Col, Value: f.Value})
}
