package manifest

// scanner scans JSON text that is known to be valid. On invalid text its results
// are undefined, but it always ends.
type scanner struct {
	text []byte
	pos  int
}

// peek skips white space and returns the next character, or 0 at the end.
func (s *scanner) peek() byte {
	if s.pos < len(s.text) && s.text[s.pos] > ' ' {
		return s.text[s.pos]
	}
	return s.peekFar()
}

// peekFar is the part of peek that compact JSON does not need.
func (s *scanner) peekFar() byte {
	for ; s.pos < len(s.text); s.pos++ {
		if s.text[s.pos] > ' ' {
			return s.text[s.pos]
		}
	}
	return 0
}

// more reports whether another key or item follows before the closing bracket. It
// skips commas and the closing bracket.
func (s *scanner) more(closing byte) bool {
	c := s.peek()
	if c == ',' {
		s.pos++
		c = s.peek()
	}
	if c == closing {
		s.pos++
	}
	return c != closing && c != 0
}

// str returns the content of the string that begins here, and the classes of the
// characters in it. With hasEscape, the content still has to be unescaped.
func (s *scanner) str() (raw []byte, has class) {
	s.pos++
	start, text := s.pos, s.text // a copy, which the compiler keeps in registers
	for i := start; i < len(text); i++ {
		c := text[i]
		if c == '"' {
			s.pos = i + 1
			return text[start:i], has
		}
		has |= classes[c]
		if c == '\\' {
			i++
		}
	}
	s.pos = len(s.text)
	return s.text[min(start, s.pos):], has
}

// key returns the key that begins here and skips its colon.
func (s *scanner) key() (raw []byte, has class) {
	if s.peek() != '"' {
		s.pos++
		return nil, 0
	}
	raw, has = s.str()
	if s.peek() == ':' {
		s.pos++
	}
	return raw, has
}

// literal returns the number, true, false or null that begins here.
func (s *scanner) literal() []byte {
	start := s.pos
	for s.pos < len(s.text) && !isDelimiter(s.text[s.pos]) {
		s.pos++
	}
	if s.pos == start && s.pos < len(s.text) {
		s.pos++
	}
	return s.text[start:s.pos]
}

func isDelimiter(c byte) bool {
	return c <= ' ' || c == ',' || c == ':' || c == '}' || c == ']' || c == '"' || c == '{' || c == '['
}

// skip skips the value that begins here.
func (s *scanner) skip() {
	for depth := 0; ; {
		switch s.peek() {
		case 0:
			return
		case '"':
			s.str()
		case '{', '[':
			depth++
			s.pos++
		case '}', ']':
			depth--
			s.pos++
		case ',', ':':
			s.pos++
			continue
		default:
			s.literal()
		}
		if depth <= 0 {
			return
		}
	}
}
