package html

import "encoding/json"

// list is a table with a row for each VM, which the script filters and searches. The
// script builds rows only when they are about to be seen: there can be thousands.
type list struct {
	Title    string
	Noun     string // for one row, such as "VM"
	Columns  []column
	Sections []section // what the details of rows consist of
	Rows     []row
	Plain    int // number of the first rows that matter to the table without JavaScript
}

// column is a column of a [list].
type column struct {
	Title string `json:"title"`
	// Kind is how the script shows the cells: as a heading above rows ("group"), the name of the row ("name"), a
	// "level", a "tag", a "number", or text with code between backquotes ("prose"); otherwise as text.
	Kind string `json:"kind,omitempty"`
	// Filter is whether rows can be selected by the cells.
	Filter bool `json:"filter,omitempty"`
}

// section is a kind of table in the details of rows. Without columns, its rows are
// pairs of a term and a description, or the parts of a change.
type section struct {
	Title   string   `json:"title,omitempty"`
	Columns []string `json:"columns,omitempty"`
	Kind    string   `json:"kind,omitempty"` // "changes" or none
}

// row is one row: a cell for each column, and the details.
type row struct {
	Cells   []string
	Details []detail
}

// detail is a table of the kind of the section at an index.
type detail struct {
	Section int
	Rows    [][]string
}

// Limits of a list, so that the page about 5,000 VMs stays below 5 MiB.
const (
	mostPlain = 1000    // rows of the table without JavaScript
	mostText  = 5 << 19 // bytes of texts, after which rows have no details
)

// PlainRows returns the rows of the table without JavaScript.
func (l list) PlainRows() []row { return l.Rows[:min(l.Plain, mostPlain)] }

// Hidden returns the number of rows that the table without JavaScript leaves out.
func (l list) Hidden() int { return len(l.Rows) - len(l.PlainRows()) }

// jsonRow is a row in the form that the script reads.
type jsonRow struct {
	Cells   []int   `json:"c"`
	Details [][]any `json:"d,omitempty"` // each an index of a section, then the rows
	Cut     bool    `json:"cut,omitempty"`
}

// MarshalJSON returns the form that the script reads. The rows contain indexes into
// one list of texts, because thousands of VMs have most of theirs in common.
func (l list) MarshalJSON() ([]byte, error) {
	texts := interned{index: map[string]int{}}
	rows := make([]jsonRow, len(l.Rows))
	for i, r := range l.Rows {
		rows[i].Cells = texts.add(r.Cells)
		if texts.size > mostText {
			rows[i].Cut = len(r.Details) > 0
			continue
		}
		for _, d := range r.Details {
			table := make([]any, 0, 1+len(d.Rows))
			table = append(table, d.Section)
			for _, cells := range d.Rows {
				table = append(table, texts.add(cells))
			}
			rows[i].Details = append(rows[i].Details, table)
		}
	}
	return json.Marshal(map[string]any{
		"noun": l.Noun, "columns": l.Columns, "sections": l.Sections, "rows": rows, "texts": texts.list,
	})
}

// interned is a list of different texts.
type interned struct {
	list  []string
	index map[string]int
	size  int // bytes of all texts
}

// add returns the indexes of texts, which it adds if they are new.
func (t *interned) add(texts []string) []int {
	out := make([]int, len(texts))
	for i, text := range texts {
		at, ok := t.index[text]
		if !ok {
			at = len(t.list)
			t.index[text] = at
			t.list = append(t.list, text)
			t.size += len(text)
		}
		out[i] = at
	}
	return out
}
