package html

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report"
)

// planBody is the input of plan.tmpl.
type planBody struct {
	report.Plan
	Levels []levelCount // worst first, without those of no object
}

// levelCount is the number of objects of a level.
type levelCount struct {
	impact.Level
	Count int
}

// changeSection is the only section of the details of a plan's rows.
const changeSection = 0

// Plan writes the page of a plan. It is the Write of a [report.PlanFormat].
func Plan(w io.Writer, p report.Plan) error {
	body := planBody{Plan: p}
	for _, level := range impact.Levels() {
		if n := p.Summary.VMs[level] + p.Summary.Objects[level]; n > 0 {
			body.Levels = append(body.Levels, levelCount{level, n})
		}
	}
	slices.Reverse(body.Levels)
	return write(w, "plan.tmpl", layout{
		Title: body.Title() + " · vmrender", Version: p.Version, Body: body, List: newPlanList(p.Plan),
	})
}

// Title returns the plan in a few words.
func (b planBody) Title() string {
	vms, changed := total(b.Summary.VMs)
	objects, changedObjects := total(b.Summary.Objects)
	switch {
	case changed == 0 && b.Summary.Adopted > 0:
		return count(b.Summary.Adopted, "VM") + plural(b.Summary.Adopted, " is adopted as it is", " are adopted as they are")
	case changed > 0 && changed == vms:
		return count(vms, "VM") + plural(vms, " changes", " change")
	case changed > 0:
		return fmt.Sprintf("%s of %s %s", thousands(changed), count(vms, "VM"), plural(changed, "changes", "change"))
	case changedObjects > 0 && vms > 0:
		return "No VM changes, but " + count(objects, "other object") + plural(objects, " does", " do")
	case changedObjects > 0:
		return count(objects, "object") + plural(objects, " changes", " change")
	}
	return "Nothing changes"
}

// FromFacts returns the facts of the old side, or nil if the new one has the same.
func (b planBody) FromFacts() []string {
	if slices.Equal(b.From.Facts(), b.To.Facts()) {
		return nil
	}
	return b.From.Facts()
}

// Changes reports whether anything changes.
func (b planBody) Changes() bool { return b.Worst() > impact.None }

// total returns the number of verdicts, and of those that change something.
func total(levels map[impact.Level]int) (all, changed int) {
	for _, n := range levels {
		all += n
	}
	return all, all - levels[impact.None]
}

func plural(n int, one, more string) string {
	if n == 1 {
		return one
	}
	return more
}

// newPlanList returns a row for each VM and each other object that changes, worst first.
func newPlanList(p *plan.Plan) list {
	l := list{
		Title: "VMs", Noun: "VM",
		Columns: []column{
			{Title: "Level", Kind: "level", Filter: true},
			{Title: "Name", Kind: "name"},
			{Title: "Namespace", Kind: "short", Filter: true},
			{Title: "Kind", Kind: "short", Filter: true},
			{Title: "What happens", Kind: "prose"},
			{Title: "Note", Kind: "tag", Filter: true},
		},
		Sections: []section{changeSection: {Kind: "changes"}},
	}
	if len(p.Objects) > 0 && len(p.VMs) > 0 {
		l.Title = "VMs and other objects"
	} else if len(p.Objects) > 0 {
		l.Title = "Objects"
	}
	if len(p.Objects) > 0 {
		l.Noun = "object"
	}
	verdicts := make([]*plan.Verdict, 0, len(p.VMs)+len(p.Objects))
	for _, some := range [][]plan.Verdict{p.VMs, p.Objects} {
		for i := range some {
			verdicts = append(verdicts, &some[i])
		}
	}
	slices.SortStableFunc(verdicts, func(a, b *plan.Verdict) int { return cmp.Compare(b.Level, a.Level) })
	for _, v := range verdicts {
		l.Rows = append(l.Rows, verdictRow(v))
		if v.Level > impact.None {
			l.Plain++
		}
	}
	return l
}

func verdictRow(v *plan.Verdict) row {
	r := row{Cells: []string{v.Level.String(), v.ID.Name, v.ID.Namespace, v.ID.Kind, worst(v), notes(v)}}
	if len(v.Causes) == 0 {
		return r
	}
	d := detail{Section: changeSection}
	for i := range v.Causes {
		c := &v.Causes[i]
		later := ""
		if c.Warning {
			later = "dangerous later"
		}
		d.Rows = append(d.Rows, []string{
			c.Level.String(), report.About(c), c.Path, c.Old, c.New, c.Reason, c.Advice, c.When, c.Approximate, later,
		})
	}
	r.Details = []detail{d}
	return r
}

// worst returns the worst cause in a sentence, and how many follow.
func worst(v *plan.Verdict) string {
	if len(v.Causes) == 0 {
		return ""
	}
	c := &v.Causes[0]
	text := c.Reason
	if what := report.About(c); what != "" {
		text = what + ": " + text
	}
	if more := len(v.Causes) - 1; more > 0 {
		text += fmt.Sprintf(" (+%d)", more)
	}
	return text
}

// notes returns the remarks about a verdict, other than its causes.
func notes(v *plan.Verdict) string {
	var out []string
	if v.Was != nil {
		out = append(out, "was "+nameFrom(v.ID.Namespace, v.Was.Namespace, v.Was.Name))
	}
	if v.Adopted {
		out = append(out, "adopted")
	}
	if v.Approximate {
		out = append(out, "approximate")
	}
	if v.Stopped {
		out = append(out, "stopped")
	}
	if v.Gate.Blocked() {
		out = append(out, "not approved")
	}
	if slices.ContainsFunc(v.Causes, func(c impact.Cause) bool { return c.Warning }) {
		out = append(out, "warning")
	}
	return strings.Join(out, ", ")
}

// nameFrom returns the name by which objects of a namespace refer to another object.
func nameFrom(from, namespace, name string) string {
	if namespace == from {
		return name
	}
	return namespace + "/" + name
}

// FirstNames returns the first VMs of a Job, or objects of a step, for a line of text.
func (planBody) FirstNames(names []string) string { return some(names) }
