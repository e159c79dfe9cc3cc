package plan

import (
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// The rules check the condition of the instance that reports whether the VM can migrate at all; whether there is room
// is a fact of the cluster. What its state lacks is noted, and counts as room.

// feasible turns a change by a live migration into one that needs a restart if there is no room for
// a second pod, and one that is refused if there is none for the VM alone, either.
func (p *planner) feasible(s *impact.Subject, c *impact.Cause) {
	if c.Level != impact.Migrate || s.IsPool() {
		return
	}
	for _, look := range []func(*impact.Subject) *cluster.Obstacle{p.noNode, p.noQuota} {
		o := look(s)
		if o == nil {
			continue
		}
		c.Code, c.Approximate = "no-room", ""
		if o.Restarts {
			c.Level, c.When = impact.Restart, "at the next restart, or by a live migration as soon as there is room"
			c.Reason += "; now it cannot: " + o.Why
			c.Advice = "make room first, or plan a restart (virtctl restart)"
		} else {
			c.Level, c.When = impact.Refused, ""
			c.Reason += "; it cannot, and a restart cannot either: " + o.Why
			c.Advice = "make room first; after a restart, the VM would not start again"
		}
		return
	}
	p.migrating = append(p.migrating, s.ID)
}

// noNode returns why no other node can take the VM, or nil.
func (p *planner) noNode(s *impact.Subject) *cluster.Obstacle {
	return p.Live.NoNode(s.New, manifest.Text(s.Live.Instance, "status", "nodeName"))
}

// noQuota returns which quota of the namespace has no room for a second pod, or nil.
func (p *planner) noQuota(s *impact.Subject) *cluster.Obstacle {
	before := s.Old
	if s.Live.Running != cluster.Yes {
		before = nil
	}
	return p.Live.NoQuota(s.ID.Namespace, before, s.New)
}
