package report

import (
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

// gate writes what the fleet's gate reports. Lines for the values files are never cut.
func (t *planText) gate(p Plan) {
	headline := p.GateHeadline()
	if headline == "" {
		return
	}
	color := green
	if p.Summary.Blocked > 0 || len(p.Limits) > 0 || p.HoldBlocks() {
		color = red
	}
	t.heading(color, "gate", ": "+headline)
	notes := p.GateNotes()
	if t.verbose {
		notes = append(append(notes, p.alone()...), p.unneeded()...)
	}
	for _, n := range notes {
		t.line(plain, "  "+t.names(n.Names)+"  ", n.Text)
		if n.Line != "" {
			place := n.place()
			if place != "" {
				place += ": "
			}
			t.out.WriteString("    " + problems.Visible(place) + t.look.paint(bold, problems.Visible(n.Line)) + "\n")
		}
	}
}

// warnings writes the causes that are dangerous later.
func (t *planText) warnings(p Plan) {
	list := p.warnings()
	if len(list) == 0 {
		return
	}
	t.heading(yellow, "warnings")
	for _, w := range list {
		t.line(plain, "  "+title(w.Verdict.ID)+"  ", sentence(w.Cause))
	}
}

// jobs writes what the sync runs for VMs.
func (t *planText) jobs(list []plan.Job) {
	if len(list) == 0 {
		return
	}
	t.heading(bold, "jobs")
	for _, j := range list {
		t.line(plain, "  "+j.ID.String()+"  ", j.Does)
		if len(j.VMs) > 0 {
			t.line(dim, "    "+t.names(j.VMs))
		}
	}
}

// notes writes the facts about the whole.
func (t *planText) notes(lines []string) {
	if len(lines) == 0 {
		return
	}
	t.heading(bold, "notes")
	for _, line := range lines {
		t.line(plain, "  "+line)
	}
}

// steps writes what to do.
func (t *planText) steps(list []Step, worst impact.Level) {
	if worst == impact.None {
		return
	}
	if len(list) == 0 {
		t.heading(bold, "next", ": "+NoStep)
		return
	}
	t.heading(bold, "next")
	for _, s := range list {
		t.line(levelColors[s.Level], "  "+levelWords(s.Level), ": "+s.Text)
		t.line(dim, "    "+t.names(s.Names))
	}
}

// fewest is the number of names that are listed if not all are shown.
const fewest = 10

// names returns names for one line: all of them if the text is verbose.
func (t *planText) names(list []string) string {
	if t.verbose {
		return strings.Join(list, ", ")
	}
	return firstOf(list, fewest)
}

// firstOf returns the first names, and how many more there are.
func firstOf(list []string, n int) string {
	if len(list) <= n {
		return strings.Join(list, ", ")
	}
	return strings.Join(list[:n], ", ") + fmt.Sprintf(" and %d more", len(list)-n)
}

// rest writes how many VMs do not change.
func (t *planText) rest(s plan.Summary) {
	n := s.VMs[impact.None] - s.Adopted
	if n == 0 || n == total(s.VMs) {
		return
	}
	verb := "do"
	if n == 1 {
		verb = "does"
	}
	t.heading(dim, fmt.Sprintf("%s %s not change", problems.Count(n, "VM"), verb))
}
