package adopt

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

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
	entries         []*entry
	written         []*entry // the entries that are in the file
}

// write writes the files of the fleet with some of its entries.
func (w *work) write(some []*entry) []File {
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
	for _, nad := range slices.SortedFunc(maps.Keys(w.networks), func(a, b string) int {
		return strings.Compare(w.networks[a].name, w.networks[b].name)
	}) {
		if !used[nad] {
			continue
		}
		n := node{}
		n.set("nad", nad)
		n.set("vlan", w.known.vlan(nad))
		if b := w.networks[nad].binding; b != "bridge" {
			n.set("binding", b)
		}
		nets.set(w.networks[nad].name, &n)
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
		for _, c := range e.comments() {
			out.comment(2, c)
		}
		e.first = out.line
		out.raw("  " + edit.Flow(valueOf(e.machine.Entry)) + ":\n")
		out.fields(4, e.keys.ordered())
		e.machine.Lines = out.line - e.first
	}
	return []byte(out.String())
}

// keyOrder is the keys of a VM in the order in which the format's reference has them.
var keyOrder = sync.OnceValue(func() []string {
	fields := reflect.VisibleFields(reflect.TypeFor[values.VM]())
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = values.Key(f)
	}
	return keys
})

// ordered returns the map with its keys in the order of the reference.
func (n *node) ordered() *source.Node {
	fields := slices.Clone(n.fields)
	slices.SortStableFunc(fields, func(a, b source.Field) int {
		return cmp.Compare(slices.Index(keyOrder(), a.Key), slices.Index(keyOrder(), b.Key))
	})
	return &source.Node{Kind: source.Map, Fields: fields}
}

// comments returns remarks for a reader of the entry: the reason for its operating
// system, and what no key expresses.
func (e *entry) comments() []string {
	var out []string
	if e.machine.Guess.Reason != "" {
		out = append(out, e.machine.Guess.OS+": "+e.machine.Guess.Reason)
	}
	if names := e.overridden(); len(names) > 0 {
		out = append(out, "no key for: "+strings.Join(names, ", "))
	}
	return out
}

// overridden returns what the overrides and patches set, by the last keys of the paths.
func (e *entry) overridden() []string {
	var out []string
	for path, v := range sorted(leavesOf(nil, e.keys.get("overrides"))) {
		keys := strings.Split(path, separator)
		if v.IsSet() && !slices.Contains([]string{"labels", "annotations"}, keys[max(len(keys)-2, 0)]) {
			out = append(out, strings.Join(keys[max(len(keys)-2, 0):], "."))
		}
	}
	if patches := e.keys.get("patches"); patches != nil {
		out = append(out, count(len(patches.Items), "entry of a list"))
	}
	const most = 4
	if more := len(out) - most; more > 0 {
		out = append(out[:most], count(more, "more field"))
	}
	return out
}

// at reports whether a position in the entry's file is the entry's.
func (e *entry) at(pos source.Pos) bool {
	if e.leader != nil {
		e = e.leader
	}
	return pos.Line > e.first && pos.Line <= e.first+e.machine.Lines
}
