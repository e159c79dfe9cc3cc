package fleet

import (
	"sync"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Level is one level of inheritance: VM keys that all VMs below it inherit, or
// those of one VM.
type Level struct {
	// Name is the name of the level in `explain`, such as "fleet defaults".
	Name string
	// Keys are the VM keys of the level in their long forms.
	Keys *source.Node
	// Parent is the level that this one merges over. It is nil for the lowest, which merges over the operating
	// system's entry.
	Parent *Level

	flavor *source.Node // expansion of the level's flavor; Keys merge over it
	depth  uint16       // number of levels from the lowest to this one
	mark   uint16       // source.Node.Level of its values; that of its flavor is the next number
	// inDoubt is true if there were errors in the level or its parents: values that seem to be missing may be
	// in parts that could not be parsed.
	inDoubt bool

	mu    sync.Mutex
	bases map[osKey]*source.Node // merged with all parents, by operating system
}

// osKey identifies an operating system, also one that does not exist.
type osKey struct {
	name, arch string
	adopted    bool
}

// The marks of values on the VM's own level, which are most values and are not
// modified, and on the lowest level. The marks of other levels follow.
const (
	ownMark     = 0
	catalogMark = 2
)

// flavorMark returns the mark of values from a level's flavor.
func flavorMark(mark uint16) uint16 { return mark + 1 }

// newLevel returns a level with VM keys from [levelKeys]; path is their path
// in the file. Without keys, it returns the parent.
func (f *Fleet) newLevel(name string, parent *Level, keys *source.Node, path string, diags *source.Diagnostics) *Level {
	inDoubt := diags.HasErrors() || parent != nil && parent.inDoubt
	switch {
	case keys != nil:
	case !inDoubt:
		return parent
	default:
		keys = &source.Node{Kind: source.Map}
	}
	f.checkShared(keys, path, diags)
	l := f.level(name, parent, keys, path, diags)
	l.inDoubt = l.inDoubt || inDoubt
	l.stamp()
	return l
}

// level returns a level whose keys are checked for names that the catalog does
// not contain, for the forms of values, and for keys without effect. A value that a
// level above replaces is also checked.
func (f *Fleet) level(name string, parent *Level, keys *source.Node, path string, diags *source.Diagnostics) *Level {
	if n := keys.Get("os"); n != nil && n.Kind == source.String && f.Catalog.OS(n.Text) == nil {
		f.reportUnknown(diags, n, source.JoinPath(path, "os"), "operating system", "os")
	}
	values.CheckLifecycle(keys, path, diags)
	values.CheckForms(keys, path, diags)
	f.checkNames(keys, path, diags)
	l := &Level{Name: name, Parent: parent, Keys: keys, flavor: f.flavorOf(keys, path, diags), depth: 1}
	l.inDoubt = l.flavor == nil && keys.Get("flavor").IsSet()
	if parent != nil {
		l.depth = parent.depth + 1
		l.inDoubt = l.inDoubt || parent.inDoubt
	}
	return l
}

// stamp marks the values of the level.
func (l *Level) stamp() { l.stampAs(catalogMark + 2*l.depth) }

func (l *Level) stampAs(mark uint16) {
	l.mark = mark
	l.Keys, l.flavor = source.Mark(l.Keys, l.mark), source.Mark(l.flavor, flavorMark(l.mark))
}

// levelKeys checks VM keys as written and returns them in their long forms, or
// nil if there are none.
func levelKeys(keys *source.Node, path string, diags *source.Diagnostics) *source.Node {
	if keys == nil {
		return nil
	}
	long := values.Long(values.Appended(keys, path, diags))
	source.Decode(long, new(values.VM), path, diags)
	if long.Kind != source.Map {
		return nil
	}
	return long
}

// flavorOf returns the VM keys of the flavor that a level names, or nil if
// there is none.
func (f *Fleet) flavorOf(keys *source.Node, path string, diags *source.Diagnostics) *source.Node {
	named := keys.Get("flavor")
	if named == nil || named.Kind != source.String {
		return nil
	}
	flavor := f.Catalog.Flavor(named.Text)
	if flavor == nil {
		f.reportUnknown(diags, named, source.JoinPath(path, "flavor"), "flavor", "flavors")
		return nil
	}
	at := *named
	at.Level = flavorMark(ownMark)
	return values.OfFlavor(flavor, &at)
}

// reportUnknown reports a name that is not among the entries of a kind in the
// catalog.
func (f *Fleet) reportUnknown(diags *source.Diagnostics, n *source.Node, path, what, kind string) {
	diags.Errorf(n.Pos(), rule.UnknownName, path, "%s", f.Catalog.Unknown(what, kind, n.Text))
}

// nearest returns the value of a key that the level or its nearest parent sets, or nil if none does.
func (l *Level) nearest(key string) *source.Node {
	for ; l != nil; l = l.Parent {
		if f := l.Keys.Field(key); f != nil {
			return f.Value
		}
	}
	return nil
}

// OfOneVM reports whether the level belongs to one VM: it has its own keys, or those that an overlay puts over them.
func (l *Level) OfOneVM() bool {
	for ; l != nil; l = l.Parent {
		if l.mark == ownMark {
			return true
		}
	}
	return false
}

// base merges a shared level over its parents and over the operating system's
// entry. Nulls remain, because overrides need them; elsewhere a null counts as
// a missing value.
func (f *Fleet) base(l *Level, os *catalog.ResolvedOS) *source.Node {
	if l == nil {
		return f.osKeys(os)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	key := osKey{os.Name, os.Arch, os.Adopted}
	if n, ok := l.bases[key]; ok {
		return n
	}
	n := l.onto(f.base(l.Parent, os))
	if l.bases == nil {
		l.bases = map[osKey]*source.Node{}
	}
	l.bases[key] = n
	return n
}

// merged merges the levels of one VM over the shared ones.
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

// osKeys returns the lowest level: the VM keys of the operating system's
// entry.
func (f *Fleet) osKeys(os *catalog.ResolvedOS) *source.Node {
	if n, ok := f.bases.Load(os); ok {
		return n.(*source.Node)
	}
	keys, disks, root := source.EmptyMap(os.Node), source.EmptyMap(os.Node), source.EmptyMap(os.Node)
	if !os.Adopted {
		addField(root, os.Node.Field("rootSize"), "size")
	}
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
