package plan

import (
	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
)

// gate returns the judgment on a VM, or nil if nothing happens to it, or if no side
// has a gate.
func (p *planner) gate(pair *pairs.Pair, s *impact.Subject, v *Verdict) *gate.Gate {
	old := p.former(pair, s)
	if old == nil || v.Level == impact.None {
		return nil
	}
	return gate.Judge(old, s.New, v.Causes, v.isOwn)
}

// hold returns what releases the change of a VM if the fleet holds it, or nil.
func (p *planner) hold(pair *pairs.Pair, s *impact.Subject, v *Verdict) *gate.Gate {
	old := p.former(pair, s)
	if p.holdFrom == impact.None || old == nil || v.Level == impact.None {
		return nil
	}
	return gate.Hold(p.holdFrom, old, s.New, v.Causes, v.isOwn)
}

// isOwn reports whether a cause is about the VM itself, under its new or its former name.
func (v *Verdict) isOwn(c *impact.Cause) bool {
	return c.Object == (manifest.ID{}) || c.Object == v.ID || v.Was != nil && c.Object == *v.Was
}

// former returns what a VM is before the sync: in the cluster, if that is known, or
// else in Git. It returns nil for a new VM.
func (p *planner) former(pair *pairs.Pair, s *impact.Subject) manifest.Tree {
	if was := p.predecessors[pair]; was != nil {
		s = p.Subject(was)
	}
	if s.InCluster != nil {
		return s.InCluster
	}
	return s.Old
}
