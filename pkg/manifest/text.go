package manifest

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD, and
// the line separators U+2028 and U+2029 are escaped, as encoding/json does.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	first := unescaped(s)
	if first == len(s) {
		return append(append(dst, s...), '"')
	}
	start := 0
	for i := first; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' || c == '"' || c == '\\' {
				dst = appendEscape(append(dst, s[start:i]...), c)
				start = i + 1
			}
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
			dst = appendUnicode(append(dst, s[start:i]...), r)
			start = i + size
		}
		i += size
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// plain contains true for the ASCII bytes that need no escape in a JSON string.
var plain = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// unescaped returns the length of the start of s that consists of plain bytes. It
// checks eight bytes at a time, because objects consist mostly of strings.
func unescaped(s string) int {
	i := 0
	for ; i+8 <= len(s); i += 8 {
		w := uint64(s[i]) | uint64(s[i+1])<<8 | uint64(s[i+2])<<16 | uint64(s[i+3])<<24 |
			uint64(s[i+4])<<32 | uint64(s[i+5])<<40 | uint64(s[i+6])<<48 | uint64(s[i+7])<<56
		if !allPlain(w) {
			break
		}
	}
	for i < len(s) && plain[s[i]] {
		i++
	}
	return i
}

// allPlain reports whether eight bytes are plain. It may return false for some that
// are.
func allPlain(w uint64) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quote, backslash := w^('"'*ones), w^('\\'*ones)
	special := w | (w - ' '*ones) | (quote - ones) | (backslash - ones)
	return special&highs == 0
}

// appendEscape appends the escape of an ASCII character, which is the same in
// JSON and in double-quoted YAML.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	case '\n':
		return append(dst, '\\', 'n')
	case '\r':
		return append(dst, '\\', 'r')
	case '\t':
		return append(dst, '\\', 't')
	}
	return appendUnicode(dst, rune(c))
}

func appendUnicode(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// unescape appends the content of a string with its escapes resolved.
func unescape(dst, raw []byte) []byte {
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		if c != '\\' || i+1 == len(raw) {
			dst = append(dst, c)
			continue
		}
		i++
		if raw[i] != 'u' {
			dst = append(dst, unescapeByte(raw[i]))
			continue
		}
		r, size := unescapeRune(raw[i+1:])
		dst = utf8.AppendRune(dst, r)
		i += size
	}
	return dst
}

func unescapeByte(c byte) byte {
	switch c {
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return c
}

// unescapeRune reads the digits of \uXXXX, and a second escape if the first is half
// of a surrogate pair. It returns U+FFFD for a lone half.
func unescapeRune(raw []byte) (r rune, size int) {
	r = hexRune(raw)
	if !utf16.IsSurrogate(r) {
		return r, min(4, len(raw))
	}
	if len(raw) >= 10 && raw[4] == '\\' && raw[5] == 'u' {
		if pair := utf16.DecodeRune(r, hexRune(raw[6:])); pair != utf8.RuneError {
			return pair, 10
		}
	}
	return utf8.RuneError, min(4, len(raw))
}

func hexRune(digits []byte) rune {
	n, err := strconv.ParseUint(string(digits[:min(4, len(digits))]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
