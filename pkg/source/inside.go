package source

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// Inside returns the position in the file of a place in a string, such as that of an
// error in a template. line and col count from 1 in the string, col in characters. The
// position is exact for plain and quoted scalars on one line without escapes, and for
// literal blocks; for everything else it is the start of the scalar.
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

// insideLine returns a position in a scalar on one line. It compares the file with the
// scalar's text: if they differ, the text is the result of unescaping or folding, and
// the position is the start of the scalar.
func insideLine(n *Node, quote string, col int) Pos {
	p := n.Pos()
	source, ok := n.File.line(int(n.Line))
	if !ok || !strings.HasPrefix(fromColumn(source, int(n.Col)), quote+n.Text+quote) {
		return p
	}
	p.Col += len(quote) + col - 1
	return p
}

// insideBlock returns a position in a literal block. What precedes the text in its line
// is the indentation of the block.
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

// line returns a line of the file, counted from 1, without its line break or the byte
// order mark, and whether there is one.
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

// fromColumn returns the rest of a line from a column on, counted from 1 in characters.
func fromColumn(line string, col int) string {
	for ; col > 1 && line != ""; col-- {
		_, size := utf8.DecodeRuneInString(line)
		line = line[size:]
	}
	return line
}
