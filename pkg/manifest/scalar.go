package manifest

import (
	"bytes"
	"unicode/utf8"
)

// class is a set of properties of characters that decide how a string can be
// written in YAML.
type class uint8

const (
	hasEscape    class = 1 << iota // backslash
	hasQuote                       // '
	hasDouble                      // "
	hasStructure                   // space, colon, hash: have a meaning next to each other
	hasControl                     // below space, and DEL
	hasNewline                     // also a control character
	hasUnicode                     // not ASCII
	hasWord                        // never part of a number, date or time
)

// classes contains the class of each byte. A number, date or time consists of
// digits, hexadecimal letters, x, o, t, z (0x, 0o, 2026-01-02T10:00Z), signs,
// dots, colons and underscores.
var classes = func() (table [256]class) {
	for c := range table {
		switch {
		case c < ' ' || c == 0x7f:
			table[c] = hasControl
		case c >= utf8.RuneSelf:
			table[c] = hasUnicode | hasWord
		case !bytes.ContainsRune([]byte("0123456789abcdefABCDEFxXoOtTzZ+-.:_ ,"), rune(c)):
			table[c] = hasWord
		}
	}
	table['\n'] |= hasNewline
	table['\\'] |= hasEscape
	table['\''] |= hasQuote
	table['"'] |= hasDouble
	table[' '] |= hasStructure
	table[':'] |= hasStructure
	table['#'] |= hasStructure
	return table
}()

func classesOf(text []byte) (has class) {
	for _, c := range text {
		has |= classes[c]
	}
	return has
}

// appendInLine appends a string on one line, in the simplest style that can
// represent it: plain, in single quotes if it contains double quotes or backslashes,
// or in double quotes.
func appendInLine(dst, s []byte, has class) []byte {
	switch {
	case isPlain(s, has):
		return append(dst, s...)
	case has&(hasEscape|hasDouble) != 0 && has&(hasQuote|hasControl|hasUnicode) == 0:
		return append(append(append(dst, '\''), s...), '\'')
	case has&(hasEscape|hasDouble|hasControl|hasUnicode) == 0:
		return append(append(append(dst, '"'), s...), '"')
	default:
		return appendDoubleQuoted(dst, s)
	}
}

// isPlain reports whether every YAML reader reads the text, written without quotes,
// as the same string. It returns false for some texts that would need no quotes.
func isPlain(s []byte, has class) bool {
	if len(s) == 0 || has&(hasControl|hasUnicode) != 0 {
		return false
	}
	switch c := s[0]; {
	case c >= '0' && c <= '9':
		if has&hasWord == 0 {
			return false
		}
	case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z':
		if isReserved(s) {
			return false
		}
	case c != '/' && c != '_' && c != '$' && c != '(':
		return false
	}
	return has&hasStructure == 0 || !isStructured(s)
}

// isStructured reports whether a colon would end a key, a hash would begin a
// comment, or a space at the end would be lost.
func isStructured(s []byte) bool {
	last := len(s) - 1
	for i, c := range s {
		switch {
		case c == ':' && (i == last || s[i+1] == ' '):
			return true
		case c == ' ' && (i == last || s[i+1] == '#'):
			return true
		}
	}
	return false
}

// isReserved reports whether the text is a word that YAML 1.1 or 1.2 reads as a
// bool or null, in any mixture of cases, although readers accept only some.
func isReserved(s []byte) bool {
	switch s[0] | 0x20 {
	case 'y', 'n', 'o', 't', 'f':
	default:
		return false
	}
	if len(s) > len("false") {
		return false
	}
	var lower [len("false")]byte
	for i, c := range s {
		lower[i] = c | 0x20
	}
	switch string(lower[:len(s)]) {
	case "y", "n", "yes", "no", "on", "off", "true", "false", "null":
		return true
	}
	return false
}

// appendDoubleQuoted appends the text in double quotes, with escapes for
// characters that are not printable in YAML.
func appendDoubleQuoted(dst, s []byte) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRune(s[i:])
		switch {
		case r < ' ' || r == '"' || r == '\\':
			dst = appendEscape(dst, byte(r))
		case r == utf8.RuneError && size == 1 || !isPrintable(r):
			dst = appendUnicode(dst, r)
		default:
			dst = append(dst, s[i:i+size]...)
		}
		i += size
	}
	return append(dst, '"')
}

// isPrintable reports whether every YAML reader accepts a character without an
// escape: the printable ones of YAML 1.2 (section 5.1) except the line breaks of
// YAML 1.1 and the byte order mark.
func isPrintable(r rune) bool {
	switch {
	case r < ' ' || r >= 0x7f && r < 0xa0:
		return false
	case r == '\u2028' || r == '\u2029' || r == '\ufeff':
		return false
	}
	return r != 0xfffe && r != 0xffff
}

// fitsLiteral reports whether a string of several lines can be written as a literal
// block: all of it is printable, and its first line shows the indentation.
func fitsLiteral(s []byte) bool {
	if c := s[0]; c == ' ' || c == '\t' || c == '\n' {
		return false
	}
	for i := 0; i < len(s); {
		if c := s[i]; c >= ' ' && c < 0x7f || c == '\n' || c == '\t' {
			i++
			continue
		}
		r, size := utf8.DecodeRune(s[i:])
		if r == utf8.RuneError && size == 1 || !isPrintable(r) {
			return false
		}
		i += size
	}
	return true
}
