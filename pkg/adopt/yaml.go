package adopt

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/edit"
	"github.com/vmrender/vmrender/pkg/source"
)

// writer writes a file of the fleet.
type writer struct {
	strings.Builder
	line int // of the next character, from 0
}

func (w *writer) raw(text string) {
	w.WriteString(text)
	w.line += strings.Count(text, "\n")
}

// comment writes a comment in column indent.
func (w *writer) comment(indent int, text string) {
	w.raw(strings.Repeat(" ", indent) + "# " + text + "\n")
}

// field writes a key with its value in column indent.
func (w *writer) field(indent int, key string, value *source.Node) {
	w.raw(edit.Block(one(key, value), indent))
}

// fields writes the entries of a map in column indent, a key per line at least.
func (w *writer) fields(indent int, n *source.Node) {
	for _, f := range n.Fields {
		w.field(indent, f.Key, f.Value)
	}
}
