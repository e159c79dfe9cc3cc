package adopt

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// headerFile is the root of the fleet.
const headerFile = "fleet.yaml"

// written is the fleet as text, with the place of each entry in it.
type written struct {
	header   map[string]*node.Map // maps under `catalog` by kind
	levels   map[string]*group    // by file
	defaults node.Map             // of the fleet
}

// group is the entries of one file, and what they share.
type group struct {
	file, namespace string
	defaults        node.Map
	entries         []*imported
	written         []*imported // the entries that are in the file
}

// write writes the files of the fleet with some of its entries.
func (w *work) write(some []*imported) []File {
	for _, g := range w.levels {
		g.written = nil
	}
	for _, e := range some {
		g := w.levels[e.machine.File]
		g.written = append(g.written, e)
	}
	files := make([]File, 1, 1+len(w.levels))
	files[0] = File{headerFile, w.writeHeader()}
	for _, path := range slices.Sorted(maps.Keys(w.levels)) {
		if g := w.levels[path]; len(g.written) > 0 {
			files = append(files, File{path, g.write()})
		}
	}
	return files
}

// arrange puts the entries in their files, unless they are there.
func (w *work) arrange() {
	if w.levels != nil {
		return
	}
	w.levels = map[string]*group{}
	for _, e := range w.entries {
		g := w.levels[e.machine.File]
		if g == nil {
			g = &group{file: e.machine.File, namespace: e.Live.Namespace}
			w.levels[e.machine.File] = g
		}
		g.entries = append(g.entries, e)
		if e.Live.Namespace != g.namespace {
			e.Keys.Set("namespace", e.Live.Namespace)
		}
	}
}

// writeHeader returns fleet.yaml.
func (w *work) writeHeader() []byte {
	var out edit.Writer
	head := node.Map{}
	head.Set("apiVersion", values.APIVersion)
	head.Set("kind", values.Kind)
	named := node.Map{}
	named.Set("name", cmp.Or(w.Name, "imported"))
	head.Set("metadata", &named)
	head.Set("target", w.known.target())
	out.Fields(0, head.Node())
	if id := w.identity(); !id.IsEmpty() {
		out.Comment(0, "Some VMs set no identity in the cluster: KubeVirt derives it from their names.")
		out.Field(0, "identity", id.Node())
	}
	if c := w.catalogOf(); !c.IsEmpty() {
		out.Field(0, "catalog", c.Node())
	}
	w.writeDefaults(&out)
	return []byte(out.String())
}

// writeDefaults writes what all VMs inherit: protection, and what most override.
func (w *work) writeDefaults(out *edit.Writer) {
	all := node.From(w.defaults.Node(), "")
	if !w.Unprotected {
		protect := node.Map{}
		protect.Set("protect", true)
		all.Put("lifecycle", protect.Node())
	}
	if !all.IsEmpty() {
		out.Field(0, "defaults", draft.Ordered(all))
	}
}

// identity returns which identities must not be derived, since there are VMs without.
func (w *work) identity() *node.Map {
	id := new(node.Map)
	for _, e := range w.entries {
		f := e.Live.Spec().Domain.Firmware
		if f == nil || f.UUID == "" {
			id.Put("uuid", node.Bool(false))
		}
	}
	for _, e := range w.entries {
		if f := e.Live.Spec().Domain.Firmware; f == nil || f.Serial == "" {
			id.Put("serial", node.Bool(false))
		}
	}
	return id
}

// catalogOf returns what the VMs share in the catalog.
func (w *work) catalogOf() *node.Map {
	all, nets := new(node.Map), new(node.Map)
	for _, kind := range slices.Sorted(maps.Keys(w.header)) {
		all.Set(kind, w.header[kind])
	}
	used := w.usedNetworks()
	for _, nad := range slices.SortedFunc(maps.Keys(w.names.Networks), func(a, b string) int {
		return strings.Compare(w.names.Networks[a].Name, w.names.Networks[b].Name)
	}) {
		if !used[nad] {
			continue
		}
		n := node.Map{}
		n.Set("nad", nad)
		n.Set("vlan", w.known.vlan(nad))
		if b := w.names.Networks[nad].Binding; b != "bridge" {
			n.Set("binding", b)
		}
		nets.Set(w.names.Networks[nad].Name, &n)
	}
	all.Set("networks", nets)
	return all
}

// usedNetworks returns the networks of the entries, without those that only refused VMs have.
func (w *work) usedNetworks() map[string]bool {
	used := map[string]bool{}
	for _, e := range w.entries {
		for _, on := range e.Live.Spec().Networks {
			if on.Multus != nil {
				used[on.Multus.NetworkName] = true
			}
		}
	}
	return used
}

// write returns the file of a group, and notes the lines of its entries.
func (g *group) write() []byte {
	var out edit.Writer
	if g.namespace != "" {
		out.Field(0, "namespace", node.Value(g.namespace))
	}
	if !g.defaults.IsEmpty() {
		out.Field(0, "defaults", draft.Ordered(&g.defaults))
	}
	out.Raw("vms:\n")
	for _, e := range g.written {
		if e.leader != nil && e.leader != e {
			continue
		}
		for _, c := range Comments(e.Entry, e.machine.Guess) {
			out.Comment(2, c)
		}
		e.first = out.Line
		out.Raw("  " + edit.Flow(node.Value(e.machine.Entry)) + ":\n")
		out.Fields(4, draft.Ordered(&e.Keys))
		e.machine.Lines = out.Line - e.first
	}
	return []byte(out.String())
}

// Comments returns remarks for a reader of an entry, a comment each, without "#": the reason for its operating system,
// and what no key expresses. There are none if the system has no reason, and nothing is overridden.
func Comments(e *draft.Entry, os Guess) []string {
	var out []string
	if os.Reason != "" {
		out = append(out, os.OS+": "+os.Reason)
	}
	if names := e.Overridden(); len(names) > 0 {
		out = append(out, "no key for: "+strings.Join(names, ", "))
	}
	return out
}

// at reports whether a position in the entry's file is the entry's.
func (e *imported) at(pos source.Pos) bool {
	if e.leader != nil {
		e = e.leader
	}
	return pos.Line > e.first && pos.Line <= e.first+e.machine.Lines
}
