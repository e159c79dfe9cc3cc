package fleet

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/secret"
	"github.com/vmrender/vmrender/pkg/source"
)

// Explained is one effective value of a VM and its origin.
type Explained struct {
	Key   string     // such as "memory.guest" or "nics[0].network"
	Value string     // as written; without secrets, and [secret.Hidden] if it could be one
	Pos   source.Pos // where it is set
	Level string     // the level of inheritance that sets it, such as "VM" or "fleet defaults"
}

// Named returns the entries that a name, or namespace/name, of a VM refers to; a replica is
// of its entry. They are sorted by namespace.
func (f *Fleet) Named(vm string) []*Entry {
	var mu sync.Mutex
	var known []string
	var found []*Entry
	f.Each(func(e *Entry, _ *source.Diagnostics) {
		mu.Lock()
		defer mu.Unlock()
		known = append(known, e.Name)
		if e.isNamed(vm, f.Namespace) {
			found = append(found, e)
		}
	})
	slices.SortFunc(found, func(a, b *Entry) int {
		return cmp.Or(strings.Compare(a.Namespace(), b.Namespace()), cmp.Compare(a.replicas(), b.replicas()))
	})
	found = slices.CompactFunc(found, func(a, b *Entry) bool { // a VM, before replicas of that name
		return a.Namespace() == b.Namespace() && a.Name == b.Name && min(a.replicas(), b.replicas()) == 0
	})
	if len(found) == 0 && !f.diags.HasErrors() {
		slices.Sort(known)
		f.diags.Errorf(source.Pos{}, rule.UnknownName, "", "unknown VM %q; %s", vm, suggest.DidYouMean(vm, known))
	}
	return found
}

// Namespace returns the namespace that the levels of the entry set, or "".
func (e *Entry) Namespace() string { return e.Keys.Get("namespace").Str() }

// isNamed reports whether name, with or without a namespace, refers to the
// entry or to one of its replicas.
func (e *Entry) isNamed(name, namespace string) bool {
	if ns, rest, ok := strings.Cut(name, "/"); ok {
		if cmp.Or(e.Namespace(), namespace) != ns {
			return false
		}
		name = rest
	}
	rest, ok := strings.CutPrefix(name, e.Name+"-")
	ordinal, err := strconv.Atoi(rest)
	return e.Name == name || ok && err == nil && ordinal < e.replicas()
}

// replicas returns the number of replicas of the entry, or 0 if it is one VM.
func (e *Entry) replicas() int {
	if e.VM.Replicas == nil {
		return 0
	}
	return *e.VM.Replicas
}

// Explained returns the effective values of the entry as its levels set them, by key.
func (e *Entry) Explained() []Explained {
	var out []Explained
	visible := e.visibleVars()
	leaves(e.Keys, "", func(path string, n *source.Node) {
		value := shown(path, n)
		if visible[path] {
			value = secret.Masked(display(n))
		}
		out = append(out, Explained{Key: path, Value: value, Pos: n.Pos(), Level: e.origin(n)})
	})
	slices.SortStableFunc(out, func(a, b Explained) int { return strings.Compare(topKey(a.Key), topKey(b.Key)) })
	return out
}

// visibleVars returns the paths of the vars that are a part of values which are shown, such as an address: those are
// no secrets, unless they are named like one.
func (e *Entry) visibleVars() map[string]bool {
	visible := map[string]bool{}
	leaves(e.Keys, "", func(path string, n *source.Node) {
		if n.Kind != source.String || shown(path, n) != n.Text {
			return // the var may be what is hidden there
		}
		for _, found := range varAlone().FindAllStringSubmatch(n.Text, -1) {
			if !namedSecret().MatchString(found[1]) {
				visible[found[1]] = true
			}
		}
	})
	return visible
}

// varAlone matches a part of a template that is replaced by a var as it is.
var varAlone = lazyregexp.New(`\{\{-?\s*\.(vars(?:\.[A-Za-z0-9_]+)+)\s*-?\}\}`)

// namedSecret matches the vars that are named like a secret.
var namedSecret = lazyregexp.New(`(?i:pass|pw|token|secret|credential|key)`)

// couldBeSecret matches the keys whose values can be anything, and so can be secrets,
// and keys that are named like one, which may be misspelt.
var couldBeSecret = lazyregexp.New(
	`^(vars|overrides|patches\[\d+\]\.value|objects|cloudInit\.(password|userData|networkData|runcmd|extra)|` +
		`lifecycle\.ansible\.extraVars|(?i:.*(passw(or)?ds?|passphrase|pwd|token)))($|[.\[])`)

// shown returns a value without secrets: reports end up in logs.
func shown(path string, n *source.Node) string {
	if n.Kind != source.Bool && couldBeSecret().MatchString(path) {
		return secret.Hidden
	}
	return secret.Masked(display(n))
}

func display(n *source.Node) string {
	switch n.Kind {
	case source.Map:
		return "{}"
	case source.List:
		return "[]"
	}
	return n.Text
}

// leaves calls visit for every scalar, and for every empty map or list.
func leaves(n *source.Node, path string, visit func(string, *source.Node)) {
	if n.Short.IsSet() {
		visit(path, n.Short)
	}
	switch {
	case n.Kind == source.Map && (len(n.Fields) > 0 || n.Short != nil):
		for _, f := range n.Fields {
			leaves(f.Value, source.JoinPath(path, f.Key), visit)
		}
	case n.Kind == source.List && len(n.Items) > 0:
		for i, item := range n.Items {
			leaves(item, source.IndexPath(path, i), visit)
		}
	case n.Kind != source.Null:
		visit(path, n)
	}
}
