package adopt

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// headerFile is the root of the fleet.
const headerFile = "fleet.yaml"

// written is the fleet as text, with the place of each entry in it.
type written struct {
	header   map[string]*node  // maps under `catalog` by kind
	levels   map[string]*group // by file
	defaults node              // of the fleet
}

// group is the entries of one file, and what they share.
type group struct {
	file, namespace string
	defaults        node
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
			g = &group{file: e.machine.File, namespace: e.live.Namespace}
			w.levels[e.machine.File] = g
		}
		g.entries = append(g.entries, e)
		if e.live.Namespace != g.namespace {
			e.keys.set("namespace", e.live.Namespace)
		}
	}
}

// writeHeader returns fleet.yaml.
func (w *work) writeHeader() []byte {
	var out writer
	head := node{}
	head.set("apiVersion", values.APIVersion)
	head.set("kind", values.Kind)
	named := node{}
	named.set("name", cmp.Or(w.Name, "imported"))
	head.set("metadata", &named)
	head.set("target", w.known.target())
	out.fields(0, head.tree())
	if id := w.identity(); !id.empty() {
		out.comment(0, "Some VMs set no identity in the cluster: KubeVirt derives it from their names.")
		out.field(0, "identity", id.tree())
	}
	if c := w.catalogOf(); !c.empty() {
		out.field(0, "catalog", c.tree())
	}
	w.writeDefaults(&out)
	return []byte(out.String())
}

// writeDefaults writes what all VMs inherit: protection, and what most override.
func (w *work) writeDefaults(out *writer) {
	all := nodeFrom(w.defaults.tree(), "")
	if !w.Unprotected {
		protect := node{}
		protect.set("protect", true)
		all.put("lifecycle", protect.tree())
	}
	if !all.empty() {
		out.field(0, "defaults", all.ordered())
	}
}

// identity returns which identities must not be derived, since there are VMs without.
func (w *work) identity() *node {
	id := new(node)
	for _, e := range w.entries {
		f := e.live.spec().Domain.Firmware
		if f == nil || f.UUID == "" {
			id.put("uuid", truth(false))
		}
	}
	for _, e := range w.entries {
		if f := e.live.spec().Domain.Firmware; f == nil || f.Serial == "" {
			id.put("serial", truth(false))
		}
	}
	return id
}

// catalogOf returns what the VMs share in the catalog.
func (w *work) catalogOf() *node {
	all, nets := new(node), new(node)
	for _, kind := range slices.Sorted(maps.Keys(w.header)) {
		all.set(kind, w.header[kind])
	}
	used := w.usedNetworks()
	for _, nad := range slices.SortedFunc(maps.Keys(w.names.networks), func(a, b string) int {
		return strings.Compare(w.names.networks[a].name, w.names.networks[b].name)
	}) {
		if !used[nad] {
			continue
		}
		n := node{}
		n.set("nad", nad)
		n.set("vlan", w.known.vlan(nad))
		if b := w.names.networks[nad].binding; b != "bridge" {
			n.set("binding", b)
		}
		nets.set(w.names.networks[nad].name, &n)
	}
	all.set("networks", nets)
	return all
}

// usedNetworks returns the networks of the entries, without those that only refused VMs have.
func (w *work) usedNetworks() map[string]bool {
	used := map[string]bool{}
	for _, e := range w.entries {
		for _, on := range e.live.spec().Networks {
			if on.Multus != nil {
				used[on.Multus.NetworkName] = true
			}
		}
	}
	return used
}

// write returns the file of a group, and notes the lines of its entries.
func (g *group) write() []byte {
	var out writer
	if g.namespace != "" {
		out.field(0, "namespace", valueOf(g.namespace))
	}
	if !g.defaults.empty() {
		out.field(0, "defaults", g.defaults.ordered())
	}
	out.raw("vms:\n")
	for _, e := range g.written {
		if e.leader != nil && e.leader != e {
			continue
		}
		for _, c := range commentsOn(e.entry, e.machine.Guess) {
			out.comment(2, c)
		}
		e.first = out.line
		out.raw("  " + edit.Flow(valueOf(e.machine.Entry)) + ":\n")
		out.fields(4, e.keys.ordered())
		e.machine.Lines = out.line - e.first
	}
	return []byte(out.String())
}

// commentsOn returns remarks for a reader of an entry: the reason for its operating
// system, and what no key expresses.
func commentsOn(e *entry, os Guess) []string {
	var out []string
	if os.Reason != "" {
		out = append(out, os.OS+": "+os.Reason)
	}
	if names := e.overridden(); len(names) > 0 {
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
