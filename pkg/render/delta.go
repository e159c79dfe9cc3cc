package render

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
)

// anchor is the number of bytes, from a quote on, that are enough to find the place in a similar text at which two
// texts are the same again.
const anchor = 16

// mostPacked is the maximum length of texts that have a delta.
const mostPacked = math.MaxUint16

// appendDelta appends what a text has that a similar one does not: strings of its own, and after each the place and the
// length of what follows in the other text. Each string follows three numbers of two bytes: its length, that place
// and that length. Texts are alike if they are JSON of the same shape; any two of at most [mostPacked] bytes are
// accepted.
func appendDelta(dst, text, similar []byte) []byte {
	for own, at, i := 0, 0, 0; ; {
		same := commonPrefix(text[i+own:], similar[at:])
		dst = append(dst, byte(own), byte(own>>8), byte(at), byte(at>>8), byte(same), byte(same>>8))
		dst = append(dst, text[i:i+own]...)
		i += own + same
		if i == len(text) {
			return dst
		}
		own, at = resume(text[i:], similar, at+same)
	}
}

// resume returns how much of a text is its own until it is the same as the similar one again, and the place there.
// Mostly a string differs, or one of the texts has a few more, so the next quotes of both are compared first. Otherwise
// all of the similar text is searched; the longer this takes, the more is skipped, so that texts that are not alike
// take little time.
func resume(text, similar []byte, at int) (own, next int) {
	i, j := bytes.IndexByte(text, '"'), bytes.IndexByte(similar[at:], '"')
	if i >= 0 && j >= 0 && len(text) >= i+anchor && bytes.HasPrefix(similar[at+j:], text[i:i+anchor]) {
		return i, at + j
	}
	for failed := 0; ; failed++ {
		quotes := nextQuotes(text[own:])
		for _, q := range quotes {
			if own+q+anchor > len(text) {
				return len(text), at
			}
			if i := follows(text[own+q:], similar[at:]); i >= 0 {
				return own + q, at + i
			}
		}
		own += quotes[len(quotes)-1]
		if i := bytes.Index(similar, text[own:own+anchor]); i >= 0 {
			return own, i
		}
		own = min(own+1+8*failed, len(text))
	}
}

// nearby is the number of quotes in which two texts are compared first.
const nearby = 6

// nextQuotes returns the places of the next quotes in a text, or its end.
func nextQuotes(text []byte) (places [nearby]int) {
	from := 0
	for i := range places {
		quote := bytes.IndexByte(text[from:], '"')
		if quote < 0 {
			quote = len(text) - from
		}
		places[i] = from + quote
		from = min(places[i]+1, len(text))
	}
	return places
}

// follows returns the place of one of the next quotes in the similar text that is followed by what follows the quote at
// the start of the text, or -1.
func follows(text, similar []byte) int {
	for _, i := range nextQuotes(similar) {
		if bytes.HasPrefix(similar[i:], text[:anchor]) {
			return i
		}
	}
	return -1
}

// appendText appends the text of a delta from the similar text.
func appendText(dst, delta, similar []byte) []byte {
	for len(delta) > 0 {
		own := int(binary.LittleEndian.Uint16(delta))
		at := int(binary.LittleEndian.Uint16(delta[2:]))
		same := int(binary.LittleEndian.Uint16(delta[4:]))
		dst = append(dst, delta[6:6+own]...)
		dst = append(dst, similar[at:at+same]...)
		delta = delta[6+own:]
	}
	return dst
}

// commonPrefix returns the length of the longest common prefix. It compares many bytes at a time, and then eight.
func commonPrefix(a, b []byte) int {
	const many = 64
	n := min(len(a), len(b))
	i := 0
	for i+many <= n && bytes.Equal(a[i:i+many], b[i:i+many]) {
		i += many
	}
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
