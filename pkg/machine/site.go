package machine

import (
	"cmp"
	"sync"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
	"github.com/vmrender/vmrender/pkg/values"
)

// Site contains the settings that all machines of a fleet share. It is safe
// for concurrent use.
type Site struct {
	Fleet     string           // name of the fleet; empty for standard input
	Part      string           // see [Machine.Part]
	Namespace string           // of VMs that do not set one
	Target    values.Target    // cluster that the manifests will run on
	Placement values.Placement // of all VMs
	Policy    values.Policy
	Catalog   *catalog.Set
	Platform  *fleet.Platform // nil if there is none
	Vars      *source.Node    // vars that override those of every VM; nil if there are none

	identity  identity
	templates template.Set
	goVars    sync.Map // *source.Node of vars that VMs share → Go value
	goFleet   map[string]any
	inert     sync.Map // *fleet.Level → []inertKey
}

// NewSite returns the site of a fleet.
func NewSite(f *fleet.Fleet, diags *source.Diagnostics) *Site {
	h := &f.Header
	return &Site{
		Fleet: h.Metadata.Name, Part: partName(f), Namespace: f.Namespace, Target: h.Target,
		Placement: h.Placement, Policy: h.Policy, Catalog: f.Catalog, Platform: f.Platform, Vars: f.Vars,
		identity: newIdentity(h, f.HeaderKey("identity"), diags),
		goFleet:  map[string]any{"name": h.Metadata.Name},
	}
}

// Decide returns the machines of an entry: one, or one for each replica.
// Problems are added to diags, which contains those of the entry itself. The
// machines of an entry with errors are [Machine.Broken].
func (s *Site) Decide(e *fleet.Entry, diags *source.Diagnostics) []*Machine {
	s.checkInert(e, diags)
	machines := s.machines(e, diags)
	for _, m := range machines {
		m.Broken = diags.HasErrors()
	}
	return machines
}

func (s *Site) machines(e *fleet.Entry, diags *source.Diagnostics) []*Machine {
	strategy := e.VM.Strategy()
	d := draft{
		site: s, entry: e, vm: withoutTraits(e), diags: diags,
		name: e.Name, namespace: cmp.Or(e.VM.Namespace, s.Namespace),
		strategy: strategy, traits: strategy.Traits(),
	}
	if e.VM.Replicas == nil || d.traits.Pooled {
		return []*Machine{d.decide()}
	}
	machines := make([]*Machine, 0, *e.VM.Replicas)
	for i := range *e.VM.Replicas {
		machines = append(machines, d.replica(i))
		if diags.HasErrors() {
			break // the other replicas have the same problems
		}
	}
	return machines
}
