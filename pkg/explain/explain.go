// Package explain lists the values of a VM, those that files set and those that are decided for it, each with the file
// or the rule that it is from.
package explain

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/resolve"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// VM returns the effective values of one VM of the fleet at path: those that are
// set, on any level, and those that are decided for it, such as the bus of a disk. It
// returns all of them, or those under key. vm is a name or namespace/name. The name of an
// entry with replicas stands for what they have in common: templates are left as written.
func VM(path string, opts fleet.Options, vm, key string) ([]fleet.Explained, *source.Diagnostics) {
	diags := new(source.Diagnostics)
	f := fleet.Open(path, opts, diags)
	found := f.Named(vm)
	if len(found) != 1 {
		reportAmbiguous(found, vm, f.Namespace, diags)
		return nil, diags
	}
	rows := found[0].Explained()
	site := resolve.NewSite(f, new(source.Diagnostics))
	if m := only(site, found[0], vm); m != nil {
		for _, d := range decided(site, found[0], m) {
			rows = place(rows, d)
		}
	}
	return under(rows, vm, key, diags), diags
}

// reportAmbiguous reports a name that several VMs have. namespace is that of VMs without one.
func reportAmbiguous(found []*fleet.Entry, vm, namespace string, diags *source.Diagnostics) {
	if len(found) == 0 {
		return
	}
	names := make([]string, len(found))
	for i, e := range found {
		names[i] = cmp.Or(e.Namespace(), namespace) + "/" + e.Name
	}
	diags.Errorf(source.Pos{}, rule.AmbiguousName, "", "%d VMs have the name %q; name one: %s",
		len(found), vm, strings.Join(names, ", "))
}

// only returns the VM that a name refers to, or nil if that is an entry with
// replicas, or one with errors.
func only(s *resolve.Site, e *fleet.Entry, vm string) *machine.Machine {
	_, name, found := strings.Cut(vm, "/")
	if !found {
		name = vm
	}
	var only *machine.Machine
	s.Decide(e, new(source.Diagnostics), func(m *machine.Machine) {
		if m.Name == name && !m.Broken {
			only = m
		}
	})
	return only
}

// namesSecret matches templates that may expand to a secret.
var namesSecret = lazyregexp.New(`(?i)secret|pass|pwd|pw\b|token|credential`)

// place adds a decided value to the rows: instead of the template that it is expanded
// from, or after the values with which it has the most in common. What is set is left as
// it is, and so are templates that may expand to a secret.
func place(rows []fleet.Explained, d fleet.Explained) []fleet.Explained {
	at := slices.IndexFunc(rows, func(r fleet.Explained) bool { return r.Key == d.Key })
	switch {
	case at < 0:
		return slices.Insert(rows, after(rows, d.Key), d)
	case strings.Contains(rows[at].Value, "{{") && !namesSecret().MatchString(rows[at].Value):
		rows[at].Value = d.Value
	}
	return rows
}

// after returns the place of a key in rows, which are sorted by the first part of theirs.
func after(rows []fleet.Explained, key string) int {
	for parent := parentKey(key); parent != ""; parent = parentKey(parent) {
		for i := range slices.Backward(rows) {
			if isUnder(rows[i].Key, parent) {
				return i + 1
			}
		}
	}
	if at := slices.IndexFunc(rows, func(r fleet.Explained) bool { return r.Key > key }); at >= 0 {
		return at
	}
	return len(rows)
}

// parentKey returns the key above: disks.root of disks.root.bus, nics of nics[0].
func parentKey(key string) string { return key[:max(0, strings.LastIndexAny(key, ".["))] }

// isUnder reports whether a key is another one, or one below it.
func isUnder(key, above string) bool {
	rest, ok := strings.CutPrefix(key, above)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// under returns the values at or below key.
func under(all []fleet.Explained, vm, key string, diags *source.Diagnostics) []fleet.Explained {
	if key == "" {
		return all
	}
	var out []fleet.Explained
	known := make([]string, 0, len(all))
	for _, e := range all {
		known = append(known, e.Key)
		if isUnder(e.Key, key) {
			out = append(out, e)
		}
	}
	if len(out) == 0 && len(all) > 0 {
		diags.Errorf(source.Pos{}, rule.UnknownName, "",
			"the VM %q has no value for %q; %s", vm, key, suggest.DidYouMean(key, known))
	}
	return out
}
