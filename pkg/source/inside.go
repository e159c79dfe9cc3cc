package source

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Inside returns where the given place in a string stands in its file, such as
// an error in a template: line and col count from 1 in the string, col in
// characters. It is exact for plain and quoted scalars on one line that hold
// no escapes, and for literal blocks; for everything else it is where the
// scalar starts.
func Inside(n *Node, line, col int) Pos {
	text, ok := lineOf(n.Text, line)
	if !ok || n.File == nil || n.Kind != String || col < 1 || col > utf8.RuneCountInString(text)+1 {
		return n.Pos()
	}
	switch n.Style {
	case Literal:
		return insideBlock(n, text, line, col)
	case Plain:
		return insideLine(n, "", col)
	case SingleQuoted:
		return insideLine(n, "'", col)
	case DoubleQuoted:
		return insideLine(n, `"`, col)
	}
	return n.Pos()
}

// insideLine compares what the file holds with the scalar's text: only where
// they agree did the text come about without unescaping or folding.
func insideLine(n *Node, quote string, col int) Pos {
	p := n.Pos()
	source, ok := n.File.line(int(n.Line))
	if !ok || !strings.HasPrefix(fromColumn(source, int(n.Col)), quote+n.Text+quote) {
		return p
	}
	p.Col += len(quote) + col - 1
	return p
}

// insideBlock takes what stands before the text in its line for the block's indentation.
func insideBlock(n *Node, text string, line, col int) Pos {
	p := n.Pos()
	source, ok := n.File.line(int(n.Line) + line)
	indent, found := strings.CutSuffix(source, text)
	if !ok || !found || strings.Trim(indent, " ") != "" {
		return p
	}
	p.Line += line
	p.Col = len(indent) + col
	return p
}

// line returns a line of the file, counted from 1, without its line break or the byte order mark.
func (f *File) line(number int) (string, bool) {
	data := bytes.TrimPrefix(f.Data, []byte(byteOrderMark))
	for ; number > 1; number-- {
		i := bytes.IndexByte(data, '\n')
		if i < 0 {
			return "", false
		}
		data = data[i+1:]
	}
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		data = data[:i]
	}
	return string(bytes.TrimSuffix(data, []byte{'\r'})), number == 1
}

// lineOf returns a line of a string, counted from 1, and whether there is one.
func lineOf(s string, number int) (string, bool) {
	for ; number > 1; number-- {
		_, after, ok := strings.Cut(s, "\n")
		if !ok {
			return "", false
		}
		s = after
	}
	line, _, _ := strings.Cut(s, "\n")
	return line, number == 1
}

// fromColumn returns what a line holds from a column on, counted from 1 in characters.
func fromColumn(line string, col int) string {
	for ; col > 1 && line != ""; col-- {
		_, size := utf8.DecodeRuneInString(line)
		line = line[size:]
	}
	return line
}
