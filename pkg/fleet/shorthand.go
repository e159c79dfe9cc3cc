package fleet

import (
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

// Keys that only the short forms write. A user cannot: a plain "#" starts a comment.
const (
	vcpusKey   = "#vcpus"
	enabledKey = "#enabled"
)

// longForms says how the short form of a VM key becomes its long form, so that
// both merge alike across levels.
var longForms = map[string]func(*source.Node) *source.Node{
	"cpu":          expandCPU,
	"memory":       scalarAs("guest"),
	"instancetype": scalarAs("name", "kind"),
	"preference":   scalarAs("name", "kind"),
	"disks":        eachValue(expandDisk),
	"services":     eachValue(scalarAs("port")),
	"firmware":     scalarAs("type"),
	"tpm":          scalarAs(enabledKey),
	"lifecycle":    scalarAs("type"),
}

// expand gives VM keys with every short form in its long form.
func expand(vm *source.Node) *source.Node {
	if vm == nil || vm.Kind != source.Map {
		return vm
	}
	var out *source.Node
	for i, f := range vm.Fields {
		long, ok := longForms[f.Key]
		if !ok {
			continue
		}
		v := long(f.Value)
		if v == f.Value {
			continue
		}
		if out == nil {
			out = cloneMap(vm)
		}
		out.Fields[i].Value = v
	}
	if out == nil {
		return vm
	}
	return out
}

func cloneMap(n *source.Node) *source.Node {
	out := *n
	out.Fields = append(make([]source.Field, 0, len(n.Fields)+2), n.Fields...)
	return &out
}

func isScalar(n *source.Node) bool {
	return n.Kind != source.Null && n.Kind != source.Map && n.Kind != source.List
}

// scalarAs puts a scalar under key, and clears the keys that it replaces.
func scalarAs(key string, cleared ...string) func(*source.Node) *source.Node {
	return func(n *source.Node) *source.Node {
		if !isScalar(n) {
			return n
		}
		m := mapAt(n, key, n)
		m.Style = source.ShortForm
		for _, k := range cleared {
			clearKey(m, k)
		}
		return m
	}
}

// mapAt builds a map of one entry that stands where n stands.
func mapAt(n *source.Node, key string, value *source.Node) *source.Node {
	return &source.Node{
		Kind: source.Map, Line: n.Line, Col: n.Col, File: n.File,
		Fields: []source.Field{{Key: key, Line: n.Line, Col: n.Col, Value: value}},
	}
}

// clearKey makes a map remove what lower levels set under key.
func clearKey(m *source.Node, key string) {
	null := &source.Node{Kind: source.Null, Line: m.Line, Col: m.Col, File: m.File}
	m.Fields = append(m.Fields, source.Field{Key: key, Line: m.Line, Col: m.Col, Value: null})
}

func eachValue(long func(*source.Node) *source.Node) func(*source.Node) *source.Node {
	return func(n *source.Node) *source.Node {
		if n.Kind != source.Map {
			return n
		}
		out := cloneMap(n)
		for i := range out.Fields {
			out.Fields[i].Value = long(out.Fields[i].Value)
		}
		return out
	}
}

// topology are the keys that the number of the short form replaces, and that replace it.
var topology = []string{"sockets", "cores", "threads"}

func expandCPU(n *source.Node) *source.Node {
	if isScalar(n) {
		return scalarAs(vcpusKey, topology...)(n)
	}
	if n.Kind != source.Map {
		return n
	}
	for _, k := range topology {
		if n.Field(k) != nil {
			out := cloneMap(n)
			clearKey(out, vcpusKey)
			return out
		}
	}
	return n
}

func expandDisk(n *source.Node) *source.Node {
	if isScalar(n) {
		return scalarAs("size")(n)
	}
	f := n.Field("source")
	if f == nil {
		return n
	}
	v := expandSource(f.Value)
	if v == f.Value {
		return n
	}
	out := cloneMap(n)
	for i := range out.Fields {
		if out.Fields[i].Key == "source" {
			out.Fields[i].Value = v
		}
	}
	return out
}

func expandSource(n *source.Node) *source.Node {
	if n.Kind == source.String && n.Text == "blank" {
		yes := *n
		yes.Kind, yes.Text, yes.Style = source.Bool, "true", source.Plain
		n = mapAt(n, "blank", &yes)
	}
	return catalog.NormalizeSource(n)
}

// flavorOf gives the cpu and memory of the flavor that a level names, as VM keys
// that stand where it is named; nil where it names none.
func flavorOf(vm *source.Node, set *catalog.Set, path string, diags *source.Diagnostics) *source.Node {
	named := vm.Get("flavor")
	if named == nil || named.Kind != source.String {
		return nil
	}
	flavor := set.Flavor(named.Text)
	if flavor == nil {
		unknownName(diags, named, source.JoinPath(path, "flavor"), "flavor", set.Names("flavors"))
		return nil
	}
	return flavorKeys(flavor, named)
}

// unknownName reports a name that the catalogue does not have.
func unknownName(diags *source.Diagnostics, n *source.Node, path, what string, known []string) {
	diags.Errorf(n.Pos(), "unknown-name", path, "unknown %s %q; %s", what, n.Text, source.DidYouMean(n.Text, known))
}

// flavorKeys is a flavor as VM keys that replace all that another flavor sets.
func flavorKeys(flavor, at *source.Node) *source.Node {
	keys := expand(source.Reposition(flavor, at))
	cpu, memory := mapAt(at, vcpusKey, nil), mapAt(at, "guest", nil)
	cpu.Fields, memory.Fields = nil, nil
	for _, k := range []string{vcpusKey, "sockets", "cores", "threads", "maxSockets", "dedicated", "isolateEmulator", "numa", "realtime"} {
		clearKey(cpu, k)
	}
	for _, k := range []string{"guest", "max", "hugepages"} {
		clearKey(memory, k)
	}
	out := mapAt(at, "cpu", overlay(cpu, keys.Get("cpu")))
	out.Fields = append(out.Fields, source.Field{Key: "memory", Line: at.Line, Col: at.Col, Value: overlay(memory, keys.Get("memory"))})
	return out
}

// overlay sets the entries of over in base and, unlike a merge, keeps the nulls of both.
func overlay(base, over *source.Node) *source.Node {
	if over == nil {
		return base
	}
	for _, f := range over.Fields {
		if at := base.Field(f.Key); at != nil {
			at.Value = f.Value
		} else {
			base.Fields = append(base.Fields, f)
		}
	}
	return base
}
