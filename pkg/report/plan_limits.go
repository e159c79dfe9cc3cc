package report

import (
	"fmt"
	"strconv"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/limits"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

// PlanLimit is a limit of `policy.limits` that a plan exceeds.
type PlanLimit struct {
	// The key of the limit: a level, or "percent".
	Key string `json:"key"`
	// The level from which VMs count.
	Level impact.Level `json:"level"`
	// The number of VMs that change with the level or a worse one.
	Count int `json:"count"`
	// The limit: a number of VMs, or a percentage.
	Bound int `json:"bound"`
	// The number of VMs that there were before, of which the limit is a percentage.
	Of int `json:"of,omitempty"`
}

func (p Plan) exceededLimits() []PlanLimit {
	out := make([]PlanLimit, 0, len(p.Limits))
	for _, e := range p.Limits {
		out = append(out, PlanLimit{e.Key, e.Level, len(e.VMs), e.Bound, e.Of})
	}
	return out
}

// limitNotes returns a note on each limit that the plan exceeds.
func (p Plan) limitNotes() []GateNote {
	out := make([]GateNote, 0, len(p.Limits))
	for i := range p.Limits {
		e := &p.Limits[i]
		n := GateNote{
			Code: gate.CodeLimit, Blocks: true, Level: e.Level, Text: limitText(e), Names: make([]string, len(e.VMs)),
		}
		for j, vm := range e.VMs {
			n.Names[j] = title(p.VMs[vm].ID)
		}
		if p.Place != nil {
			n.Pos = p.Place(manifest.ID{}, "policy.limits."+e.Key)
		}
		out = append(out, n)
	}
	return out
}

// limitText returns what exceeds a limit, and what to do.
func limitText(e *limits.Excess) string {
	count, bound := problems.Count(len(e.VMs), "VM"), strconv.Itoa(e.Bound)
	if e.Of > 0 {
		count = fmt.Sprintf("%d of %s", len(e.VMs), problems.Count(e.Of, "VM"))
		bound += "%"
	}
	return fmt.Sprintf("%s at %s or worse, and the fleet's policy.limits.%s is %s: split the commit, "+
		"or raise the limit in an earlier commit", count, levelWords(e.Level), e.Key, bound)
}
