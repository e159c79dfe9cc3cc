package report

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

// PlanText writes a plan for users: the headline, what is compared with what, a line for
// each VM and object by level, the worst first, then warnings, Jobs, and what to do.
// See [problems.Visible] for what is not printable.
func PlanText(w io.Writer, p Plan) error {
	t := &planText{look: p.Terminal, verbose: p.Verbose}
	t.line(worstColor(p), p.Headline())
	t.sides(p)
	for _, g := range byLevel(p.VMs) {
		t.group(p, g)
	}
	if objects := byLevel(p.Objects); len(objects) > 0 {
		t.objects(objects)
	}
	t.gate(p)
	t.warnings(p)
	t.jobs(p.Jobs)
	t.notes(p.Notes)
	t.steps(p.Steps(), p.Worst())
	t.rest(p.Summary)
	_, err := io.WriteString(w, t.out.String())
	return err
}

// planText collects the lines of a text.
type planText struct {
	out     strings.Builder
	look    Terminal
	verbose bool
}

// line writes a line that is cut to the width, with its first part in a color.
func (t *planText) line(color sgr, first string, rest ...string) {
	first = problems.Visible(first)
	text := first + problems.Visible(strings.Join(rest, ""))
	if t.look.Width > 0 {
		text = cutTo(text, t.look.Width)
	}
	after, whole := strings.CutPrefix(text, first)
	if !whole {
		first, after = text, ""
	}
	t.out.WriteString(t.look.paint(color, first) + after + "\n")
}

// heading begins a section.
func (t *planText) heading(color sgr, title string, rest ...string) {
	t.out.WriteByte('\n')
	t.line(color, title, rest...)
}

// sides writes what is compared with what; what both sides share is written once.
func (t *planText) sides(p Plan) {
	from, to := p.From.Facts(), p.To.Facts()
	t.fact("from", p.From.Title())
	if !slices.Equal(from, to) {
		t.facts(from)
	}
	t.fact("to", p.To.Title())
	t.facts(to)
	t.fact("unknown:", strings.Join(p.Unknown, "; "))
}

func (t *planText) facts(list []string) {
	for _, f := range list {
		t.fact("", f)
	}
}

func (t *planText) fact(label, text string) {
	if text != "" {
		t.line(dim, fmt.Sprintf("%-9s ", label), text)
	}
}

// Title returns the label of a side with its path.
func (s Side) Title() string {
	if s.Path == "" || s.Path == s.Label {
		return s.Label
	}
	return s.Label + ", " + s.Path
}

// Facts returns everything except the title of a side, such as "overlays prod.yaml, blue.yaml".
func (s Side) Facts() []string {
	var out []string
	for _, f := range []struct{ label, text string }{
		{"overlays ", strings.Join(s.Overlays, ", ")},
		{"for ", strings.Join(s.Targets, ", ")},
		{"with ", strings.Join(s.Settings, ", ")},
		{"exported ", s.Exported},
	} {
		if f.text != "" {
			out = append(out, f.label+f.text)
		}
	}
	return out
}

// group writes the VMs of one level.
func (t *planText) group(p Plan, g levelGroup) {
	t.heading(levelColors[g.Level], g.words(), ": "+g.meaning())
	all := t.folded(p, g.Verdicts)
	width := 0
	for i := range all {
		width = max(width, utf8.RuneCountInString(foldLabel(&all[i])))
	}
	for i := range all {
		f := &all[i]
		t.verdict(f.Verdict, foldLabel(f), min(width, widest), f.text(summary)+f.place())
	}
}

// folded returns the verdicts by cause, or each alone if the reader wants all causes.
func (t *planText) folded(p Plan, verdicts []*plan.Verdict) []fold {
	if !t.verbose {
		return p.folds(verdicts, func(v *plan.Verdict) string { return marks(v) + summary(v) })
	}
	out := make([]fold, len(verdicts))
	for i, v := range verdicts {
		out[i] = fold{Verdict: v, all: []*plan.Verdict{v}}
	}
	return out
}

// foldLabel returns the names of VMs that have one line.
func foldLabel(f *fold) string { return strings.Join(f.names(mostNames), ", ") + f.count() }

// mostNames is the most names in a line.
const mostNames = 4

// widest is the most characters that the column of names is wide.
const widest = 40

// objects writes the objects other than VMs, with the level before each.
func (t *planText) objects(groups []levelGroup) {
	t.heading(bold, "other objects")
	for _, g := range groups {
		for _, v := range g.Verdicts {
			t.verdict(v, levelWords(g.Level)+" "+v.ID.String(), 0, summary(v))
		}
	}
}

// verdict writes a line for one object, or a paragraph with all causes.
func (t *planText) verdict(v *plan.Verdict, label string, width int, why string) {
	pad := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(label)))
	t.line(levelColors[v.Level], "  "+label, strings.TrimRight(pad+"  "+marks(v)+why, " "))
	if !t.verbose {
		return
	}
	for i := range v.Causes {
		t.cause(&v.Causes[i])
	}
}

// marks returns the remarks about a verdict that precede its causes.
func marks(v *plan.Verdict) string {
	out := ""
	if v.Approximate {
		out = "[?] "
	}
	if v.Stopped {
		out += "(stopped) "
	}
	return out
}

// summary returns the worst cause, and the number of others, such as
// "memory: needs a restart (+2)".
func summary(v *plan.Verdict) string {
	if len(v.Causes) == 0 {
		return ""
	}
	out := sentence(&v.Causes[0])
	if n := len(v.Causes) - 1; n > 0 {
		out += " (+" + strconv.Itoa(n) + ")"
	}
	return out + inParts(v)
}

// inParts says what happens now and what at the next start, if something does both, such as
// "; now: memory (migrate); at the next start: labels".
func inParts(v *plan.Verdict) string {
	var now, later []string
	for i := range v.Causes {
		switch c := &v.Causes[i]; {
		case c.IsLater():
			later = addOnce(later, About(c))
		case c.Level == impact.Live || c.Level == impact.Migrate || c.Level == impact.Power:
			now = addOnce(now, About(c)+" ("+levelWords(c.Level)+")")
		}
	}
	if now == nil || later == nil || v.Stopped {
		return ""
	}
	return "; now: " + strings.Join(now, ", ") + "; at the next start: " + strings.Join(later, ", ")
}

func addOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// sentence returns what a cause is about and why.
func sentence(c *impact.Cause) string {
	if what := About(c); what != "" {
		return what + ": " + c.Reason
	}
	return c.Reason
}

// cause writes all that is known about a cause.
func (t *planText) cause(c *impact.Cause) {
	t.line(levelColors[c.Level], "    "+levelWords(c.Level), " "+strings.TrimSpace(sentence(c))+" ["+string(c.Code)+"]")
	values := ""
	if c.Old != "" || c.New != "" {
		values = orNothing(c.Old) + " → " + orNothing(c.New)
	}
	for _, f := range []struct{ label, text string }{
		{"path", c.Path}, {"values", values}, {"advice", c.Advice}, {"when", c.When}, {"unknown:", c.Approximate},
	} {
		if f.text != "" {
			t.line(dim, fmt.Sprintf("      %-9s ", f.label), f.text)
		}
	}
}

// orNothing returns a value, or a dash for none.
func orNothing(value string) string {
	if value == "" {
		return "–"
	}
	return value
}
