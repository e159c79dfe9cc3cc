package fleet

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// check reports what can only be seen with all machines that were read, and
// gives every machine its wave.
func check(records []*record, diags *source.Diagnostics) {
	slices.SortFunc(records, func(a, b *record) int {
		return cmp.Or(strings.Compare(a.pos.File, b.pos.File), cmp.Compare(a.pos.Line, b.pos.Line), cmp.Compare(a.pos.Col, b.pos.Col),
			strings.Compare(a.name, b.name))
	})
	index := checkDuplicates(records, diags)
	checkAddresses(records, diags)
	checkObjects(records, diags)
	resolveWaves(records, index, diags)
}

func checkDuplicates(records []*record, diags *source.Diagnostics) map[machineKey]*record {
	index := make(map[machineKey]*record, len(records))
	for _, r := range records {
		if first, ok := index[r.machineKey]; ok {
			diags.Errorf(r.pos, "duplicate", r.path, "duplicate VM %q in namespace %q; the first is at %s", r.name, r.namespace, where(first.pos))
			continue
		}
		index[r.machineKey] = r
	}
	return index
}

func checkAddresses(records []*record, diags *source.Diagnostics) {
	type holder struct {
		vm *record
		at *address
	}
	seen := make(map[addressKey]holder, len(records))
	for _, r := range records {
		for i := range r.addresses {
			a := &r.addresses[i]
			if first, ok := seen[a.addressKey]; ok {
				diags.Errorf(a.pos, "duplicate", r.path+"."+a.path, "duplicate %s %q; %s has it at %s",
					a.what, a.address, first.at.holder(first.vm.name), where(first.at.pos))
				continue
			}
			seen[a.addressKey] = holder{r, a}
		}
	}
}

// holder says whose an address is.
func (a *address) holder(vm string) string {
	if a.nic == "" {
		return fmt.Sprintf("the VM %q", vm)
	}
	return fmt.Sprintf("the NIC %q of the VM %q", a.nic, vm)
}

// checkObjects reports objects of different VMs that have the same name: the
// disk `b-c` of the VM `a` is `a-b-c`, and so is the disk `c` of `a-b`.
func checkObjects(records []*record, diags *source.Diagnostics) {
	type key struct{ kind, namespace, name string }
	seen := make(map[key]*record, len(records))
	for _, r := range records {
		for _, o := range r.objects {
			k := key{o.kind, r.namespace, o.name}
			if first, ok := seen[k]; ok && first.name != r.name {
				diags.Errorf(r.pos, "duplicate", r.path+"."+o.path(), "its %s %q is also one of the VM %q at %s; rename one",
					o.kind, o.name, first.name, where(first.pos))
				continue
			}
			seen[k] = r
		}
	}
}

// resolveWaves gives every machine its wave, from what it depends on.
func resolveWaves(records []*record, index map[machineKey]*record, diags *source.Diagnostics) {
	if !slices.ContainsFunc(records, func(r *record) bool { return len(r.deps) > 0 }) {
		return
	}
	w := waver{diags: diags, index: index, groups: map[machineKey][]*record{}, state: map[*record]int{}}
	for _, r := range records {
		k := machineKey{r.namespace, r.group}
		w.groups[k] = append(w.groups[k], r)
	}
	for _, r := range records {
		w.resolve(r)
	}
}

// waver resolves waves depth first.
type waver struct {
	diags  *source.Diagnostics
	index  map[machineKey]*record
	groups map[machineKey][]*record
	state  map[*record]int // visiting or done
	stack  []*record
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
	for _, d := range r.deps {
		for _, on := range w.find(r, d) {
			if w.state[on] == visiting {
				w.cycle(on, d)
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
			w.diags.Errorf(r.given.pos, "conflict", r.path+".wave", "wave %d is not after what it depends on; expected at least %d", r.wave, least)
		}
	}
	w.stack = w.stack[:len(w.stack)-1]
	w.state[r] = done
}

// find gives the machines that a dependency names: one, or all replicas of one VM.
func (w *waver) find(r *record, d Dependency) []*record {
	k := machineKey{d.Namespace, d.Name}
	if on, ok := w.index[k]; ok {
		return []*record{on}
	}
	if group := w.groups[k]; len(group) > 0 {
		return group
	}
	if w.diags.HasRule(unreadRules...) {
		return nil // it may be in what could not be read
	}
	known := make([]string, 0, len(w.index))
	for k := range w.index {
		known = append(known, k.seenFrom(r.namespace))
	}
	slices.Sort(known)
	name := k.seenFrom(r.namespace)
	w.diags.Errorf(d.Pos, "unknown-name", r.path+".dependsOn", "no VM %q is rendered with this one: waves do not cross Applications; %s",
		name, source.DidYouMean(name, known))
	return nil
}

// unreadRules are those of errors that keep VMs from being read.
var unreadRules = []string{"yaml-syntax", "encoding", "file-size", "unreadable", "bad-path", "duplicate-key", "key-type", "anchor", "expansion", "depth", "tag"}

// seenFrom is the name by which a VM of a namespace means the one of the key.
func (k machineKey) seenFrom(namespace string) string {
	if k.namespace == namespace {
		return k.name
	}
	return k.namespace + "/" + k.name
}

// cycle prints the machines from the first one met twice on.
func (w *waver) cycle(first *record, d Dependency) {
	round := w.stack[slices.Index(w.stack, first):]
	names := make([]string, 0, len(round)+1)
	for _, r := range round {
		names = append(names, r.name)
	}
	names = append(names, first.name)
	w.diags.Errorf(d.Pos, "cycle", w.stack[len(w.stack)-1].path+".dependsOn", "dependency cycle: %s", strings.Join(names, " → "))
}
