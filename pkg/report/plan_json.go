package report

import (
	"io"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
)

// PlanDocument is a plan as JSON. Later versions may add keys, levels and codes, and
// remove none.
type PlanDocument struct {
	// The VirtualMachines and VirtualMachinePools that change or have warnings, by
	// namespace and name; those that do neither are only counted.
	VMs []PlanVerdict `json:"vms"`
	// All other objects that change, by namespace, kind and name.
	Objects []PlanVerdict `json:"objects"`
	// The Jobs that the sync runs for VMs.
	Jobs []PlanJob `json:"jobs"`
	// Facts about the whole, such as a sync that is running.
	Notes []string `json:"notes"`
	// Gaps in the inputs of the whole comparison.
	Unknown []string `json:"unknown"`
	// What many VMs have in common, worst first: each is a key that three or more VMs read at one place, which changes
	// for all of them in the same way.
	Causes []PlanSharedCause `json:"causes"`
	// Tokens for `policy.approved`, each of which gives the approvals that several VMs with one cause need.
	Approvals []PlanSharedApproval `json:"approvals"`
	// The limits of `policy.limits` that the plan exceeds. The exit status is 1 if there are any.
	Limits []PlanLimit `json:"limits"`
	// The VMs whose change `policy.hold` holds or should hold; missing if there are none. The exit status is 1 if one of
	// them is not held.
	Holds []PlanHold `json:"holds,omitempty"`
	// The plan in counts.
	Summary PlanSummary `json:"summary"`
	// What the plan starts from.
	From Side `json:"from"`
	// What the plan leads to.
	To Side `json:"to"`
}

// PlanSummary is a plan in counts.
type PlanSummary struct {
	// The plan in one line, for users.
	Headline string `json:"headline"`
	// The worst level of all VMs and objects.
	Worst impact.Level `json:"worst"`
	// Labels for a pull request: "vm-" and a level, for each level that VMs have, the
	// worst first.
	Labels []string `json:"labels"`
	// The number of VMs by level, with "none" for those that do not change.
	VMs map[impact.Level]int `json:"vms"`
	// The number of other objects by level.
	Objects map[impact.Level]int `json:"objects"`
	// The number of VMs that are adopted: new in Git, and in the cluster as Git has them.
	// They also count as "none".
	Adopted int `json:"adopted"`
	// The number of VMs and objects whose level is approximate.
	Approximate int `json:"approximate"`
	// The number of causes that are dangerous later.
	Warnings int `json:"warnings"`
	// The number of VMs whose change the fleet's gate checks.
	Gated int `json:"gated"`
	// The number of those which lack an approval or exceed what is allowed. The exit status is 1
	// if there are any.
	Blocked int `json:"blocked"`
}

// PlanObject is the identity of an object.
type PlanObject struct {
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name"`
}

// PlanVerdict is what happens to one VM or object.
type PlanVerdict struct {
	PlanObject
	// What happens, by how much it hurts: that of the worst cause.
	Level impact.Level `json:"level"`
	// True if the level depends on what the inputs do not contain.
	Approximate bool `json:"approximate,omitempty"`
	// True if the VM is adopted: it is new in Git, and in the cluster as Git has it. Its
	// level is "none".
	Adopted bool `json:"adopted,omitempty"`
	// True if the VM does not run, or is not meant to.
	Stopped bool `json:"stopped,omitempty"`
	// The former identity of a VM that is the same under another name.
	Was *PlanObject `json:"was,omitempty"`
	// The reasons for the level, worst first, and warnings.
	Causes []PlanCause `json:"causes"`
	// What the fleet's gate reports; missing for what it does not check.
	Gate *PlanGate `json:"gate,omitempty"`
}

// PlanGate is what the fleet's gate reports about the change of a VM.
type PlanGate struct {
	// True if the change lacks an approval, or exceeds what is allowed.
	Blocked bool `json:"blocked"`
	// The level from which the change needs approvals; missing if it needs none.
	ApproveFrom *impact.Level `json:"approveFrom,omitempty"`
	// The highest level that is allowed, approved or not; missing for no limit.
	MaxImpact *impact.Level `json:"maxImpact,omitempty"`
	// The worst level above maxImpact, if there is one.
	Exceeds *impact.Level `json:"exceeds,omitempty"`
	// What names the change, FROM-TO: it is the token of an approval of any risk. Missing for a
	// VM that goes, or that loses its gate.
	Token string `json:"token,omitempty"`
	// The approvals that the change needs, by risk.
	Approvals []PlanApproval `json:"approvals"`
	// Whether the removal of the VM was approved in an earlier commit; missing for a
	// VM that stays.
	Removal gate.Removal `json:"removal,omitempty"`
	// The keys or paths of what waits for the next start, because of `stage: true`.
	Staged []string `json:"staged"`
	// The line for the entry of the VM that gives the approvals; missing if they are
	// given, or if none can be.
	Write string `json:"write,omitempty"`
	// The file of the entry, or of its approvals, if the VM is of a values file.
	File string `json:"file,omitempty"`
	// The line in the file.
	Line int `json:"line,omitempty"`
	// The column of the line.
	Column int `json:"column,omitempty"`
}

// PlanApproval is one approval that a change needs.
type PlanApproval struct {
	// What it is for. No risk covers another.
	Risk gate.Risk `json:"risk"`
	// The worst level of the risk.
	Level impact.Level `json:"level"`
	// Whether it is there, or stale: for another change.
	State gate.ApprovalState `json:"state"`
	// What the entry must contain, FROM-TO; missing if no token can approve the change.
	Token string `json:"token,omitempty"`
	// Why no token can approve the change.
	Problem string `json:"problem,omitempty"`
}

// PlanCause is one reason for a level.
type PlanCause struct {
	// The object with the field, if it is not that of the verdict.
	Object *PlanObject `json:"object,omitempty"`
	// The path of the field, with the names of list entries in brackets. It is
	// missing if the cause is the object as a whole.
	Path string `json:"path,omitempty"`
	// The key of the values file that sets the field, such as "disks.data".
	Key string `json:"key,omitempty"`
	// What the cause alone does.
	Level impact.Level `json:"level"`
	// The identifier of the rule, from a closed list.
	Code impact.Code `json:"code"`
	// Why, in words.
	Reason string `json:"reason"`
	// What to do instead, or next.
	Advice string `json:"advice,omitempty"`
	// When it takes effect, if not immediately.
	When string `json:"when,omitempty"`
	// True if it takes effect when the VM starts again, and not with the sync.
	Later bool `json:"later,omitempty"`
	// The old value as compact JSON, cut and without secrets; missing if the field
	// is added.
	Old string `json:"old,omitempty"`
	// The new value, as `old`; missing if the field is removed.
	New string `json:"new,omitempty"`
	// What is not known, if the level depends on it.
	Approximate string `json:"approximate,omitempty"`
	// True if the cause is dangerous later, whatever its level now.
	Warning bool `json:"warning,omitempty"`
}

// PlanJob is a Job that a sync runs for VMs.
type PlanJob struct {
	PlanObject
	// What it does, in a sentence.
	Does string `json:"does"`
	// The names of the VMs in its namespace.
	VMs []string `json:"vms"`
}

// PlanJSON writes a [PlanDocument], for which `vmrender schema plan` prints the schema.
// Lists may be empty but are never null.
func PlanJSON(w io.Writer, p Plan) error { return Indented(w, p.Document()) }

// Document returns the plan as it is in JSON.
func (p Plan) Document() PlanDocument {
	d := PlanDocument{
		VMs: p.verdicts(p.VMs), Objects: p.verdicts(p.Objects), Jobs: make([]PlanJob, 0, len(p.Jobs)),
		Notes: notNil(p.Notes), Unknown: notNil(p.Unknown),
		Causes: p.SharedCauses(), Approvals: p.sharedApprovals(), Limits: p.exceededLimits(), Holds: p.holds(),
		Summary: PlanSummary{
			Headline: p.Headline(), Worst: p.Worst(), Labels: []string{},
			VMs: orEmpty(p.Summary.VMs), Objects: orEmpty(p.Summary.Objects),
			Adopted: p.Summary.Adopted, Approximate: p.Summary.Approximate, Warnings: p.Summary.Warnings,
			Gated: p.Summary.Gated, Blocked: p.Summary.Blocked,
		},
		From: p.From, To: p.To,
	}
	for _, g := range byLevel(p.VMs) {
		if g.Level > impact.None {
			d.Summary.Labels = append(d.Summary.Labels, "vm-"+g.Level.String())
		}
	}
	for _, j := range p.Jobs {
		d.Jobs = append(d.Jobs, PlanJob{PlanObject(j.ID), j.Does, notNil(j.VMs)})
	}
	return d
}

func (p Plan) verdicts(list []plan.Verdict) []PlanVerdict {
	out := []PlanVerdict{}
	for i := range list {
		v := &list[i]
		if v.Level == impact.None && len(v.Causes) == 0 {
			continue
		}
		out = append(out, PlanVerdict{
			PlanObject: PlanObject(v.ID), Level: v.Level, Adopted: v.Adopted, Approximate: v.Approximate, Stopped: v.Stopped,
			Was: (*PlanObject)(v.Was), Causes: planCauses(v.Causes), Gate: p.gateOf(v),
		})
	}
	return out
}

// gateOf returns what the gate reports about an object, or nil.
func (p Plan) gateOf(v *plan.Verdict) *PlanGate {
	g := v.Gate
	if g == nil {
		return nil
	}
	out := &PlanGate{
		Blocked: g.Blocked(), ApproveFrom: levelOrNone(g.From), MaxImpact: levelOrNone(g.Max),
		Exceeds: levelOrNone(g.Exceeds), Token: g.Token, Approvals: make([]PlanApproval, 0, len(g.Approvals)),
		Removal: g.Removal, Staged: notNil(g.Staged), Write: g.Line(),
	}
	for _, a := range g.Approvals {
		out.Approvals = append(out.Approvals, PlanApproval{a.Risk, a.Level, a.State, a.Token, a.Problem})
	}
	if p.Place != nil && out.Write != "" {
		at := p.Place(v.ID, "approve")
		out.File, out.Line, out.Column = at.File, at.Line, at.Col
	}
	return out
}

// levelOrNone returns nil for no level.
func levelOrNone(l impact.Level) *impact.Level {
	if l == impact.None {
		return nil
	}
	return &l
}

func planCauses(list []impact.Cause) []PlanCause {
	out := make([]PlanCause, 0, len(list))
	for i := range list {
		c := &list[i]
		cause := PlanCause{
			Path: c.Path, Key: c.Key, Level: c.Level, Code: c.Code, Reason: c.Reason, Advice: c.Advice, When: c.When,
			Later: c.IsLater(),
			Old:   c.Old, New: c.New, Approximate: c.Approximate, Warning: c.Warning,
		}
		if c.Object != (manifest.ID{}) {
			object := PlanObject(c.Object)
			cause.Object = &object
		}
		out = append(out, cause)
	}
	return out
}

func notNil(list []string) []string { return append([]string{}, list...) }

func orEmpty(levels map[impact.Level]int) map[impact.Level]int {
	if levels == nil {
		return map[impact.Level]int{}
	}
	return levels
}
