// Package lifecycle specifies what happens to VMs, and to the objects around them, on a change, on removal from Git and
// on deletion of their Application: the waves, hooks and options by which Argo CD or Flux acts, and what they mean in
// words. The words and the options change together.
package lifecycle

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// Event is an event in the life of a VM.
type Event string

// The events, in the order in which they are explained.
const (
	OnChange   Event = "On a change"
	OnRemoval  Event = "On removal from Git"
	OnDeletion Event = "On deletion of the Application"
)

// Events returns all events, in order.
func Events() []Event { return []Event{OnChange, OnRemoval, OnDeletion} }

// Policy describes what happens to the VMs of one kind and strategy.
type Policy struct {
	Kind     string // pet or cattle
	Strategy values.Strategy
	Summary  string
	InShort  map[Event]string // what happens by default, in a few words
	Facts    []Fact
}

// Fact describes one thing that happens, in a few sentences.
type Fact struct {
	On    Event
	Given string // the values under which it happens; empty for always
	Text  string
	holds func(*subject) bool // nil for always
}

// Policies returns the policies of every kind and strategy, in the order in which
// they are documented.
func Policies() []Policy { return slices.Clone(policies) }

// Named returns the policy with the name of a VM in the names of objects, instead
// of the placeholder VM.
func (p Policy) Named(vm string) Policy {
	p.Facts = slices.Clone(p.Facts)
	for i := range p.Facts {
		p.Facts[i].Text = strings.ReplaceAll(p.Facts[i].Text, "`VM-", "`"+vm+"-")
	}
	return p
}

// PolicyOf returns the policy of a VM, with the facts that hold for it as it is
// rendered: its overrides and patches can change what protects it. rendered are the objects of the VM, of package
// render.
func PolicyOf(m *machine.Machine, rendered []runtime.Object) Policy {
	p := policies[slices.IndexFunc(policies, func(p Policy) bool { return p.Strategy == m.Lifecycle.Strategy })]
	s := subjectOf(m, rendered)
	p.Facts = slices.DeleteFunc(slices.Clone(p.Facts), func(f Fact) bool { return f.holds != nil && !f.holds(s) })
	if m.Target.ByFlux() {
		p.Facts = forFlux(p.Facts)
	}
	return p
}
