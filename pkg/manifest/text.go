package manifest

import (
	"encoding/binary"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD, and
// the line separators U+2028 and U+2029 are escaped, as encoding/json does.
func appendString(dst []byte, s string) []byte {
	dst = append(slices.Grow(dst, len(s)+2), '"')
	for {
		n := copyPlain(dst[len(dst):len(dst)+len(s)], s)
		dst = dst[:len(dst)+n]
		if s = s[n:]; s == "" {
			return append(dst, '"')
		}
		dst, n = appendCharacter(dst, s)
		s = s[n:]
		dst = slices.Grow(dst, len(s)+1)
	}
}

// appendCharacter appends the first character of s, which is not a plain byte, and returns its size in s.
func appendCharacter(dst []byte, s string) (_ []byte, size int) {
	if c := s[0]; c < utf8.RuneSelf {
		return appendEscape(dst, c), 1
	}
	r, size := utf8.DecodeRuneInString(s)
	if r == utf8.RuneError && size == 1 || r == '\u2028' || r == '\u2029' {
		return appendUnicode(dst, r), size
	}
	return append(dst, s[:size]...), size
}

// plain contains true for the ASCII bytes that need no escape in a JSON string.
var plain = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// copyPlain copies the start of s that consists of plain bytes, and returns its length. It takes eight bytes at a time,
// because objects consist mostly of strings, and the last eight together with some before them. to is as long as s.
func copyPlain(to []byte, s string) int {
	const step = 8
	i := 0
	for ; i+step <= len(s); i += step {
		w := eight(s[i : i+step])
		if !allPlain(w) {
			return i + copyBytes(to[i:], s[i:])
		}
		binary.LittleEndian.PutUint64(to[i:], w)
	}
	if i > 0 {
		if w := eight(s[len(s)-step:]); allPlain(w) {
			binary.LittleEndian.PutUint64(to[len(s)-step:], w)
			return len(s)
		}
	}
	return i + copyBytes(to[i:], s[i:])
}

// copyBytes is copyPlain one by one.
func copyBytes(to []byte, s string) int {
	i := 0
	for ; i < len(s) && plain[s[i]]; i++ {
		to[i] = s[i]
	}
	return i
}

// eight returns the first eight bytes of s as a number.
func eight(s string) uint64 {
	_ = s[7]
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
		uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
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
