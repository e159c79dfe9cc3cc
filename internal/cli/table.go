package cli

import (
	"io"
	"strings"
	"text/tabwriter"

	"github.com/vmrender/vmrender/pkg/report/problems"
)

// WriteTable writes rows under a header in aligned columns, two spaces apart.
// An empty cell is shown as a dash, so that a script can split the columns.
func WriteTable(w io.Writer, header []string, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{header}, rows...) {
		if _, err := io.WriteString(t, strings.Join(cells(row), "\t")+"\n"); err != nil {
			return err
		}
	}
	return t.Flush()
}

// cells returns the cells of a row without tabs and line breaks, which would
// break the table.
func cells(row []string) []string {
	out := make([]string, len(row))
	for i, cell := range row {
		cell = problems.Visible(strings.NewReplacer("\t", " ", "\r", "").Replace(cell))
		if cell == "" {
			cell = "-"
		}
		out[i] = cell
	}
	return out
}
