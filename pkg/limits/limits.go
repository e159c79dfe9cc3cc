// Package limits compares what a plan does with the fleet's `policy.limits`.
package limits

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/values"
)

// Excess is a limit that a plan exceeds.
type Excess struct {
	// Key is that of the limit: a level, or "percent".
	Key string
	// Level is the one from which VMs count.
	Level impact.Level
	// VMs are the changed VMs that count, by index in the plan.
	VMs []int
	// Bound is the limit: a number of VMs, or a percentage.
	Bound int
	// Of is the number of VMs that there were before, if Bound is a percentage of them; else 0.
	Of int
}

// Judge returns the limits that a plan exceeds, the mildest level first and the percentage last. old and now are the
// limits of the two sides, nil for a side without any. Of each limit, the stricter side counts: so a commit can
// neither raise a limit nor take it away and use that immediately.
func Judge(old, now *values.Limits, p *plan.Plan) []Excess {
	var out []Excess
	for _, l := range values.StricterLimits(old, now) {
		e := Excess{Key: l.Key, Bound: l.Bound}
		if err := e.Level.UnmarshalText([]byte(l.Level)); err != nil {
			continue // never happens: all are levels
		}
		e.VMs = reaching(p, e.Level)
		if l.Key == values.Percent {
			e.Of = before(p)
		}
		if e.exceeds() {
			out = append(out, e)
		}
	}
	return out
}

// exceeds reports whether more VMs change than the limit permits. A percentage is not rounded.
func (e *Excess) exceeds() bool {
	if e.Key == values.Percent {
		return len(e.VMs)*100 > e.Bound*e.Of
	}
	return len(e.VMs) > e.Bound
}

// reaching returns the VMs with changes of a level or a worse one, by index. Changes that the cluster refuses do not
// count.
func reaching(p *plan.Plan, least impact.Level) []int {
	var out []int
	for i := range p.VMs {
		if level := p.VMs[i].Level; level >= least && gate.RiskOf(level) != "" {
			out = append(out, i)
		}
	}
	return slices.Clip(out)
}

// before returns the number of VMs that there were before.
func before(p *plan.Plan) int {
	n := 0
	for level, count := range p.Summary.VMs {
		if level != impact.Create {
			n += count
		}
	}
	return n
}
