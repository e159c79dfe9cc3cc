package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/source"
)

// SharedApproval is one token for `policy.approved` that gives the approvals that several VMs with one cause need.
type SharedApproval struct {
	approval.Token
	// VMs are those that it is for, in the order of the plan.
	VMs []*plan.Verdict
	// Pos is the place in fleet.yaml, or in the last overlay; empty if there are no values files.
	Pos source.Pos
}

// Line returns what gives the approval, such as "approved: [TOKEN]".
func (s *SharedApproval) Line() string { return "approved: [" + s.String() + "]" }

// Level returns the worst level that it approves.
func (s *SharedApproval) Level() impact.Level {
	worst := impact.None
	for _, v := range s.VMs {
		for i := range v.Gate.Approvals {
			worst = max(worst, v.Gate.Approvals[i].Level)
		}
	}
	return worst
}

// Shared returns the tokens for the open approvals of VMs that change for the same cause: the same keys, set at the
// same places, with the same levels. VMs with a cause of their own, and the replicas of one entry, which have one
// approval anyway, have none.
func (p Plan) Shared() []SharedApproval {
	byCause := map[string][]*plan.Verdict{}
	var order []string
	for i := range p.VMs {
		v := &p.VMs[i]
		if !isApprovable(v.Gate) {
			continue
		}
		cause := p.causeOf(v)
		if byCause[cause] == nil {
			order = append(order, cause)
		}
		byCause[cause] = append(byCause[cause], v)
	}
	var out []SharedApproval
	for _, cause := range order {
		if all := byCause[cause]; differ(all) {
			out = append(out, p.shared(all))
		}
	}
	return out
}

// isApprovable reports whether approvals are open that tokens can give, and nothing else blocks the change.
func isApprovable(g *gate.Gate) bool {
	return g != nil && g.Exceeds == impact.None && g.Line() != "" &&
		!slices.ContainsFunc(g.Approvals, func(a gate.Approval) bool {
			_, _, ok := approval.Split(a.Token)
			return !ok
		})
}

// differ reports whether VMs need different approvals.
func differ(all []*plan.Verdict) bool {
	return slices.ContainsFunc(all, func(v *plan.Verdict) bool { return v.Gate.Token != all[0].Gate.Token })
}

// causeOf returns why a VM needs approvals, in a text that is the same for VMs that need them for the same reasons.
func (p Plan) causeOf(v *plan.Verdict) string {
	out := make([]string, 0, len(v.Gate.Approvals)+len(v.Causes))
	for _, a := range v.Gate.Approvals {
		out = append(out, fmt.Sprint(a.Risk, a.Level))
	}
	for i := range v.Causes {
		c := &v.Causes[i]
		if gate.RiskOf(c.Level) == "" {
			continue
		}
		what, at := c.Key, p.sharedPlace(v.ID, c.Key)
		if what == "" { // of which only the value says whether it is the same
			what = anyName(v, `"`+c.Path+`"`+c.New)
		}
		out = append(out, fmt.Sprint(c.Level, c.Code, c.Object.Kind, what, at))
	}
	return strings.Join(out, "\n")
}

// sharedPlace returns the place of the value that a key has for a VM. It is empty if the files do not set the key, as
// for what comes from the catalog.
func (p Plan) sharedPlace(vm manifest.ID, key string) source.Pos {
	if p.Place == nil {
		return source.Pos{}
	}
	if at := p.Place(vm, key); at != p.Place(vm, "") {
		return at
	}
	return source.Pos{}
}

// shared returns the token for VMs.
func (p Plan) shared(all []*plan.Verdict) SharedApproval {
	s := SharedApproval{VMs: all}
	for _, a := range all[0].Gate.Approvals {
		s.Risks = append(s.Risks, string(a.Risk))
	}
	for _, v := range all {
		from, to, _ := approval.Split(v.Gate.Token)
		s.Changes = append(s.Changes, approval.Change{VM: approval.VMOf(v.ID.Namespace, v.ID.Name, to), From: from})
	}
	if p.Place != nil {
		s.Pos = p.Place(manifest.ID{}, "policy.approved")
	}
	return s
}

// PlanSharedApproval is a token that gives the approvals that several VMs with one cause need.
type PlanSharedApproval struct {
	// The token.
	Token string `json:"token"`
	// What it approves, as in the approvals of each of the VMs.
	Risks []string `json:"risks"`
	// The worst level that it approves.
	Level impact.Level `json:"level"`
	// The VMs, all of which it is for.
	VMs []PlanObject `json:"vms"`
	// The line for `policy` in fleet.yaml, or in the overlay. If there is a list already, add the token to it.
	Write string `json:"write"`
	// The file of the line, if the VMs are of values files.
	File string `json:"file,omitempty"`
	// The line in the file.
	Line int `json:"line,omitempty"`
	// The column of the line.
	Column int `json:"column,omitempty"`
}

func (p Plan) sharedApprovals() []PlanSharedApproval {
	all := p.Shared()
	for _, s := range p.released().Shared() {
		if !slices.ContainsFunc(all, func(o SharedApproval) bool { return o.String() == s.String() }) {
			all = append(all, s)
		}
	}
	out := make([]PlanSharedApproval, 0, len(all))
	for i := range all {
		s := &all[i]
		one := PlanSharedApproval{
			Token: s.String(), Risks: s.Risks, Level: s.Level(), Write: s.Line(),
			File: s.Pos.File, Line: s.Pos.Line, Column: s.Pos.Col,
		}
		for _, v := range s.VMs {
			one.VMs = append(one.VMs, PlanObject(v.ID))
		}
		slices.SortFunc(one.VMs, func(a, b PlanObject) int {
			return cmp.Or(strings.Compare(a.Namespace, b.Namespace), strings.Compare(a.Name, b.Name))
		})
		out = append(out, one)
	}
	return out
}
