package world

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Fate is what a sync does to a VM.
type Fate uint8

// The fates.
const (
	Stays Fate = iota // it is in Git on both sides, or in the cluster and not of this Git
	Comes             // it is new, and starts with the sync
	Goes              // the sync deletes it: it shuts down while others start
	Left              // it is no longer in Git, and runs on
)

// Machine is a VM before a sync, and what its next start takes.
type Machine struct {
	ID   manifest.ID
	Fate Fate
	// Now is what the running instance holds; nothing if none runs.
	Now []Thing
	// Next is what the next start takes, after the sync. It is nothing for a VM that goes, and Now for one that stays
	// without being in Git.
	Next []Thing
	// Off is true if the VM does not run, and the sync does not start it: it collides only when a user starts it.
	Off bool
	// Changes is true if the sync changes the VM, or makes or removes it.
	Changes bool
}

// Collision is a thing that two running VMs have at the same time, in some order of the sync and the next starts.
type Collision struct {
	Thing Thing
	// Taker starts with the thing, and Holder has it then.
	Taker, Holder *Machine
	// Until is what ends it, if something does.
	Until Until
}

// Until is what ends a collision.
type Until uint8

// What ends a collision.
const (
	Forever     Until = iota // both have it after the next starts
	HolderStops              // the holder gives it up when it restarts, or when it is gone
)

// Collisions returns the things that two VMs have at the same time in some order, of which at least one changes, and
// which not both hold already. They are sorted by taker.
func Collisions(machines []*Machine) []Collision {
	holders := map[Thing][]*Machine{}
	for _, m := range machines {
		for _, t := range m.all() {
			holders[t] = append(holders[t], m)
		}
	}
	var out []Collision
	for _, m := range machines {
		for _, t := range m.Next {
			for _, other := range holders[t] {
				if c, ok := m.meets(other, t); ok {
					out = append(out, c)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Collision) int { return a.Taker.ID.Compare(b.Taker.ID) })
	return out
}

// all returns what a VM holds now or takes, each thing once.
func (m *Machine) all() []Thing {
	out := slices.Clone(m.Now)
	for _, t := range m.Next {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// meets returns the collision of a VM that takes a thing with another that has it.
func (m *Machine) meets(other *Machine, t Thing) (Collision, bool) {
	holds, keeps := slices.Contains(other.Now, t), slices.Contains(other.Next, t)
	isOld := holds && slices.Contains(m.Now, t)
	if other == m || isOld || !m.Changes && !other.Changes {
		return Collision{}, false
	}
	if keeps && !m.isFirst(other, t) {
		return Collision{}, false // it is the same collision from the other side
	}
	c := Collision{Thing: t, Taker: m, Holder: other, Until: HolderStops}
	if keeps {
		c.Until = Forever
	}
	return c, true
}

// isFirst reports whether a VM is the one to name as the taker of a thing that both have after the next starts: the
// one that does not have it now, or that is new, or else the last by name of those that change.
func (m *Machine) isFirst(other *Machine, t Thing) bool {
	mine, its := slices.Contains(m.Now, t), slices.Contains(other.Now, t)
	switch {
	case mine != its:
		return its
	case m.Fate != other.Fate:
		return m.Fate == Comes || other.Fate == Left
	}
	return m.Changes && (!other.Changes || m.ID.Compare(other.ID) > 0)
}
