package source

import (
	"strings"
	"unicode/utf8"
)

// node returns a new node at pos.
func (s *scanner) node(kind Kind) *Node {
	n := &s.nodes.take(1, s.chunk)[0]
	n.Kind, n.Line, n.Col, n.File = kind, s.line, s.column(s.pos), s.file
	return n
}

// column returns the column of an offset in the current line.
func (s *scanner) column(offset int) int32 {
	if s.wide {
		return int32(utf8.RuneCountInString(s.text[s.start:offset]) + 1)
	}
	return int32(offset - s.start + 1)
}

// takeFields removes the fields of the innermost open map from the open ones and
// returns them. It fails if two have the same key.
func (s *scanner) takeFields(base int) []Field {
	n := len(s.open) - base
	if n == 0 {
		return nil
	}
	fields := s.open[base:]
	if base == 0 && 2*n >= cap(s.open) {
		s.open = nil // a map that uses most of the memory keeps it
	} else {
		taken := s.fields.take(n, s.chunk)
		copy(taken, fields)
		fields = taken
		s.open = s.open[:base]
	}
	if hasDuplicates(fields) {
		s.fail()
	}
	return fields
}

// push adds a field to the innermost open map.
func (s *scanner) push(f Field) {
	if s.open == nil {
		s.open = make([]Field, 0, s.chunk)
	}
	s.open = append(s.open, f)
}

func (s *scanner) takeItems(base int) []*Node {
	n := len(s.listed) - base
	if n == 0 {
		return nil
	}
	items := s.items.take(n, s.chunk)
	copy(items, s.listed[base:])
	s.listed = s.listed[:base]
	return items
}

func hasDuplicates(fields []Field) bool {
	if len(fields) > smallMap {
		seen := make(map[string]struct{}, len(fields))
		for i := range fields {
			seen[fields[i].Key] = struct{}{}
		}
		return len(seen) < len(fields)
	}
	for i := range fields {
		for j := range i {
			if fields[i].Key == fields[j].Key {
				return true
			}
		}
	}
	return false
}

// atKey reports whether there is a key at pos, without reading it.
func (s *scanner) atKey() bool {
	switch c := s.peek(); {
	case c == '"' || c == '\'':
		i := strings.IndexByte(s.text[s.pos+1:], c)
		return i >= 0 && s.colonAt(s.pos+i+2)
	case s.plainStart():
		return s.colonAt(s.plainEnd())
	}
	return false
}

func (s *scanner) colonAt(i int) bool {
	return i < len(s.text) && s.text[i] == ':' && s.blankAt(i+1)
}

// key reads a key and its colon.
func (s *scanner) key() string {
	begin := s.pos
	var text string
	switch c := s.peek(); {
	case c == '"' || c == '\'':
		text = s.quoted(c)
	case s.plainStart():
		s.pos = s.plainEnd()
		text = s.text[begin:s.pos]
		if resolvePlain(text) != String || text == "<<" {
			s.fail()
		}
	default:
		s.fail()
	}
	if s.failed || !s.colonAt(s.pos) || s.pos-begin > maxKey {
		s.fail()
		return ""
	}
	s.pos++
	return text
}

// value reads a value that starts at pos, in the line of its key or dash.
func (s *scanner) value(indent int) *Node {
	switch c := s.peek(); {
	case c == '"' || c == '\'':
		return s.quotedNode(c)
	case c == '{' || c == '[':
		return s.flow()
	case c == '|':
		return s.literal(indent)
	case s.plainStart():
		n, end := s.node(String), s.plainEnd()
		if s.colonAt(end) {
			return s.fail()
		}
		return s.plain(n, end)
	}
	return s.fail()
}

func (s *scanner) plain(n *Node, end int) *Node {
	n.Text = s.text[s.pos:end]
	n.Kind = resolvePlain(n.Text)
	s.pos = end
	return n
}

// plainStart reports whether an unquoted scalar can start at pos.
func (s *scanner) plainStart() bool {
	c := s.peek()
	if c == '-' { // of an option such as --now, or of a number
		rest := strings.TrimPrefix(s.text[s.pos+1:], "-")
		return rest != "" && isWord(rest[0])
	}
	return isWord(c) || c == '/' || c == '.' || c == '$' || c == '+' ||
		c == '<' || c == '=' || c == '~' || c == '(' || c == '^'
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c == '_' || c >= utf8.RuneSelf
}

// plainEnd returns the offset at which the unquoted scalar at pos ends: before a colon
// and a blank, before a comment, or at the end of the line.
func (s *scanner) plainEnd() int {
	i := s.pos
scan:
	for ; i < len(s.text); i++ {
		if !marks[s.text[i]] {
			continue
		}
		switch s.text[i] {
		case '\n':
			break scan
		case ':':
			if s.blankAt(i + 1) {
				s.failed = s.failed || s.text[i-1] == ' '
				return i
			}
		case '#':
			if s.text[i-1] == ' ' {
				break scan
			}
		case '\t':
			s.fail()
			break scan
		}
	}
	for s.text[i-1] == ' ' {
		i--
	}
	return i
}

func (s *scanner) quotedNode(quote byte) *Node {
	n := s.node(String)
	n.Style = DoubleQuoted
	if quote == '\'' {
		n.Style = SingleQuoted
	}
	n.Text = s.quoted(quote)
	return n
}

// quoted reads a quoted scalar on one line, without escapes.
func (s *scanner) quoted(quote byte) string {
	begin := s.pos + 1
	i := strings.IndexByte(s.text[begin:], quote)
	if i < 0 {
		s.fail()
		return ""
	}
	text := s.text[begin : begin+i]
	s.pos = begin + i + 1
	doubled := s.peek() == quote
	if doubled || strings.IndexByte(text, '\n') >= 0 || quote == '"' && strings.IndexByte(text, '\\') >= 0 {
		s.fail()
	}
	return text
}
