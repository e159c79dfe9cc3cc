package source

import "strings"

// literal reads a block scalar "|" or "|-" that is indented more than its parent, and
// advances to the content after it.
func (s *scanner) literal(parent int) *Node {
	n := s.node(String)
	n.Style = Literal
	s.pos++
	strip := s.peek() == '-'
	if strip {
		s.pos++
	}
	if s.peek() != '\n' {
		return s.fail()
	}
	s.skipLine()
	begin := s.pos
	end, lines, indent := s.literalExtent(parent)
	if s.failed || end == begin {
		return s.fail()
	}
	n.Text = dedent(s.text[begin:end], indent)
	if strip {
		n.Text = strings.TrimSuffix(n.Text, "\n")
	}
	s.pos = end
	s.line += int32(lines)
	s.next()
	return n
}

// literalExtent returns the end of the last line with text of the block at pos, the
// number of lines up to there, and the indentation.
func (s *scanner) literalExtent(parent int) (end, lines, indent int) {
	end = s.pos
	for at, line := s.pos, 0; at < len(s.text); {
		next := strings.IndexByte(s.text[at:], '\n')
		if next < 0 {
			s.fail() // without a final line feed, the text has none either
			return end, lines, indent
		}
		next += at
		line++
		spaces := len(leading(s.text[at:next], " "))
		blank := at+spaces == next
		switch {
		case blank && spaces > indent, indent == 0 && s.text[at+spaces] == '\t':
			s.fail() // the blanks are text, or determine the indentation
			return end, lines, indent
		case blank:
		case indent == 0 && spaces > parent:
			indent = spaces
			fallthrough
		case indent > 0 && spaces >= indent:
			end, lines = next+1, line
		case spaces > parent:
			s.fail()
			return end, lines, indent
		default:
			return end, lines, indent
		}
		at = next + 1
	}
	return end, lines, indent
}

// dedent returns lines without their indentation; lines of spaces may have less of it.
func dedent(text string, indent int) string {
	var b strings.Builder
	b.Grow(len(text))
	for text != "" {
		i := strings.IndexByte(text, '\n') + 1
		b.WriteString(text[min(indent, i-1):i])
		text = text[i:]
	}
	return b.String()
}
