package inventory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// resolveWaves sets the wave of every VM from its dependencies.
func resolveWaves(records []*record, index map[machineKey]*record, incomplete bool, diags *source.Diagnostics) {
	if !slices.ContainsFunc(records, func(r *record) bool { return len(r.deps) > 0 }) {
		return
	}
	w := waver{
		diags: diags, incomplete: incomplete, index: index,
		groups: map[machineKey][]*record{}, homes: map[machineKey][]*record{}, state: map[*record]int{},
	}
	for _, r := range records {
		w.add(r)
	}
	for _, r := range records {
		w.resolve(r)
	}
}

// waver resolves waves depth-first.
type waver struct {
	diags *source.Diagnostics
	// incomplete is true if some VMs could not be read.
	incomplete bool
	index      map[machineKey]*record
	groups     map[machineKey][]*record
	// homes are the records by their names in the files, if an overlay gives them other namespaces.
	homes map[machineKey][]*record
	state map[*record]int // visiting or done
	stack []*record
}

func (w *waver) add(r *record) {
	k := machineKey{r.namespace, r.group}
	w.groups[k] = append(w.groups[k], r)
	if r.home == r.namespace {
		return
	}
	k.namespace = r.home
	w.homes[k] = append(w.homes[k], r)
	if r.name != r.group {
		w.homes[machineKey{r.home, r.name}] = []*record{r}
	}
}

const (
	visiting = iota + 1
	done
)

func (w *waver) resolve(r *record) {
	if w.state[r] != 0 {
		return
	}
	w.state[r] = visiting
	w.stack = append(w.stack, r)
	least := 0
	for i := range r.deps {
		d := r.deps[i]
		for _, on := range w.find(r, d) {
			r.deps[i].Namespace = on.namespace
			if w.state[on] == visiting {
				w.reportCycle(on, d)
				continue
			}
			w.resolve(on)
			least = max(least, on.wave+1)
		}
	}
	r.wave = least
	if r.given != nil {
		r.wave = r.given.number
		if len(r.deps) > 0 && r.wave < least {
			w.diags.Errorf(r.given.pos, rule.Conflict, r.path()+".wave",
				"wave %d is not after what it depends on; expected at least %d", r.wave, least)
		}
	}
	w.stack = w.stack[:len(w.stack)-1]
	w.state[r] = done
}

// find returns the VMs that a dependency refers to: one VM, or all replicas of a VM. A
// namespace is one of the files, or else one that a VM has.
func (w *waver) find(r *record, d machine.Dependency) []*record {
	k := machineKey{d.Namespace, d.Name}
	if group := w.homes[k]; len(group) > 0 {
		return group
	}
	if on, ok := w.index[k]; ok {
		return []*record{on}
	}
	if group := w.groups[k]; len(group) > 0 {
		return group
	}
	if w.incomplete {
		return nil // it may be in a file that could not be read
	}
	name := k.seenFrom(r.home)
	problem := fmt.Sprintf("no VM %q is rendered with this one: waves do not cross Applications", name)
	w.diags.Errorf(d.Pos, rule.UnknownName, r.path()+".dependsOn", "%s",
		suggest.Later(problem, name, len(w.index), func() []string { return w.seenFrom(r.home) }))
	return nil
}

// seenFrom returns the names by which VMs in a namespace refer to all VMs, sorted.
func (w *waver) seenFrom(namespace string) []string {
	known := make([]string, 0, len(w.index))
	for _, on := range w.index {
		known = append(known, machineKey{on.home, on.name}.seenFrom(namespace))
	}
	slices.Sort(known)
	return known
}

// seenFrom returns the name by which VMs in a namespace refer to the VM of the
// key.
func (k machineKey) seenFrom(namespace string) string {
	if k.namespace == namespace {
		return k.name
	}
	return k.namespace + "/" + k.name
}

// reportCycle reports a dependency cycle, starting at the VM that was reached
// twice.
func (w *waver) reportCycle(first *record, d machine.Dependency) {
	round := w.stack[slices.Index(w.stack, first):]
	names := make([]string, 0, len(round)+1)
	for _, r := range round {
		names = append(names, r.name)
	}
	names = append(names, first.name)
	w.diags.Errorf(d.Pos, rule.Cycle, w.stack[len(w.stack)-1].path()+".dependsOn",
		"dependency cycle: %s", strings.Join(names, " → "))
}
