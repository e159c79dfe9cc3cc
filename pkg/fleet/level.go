package fleet

import (
	"sync"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

// level is one level of inheritance: VM keys that all VMs below it start from.
type level struct {
	name   string // as `explain` shows it
	parent *level
	// keys are the level's VM keys in their long forms; flavor is what the
	// level's flavor expands to, which its own cpu and memory beat.
	keys, flavor *source.Node
	// inDoubt says that there were errors in the level or below it: what seems to
	// be missing may be among what was not understood.
	inDoubt bool

	mu    sync.Mutex
	bases map[string]*source.Node // merged with all below, by operating system

	inertOnce sync.Once
	inertKeys []inertKey // see inert
}

// newLevel makes a level of VM keys that [levelKeys] gave; path is where they
// stand in their file. Without keys the parent serves.
func newLevel(name string, parent *level, keys *source.Node, path string, set *catalog.Set, diags *source.Diagnostics) *level {
	inDoubt := diags.HasErrors() || parent != nil && parent.inDoubt
	switch {
	case keys != nil:
	case !inDoubt:
		return parent
	default:
		keys = &source.Node{Kind: source.Map}
	}
	checkOS(keys, path, set, diags)
	checkLevelLifecycle(keys, path, diags)
	return &level{name: name, parent: parent, keys: keys, flavor: flavorOf(keys, set, path, diags), inDoubt: inDoubt}
}

// levelKeys checks VM keys as written and gives them in their long forms; nil
// where there are none.
func levelKeys(keys *source.Node, path string, diags *source.Diagnostics) *source.Node {
	long := expand(keys)
	source.Decode(long, new(VM), path, diags)
	if long == nil || long.Kind != source.Map {
		return nil
	}
	return long
}

func checkOS(keys *source.Node, path string, set *catalog.Set, diags *source.Diagnostics) {
	if n := keys.Get("os"); n != nil && n.Kind == source.String && set.OS(n.Text) == nil {
		unknownName(diags, n, source.JoinPath(path, "os"), "operating system", set.Names("os"))
	}
}

// osName is the operating system that the level or the nearest below it names.
func (l *level) osName() *source.Node {
	for ; l != nil; l = l.parent {
		if f := l.keys.Field("os"); f != nil {
			return f.Value
		}
	}
	return nil
}

// base lays the level over all below it, and that over what the operating
// system brings. Nulls stay, since overrides need theirs; whoever reads the
// result takes a null for a missing value.
func (l *level) base(os *catalog.ResolvedOS) *source.Node {
	if l == nil {
		return osKeys(os)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if n, ok := l.bases[os.Name]; ok {
		return n
	}
	n := l.onto(l.parent.base(os))
	if l.bases == nil {
		l.bases = map[string]*source.Node{}
	}
	l.bases[os.Name] = n
	return n
}

func (l *level) onto(base *source.Node) *source.Node {
	if l.flavor != nil {
		base = source.Compose(base, l.flavor)
	}
	return source.Compose(base, l.keys)
}

// osKeys is the lowest level: the VM keys of the operating system's entry.
func osKeys(os *catalog.ResolvedOS) *source.Node {
	at := os.Node
	root := mapAt(at, "size", nil)
	root.Fields = nil
	addField(root, os.Node.Field("rootSize"), "size")
	addField(root, os.Node.Field("image"), "source")
	if f := root.Field("source"); f != nil {
		f.Value = expandSource(f.Value)
	}
	keys := mapAt(at, "disks", mapAt(at, rootDisk, root))
	addField(keys, os.Node.Field("workload"), "workload")
	return source.Compose(keys, expand(os.Defaults))
}

// addField gives m the entry f under the name key.
func addField(m *source.Node, f *source.Field, key string) {
	if f == nil || f.Value.Kind == source.Null {
		return
	}
	m.Fields = append(m.Fields, source.Field{Key: key, Line: f.Line, Col: f.Col, Value: f.Value})
}
