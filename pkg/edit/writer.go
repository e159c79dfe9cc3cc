package edit

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// Writer writes a YAML file from its beginning, in the style of [Block]. The zero value is an empty file.
type Writer struct {
	strings.Builder
	Line int // of the next character, from 0
}

// Raw writes a text as it is.
func (w *Writer) Raw(text string) {
	w.WriteString(text)
	w.Line += strings.Count(text, "\n")
}

// Comment writes a comment of one line, indented by a number of spaces.
func (w *Writer) Comment(indent int, text string) {
	w.Raw(strings.Repeat(" ", indent) + "# " + text + "\n")
}

// Field writes a key with its value, indented by a number of spaces.
func (w *Writer) Field(indent int, key string, value *source.Node) {
	w.Raw(Block(&source.Node{Kind: source.Map, Fields: []source.Field{{Key: key, Value: value}}}, indent))
}

// Fields writes the entries of a map, indented by a number of spaces, with a line for each key at least.
func (w *Writer) Fields(indent int, n *source.Node) {
	for _, f := range n.Fields {
		w.Field(indent, f.Key, f.Value)
	}
}
