package report

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
)

// Step is what the user has to do, before the sync or after it.
type Step struct {
	Level impact.Level
	Text  string
	Names []string // of the VMs and objects
}

// NoStep is the text for a plan without steps.
const NoStep = "nothing to do: the sync does everything"

// levelSteps are the steps for levels whose worst cause has no advice. Levels that are
// not listed need none.
var levelSteps = map[impact.Level]string{
	impact.Staged:      "restart at a convenient time: until then, the VM runs as before",
	impact.Restart:     "restart after the sync: virtctl restart -n NAMESPACE NAME",
	impact.Power:       "check that the VM is intended to start or stop",
	impact.NodeNetwork: "check the configuration on one node first; sync while an interruption is acceptable",
	impact.NodeReboot:  "sync in a maintenance window",
	impact.Refused:     "change what is rejected: otherwise the sync fails",
	impact.Recreate:    "check that the VM may be recreated",
	impact.Delete:      "check that the deletion is intended",
	impact.DataLoss:    "copy the data first, or make sure that it is not needed",
}

// Steps returns the steps, those for the worst level first. VMs and objects with
// the same step share it.
func (p Plan) Steps() []Step {
	var out []Step
	if step := p.gateStep(); len(step.Names) > 0 {
		out = append(out, step)
	}
	restarted := p.restarted()
	for _, list := range [][]plan.Verdict{p.VMs, p.Objects} {
		for _, g := range byLevel(list) {
			for _, v := range g.Verdicts {
				isRestart := v.Level == impact.Restart || v.Level == impact.Recreate
				if isRestart && restarted[name(v.ID)] {
					continue
				}
				out = addStep(out, v)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b Step) int { return int(b.Level) - int(a.Level) })
	return out
}

// gateStep returns the step for the VMs that the gate does not let pass, if there are
// any.
func (p Plan) gateStep() Step {
	step := Step{Text: "have the change approved as the gate describes, or revert it"}
	for i := range p.VMs {
		if v := &p.VMs[i]; v.Gate.Blocked() {
			step.Level, step.Names = max(step.Level, v.Level), append(step.Names, title(v.ID))
		}
	}
	return step
}

// restarted returns the names of the VMs that Jobs restart.
func (p Plan) restarted() map[string]bool {
	out := map[string]bool{}
	for _, j := range p.Jobs {
		for _, vm := range j.VMs {
			out[j.ID.Namespace+"/"+vm] = out[j.ID.Namespace+"/"+vm] || j.Restarts
		}
	}
	return out
}

func addStep(steps []Step, v *plan.Verdict) []Step {
	text := stepFor(v)
	if text == "" {
		return steps
	}
	same := func(s Step) bool { return s.Level == v.Level && s.Text == text }
	i := slices.IndexFunc(steps, same)
	if i < 0 {
		i = len(steps)
		steps = append(steps, Step{Level: v.Level, Text: text})
	}
	steps[i].Names = append(steps[i].Names, title(v.ID))
	return steps
}

// stepLeft returns the step for what is no longer in Git and stays: for a VM, how to remove it.
func stepLeft(v *plan.Verdict) string {
	for i := range v.Causes {
		if c := &v.Causes[i]; c.Level == impact.Left && c.Advice != "" && c.Object == (manifest.ID{}) {
			return "the commit does not delete the VM: " + c.Advice
		}
	}
	return ""
}

// stepFor returns the advice for the cause that costs most, or the step for the level. What is staged
// for a VM that does not run needs none. Where a level needs no step, warnings and objects that act on VMs have one.
func stepFor(v *plan.Verdict) string {
	step, ok := levelSteps[v.Level]
	if v.Level == impact.Left {
		return stepLeft(v)
	}
	for i := range v.Causes {
		c := &v.Causes[i]
		acts := c.Code == impact.CodeActs || c.Code == impact.CodeActsUnknown
		counts := ok && c.Level == v.Level && !(v.Stopped && v.Level == impact.Staged) || !ok && (c.Warning || acts)
		if counts && c.Advice != "" {
			return c.Advice
		}
	}
	if v.Stopped && v.Level == impact.Staged {
		return ""
	}
	return step
}
