package report

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/hold"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

// PlanHold is a VM whose change is held, or should be.
type PlanHold struct {
	PlanObject
	// "held"; "open" if the change reaches `policy.hold`, and is neither held nor approved; "impossible" if it cannot be
	// held; or "leftover" if a file is not needed.
	State string `json:"state"`
	// The worst level of the change.
	Level impact.Level `json:"level"`
	// The line for the entry of the VM that releases it.
	Write string `json:"write,omitempty"`
	// What is wrong, if anything is.
	Problem string `json:"problem,omitempty"`
	// The causes of the change, if they are known.
	Causes []PlanCause `json:"causes,omitempty"`
}

// holdStates are the names of states in output.
var holdStates = map[hold.State]string{
	hold.Held: "held", hold.Open: "open", hold.Impossible: "impossible", hold.Leftover: "leftover",
}

func (p Plan) holds() []PlanHold {
	out := make([]PlanHold, 0, len(p.Holds))
	for i := range p.Holds {
		v := &p.Holds[i]
		one := PlanHold{
			PlanObject: PlanObject(v.ID), State: holdStates[v.State], Level: v.Level, Write: v.Line(), Problem: v.Problem,
		}
		if v.Verdict != nil {
			one.Causes = planCauses(v.Verdict.Causes)
		}
		out = append(out, one)
	}
	return out
}

// notHeld returns the number of VMs about which `vmrender hold` or an approver has to do something.
func (p Plan) notHeld() int {
	n := 0
	for i := range p.Holds {
		if p.Holds[i].Blocks() {
			n++
		}
	}
	return n
}

// HoldBlocks reports whether changes are neither held nor approved, or files are not as they should be.
func (p Plan) HoldBlocks() bool { return p.notHeld() > 0 }

// holdHeadline returns what is held, in a few words, or "".
func (p Plan) holdHeadline() string {
	blocked := p.notHeld()
	out := ""
	if n := len(p.Holds) - blocked; n > 0 {
		out = problems.Count(n, "VM") + " held"
	}
	if blocked > 0 {
		if out != "" {
			out += ", "
		}
		out += problems.Count(blocked, "VM") + " not held as it should be"
	}
	return out
}

// holdNotes returns notes on the VMs that are held, or should be. VMs with one cause share the token that releases
// them.
func (p Plan) holdNotes() []GateNote {
	released := p.released()
	of := map[*plan.Verdict]*SharedApproval{}
	tokens := released.Shared()
	for i := range tokens {
		for _, v := range tokens[i].VMs {
			of[v] = &tokens[i]
		}
	}
	var out []GateNote
	for i := range p.Holds {
		v := &p.Holds[i]
		n := GateNote{Code: gate.CodeHeld, Blocks: v.Blocks(), Level: v.Level, Text: holdText(v), Line: v.Line()}
		if n.Blocks {
			n.Code = gate.CodeNotHeld
		}
		n.Pos = released.placeOf(&released.VMs[i], &n)
		if s := of[&released.VMs[i]]; s != nil && n.Line != "" {
			n.Line, n.Pos, n.shared = s.Line(), s.Pos, true
			n.Text += "; one token in `policy` of the fleet releases all that have this cause"
		}
		out = addNote(out, n, title(v.ID))
	}
	return out
}

// released returns a plan of the changes that are held, of which those that release them are the approvals.
func (p Plan) released() Plan {
	p.Plan, p.Limits = &plan.Plan{VMs: make([]plan.Verdict, len(p.Holds))}, nil
	for i := range p.Holds {
		v := &p.Holds[i]
		p.VMs[i] = plan.Verdict{ID: v.ID, Gate: &gate.Gate{}}
		if v.Verdict == nil {
			continue
		}
		p.VMs[i] = *v.Verdict
		if p.VMs[i].Gate = v.Verdict.Hold; v.State == hold.Leftover || v.Verdict.Hold == nil {
			p.VMs[i].Gate = &gate.Gate{}
		}
	}
	p.Holds = nil
	return p
}

// holdText returns what is held, or what is wrong.
func holdText(v *hold.VM) string {
	level := levelWords(v.Level)
	switch v.State {
	case hold.Held:
		return "held: " + level + keysOf(v) + ": the VM stays as it was until this is approved"
	case hold.Open:
		return level + " is to be held, and is neither held nor approved: run `vmrender hold`, and commit its files"
	case hold.Leftover:
		return "a file holds it without need, because " + v.Problem + ": run `vmrender hold`, and commit what it removes"
	}
	return v.Problem + ": approve the change, or take it back"
}

// keysOf returns the keys that cause a change, if they are known.
func keysOf(v *hold.VM) string {
	if v.Verdict == nil {
		return ""
	}
	var keys []string
	for i := range v.Verdict.Causes {
		c := &v.Verdict.Causes[i]
		if max(c.Level, c.Worst) >= v.Verdict.Hold.From && About(c) != "" {
			keys = append(keys, About(c))
		}
	}
	slices.Sort(keys)
	if keys = slices.Compact(keys); len(keys) == 0 {
		return ""
	}
	return " (" + firstOf(keys, fewest) + ")"
}
