package adopt

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// factor moves what VMs share to where it is shared: what all override to the defaults of
// the fleet, the hardware of a group to an entry of the catalog, and what all of a file
// have to its defaults. It reports whether anything has moved.
func (w *work) factor() bool {
	if len(w.entries) < 2 {
		return false
	}
	w.defaults.overrides(w.entries, func(path string) bool { return !isHardware(path) })
	for _, e := range w.entries {
		e.inherit(w.defaults.get("overrides"))
	}
	all := groups(w.entries)
	names := nameGroups(all)
	for i, g := range all {
		w.factorGroup(names[i], g)
	}
	for _, key := range []string{"machineType", "evictionStrategy", "runStrategy"} {
		share(&w.defaults, w.entries, key)
	}
	for _, g := range w.levels {
		g.factor()
	}
	return true
}

// inherit leaves out of the overrides of an entry what it inherits, and sets where the
// VM is otherwise.
func (e *imported) inherit(above *source.Node) {
	own := e.keys.get("overrides")
	var rest, against *source.Node
	inherited := leavesOf(nil, above)
	for path, v := range sorted(leavesOf(nil, own)) {
		if of := inherited[path]; of == nil || !of.Equal(v) {
			rest = source.Compose(rest, chain(path, v))
		}
	}
	for path := range sorted(inherited) {
		keys := splitPath(path)
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

// share moves the value of a key that most entries have to a level above them, if the others have another.
func share(above *node, all []*imported, key string) {
	count := map[string]int{}
	var most *source.Node
	for _, e := range all {
		v := e.keys.get(key)
		if v == nil {
			return
		}
		if count[string(source.AppendJSON(nil, v))]++; count[string(source.AppendJSON(nil, v))]*2 > len(all) {
			most = v
		}
	}
	if most == nil {
		return
	}
	above.put(key, most)
	for _, e := range all {
		if e.keys.get(key).Equal(most) {
			e.keys.remove(key)
		}
	}
}

// shareLeaves moves what all entries have below a key, except some keys, to the same place above them. A scalar there
// is short for a map with one key.
func shareLeaves(above *node, all []*imported, path []string, short string, but ...string) {
	var shared map[string]*source.Node
	for _, e := range all {
		own := leavesOf(nil, nodeFrom(e.keys.get(path[0]).Get(path[1:]...), short).tree())
		if shared == nil {
			shared = own
		}
		maps.DeleteFunc(shared, func(leaf string, v *source.Node) bool {
			key, _, _ := strings.Cut(leaf, separator)
			return !own[leaf].Equal(v) || slices.Contains(but, key)
		})
	}
	var moved *source.Node
	for leaf, v := range sorted(shared) {
		moved = source.Compose(moved, chain(leaf, v))
	}
	if moved == nil {
		return
	}
	for _, key := range slices.Backward(path[1:]) {
		moved = one(key, moved)
	}
	above.put(path[0], source.Compose(above.get(path[0]), moved))
	for _, e := range all {
		e.keep(path, short, shared)
	}
}

// keep leaves of the map below a key what is not among the leaves.
func (e *imported) keep(path []string, short string, shared map[string]*source.Node) {
	rest := without(nil, nodeFrom(e.keys.get(path[0]).Get(path[1:]...), short).tree(), shared)
	value := (*source.Node)(nil)
	if rest != nil {
		value = nodeFrom(rest, short).short(short)
	}
	if len(path) == 1 {
		e.keys.replace(path[0], value)
		return
	}
	within := nodeFrom(e.keys.get(path[0]), "")
	within.replace(path[1], value)
	e.keys.replace(path[0], valueOf(within))
}

// without returns a tree without some of its leaves, or nil if it has no others.
func without(at []string, n *source.Node, leaves map[string]*source.Node) *source.Node {
	if n.Kind != source.Map || len(n.Fields) == 0 {
		if leaves[strings.Join(at, separator)] != nil {
			return nil
		}
		return n
	}
	out := node{}
	for _, f := range n.Fields {
		if v := without(append(slices.Clone(at), f.Key), f.Value, leaves); v != nil {
			out.put(f.Key, v)
		}
	}
	return valueOf(&out)
}

// common returns the value that all entries have of a key, or nil.
func common(all []*imported, key string) *source.Node {
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

// overrides sets what all of the entries override in the same way, of the paths that are wanted.
func (n *node) overrides(all []*imported, wanted func(path string) bool) {
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
		if count[key] == len(all) {
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
	for _, key := range []string{"labels", "annotations", "podAnnotations"} {
		shareLeaves(&g.defaults, g.entries, []string{key}, "")
	}
}
