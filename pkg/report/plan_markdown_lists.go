package report

import (
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report/problems"
)

// steps writes what to do.
func (m *planMarkdown) steps(list []Step, worst impact.Level) {
	switch {
	case worst == impact.None:
		return
	case len(list) == 0:
		m.write("\n**Next**: " + NoStep + ".\n")
		return
	}
	m.write("\n**Next**\n")
	for _, s := range list[:min(len(list), m.lines)] {
		m.write("- **" + levelWords(s.Level) + "**: " + m.prose(s.Text))
		if m.names {
			m.write(": " + m.first(s.Names))
		}
		m.write("\n")
	}
	m.more(len(list))
}

// first returns the first names, and how many more there are.
func (m *planMarkdown) first(names []string) string {
	few := *m
	few.lines = min(m.lines, fewest)
	return few.codes(names)
}

// gate writes what the fleet's gate reports, with the lines for the values files.
func (m *planMarkdown) gate(p Plan) {
	headline := p.GateHeadline()
	if headline == "" {
		return
	}
	m.write("\n**Gate**: " + headline + "\n")
	notes := p.GateNotes()
	for _, n := range notes[:min(len(notes), m.lines)] {
		m.write("- " + m.prose(n.Text))
		if n.Line != "" {
			m.write(m.lineOf(&n))
		}
		if m.names {
			m.write(": " + m.first(n.Names))
		}
		m.write("\n")
	}
	m.more(len(notes))
}

// longestLine is the most characters of a line for the values files that is written.
const longestLine = 10_000

// lineOf returns the line for the values files of a note, which is never cut, and its place.
func (m *planMarkdown) lineOf(n *GateNote) string {
	if len(n.Line) > longestLine {
		return "; the line is too long for a comment, see `vmrender plan`"
	}
	out := "; write " + mdCode(n.Line, longestLine)
	if place := n.place(); place != "" {
		out += " at " + m.code(place)
	}
	return out
}

// more writes how many lines of a list are left out.
func (m *planMarkdown) more(n int) {
	if n > m.lines {
		m.write(fmt.Sprintf("- and %d more\n", n-m.lines))
	}
}

// fold writes a section that the reader opens.
func (m *planMarkdown) fold(title string, n int, line func(i int) string) {
	if n == 0 {
		return
	}
	m.write(fmt.Sprintf("\n<details><summary>%s</summary>\n\n", title))
	for i := range min(n, m.lines) {
		m.write("- " + line(i) + "\n")
	}
	m.more(n)
	m.write("\n</details>\n")
}

func (m *planMarkdown) warnings(list []warning) {
	m.fold(problems.Count(len(list), "warning"), len(list), func(i int) string {
		return m.code(title(list[i].Verdict.ID)) + " " + m.sentence(list[i].Cause)
	})
}

func (m *planMarkdown) jobs(list []plan.Job) {
	m.fold(problems.Count(len(list), "job"), len(list), func(i int) string {
		j := &list[i]
		text := m.code(j.ID.String()) + " " + m.prose(j.Does)
		if len(j.VMs) > 0 && m.names {
			text += ": " + m.first(j.VMs)
		}
		return text
	})
}

func (m *planMarkdown) notes(list []string) {
	if len(list) == 0 {
		return
	}
	m.write("\n")
	for _, note := range list[:min(len(list), m.lines)] {
		m.write("- Note: " + m.prose(note) + "\n")
	}
	m.more(len(list))
}

// details writes all causes of what changes.
func (m *planMarkdown) details(p Plan) {
	var all []*plan.Verdict
	for _, list := range [][]plan.Verdict{p.VMs, p.Objects} {
		for _, g := range byLevel(list) {
			if g.Level >= m.least {
				all = append(all, g.Verdicts...)
			}
		}
	}
	if len(all) == 0 {
		return
	}
	m.write("\n<details><summary>Every cause</summary>\n")
	for _, v := range all {
		if m.tooLong() {
			return
		}
		m.write("\n" + m.label(v) + "\n")
		for i := range v.Causes {
			m.write("- " + m.cause(&v.Causes[i]) + "\n")
		}
	}
	m.write("\n</details>\n")
}

// cause returns all that is known about a cause.
func (m *planMarkdown) cause(c *impact.Cause) string {
	first := "**" + levelWords(c.Level) + "** " + m.sentence(c)
	if c.Path != "" && c.Key != "" {
		first += " (" + m.code(c.Path) + ")"
	}
	out := []string{first}
	if m.values && (c.Old != "" || c.New != "") {
		out = append(out, mdCode(c.Old, m.width)+" → "+mdCode(c.New, m.width))
	}
	for _, f := range []struct{ label, text string }{
		{"", c.Advice}, {"", c.When}, {"unknown: ", c.Approximate},
	} {
		if f.text != "" {
			out = append(out, f.label+m.prose(f.text))
		}
	}
	return strings.Join(out, "; ")
}

// leftOut writes what is not shown, and what shows it.
func (m *planMarkdown) leftOut(command string) {
	if m.left == "" {
		return
	}
	m.write("\nOmitted, because the comment would be too long: " + m.left + ".")
	if command != "" {
		m.write(" All of it: " + m.code(command))
	}
	m.write("\n")
}
