package adopt

import (
	"strings"
	"unicode"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/source"
)

// width is the number of columns that a value may take on one line.
const width = 120

// writer writes YAML as a person would: a value on one line if it fits, and a key per line
// otherwise.
type writer struct {
	strings.Builder
	line int // of the next character, from 0
}

// raw writes a text as it is.
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
	start := strings.Repeat(" ", indent) + inline(key) + ":"
	if text, ok := flow(value); ok && (len(start)+1+len(text) <= width || !foldable(value)) {
		w.raw(start + " " + text + "\n")
		return
	}
	switch {
	case value.Kind == source.Map:
		w.raw(start + "\n")
		w.fields(indent+2, value)
	case value.Kind == source.List:
		w.raw(start + "\n")
		for _, item := range value.Items {
			w.item(indent+2, item)
		}
	default:
		text := string(manifest.AppendYAML(nil, source.AppendJSON(nil, one(key, value))))
		for line := range strings.Lines(text) {
			if line != "\n" {
				line = strings.Repeat(" ", indent) + line
			}
			w.raw(line)
		}
	}
}

// fields writes the entries of a map in column indent.
func (w *writer) fields(indent int, n *source.Node) {
	for i := range n.Fields {
		w.field(indent, n.Fields[i].Key, n.Fields[i].Value)
	}
}

// item writes an item of a list, with its dash in column indent.
func (w *writer) item(indent int, n *source.Node) {
	dash := strings.Repeat(" ", indent) + "- "
	if text, ok := flow(n); ok && (len(dash)+len(text) <= width || !foldable(n)) {
		w.raw(dash + text + "\n")
		return
	}
	below := writer{}
	if n.Kind == source.Map {
		below.fields(indent+2, n)
	} else {
		below.field(indent+2, "", n) // a list of lists: not in the format
	}
	w.raw(dash + below.String()[indent+2:])
}

// one returns a map with one key.
func one(key string, value *source.Node) *source.Node {
	n := node{}
	n.put(key, value)
	return n.tree()
}

// foldable reports whether a value can be written on several lines.
func foldable(n *source.Node) bool {
	return n.Kind == source.Map && len(n.Fields) > 0 || n.Kind == source.List && len(n.Items) > 0
}

// flow returns a value on one line, and whether that can be read: not texts of several
// lines.
func flow(n *source.Node) (string, bool) {
	switch n.Kind {
	case source.Map:
		all := make([]string, len(n.Fields))
		for i := range n.Fields {
			text, ok := flow(n.Fields[i].Value)
			if !ok {
				return "", false
			}
			all[i] = inline(n.Fields[i].Key) + ": " + text
		}
		return "{" + strings.Join(all, ", ") + "}", true
	case source.List:
		all := make([]string, len(n.Items))
		for i, item := range n.Items {
			text, ok := flow(item)
			if !ok {
				return "", false
			}
			all[i] = text
		}
		return "[" + strings.Join(all, ", ") + "]", true
	case source.String:
		return inline(n.Text), !strings.Contains(n.Text, "\n")
	}
	return string(source.AppendJSON(nil, n)), true
}

// inline returns a text on one line, in quotes if any YAML reader would take it for
// something else, also between brackets.
func inline(text string) string {
	json := source.AppendJSON(nil, &source.Node{Kind: source.String, Text: text})
	out := strings.TrimSuffix(string(manifest.AppendYAML(nil, json)), "\n")
	quoted := strings.HasPrefix(out, `"`)
	switch {
	case strings.Contains(text, `"`) && isPrintable(text) && (quoted || strings.ContainsAny(text, ",[]{}")):
		return "'" + strings.ReplaceAll(text, "'", "''") + "'"
	case strings.ContainsAny(text, ",[]{}\n") && !quoted:
		return string(json)
	}
	return out
}

// isPrintable reports whether a text can stand between single quotes.
func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}
