package adopt

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// factor moves what VMs share to where it is shared: what all override to the defaults of
// the fleet, the hardware of a group to an entry of the catalog, and what all of a file
// have to its defaults. It reports whether anything has moved.
func (w *work) factor() bool {
	moved := share(&w.defaults, w.entries, "machineType")
	if len(w.entries) < 2 {
		return w.shareNames() || moved
	}
	setOverrides(&w.defaults, w.entries, func(path string) bool { return !isHardware(path) })
	for _, e := range w.entries {
		e.inherit(w.defaults.Get("overrides"))
	}
	all := groups(w.entries)
	names := nameGroups(all)
	for i, g := range all {
		w.factorGroup(names[i], g)
	}
	for _, key := range []string{"evictionStrategy", "runStrategy"} {
		share(&w.defaults, w.entries, key)
	}
	if len(w.levels) > 1 {
		shareAll(&w.defaults, w.entries)
	}
	for _, g := range w.levels {
		shareAll(&g.defaults, g.entries)
	}
	w.shareNames()
	return true
}

// inherit leaves out of the overrides of an entry what it inherits, and sets where the
// VM is otherwise.
func (e *imported) inherit(above *source.Node) {
	own := e.Keys.Get("overrides")
	var rest, against *source.Node
	inherited := node.Leaves(above)
	for path, v := range node.Sorted(node.Leaves(own)) {
		if of := inherited[path]; of == nil || !of.Equal(v) {
			rest = source.Compose(rest, node.Chain(path, v))
		}
	}
	for path := range node.Sorted(inherited) {
		keys := node.SplitPath(path)
		has := draft.Reach(e.Live.Tree, keys)
		if !touches(own, keys) && (has != nil || inherited[path].IsSet()) {
			against = source.Compose(against, node.Chain(path, node.Of(has)))
		}
	}
	e.Keys.Remove("overrides")
	e.Keys.Set("overrides", source.Compose(against, rest))
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

// share moves the value of a key that most entries have to a level above them, if the others have another. It reports
// whether it did.
func share(above *node.Map, all []*imported, key string) bool {
	count := map[string]int{}
	var most *source.Node
	for _, e := range all {
		v := e.Keys.Get(key)
		if v == nil {
			return false
		}
		if count[string(source.AppendJSON(nil, v))]++; count[string(source.AppendJSON(nil, v))]*2 > len(all) {
			most = v
		}
	}
	if most == nil {
		return false
	}
	above.Put(key, most)
	for _, e := range all {
		if e.Keys.Get(key).Equal(most) {
			e.Keys.Remove(key)
		}
	}
	return true
}

// shareLeaves moves what all entries have below a key, except some keys, to the same place above them. A scalar there
// is short for a map with one key.
func shareLeaves(above *node.Map, all []*imported, path []string, short string, but ...string) {
	var shared map[string]*source.Node
	for _, e := range all {
		own := node.Leaves(node.From(e.Keys.Get(path[0]).Get(path[1:]...), short).Node())
		if shared == nil {
			shared = own
		}
		maps.DeleteFunc(shared, func(leaf string, v *source.Node) bool {
			key, _, _ := strings.Cut(leaf, node.Separator)
			return !own[leaf].Equal(v) || slices.Contains(but, key)
		})
	}
	var moved *source.Node
	for leaf, v := range node.Sorted(shared) {
		moved = source.Compose(moved, node.Chain(leaf, v))
	}
	if moved == nil {
		return
	}
	for _, key := range slices.Backward(path[1:]) {
		moved = node.One(key, moved)
	}
	above.Put(path[0], source.Compose(above.Get(path[0]), moved))
	for _, e := range all {
		e.keep(path, short, shared)
	}
}

// keep leaves of the map below a key what is not among the leaves.
func (e *imported) keep(path []string, short string, shared map[string]*source.Node) {
	rest := without(nil, node.From(e.Keys.Get(path[0]).Get(path[1:]...), short).Node(), shared)
	value := (*source.Node)(nil)
	if rest != nil {
		value = node.From(rest, short).Short(short)
	}
	if len(path) == 1 {
		e.Keys.Replace(path[0], value)
		return
	}
	within := node.From(e.Keys.Get(path[0]), "")
	within.Replace(path[1], value)
	e.Keys.Replace(path[0], node.Value(within))
}

// without returns a tree without some of its leaves, or nil if it has no others.
func without(at []string, n *source.Node, leaves map[string]*source.Node) *source.Node {
	if n.Kind != source.Map || len(n.Fields) == 0 {
		if leaves[strings.Join(at, node.Separator)] != nil {
			return nil
		}
		return n
	}
	out := node.Map{}
	for _, f := range n.Fields {
		if v := without(append(slices.Clone(at), f.Key), f.Value, leaves); v != nil {
			out.Put(f.Key, v)
		}
	}
	return node.Value(&out)
}

// common returns the value that all entries have of a key, or nil.
func common(all []*imported, key string) *source.Node {
	v := all[0].Keys.Get(key)
	for _, e := range all {
		if v == nil || e.Keys.Get(key) == nil || !v.Equal(e.Keys.Get(key)) {
			return nil
		}
	}
	return v
}

// hardware is what operating systems differ in.
var hardware = []string{"clock", "devices", "features", "firmware"}

// isHardware reports whether the value at a path depends on the operating system.
func isHardware(path string) bool {
	rest, ok := strings.CutPrefix(path, strings.Join([]string{"spec", "template", "spec", "domain", ""}, node.Separator))
	key, _, _ := strings.Cut(rest, node.Separator)
	return ok && slices.Contains(hardware, key)
}

// has reports whether a tree has a value at a path of [node.Leaves].
func has(n *source.Node, path string) bool {
	return n.Get(strings.Split(path, node.Separator)...) != nil
}

// setOverrides sets what all of the entries override in the same way, of the paths that are wanted.
func setOverrides(above *node.Map, all []*imported, wanted func(path string) bool) {
	count := map[string]int{}
	leaf := map[string]*source.Node{}
	for _, e := range all {
		for path, v := range node.Leaves(e.Keys.Get("overrides")) {
			if !wanted(path) || isIdentity(path) {
				continue
			}
			key := path + node.Separator + string(source.AppendJSON(nil, v))
			count[key]++
			leaf[key] = node.Chain(path, v)
		}
	}
	var over *source.Node
	for _, key := range slices.Sorted(maps.Keys(count)) {
		if count[key] == len(all) {
			over = source.Compose(over, leaf[key])
		}
	}
	above.Set("overrides", over)
}

// isIdentity reports whether the value at a path identifies a guest. VMs that have
// it in common were copied.
func isIdentity(path string) bool {
	return strings.HasSuffix(path, strings.Join([]string{"", "firmware", "uuid"}, node.Separator)) ||
		strings.HasSuffix(path, strings.Join([]string{"", "firmware", "serial"}, node.Separator))
}

// sharedKeys are the keys that move to the defaults of a file, or of the fleet, if all VMs of it have the same: those
// that rarely identify a single VM.
var sharedKeys = []string{
	"instancetype", "preference", "flavor", "cpu", "memory", "resources", "nics", "cloudInit", "sysprep", "machineType",
	"arch", "labels", "annotations", "podLabels", "podAnnotations", "workload", "runStrategy", "evictionStrategy",
	"nodeSelector", "tolerations", "affinity", "topologySpreadConstraints", "priorityClassName",
	"terminationGracePeriodSeconds", "readinessProbe", "livenessProbe", "accessCredentials",
}

// shareAll moves what all of two or more VMs have to the level above them.
func shareAll(above *node.Map, all []*imported) {
	if len(all) < 2 {
		return
	}
	for _, key := range sharedKeys {
		v := common(all, key)
		if v == nil {
			continue
		}
		above.Put(key, v)
		for _, e := range all {
			e.Keys.Remove(key)
		}
	}
	for _, key := range []string{"labels", "annotations", "podLabels", "podAnnotations"} {
		shareLeaves(above, all, []string{key}, "")
	}
}
