package fleet

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// check reports what can only be seen with all machines that were read.
func check(machines []*Machine, diags *source.Diagnostics) {
	slices.SortFunc(machines, func(a, b *Machine) int {
		return cmp.Or(strings.Compare(a.Pos.File, b.Pos.File), cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col),
			strings.Compare(a.Name, b.Name))
	})
	index := checkDuplicates(machines, diags)
	checkAddresses(machines, diags)
	checkObjects(machines, diags)
	resolveWaves(machines, index, diags)
}

type machineKey struct{ namespace, name string }

func checkDuplicates(machines []*Machine, diags *source.Diagnostics) map[machineKey]*Machine {
	index := make(map[machineKey]*Machine, len(machines))
	for _, m := range machines {
		k := machineKey{m.Namespace, m.Name}
		if first, ok := index[k]; ok {
			diags.Errorf(m.Pos, "duplicate", m.Path, "duplicate VM %q in namespace %q; the first is at %s", m.Name, m.Namespace, where(first.Pos))
			continue
		}
		index[k] = m
	}
	return index
}

// addressKey is what must be unique: a MAC address in the fleet, an IP address on its network.
type addressKey struct{ network, address string }

func checkAddresses(machines []*Machine, diags *source.Diagnostics) {
	seen := map[addressKey]source.Pos{}
	claim := func(m *Machine, n *MachineNIC, what string, k addressKey) {
		if first, ok := seen[k]; ok {
			diags.Errorf(n.Pos, "duplicate", m.Path+".nics", "duplicate %s %q of the NIC %q; the first is at %s", what, k.address, n.Name, where(first))
			return
		}
		seen[k] = n.Pos
	}
	for _, m := range machines {
		for i := range m.NICs {
			n := &m.NICs[i]
			if n.MAC != "" {
				claim(m, n, "MAC address", addressKey{"", n.MAC})
			}
			if n.IP == "" {
				continue
			}
			if p, err := netip.ParsePrefix(n.IP); err == nil && !n.Pod {
				claim(m, n, "IP address", addressKey{n.NAD, p.Addr().String()})
			}
		}
	}
}

// checkObjects reports objects of different VMs that have the same name: the
// disk `b-c` of the VM `a` is `a-b-c`, and so is the disk `c` of `a-b`.
func checkObjects(machines []*Machine, diags *source.Diagnostics) {
	type object struct{ kind, namespace, name string }
	seen := map[object]*Machine{}
	claim := func(m *Machine, kind, name string, pos source.Pos, path string) {
		k := object{kind, m.Namespace, name}
		if first, ok := seen[k]; ok && first.Name != m.Name {
			diags.Errorf(pos, "duplicate", m.Path+path, "its %s %q is also one of the VM %q at %s; rename one", kind, name, first.Name, where(first.Pos))
			return
		}
		seen[k] = m
	}
	for _, m := range machines {
		for _, d := range m.Disks {
			if d.Kind == DiskDataVolume {
				claim(m, "DataVolume", d.Claim, d.Pos, ".disks."+d.Name)
			}
		}
		for _, s := range m.Services {
			claim(m, "Service", s.Name, m.Pos, ".services."+s.PortName)
		}
	}
}

// resolveWaves gives every machine its wave, from what it depends on.
func resolveWaves(machines []*Machine, index map[machineKey]*Machine, diags *source.Diagnostics) {
	if !slices.ContainsFunc(machines, func(m *Machine) bool { return m.wave != nil || len(m.DependsOn) > 0 }) {
		return
	}
	w := waver{diags: diags, index: index, groups: map[machineKey][]*Machine{}, state: map[*Machine]int{}}
	for _, m := range machines {
		k := machineKey{m.Namespace, m.group}
		w.groups[k] = append(w.groups[k], m)
	}
	for _, m := range machines {
		w.resolve(m)
	}
}

// waver resolves waves depth first.
type waver struct {
	diags  *source.Diagnostics
	index  map[machineKey]*Machine
	groups map[machineKey][]*Machine
	state  map[*Machine]int // visiting or done
	stack  []*Machine
}

const (
	visiting = iota + 1
	done
)

func (w *waver) resolve(m *Machine) {
	if w.state[m] != 0 {
		return
	}
	w.state[m] = visiting
	w.stack = append(w.stack, m)
	least := 0
	for _, d := range m.DependsOn {
		for _, on := range w.find(m, d) {
			if w.state[on] == visiting {
				w.cycle(on, d)
				continue
			}
			w.resolve(on)
			least = max(least, on.Wave+1)
		}
	}
	m.Wave = least
	if m.wave != nil {
		m.Wave = *m.wave
		if len(m.DependsOn) > 0 && m.Wave < least {
			w.diags.Errorf(m.wavePos, "conflict", m.Path+".wave", "wave %d is not after what it depends on; want at least %d", m.Wave, least)
		}
	}
	w.stack = w.stack[:len(w.stack)-1]
	w.state[m] = done
}

// find gives the machines that a dependency names: one, or all replicas of one VM.
func (w *waver) find(m *Machine, d Dependency) []*Machine {
	k := machineKey{d.Namespace, d.Name}
	if on, ok := w.index[k]; ok {
		return []*Machine{on}
	}
	if group := w.groups[k]; len(group) > 0 {
		return group
	}
	known := make([]string, 0, len(w.index))
	for k := range w.index {
		if k.namespace == d.Namespace {
			known = append(known, k.name)
		}
	}
	slices.Sort(known)
	name := d.Name
	if d.Namespace != m.Namespace {
		name = d.Namespace + "/" + d.Name
	}
	w.diags.Errorf(d.Pos, "unknown-name", m.Path+".dependsOn", "no VM %q is rendered with this one: waves do not cross Applications; %s",
		name, source.DidYouMean(d.Name, known))
	return nil
}

// cycle prints the machines from the first one met twice on.
func (w *waver) cycle(first *Machine, d Dependency) {
	var names []string
	for _, m := range w.stack[slices.Index(w.stack, first):] {
		names = append(names, m.Name)
	}
	names = append(names, first.Name)
	w.diags.Errorf(d.Pos, "cycle", w.stack[len(w.stack)-1].Path+".dependsOn", "dependency cycle: %s", strings.Join(names, " → "))
}
