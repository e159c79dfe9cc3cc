package source

// flow reads {…} or […] on one line.
func (s *scanner) flow() *Node {
	if s.depth == 0 {
		return s.fail()
	}
	s.depth--
	defer func() { s.depth++ }()
	if s.peek() == '[' {
		return s.flowList()
	}
	return s.flowMap()
}

func (s *scanner) flowList() *Node {
	n, base := s.node(List), len(s.listed)
	for !s.closed(']', len(s.listed) == base) {
		if s.failed {
			return nil
		}
		item := s.flowValue()
		if s.failed {
			return nil
		}
		s.listed = append(s.listed, item)
	}
	n.Items = s.takeItems(base)
	return n
}

func (s *scanner) flowMap() *Node {
	n, base := s.node(Map), len(s.open)
	for !s.closed('}', len(s.open) == base) {
		if s.failed {
			return nil
		}
		f := Field{Line: s.line, Col: s.column(s.pos)}
		if f.Key = s.key(); s.failed || hasAny(f.Key, &flowIndicators) {
			return s.fail()
		}
		s.skipSpaces()
		if f.Value = s.flowValue(); s.failed {
			return nil
		}
		n.noteKey(&f)
		s.push(f)
	}
	n.Fields = s.takeFields(base)
	return n
}

// flowIndicators contains true for the characters that end a key in a flow map, or may.
var flowIndicators = byteSet(",[]{}?")

// closed reads up to the next entry and reports whether there is none. The
// first entry follows the bracket, the others a comma.
func (s *scanner) closed(bracket byte, first bool) bool {
	if first {
		s.pos++
	}
	s.skipSpaces()
	switch c := s.peek(); {
	case c == bracket:
		s.pos++
		return true
	case first:
		return false
	case c != ',':
		s.fail()
		return false
	}
	s.pos++
	s.skipSpaces()
	return false
}

func (s *scanner) flowValue() *Node {
	switch c := s.peek(); {
	case c == '"' || c == '\'':
		return s.quotedNode(c)
	case c == '{' || c == '[':
		return s.flow()
	case s.plainStart():
		n := s.node(String)
		return s.plain(n, s.flowPlainEnd())
	}
	return s.fail()
}

// marks contains true for the bytes that may end an unquoted scalar. Most bytes of a text are others.
var marks = func() (table [256]bool) {
	for _, c := range "\n\t:#,?[]{}" {
		table[c] = true
	}
	return table
}()

// flowPlainEnd returns the offset at which the unquoted scalar at pos ends, within
// brackets.
func (s *scanner) flowPlainEnd() int {
	i := s.pos
scan:
	for ; i < len(s.text); i++ {
		if !marks[s.text[i]] {
			continue
		}
		switch s.text[i] {
		case ',', ']', '}':
			break scan
		case ':':
			if i+1 == len(s.text) || !isWord(s.text[i+1]) && s.text[i+1] != '/' {
				s.fail()
			}
		case '\n', '\t', '[', '{', '#', '?':
			s.fail()
			break scan
		}
	}
	for s.text[i-1] == ' ' {
		i--
	}
	return i
}
