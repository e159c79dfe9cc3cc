package manifest

import (
	"encoding/binary"
	"sync"
	"unicode/utf8"
)

// recent are the texts that a decoder has read last. Objects of a cluster consist of the same keys and values over and
// over: each is kept once, and not once for each object, and takes no memory from the heap when it comes again.
type recent [1 << recentBits]any

const (
	recentBits = 11
	// longest is the length in bytes of the longest text that is likely to come again.
	longest = 80
)

var recents = sync.Pool{New: func() any { return new(recent) }}

func borrowRecent() *recent {
	r, _ := recents.Get().(*recent)
	return r
}

func (r *recent) giveBack() { recents.Put(r) }

// text returns a text as a string, in an interface.
func (r *recent) text(b []byte) any {
	if len(b) > longest {
		return valid(b)
	}
	at := &r[hash(b)]
	if s, ok := (*at).(string); ok && s == string(b) { // which is not copied
		return *at
	}
	v := any(valid(b))
	*at = v
	return v
}

// valid returns a text as encoding/json does, which replaces what is not UTF-8.
func valid(b []byte) string {
	if !utf8.Valid(b) {
		return string([]rune(string(b)))
	}
	return string(b)
}

// hash returns the place of a text among the recent ones. It looks at the first and the last eight bytes: most keys
// have no more, and the names of what belongs together differ at their ends.
func hash(b []byte) uint64 {
	var first, last uint64
	if n := len(b); n >= 8 {
		first, last = binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[n-8:])
	} else {
		for _, c := range b {
			first = first<<8 | uint64(c)
		}
	}
	const odd = 0x9e3779b97f4a7c15 // 2^64 divided by the golden ratio, which spreads well (Knuth, 6.4)
	return (first*odd ^ last ^ uint64(len(b))) * odd >> (64 - recentBits)
}
