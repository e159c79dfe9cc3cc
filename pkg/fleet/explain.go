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

// Explain returns the effective values of one VM of the fleet at path: all of
// them, or those under key. vm is a name or namespace/name.
func Explain(path string, opts Options, vm, key string) ([]Explained, *source.Diagnostics) {
	diags := new(source.Diagnostics)
	f := Open(path, opts, diags)
	var mu sync.Mutex
	var names []string
	var found *Entry
	f.Each(func(e *Entry, _ *source.Diagnostics) {
		mu.Lock()
		defer mu.Unlock()
		names = append(names, e.Name)
		if e.isNamed(vm, opts.Namespace) {
			found = e
		}
	})
	if found == nil {
		if !diags.HasErrors() {
			slices.Sort(names)
			diags.Errorf(source.Pos{}, rule.UnknownName, "", "unknown VM %q; %s", vm, suggest.DidYouMean(vm, names))
		}
		return nil, diags
	}
	return under(found.explained(), vm, key, diags), diags
}

// isNamed reports whether name, with or without a namespace, refers to the
// entry or to one of its replicas.
func (e *Entry) isNamed(name, namespace string) bool {
	if ns, rest, ok := strings.Cut(name, "/"); ok {
		if cmp.Or(e.Keys.Get("namespace").Str(), namespace) != ns {
			return false
		}
		name = rest
	}
	return e.Name == name || replicaOf(name, e.Name)
}

// replicaOf reports whether name is a replica of the VM entry.
func replicaOf(name, entry string) bool {
	rest, ok := strings.CutPrefix(name, entry+"-")
	_, err := strconv.Atoi(rest)
	return ok && err == nil
}

// under returns the values at or below key.
func under(all []Explained, vm, key string, diags *source.Diagnostics) []Explained {
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
		diags.Errorf(source.Pos{}, rule.UnknownName, "",
			"the VM %q has no value for %q; %s", vm, key, suggest.DidYouMean(key, known))
	}
	return out
}

func (e *Entry) explained() []Explained {
	var out []Explained
	leaves(e.Keys, "", func(path string, n *source.Node) {
		out = append(out, Explained{Key: path, Value: shown(path, n), Pos: n.Pos(), Level: e.origin(n)})
	})
	slices.SortStableFunc(out, func(a, b Explained) int { return strings.Compare(topKey(a.Key), topKey(b.Key)) })
	return out
}

// couldBeSecret matches the keys whose values can be anything, and so can be secrets,
// and keys that are named like one, which may be misspelt.
var couldBeSecret = lazyregexp.New(
	`^(vars|overrides|patches\[\d+\]\.value|cloudInit\.(password|userData|networkData|runcmd)|` +
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
