// Package hold decides which VMs a commit holds: those whose change reaches the level of `policy.hold` and is not
// approved. It compares that with what is held, and writes the files that hold VMs.
package hold

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
)

// State is what a fleet does about the change of a VM, and what it should do.
type State int

// The states.
const (
	// Held is a change that is held, as it should be.
	Held State = iota
	// Open is a change that should be held, and is not, or not as it should be.
	Open
	// Impossible is a change that should be held, and cannot be.
	Impossible
	// Leftover is a file that is not needed: the change is approved, or there is none of the level.
	Leftover
)

// VM is the state of a VM whose change is held, or should be, or no longer should be.
type VM struct {
	ID    manifest.ID
	State State
	// Verdict is the change that is held, or nil if only its level and its approvals are known.
	Verdict *plan.Verdict
	// Level is the worst level of what is held.
	Level     impact.Level
	Approvals []held.Approval
	// Problem is why the change cannot be held, or why the file is not needed.
	Problem string
}

// Blocks reports whether the commit must not be merged as it is.
func (v *VM) Blocks() bool { return v.State != Held }

// Line returns the line for the entry of the VM that releases it, or "" if nothing can.
func (v *VM) Line() string {
	if len(v.Approvals) == 0 {
		return ""
	}
	return held.Line(v.Approvals)
}

// Input is what [Judge] compares.
type Input struct {
	// Planned is what the sync does, and Released what it would do if nothing was held. They are the same if no VM is
	// held.
	Planned, Released *plan.Plan
	// Old and New are the objects of each VM on both sides, of which the new one is not held, by NAMESPACE/NAME.
	Old, New map[string][]manifest.Object
	// Annotations are those of held VMs on the new side, by NAMESPACE/NAME.
	Annotations map[string]string
	// Files are the files that hold VMs on the new side.
	Files []*held.File
	// Private are values that must not be written into files.
	Private []string
}

// Judge returns the VMs whose changes are held, or should be, or have files without need.
func Judge(in *Input) []VM {
	effects := map[manifest.ID]*gate.Gate{}
	for i := range in.Planned.VMs {
		v := &in.Planned.VMs[i]
		effects[v.ID] = v.Hold
	}
	files := map[string]bool{}
	for _, f := range in.Files {
		files[f.Namespace+"/"+f.Name] = true
	}
	var out []VM
	for i := range in.Released.VMs {
		v := &in.Released.VMs[i]
		name := nameOf(v.ID)
		switch {
		case v.Hold.Blocked():
			out = append(out, in.judge(v, effects[v.ID]))
		case files[name]:
			out = append(out, VM{ID: v.ID, State: Leftover, Verdict: v, Problem: reasonOf(v)})
		}
	}
	return out
}

func nameOf(id manifest.ID) string { return id.Namespace + "/" + id.Name }

// reasonOf returns why the change of a VM is not held.
func reasonOf(v *plan.Verdict) string {
	if v.Hold != nil {
		return "its change is approved"
	}
	return "nothing of its change, if there is one, is to be held"
}

// judge returns the state of a VM whose change is to be held. effect is what the sync does to it.
func (in *Input) judge(v *plan.Verdict, effect *gate.Gate) VM {
	out := VM{ID: v.ID, State: Open, Verdict: v}
	for _, a := range v.Hold.Approvals {
		out.Level = max(out.Level, a.Level)
		if a.Token != "" {
			out.Approvals = append(out.Approvals, held.Approval{Risk: string(a.Risk), Token: a.Token})
		}
	}
	out.Level = max(out.Level, v.Hold.From)
	is := in.Annotations[nameOf(v.ID)]
	if out.Problem = in.obstacle(v); out.Problem != "" {
		out.State = Impossible
	} else if is == out.file().Annotation() && !effect.Blocked() {
		out.State = Held
	}
	return out
}

// file returns what holds the VM, without its objects.
func (v *VM) file() *held.File {
	return &held.File{
		Namespace: v.ID.Namespace, Name: v.ID.Name, Level: v.Level.String(), Approvals: v.Approvals, Why: v.Causes(),
	}
}

// Causes returns why the change is held, in a sentence each.
func (v *VM) Causes() []string {
	var out []string
	for i := range v.Verdict.Causes {
		c := &v.Verdict.Causes[i]
		if max(c.Level, c.Worst) >= v.Verdict.Hold.From && gate.RiskOf(max(c.Level, c.Worst)) != "" {
			out = append(out, cmp.Or(c.Key, c.Path)+": "+c.Reason)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// obstacle returns why the change of a VM cannot be held, or "".
func (in *Input) obstacle(v *plan.Verdict) string {
	if v.Hold.Removal == gate.RemovalMissing {
		return "its removal cannot be held: put the entry back with `lifecycle: {removal: approved}`, " +
			"and remove it in a commit after the one that is synced"
	}
	for _, a := range v.Hold.Approvals {
		if a.Problem != "" {
			return "its change cannot be held: " + a.Problem
		}
	}
	old := in.Old[nameOf(v.ID)]
	for i := range old {
		o := &old[i]
		if o.ID == v.ID && cluster.SyncOption(manifest.Decode(o.JSON), "Replace") == "true" {
			return "its strategy deletes it in any sync that changes it, so that it cannot be held"
		}
		if problem := in.unholdable(o, in.New[nameOf(v.ID)]); problem != "" {
			return problem
		}
	}
	if v.Was != nil {
		return "its change gives it another name, so that it cannot be held"
	}
	return ""
}

// unholdable returns why an object of a VM can neither be held nor stay, or "".
func (in *Input) unholdable(o *manifest.Object, now []manifest.Object) string {
	if o.Kind == "Secret" {
		if !slices.ContainsFunc(now, func(n manifest.Object) bool { return n.ID == o.ID }) {
			return fmt.Sprintf("it cannot be held, because the commit removes its Secret %s, which no file can hold", o.Name)
		}
		return ""
	}
	if !held.Holds(o.Group(), o.Kind) {
		return ""
	}
	for _, value := range in.Private {
		if len(value) >= shortest && strings.Contains(string(o.JSON), strings.Trim(quoted(value), `"`)) {
			return "it cannot be held, because its manifest contains a value of `--set`, which would be written to Git"
		}
	}
	return ""
}

// shortest is the length from which a value of a variable is private: shorter ones are found everywhere.
const shortest = 6

// quoted returns a text as it is in JSON.
func quoted(text string) string {
	out, err := manifest.Encode(nil, text)
	if err != nil {
		return text
	}
	return string(out)
}

// Annotations returns the annotations of held VMs among objects, by NAMESPACE/NAME.
func Annotations(objects []manifest.Object) map[string]string {
	out := map[string]string{}
	for i := range objects {
		o := &objects[i]
		if strings.Contains(string(o.JSON), `"`+labels.Held+`"`) {
			if text := cluster.Annotation(manifest.Decode(o.JSON), labels.Held); text != "" {
				out[nameOf(o.ID)] = text
			}
		}
	}
	return out
}

// Known returns the VMs that are held according to their annotations alone.
func Known(p *plan.Plan, annotations map[string]string) []VM {
	var out []VM
	for i := range p.VMs {
		id := p.VMs[i].ID
		text, ok := annotations[nameOf(id)]
		if !ok {
			continue
		}
		v := VM{ID: id, State: Held}
		level, approvals := held.Split(text)
		v.Approvals = approvals
		_ = v.Level.UnmarshalText([]byte(level)) // another level than those known is none
		out = append(out, v)
	}
	return out
}

// Stricter returns the milder level of two sides' `policy.hold`: a commit can neither raise it nor take it away and use
// that immediately. An empty level is that of a side that holds nothing.
func Stricter(old, now string) impact.Level {
	var a, b impact.Level
	_, _ = a.UnmarshalText([]byte(old)), b.UnmarshalText([]byte(now)) // no level is None
	if a == impact.None || b == impact.None {
		return max(a, b)
	}
	return min(a, b)
}
