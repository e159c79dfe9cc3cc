package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/report/problems"
	"github.com/vmrender/vmrender/pkg/status"
)

// StatusMarkdown writes a status as a comment: the headline, and a table of the VMs that
// are not as Git has them, the worst first, and one of the other objects. A table that is too
// long for a comment is cut, and the comment mentions it.
func StatusMarkdown(w io.Writer, s Status) error {
	m := &planMarkdown{amount: amount{names: true, lines: 100, width: 300}}
	m.write("### " + s.Headline() + "\n\n" + m.code(s.Git.Title()) + " in " + m.code(s.Cluster.Title()))
	if s.Cluster.Exported != "" {
		m.write(", exported " + m.code(s.Cluster.Exported))
	}
	m.write("\n")
	if len(s.Unknown) > 0 {
		m.write("\nUnknown: " + m.prose(strings.Join(s.Unknown, "; ")) + "\n")
	}
	m.standings("VM", s.VMs[:len(s.VMs)-s.Counts[status.StateOK]], name)
	m.standings("object", s.Objects, objectName)
	m.notes(s.Notes)
	_, err := io.WriteString(w, m.out.String())
	return err
}

// mostTable is the number of bytes at which the table of a status ends, which leaves room for
// the notes.
const mostTable = mostMarkdown / 2

// standings writes the table of VMs, or of other objects.
func (m *planMarkdown) standings(what string, shown []status.Standing, name func(manifest.ID) string) {
	if len(shown) == 0 {
		return
	}
	m.write("\n| | " + what + " | why |\n|---|---|---|\n")
	for i := range shown {
		if m.out.Len() > mostTable {
			m.write(fmt.Sprintf("\nand %s more\n", problems.Count(len(shown)-i, what)))
			return
		}
		v := &shown[i]
		m.write("| **" + stateWords(v.State) + "** | " + mdCell(name(v.ID), longestName) + " | " + m.prose(says(v)) + " |\n")
	}
}
