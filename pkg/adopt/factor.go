package adopt

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// factor moves what VMs share to where it is shared: what most of all override to the
// defaults of the fleet, what most of an operating system do to an entry of the catalog,
// and what all of a file have to its defaults. It reports whether anything has moved.
// VMs that differ then set it: the overrides are settled again.
func (w *work) factor() bool {
	if len(w.entries) < 2 {
		return false
	}
	w.defaults.overrides(w.entries, func(path string) bool { return !isHardware(path) })
	groups := map[string][]*entry{}
	for _, e := range w.entries {
		groups[e.os.Name] = append(groups[e.os.Name], e)
	}
	for _, name := range slices.Sorted(maps.Keys(groups)) {
		if all := groups[name]; len(all) > 1 {
			w.factorOS(name, all)
		}
	}
	w.shareMost()
	for _, g := range w.levels {
		g.factor()
	}
	for _, e := range w.entries {
		e.inherit(w.defaults.get("overrides"))
	}
	return true
}

// inherit leaves out of the overrides of an entry what it inherits, and sets where the
// VM is otherwise.
func (e *entry) inherit(above *source.Node) {
	own := e.keys.get("overrides")
	var rest, against *source.Node
	inherited := leavesOf(nil, above)
	for path, v := range sorted(leavesOf(nil, own)) {
		if of := inherited[path]; of == nil || !of.Equal(v) {
			rest = source.Compose(rest, chain(path, v))
		}
	}
	for path := range sorted(inherited) {
		keys := strings.Split(path, separator)
		has := reach(e.live.tree, keys)
		if !touches(own, keys) && (has != nil || inherited[path].IsSet()) {
			against = source.Compose(against, chain(path, nodeOf(has)))
		}
	}
	e.keys.remove("overrides")
	e.keys.set("overrides", source.Compose(against, rest))
}

// touches reports whether a patch changes something at a path, above or below it.
func touches(n *source.Node, path []string) bool {
	for _, key := range path {
		f := n.Field(key)
		if f == nil {
			return false
		}
		n = f.Value
		if n.Kind != source.Map {
			return true
		}
	}
	return true
}

// factorOS creates an entry of the catalog for what the VMs of an operating system share.
func (w *work) factorOS(name string, all []*entry) {
	shared := node{}
	shared.overrides(all, func(path string) bool { return !has(w.defaults.get("overrides"), path) })
	defaults := node{}
	for _, key := range []string{"tpm", "terminationGracePeriodSeconds"} {
		others := slices.DeleteFunc(slices.Clone(all), (*entry).preferred) // a preference takes the place of both
		share(&defaults, others, key, func(e *entry) *source.Node { return e.os.Defaults.Get(key) })
	}
	shareTemplateKind(&defaults, all)
	if shared.empty() && defaults.empty() {
		return
	}
	of := node{}
	of.set("from", name)
	of.set("label", all[0].os.Label)
	of.set("defaults", &defaults)
	of.set("overrides", shared.get("overrides"))
	if w.header == nil {
		w.header = map[string]*node{"os": new(node)}
	}
	adopted := name + "-adopted"
	w.header["os"].put(adopted, of.tree())
	for _, e := range all {
		e.keys.put("os", valueOf(adopted))
		e.inherit(shared.get("overrides"))
	}
}

// templateKind is what OpenShift's console writes into the template of each root disk.
var templateKind = nodeOf(tree{"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume"})

// shareTemplateKind moves the kind of the templates of root disks to the defaults of an
// operating system, if all VMs have it.
func shareTemplateKind(defaults *node, all []*entry) {
	for _, e := range all {
		of := e.keys.get("disks").Get(values.RootDisk, "dataVolume")
		for _, f := range templateKind.Fields {
			if !of.Get(f.Key).IsSet() || !of.Get(f.Key).Equal(f.Value) {
				return
			}
		}
	}
	defaults.put("disks", one(values.RootDisk, one("dataVolume", templateKind)))
	for _, e := range all {
		disks := nodeFrom(e.keys.get("disks"), "")
		root := nodeFrom(disks.get(values.RootDisk), "size")
		of := nodeFrom(root.get("dataVolume"), "")
		of.remove("apiVersion")
		of.remove("kind")
		root.remove("dataVolume")
		root.set("dataVolume", of)
		disks.put(values.RootDisk, root.tree())
		e.keys.put("disks", disks.tree())
	}
}

// shareMost moves what most VMs have to the defaults of the fleet, if all others have
// another: keys with a single value, which means the same at every level.
func (w *work) shareMost() {
	for _, key := range []string{"machineType", "evictionStrategy", "runStrategy"} {
		share(&w.defaults, w.entries, key, func(*entry) *source.Node { return nil })
	}
}

// share moves the value of a key that most entries have to a level above them. Those
// without one get what they had from below that level, or null.
func share(above *node, all []*entry, key string, below func(*entry) *source.Node) {
	count := map[string]int{}
	var most *source.Node
	for _, e := range all {
		if v := e.keys.get(key); v != nil {
			count[string(source.AppendJSON(nil, v))]++
		}
	}
	for _, e := range all {
		if v := e.keys.get(key); v != nil && count[string(source.AppendJSON(nil, v))]*2 > len(all) {
			most = v
		}
	}
	if most == nil {
		return
	}
	above.put(key, most)
	for _, e := range all {
		v := e.keys.get(key)
		switch {
		case v == nil:
			e.keys.put(key, cmp.Or(below(e), null()))
		case v.Equal(most):
			e.keys.remove(key)
		}
	}
}

// common returns the value that all entries have of a key, or nil.
func common(all []*entry, key string) *source.Node {
	v := all[0].keys.get(key)
	for _, e := range all {
		if v == nil || e.keys.get(key) == nil || !v.Equal(e.keys.get(key)) {
			return nil
		}
	}
	return v
}

// hardware is what operating systems differ in.
var hardware = []string{"clock", "devices", "features", "firmware"}

// isHardware reports whether the value at a path depends on the operating system.
func isHardware(path string) bool {
	rest, ok := strings.CutPrefix(path, strings.Join([]string{"spec", "template", "spec", "domain", ""}, separator))
	key, _, _ := strings.Cut(rest, separator)
	return ok && slices.Contains(hardware, key)
}

// has reports whether a tree has a value at a path of [leavesOf].
func has(n *source.Node, path string) bool { return n.Get(strings.Split(path, separator)...) != nil }

// overrides sets what most of the entries override, of the paths that are wanted.
func (n *node) overrides(all []*entry, wanted func(path string) bool) {
	count := map[string]int{}
	leaf := map[string]*source.Node{}
	for _, e := range all {
		for path, v := range leavesOf(nil, e.keys.get("overrides")) {
			if !wanted(path) || isIdentity(path) {
				continue
			}
			key := path + separator + string(source.AppendJSON(nil, v))
			count[key]++
			leaf[key] = chain(path, v)
		}
	}
	var over *source.Node
	for _, key := range slices.Sorted(maps.Keys(count)) {
		if count[key] == len(all) || count[key]*2 > len(all) && !isMark(key) {
			over = source.Compose(over, leaf[key])
		}
	}
	n.set("overrides", over)
}

// isIdentity reports whether the value at a path identifies a guest. VMs that have
// it in common were copied.
func isIdentity(path string) bool {
	return strings.HasSuffix(path, strings.Join([]string{"", "firmware", "uuid"}, separator)) ||
		strings.HasSuffix(path, strings.Join([]string{"", "firmware", "serial"}, separator))
}

// isMark reports whether a leaf sets a label or an annotation: one that only most VMs
// have is not for those that come later.
func isMark(leaf string) bool {
	marks := strings.HasPrefix(leaf, "metadata"+separator) ||
		strings.HasPrefix(leaf, strings.Join([]string{"spec", "template", "metadata", ""}, separator))
	return marks && !strings.HasSuffix(leaf, separator+"null")
}

// chain returns the map in which a value is at a path of [leavesOf].
func chain(path string, v *source.Node) *source.Node {
	for _, key := range slices.Backward(strings.Split(path, separator)) {
		v = one(key, v)
	}
	return v
}

// separator is between the keys of a path, none of which contains it.
const separator = "\x00"

// sorted yields the entries of a map in the order of its keys.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// leavesOf returns the values of a tree other than maps with keys, by their paths.
func leavesOf(at []string, n *source.Node) map[string]*source.Node {
	out := map[string]*source.Node{}
	for _, f := range n.Entries() {
		path := append(slices.Clone(at), f.Key)
		if f.Value.Kind == source.Map && len(f.Value.Fields) > 0 {
			maps.Copy(out, leavesOf(path, f.Value))
		} else {
			out[strings.Join(path, separator)] = f.Value
		}
	}
	return out
}

// sharedKeys are the keys that move to the defaults of a file if all VMs of it have
// the same: those that rarely identify a single VM.
var sharedKeys = []string{
	"instancetype", "preference", "resources", "nics", "cloudInit", "sysprep", "machineType", "arch", "labels",
	"annotations", "podAnnotations", "workload", "runStrategy", "evictionStrategy", "nodeSelector", "tolerations",
	"affinity", "topologySpreadConstraints", "priorityClassName", "terminationGracePeriodSeconds", "readinessProbe",
	"livenessProbe", "accessCredentials",
}

// factor moves what all VMs of a file have to its defaults.
func (g *group) factor() {
	if len(g.entries) < 2 {
		return
	}
	for _, key := range sharedKeys {
		v := common(g.entries, key)
		if v == nil {
			continue
		}
		g.defaults.put(key, v)
		for _, e := range g.entries {
			e.keys.remove(key)
		}
	}
}
