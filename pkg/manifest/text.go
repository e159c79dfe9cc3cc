package manifest

import (
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

const hexDigits = "0123456789abcdef"

// appendString appends s as a JSON string. Invalid UTF-8 becomes U+FFFD, and
// the line separators U+2028 and U+2029 are escaped, as encoding/json does.
func appendString(dst []byte, s string) []byte {
	if first := unescaped(s); first < len(s) {
		return appendEscaped(dst, s, first)
	}
	return appendPlain(dst, s)
}

// appendEscaped appends s, whose first bytes are plain.
func appendEscaped(dst []byte, s string, first int) []byte {
	dst = append(dst, '"')
	start := 0
	for i := first; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' || c == '"' || c == '\\' {
				dst = appendEscape(append(dst, s[start:i]...), c)
				start = i + 1
			}
			i++
			i += unescaped(s[i:])
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

// appendPlain appends s, which needs no escape, in quotes. It checks only once
// whether dst has room.
func appendPlain(dst []byte, s string) []byte {
	n := len(dst)
	dst = slices.Grow(dst, len(s)+2)[:n+len(s)+2]
	dst[n] = '"'
	copy(dst[n+1:], s)
	dst[len(dst)-1] = '"'
	return dst
}

// plain contains true for the ASCII bytes that need no escape in a JSON string.
var plain = func() (table [256]bool) {
	for c := ' '; c < utf8.RuneSelf; c++ {
		table[c] = c != '"' && c != '\\'
	}
	return table
}()

// unescaped returns the length of the start of s that consists of plain bytes, or
// less. It checks eight bytes at a time, because objects consist mostly of strings,
// and the last eight together with some before them.
func unescaped(s string) int {
	const step = 8
	i := 0
	for ; i+step <= len(s); i += step {
		if !allPlain(eight(s[i : i+step])) {
			return i
		}
	}
	if i > 0 && allPlain(eight(s[len(s)-step:])) {
		return len(s)
	}
	for i < len(s) && plain[s[i]] {
		i++
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
