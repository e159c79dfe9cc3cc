package edit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/vmrender/vmrender/pkg/source"
)

const (
	width = 100 // columns of a line that a collection in braces may fill in text that is edited
	wide  = 120 // and in new text
	dash  = len("- ")
)

// Flow returns a tree as YAML in one line: {size: 20Gi, bus: scsi}. A string is plain if
// all versions of YAML read it as that string, and quoted otherwise. Numbers and booleans
// are written as their text.
func Flow(n *source.Node) string {
	var parts []string
	switch n.Kind {
	case source.Map:
		for _, f := range n.Fields {
			parts = append(parts, str(f.Key, true)+": "+Flow(f.Value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case source.List:
		for _, item := range n.Items {
			parts = append(parts, Flow(item))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	}
	return scalar(n, true)
}

// Block returns a tree as lines of YAML that are indented by a number of spaces. Each ends
// with a line feed. Within the tree, maps and lists that are simple and short are in flow
// style; a string of several lines is a literal block.
func Block(n *source.Node, indent int) string {
	margin := strings.Repeat(" ", indent)
	l := layout{col: indent, step: 2, fill: wide, most: wide}
	head, rest := l.block(n)
	return margin + strings.Join(append([]string{head}, rest...), "\n") + "\n"
}

// layout is how a value is written: its head in the line of its key or dash, and then
// lines of their own.
type layout struct {
	col   int  // of the key or dash, or of the keys or dashes of a block
	step  int  // columns that a level is indented
	fill  int  // columns left for a head in flow style; less than that of "{}" if there must be none
	most  int  // columns of a line; 0 for those of text that is edited
	plain bool // only scalars may be within a head in flow style
}

// columns returns the columns of a line.
func (l layout) columns() int { return cmp.Or(l.most, width) }

// value returns the layout of a value below a key in column l.col.
func (l layout) value(n *source.Node) (head string, lines []string) {
	if n.Kind == source.String && fitsLiteral(n.Text) {
		return l.literal(n.Text)
	}
	if len(children(n)) == 0 || l.flows(n) {
		return Flow(n), nil
	}
	in := layout{col: l.col + l.step, step: l.step, fill: l.columns(), most: l.most}
	first, rest := in.block(n)
	return "", append([]string{strings.Repeat(" ", in.col) + first}, rest...)
}

// flows reports whether a value is written in flow style.
func (l layout) flows(n *source.Node) bool {
	most := 2 // levels with several entries
	if l.plain {
		most = 1
	}
	return branches(n) <= most && (!l.plain || !nested(n)) && !multiline(n) && len([]rune(Flow(n))) <= l.fill
}

// block returns the lines of a collection whose keys or dashes are in column l.col, the
// first without its indentation.
func (l layout) block(n *source.Node) (first string, rest []string) {
	lines := make([]string, 0, len(children(n)))
	for _, f := range n.Fields {
		lines = append(lines, l.entry(f)...)
	}
	for _, item := range n.Items {
		lines = append(lines, l.item(item)...)
	}
	if len(lines) == 0 {
		return layout{col: l.col - l.step, step: l.step, fill: l.columns(), most: l.most}.value(n)
	}
	return lines[0][l.col:], lines[1:]
}

// entry returns the lines of a map's entry.
func (l layout) entry(f source.Field) []string {
	head := strings.Repeat(" ", l.col) + str(f.Key, false) + ":"
	below := layout{
		col: l.col, step: l.step, fill: min(l.fill, l.columns()-1-len([]rune(head))), most: l.most, plain: l.col == 0,
	}
	value, lines := below.value(f.Value)
	if value != "" {
		head += " " + value
	}
	return append([]string{head}, lines...)
}

// item returns the lines of a list's item.
func (l layout) item(n *source.Node) []string {
	head, lines := l.afterDash(n)
	return append([]string{strings.Repeat(" ", l.col) + "- " + head}, lines...)
}

// afterDash returns the layout of an item whose dash is in column l.col.
func (l layout) afterDash(n *source.Node) (head string, lines []string) {
	in := layout{col: l.col + dash, step: l.step, fill: l.columns(), most: l.most}
	if l.fill = min(l.fill, l.columns()-in.col); !l.flows(n) && len(children(n)) > 0 {
		return in.block(n)
	}
	return l.value(n)
}

// literal returns a string of several lines as a block scalar. Its indicator specifies how
// the string ends: without a line feed, with one, or with more.
func (l layout) literal(text string) (head string, lines []string) {
	head = "|-"
	if body, ok := strings.CutSuffix(text, "\n"); ok {
		head, text = "|", body
		if strings.HasSuffix(body, "\n") {
			head = "|+"
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line != "" {
			line = strings.Repeat(" ", l.col+l.step) + line
		}
		lines = append(lines, line)
	}
	return head, lines
}

// branches returns how many collections with several entries are within each other.
func branches(n *source.Node) int {
	deepest := 0
	inside := children(n)
	for _, c := range inside {
		deepest = max(deepest, branches(c))
	}
	if len(inside) > 1 {
		deepest++
	}
	return deepest
}

// children returns the values in a collection.
func children(n *source.Node) []*source.Node {
	list := slices.Clone(n.Items)
	for _, f := range n.Fields {
		list = append(list, f.Value)
	}
	return list
}

// nested reports whether there is a collection that is not empty in a collection.
func nested(n *source.Node) bool {
	return slices.ContainsFunc(children(n), func(c *source.Node) bool { return len(children(c)) > 0 })
}

// multiline reports whether a tree contains a string of several lines.
func multiline(n *source.Node) bool {
	return n.Kind == source.String && strings.Contains(n.Text, "\n") || slices.ContainsFunc(children(n), multiline)
}

// fitsLiteral reports whether a string is written as a literal block: it has several lines, its first line shows
// the indentation, and all of it is printable.
func fitsLiteral(text string) bool {
	return strings.Contains(text, "\n") && !strings.ContainsAny(text[:1], " \t\n") &&
		strings.Trim(text, "\n") != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && !unicode.IsPrint(r)
	})
}

// scalar returns a scalar in one line.
func scalar(n *source.Node, flow bool) string {
	switch n.Kind {
	case source.Null:
		return "null"
	case source.String:
		return str(n.Text, flow)
	}
	return n.Text
}

// str returns a string in one line, in the simplest style that can represent it.
func str(text string, flow bool) string {
	switch {
	case isPlain(text, flow):
		return text
	case strings.ContainsAny(text, `"\`) && isSingle(text) && !strings.Contains(text, "'"):
		return singleQuoted(text)
	}
	return doubleQuoted(text)
}

// doubleQuoted returns a string in double quotes. The escapes of Go are escapes of YAML.
func doubleQuoted(text string) string { return strconv.Quote(text) }

func singleQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }

// isSingle reports whether a string can be in single quotes, which have no escapes.
func isSingle(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) })
}

// isPlain reports whether a text without quotes is read as that string by all versions of
// YAML.
func isPlain(text string, flow bool) bool {
	switch {
	case text == "" || !isSingle(text) || !startsPlain(text) || isMarker(text):
		return false
	case strings.Contains(text, ": ") || strings.HasSuffix(text, ":") || strings.Contains(text, " #") ||
		strings.HasSuffix(text, " "):
		return false
	case flow && strings.ContainsAny(text, ",[]{}?#"):
		return false
	case strings.Contains(text, ":") && strings.Trim(text, "0123456789abcdefABCDEF:") == "":
		return false // an address, some of which are numbers to base 60
	case isWord(text):
		return source.IsString(text)
	}
	docs := source.Parse(&source.File{Data: []byte("key: " + text + "\n")}, new(source.Diagnostics))
	if len(docs) != 1 {
		return false
	}
	n := docs[0].Get("key")
	return n.Str() == text && n.Ambiguous() == ""
}

// isWord reports whether a text has only characters without a meaning in the syntax of YAML.
func isWord(text string) bool {
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_', c == '/':
		case i > 0 && (c == '-' || c == '.'):
		default:
			return false
		}
	}
	return true
}

// startsPlain reports whether a text starts with a character that has no other meaning at
// the start of a value.
func startsPlain(text string) bool {
	for _, r := range text {
		return unicode.IsLetter(r) || r >= '0' && r <= '9' || strings.ContainsRune("/._$(", r)
	}
	return false
}

// inJSON returns a tree as JSON, with escapes for what YAML has no character for.
func inJSON(n *source.Node) string {
	var b strings.Builder
	for _, r := range string(source.AppendJSON(nil, n)) {
		if r > '~' && r <= 0xffff && !unicode.IsPrint(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
