package fleet

import (
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// Explained is one effective value of a VM and where it comes from.
type Explained struct {
	Key   string     // such as "memory.guest" or "nics[0].network"
	Value string     // as written
	Pos   source.Pos // where it stands
	Level string     // the level of inheritance that sets it, such as "VM" or "fleet defaults"
}

// Explain gives the effective values of one VM of the fleet at path, all of
// them or those under key. The VM is given by name or namespace/name.
func Explain(path string, opts Options, vm, key string) ([]Explained, *source.Diagnostics) {
	l := newLoader(opts)
	name := vm[strings.LastIndex(vm, "/")+1:]
	var found []Explained
	hit := false
	l.inspect = func(entry string, s *subject, top *level) {
		if entry != name && !replicaOf(name, entry) {
			return
		}
		if ns, _, ok := strings.Cut(vm, "/"); ok && or(display(s.node.Get("namespace")), opts.Namespace) != ns {
			return
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		hit = true
		found = explained(s, top)
	}
	l.load(path)
	if !hit && !l.diags.HasErrors() {
		l.diags.Errorf(source.Pos{}, "unknown-name", "", "unknown VM %q; %s", vm, source.DidYouMean(vm, l.names()))
	}
	return l.under(found, vm, key), &l.diags
}

// replicaOf tells whether name is a replica of the VM entry.
func replicaOf(name, entry string) bool {
	rest, ok := strings.CutPrefix(name, entry+"-")
	_, err := strconv.Atoi(rest)
	return ok && err == nil
}

// under keeps the values at key and below it.
func (l *loader) under(all []Explained, vm, key string) []Explained {
	if key == "" {
		return all
	}
	var out []Explained
	known := make([]string, 0, len(all))
	for _, e := range all {
		known = append(known, e.Key)
		if rest, ok := strings.CutPrefix(e.Key, key); ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
			out = append(out, e)
		}
	}
	if len(out) == 0 && len(all) > 0 {
		l.diags.Errorf(source.Pos{}, "unknown-name", "", "the VM %q has no value for %q; %s", vm, key, source.DidYouMean(key, known))
	}
	return out
}

func explained(s *subject, top *level) []Explained {
	var out []Explained
	leaves(s.node, "", func(path string, n *source.Node) {
		out = append(out, Explained{Key: path, Value: display(n), Pos: n.Pos(), Level: levelOf(s, top, n)})
	})
	slices.SortStableFunc(out, func(a, b Explained) int { return strings.Compare(topKey(a.Key), topKey(b.Key)) })
	return out
}

func display(n *source.Node) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == source.Map:
		return "{}"
	case n.Kind == source.List:
		return "[]"
	}
	return n.Text
}

func topKey(path string) string {
	if i := strings.IndexAny(path, ".["); i >= 0 {
		return path[:i]
	}
	return path
}

// leaves calls visit for every scalar, and for every empty map or list.
func leaves(n *source.Node, path string, visit func(string, *source.Node)) {
	switch {
	case n.Kind == source.Map && len(n.Fields) > 0:
		for _, f := range n.Fields {
			below := path
			if !strings.HasPrefix(f.Key, "#") {
				below = source.JoinPath(path, f.Key)
			}
			leaves(f.Value, below, visit)
		}
	case n.Kind == source.List && len(n.Items) > 0:
		for i, item := range n.Items {
			leaves(item, source.IndexPath(path, i), visit)
		}
	case n.Kind != source.Null:
		visit(path, n)
	}
}

// levelOf names the level that a value stands on: merging shares nodes, so it
// is the one whose tree holds the very node.
func levelOf(s *subject, top *level, leaf *source.Node) string {
	for l := top; l != nil; l = l.parent {
		if holds(l.keys, leaf) {
			return l.name
		}
		if l.flavor != nil && holds(l.flavor, leaf) {
			return l.name + ", flavor " + display(s.node.Get("flavor"))
		}
	}
	return "catalogue entry " + s.os.Name
}

func holds(tree, leaf *source.Node) bool {
	if tree == leaf {
		return true
	}
	for _, f := range tree.Fields {
		if holds(f.Value, leaf) {
			return true
		}
	}
	for _, item := range tree.Items {
		if holds(item, leaf) {
			return true
		}
	}
	return false
}
