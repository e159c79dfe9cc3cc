package resolve

import (
	"cmp"
	"sync"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/template"
	"github.com/vmrender/vmrender/pkg/validation"
	"github.com/vmrender/vmrender/pkg/values"
)

// Site contains the settings that all VMs of a fleet share. It is safe
// for concurrent use.
type Site struct {
	Fleet string // name of the fleet; empty for standard input
	// Environment is that of the overlays; empty if they name none.
	Environment string
	Part        string           // see [machine.Machine.Part]
	Namespace   string           // of VMs that do not set one
	Target      values.Target    // cluster that the manifests will run on
	Placement   values.Placement // of all VMs
	Policy      values.Policy
	Catalog     *catalog.Set
	Platform    *fleet.Platform // nil if there is none
	Vars        *source.Node    // vars that override those of every VM; nil if there are none

	rules *validation.Rules // that each VM is checked against
	ended func() bool       // see [fleet.Options.Full]
	// asksForApprovals is true if `policy.approve` or `policy.hold` is set, also to a value that was refused.
	asksForApprovals bool
	approved         []machine.Approved // see [machine.Gate.Approved]
	whole            bool               // see [machine.Gate.Whole]
	// holds is true if VMs may be held, so that all of them need digests, and held returns what holds one, or nil.
	holds bool
	held  func(namespace, name string) *held.File

	identity  identity
	templates template.Set
	goVars    sync.Map // *source.Node of vars that VMs share → Go value
	goFleet   map[string]any
	inert     sync.Map // *fleet.Level → []inertKey
}

// NewSite returns the site of a fleet.
func NewSite(f *fleet.Fleet, diags *source.Diagnostics) *Site {
	h := &f.Header
	s := &Site{
		Fleet: h.Metadata.Name, Part: partName(f), Namespace: f.Namespace, Target: h.Target,
		Placement: h.Placement, Policy: h.Policy, Catalog: f.Catalog, Platform: f.Platform, Vars: f.Vars,
		Environment: f.Environment,

		rules:    validation.NewRules(f),
		ended:    f.Ended,
		identity: newIdentity(f, diags),
		goFleet:  map[string]any{"name": h.Metadata.Name},

		asksForApprovals: f.HeaderKey("policy", "approve").IsSet() || f.HeaderKey("policy", "hold").IsSet(),
		approved:         approvedOf(f, diags),
		whole:            f.Part() == "." && len(f.VMs) == 0,
		holds:            f.Holds(),
		held:             f.HeldFile,
	}
	return s
}

// Exhausted reports whether the templates of all VMs have taken more work than a fleet may: no more are expanded.
func (s *Site) Exhausted() bool { return s.templates.Exhausted() }

// Decide calls add with the VMs of an entry as soon as each is resolved: one,
// or one for each replica, none of which it keeps. Problems are added to diags,
// which contains those of the entry itself. VMs of an entry with errors are
// [machine.Machine.Broken]; the replicas after one with errors have the same, and are left out.
func (s *Site) Decide(e *fleet.Entry, diags *source.Diagnostics, add func(*machine.Machine)) {
	s.checkInert(e, diags)
	strategy := e.VM.Strategy()
	d := draft{
		site: s, entry: e, vm: withoutTraits(e), diags: diags,
		name: e.Name, namespace: cmp.Or(e.VM.Namespace, s.Namespace), home: e.Home,
		strategy: strategy, traits: strategy.Traits(),
		shared: &shared{work: template.NewWork(max(1, *cmp.Or(e.VM.Replicas, new(1))))},
	}
	one := func(m *machine.Machine) {
		m.Broken = diags.HasErrors()
		add(m)
	}
	if e.VM.Replicas == nil || d.traits.Pooled {
		one(d.decide())
		return
	}
	for i := range *e.VM.Replicas {
		if i > 0 && diags.HasErrors() || s.ended() {
			return
		}
		one(d.replica(i))
	}
	if *e.VM.Replicas == 0 {
		d.replica(0) // for its problems
	}
}
