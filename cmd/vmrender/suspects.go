package main

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/source"
)

// suspects are the machines in which an error may show only when they are
// rendered. They must be rendered before anything is written, and so a second
// time: all others are right once they are resolved, and are rendered once.
func suspects(machines []*fleet.Machine) []*fleet.Machine {
	var out []*fleet.Machine
	seen := nodeSet{}
	for _, m := range machines {
		// Not in one condition: every machine's nodes must get into the set.
		fresh := seen.add(m.Affinity, m.TopologySpreadConstraints, m.ReadinessProbe, m.LivenessProbe, m.AccessCredentials)
		fresh = seen.add(m.Tolerations...) || fresh
		if fresh || len(m.Overrides)+len(m.Patches) > 0 || unaddressed(m) || shapeless(m) {
			out = append(out, m)
		}
	}
	return out
}

// nodeSet holds values in Kubernetes' own forms. Machines that inherit one
// share it, and it is as right in one machine as in the next.
type nodeSet map[*source.Node]bool

// add reports whether there is any node among those given that is new.
func (s nodeSet) add(nodes ...*source.Node) bool {
	fresh := false
	for _, n := range nodes {
		if n != nil && !s[n] {
			s[n] = true
			fresh = true
		}
	}
	return fresh
}

// unaddressed tells a machine with static addresses and a NIC without a MAC
// address, which not all guests can tell from others.
func unaddressed(m *fleet.Machine) bool {
	return slices.ContainsFunc(m.NICs, func(n fleet.MachineNIC) bool { return n.IP != "" }) &&
		slices.ContainsFunc(m.NICs, func(n fleet.MachineNIC) bool { return n.MAC == "" })
}

// shapeless tells a machine with a scratch disk that has no size.
func shapeless(m *fleet.Machine) bool {
	return slices.ContainsFunc(m.Disks, func(d fleet.MachineDisk) bool {
		return d.Kind == fleet.DiskEmpty && d.Size == ""
	})
}
