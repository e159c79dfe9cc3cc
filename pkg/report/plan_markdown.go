package report

import (
	"cmp"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

// mostMarkdown is the number of bytes that a comment is shorter than. GitHub accepts 65536
// characters.
const mostMarkdown = 60_000

// PlanMarker returns the first line of a comment about a plan, which is invisible: by it, a
// later run finds the comment to update. The path is that of the fleet, and the overlays are
// those of the new side, so that every environment has a comment of its own.
func PlanMarker(path string, overlays ...string) string {
	all := append([]string{path}, overlays...)
	for i, name := range all {
		name = strings.ReplaceAll(url.PathEscape(name), "--", "-%2D")
		all[i] = strings.ReplaceAll(name, "%2F", "/")
	}
	return "<!-- vmrender plan " + cutTo(strings.Join(all, ";"), 1000) + " -->"
}

// PlanMarkdown writes a plan as a comment of a pull request: the headline, a table of what
// changes, the worst first, what to do, and folded details. What makes it too long for a
// comment is left out, the least important first, and the comment mentions it.
func PlanMarkdown(w io.Writer, p Plan) error {
	text, steps, warnings := "", p.Steps(), p.warnings()
	for _, a := range amounts() {
		if text = markdown(p, steps, warnings, a); len(text) < mostMarkdown {
			break
		}
	}
	_, err := io.WriteString(w, text)
	return err
}

// amount is how much a comment shows.
type amount struct {
	left    string       // what is left out, for the reader
	least   impact.Level // milder levels are only counted
	names   bool         // names of VMs and objects
	reasons bool         // the worst cause next to each name
	details bool         // all causes
	values  bool         // with old and new values
	lines   int          // the most lines of a list
	width   int          // the most characters of a text
}

// amounts returns how much comments show, from everything to the counts alone.
func amounts() []amount {
	all := amount{names: true, reasons: true, details: true, values: true, lines: 100, width: 200}
	noValues := all
	noValues.values, noValues.left = false, "old and new values"
	severe := noValues
	severe.least, severe.left = impact.Staged, noValues.left+", levels milder than staged"
	noDetails := severe
	noDetails.details, noDetails.left = false, "all causes except the worst, levels milder than staged"
	noDetails.lines = fewest
	onlyNames := noDetails
	onlyNames.reasons, onlyNames.left = false, "causes, levels milder than staged"
	out := []amount{all, noValues, severe, noDetails, onlyNames}
	for _, least := range impact.Levels()[impact.Staged+1:] {
		onlyNames.least, onlyNames.left = least, "causes, levels milder than "+levelWords(least)
		out = append(out, onlyNames)
	}
	return append(out, amount{left: "everything except the counts", lines: 3, width: 80})
}

// markdown returns a comment that shows a certain amount.
func markdown(p Plan, steps []Step, warnings []warning, a amount) string {
	m := &planMarkdown{amount: a}
	m.write(PlanMarker(commonPath(p), p.To.Overlays...) + "\n### " + p.Headline() + "\n")
	m.sides(p)
	m.changes(p, "VM", p.VMs)
	m.changes(p, "other object", p.Objects)
	m.gate(p)
	m.steps(steps, p.Worst())
	m.warnings(warnings)
	m.jobs(p.Jobs)
	m.notes(p.Notes)
	if a.details {
		m.details(p)
	}
	m.leftOut(p.Command)
	return m.out.String()
}

// commonPath returns the path of what is compared.
func commonPath(p Plan) string { return cmp.Or(p.To.Path, p.From.Path, ".") }

// planMarkdown collects a comment.
type planMarkdown struct {
	amount
	out strings.Builder
}

func (m *planMarkdown) write(text string) { m.out.WriteString(text) }

// tooLong reports whether this amount does not fit; the rest does not have to be written.
func (m *planMarkdown) tooLong() bool { return m.out.Len() >= mostMarkdown }

func (m *planMarkdown) code(text string) string { return mdCell(text, m.width) }

func (m *planMarkdown) prose(text string) string { return mdText(text, m.width) }

// codes returns the first texts as code, and how many more there are.
func (m *planMarkdown) codes(list []string) string {
	out := make([]string, 0, m.lines)
	for _, text := range list[:min(len(list), m.lines)] {
		out = append(out, m.code(text))
	}
	if more := len(list) - m.lines; more > 0 {
		return strings.Join(out, ", ") + fmt.Sprintf(" and %d more", more)
	}
	return strings.Join(out, ", ")
}

// sides writes what is compared with what; what both sides share is written once.
func (m *planMarkdown) sides(p Plan) {
	from, to := m.side(p.From), m.side(p.To)
	if from == to {
		from = ""
	}
	m.write("\n" + m.code(p.From.Label) + from + " → " + m.code(p.To.Label) + to + "\n")
	if len(p.Unknown) > 0 {
		m.write("\nUnknown: " + m.prose(strings.Join(p.Unknown, "; ")) + "\n")
	}
}

func (m *planMarkdown) side(s Side) string {
	var out []string
	if s.Path != "" && s.Path != s.Label {
		out = append(out, m.code(s.Path))
	}
	for _, f := range []struct {
		label string
		list  []string
	}{{"overlays", s.Overlays}, {"for", s.Targets}, {"with", s.Settings}} {
		if len(f.list) > 0 {
			out = append(out, f.label+" "+m.codes(f.list))
		}
	}
	if s.Exported != "" {
		out = append(out, "exported "+m.code(s.Exported))
	}
	return strings.Join(append([]string{""}, out...), ", ")
}

// changes writes what changes: a table, or lists of names, and counts of what is milder.
func (m *planMarkdown) changes(p Plan, noun string, list []plan.Verdict) {
	groups := byLevel(list)
	shown := 0
	for shown < len(groups) && m.names && groups[shown].Level >= m.least {
		shown++
	}
	if shown > 0 && m.reasons {
		m.table(p, noun, groups[:shown])
	} else {
		for _, g := range groups[:shown] {
			m.write("\n**" + g.words() + "**: ")
			m.nameList(g)
		}
	}
	m.milder(noun, groups[shown:])
}

// milder writes how many VMs or objects there are of levels that are not shown.
func (m *planMarkdown) milder(noun string, groups []levelGroup) {
	n := 0
	counts := make([]string, 0, len(groups))
	for _, g := range groups {
		n += len(g.Verdicts)
		counts = append(counts, fmt.Sprintf("%d %s", len(g.Verdicts), g.words()))
	}
	if n > 0 {
		m.write("\n" + problems.Count(n, noun) + ": " + strings.Join(counts, ", ") + "\n")
	}
}

func (m *planMarkdown) table(p Plan, noun string, groups []levelGroup) {
	m.write("\n| | " + noun + " | why |\n|---|---|---|\n")
	for _, g := range groups {
		for _, f := range p.folds(g.Verdicts, m.why) {
			if m.tooLong() {
				return
			}
			m.write("| **" + g.words() + "** | " + m.foldLabel(&f) + " | " + f.text(m.why) + m.place(&f) + " |\n")
		}
	}
}

// place returns where the key of a fold is set.
func (m *planMarkdown) place(f *fold) string {
	if f.place() == "" {
		return ""
	}
	return "; set at " + m.code(f.at.String())
}

// foldLabel returns the names of VMs or objects that have one row.
func (m *planMarkdown) foldLabel(f *fold) string {
	if len(f.all) == 1 {
		return m.label(f.Verdict)
	}
	names := f.names(min(m.lines, fewest))
	for i, n := range names {
		names[i] = mdCell(n, longestName)
	}
	return strings.Join(names, ", ") + f.count()
}

// label returns the name of a VM, or the kind and name of another object.
func (m *planMarkdown) label(v *plan.Verdict) string {
	if v.Was != nil {
		return mdCell(name(*v.Was), longestName) + " → " + mdCell(name(v.ID), longestName)
	}
	return mdCell(title(v.ID), longestName)
}

// longestName is the length of the longest kind, namespace and name that Kubernetes accepts.
const longestName = 63 + 1 + 63 + 1 + 253

// nameList writes all names of a level.
func (m *planMarkdown) nameList(g levelGroup) {
	separator := ""
	for _, v := range g.Verdicts {
		if m.tooLong() {
			return
		}
		m.write(separator + m.label(v))
		separator = ", "
	}
	m.write("\n")
}

// why returns the worst cause, and the number of others.
func (m *planMarkdown) why(v *plan.Verdict) string {
	out := m.prose(marks(v))
	if len(v.Causes) == 0 {
		return out
	}
	out += m.sentence(&v.Causes[0])
	if n := len(v.Causes) - 1; n > 0 {
		out += fmt.Sprintf(" (+%d)", n)
	}
	return out
}

// sentence returns what a cause is about and why.
func (m *planMarkdown) sentence(c *impact.Cause) string {
	if what := About(c); what != "" {
		return m.code(what) + ": " + m.prose(c.Reason)
	}
	return m.prose(c.Reason)
}
