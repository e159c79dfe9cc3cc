package source

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFirstUnusual compares the search for eight bytes at a time with one byte by byte, for every byte at every place
// in eight, next to bytes at both ends of what is usual.
func TestFirstUnusual(t *testing.T) {
	one := func(text string) int {
		for i := range len(text) {
			if c := text[i]; (c < ' ' || c > '~') && c != '\n' {
				return i
			}
		}
		return len(text)
	}
	for _, around := range []string{"\n", " ", "~", "a", "\n ", "\n~"} {
		line := strings.Repeat(around, 20)
		for at := range 17 {
			for c := range 256 {
				text := line[:at] + string([]byte{byte(c)}) + line[at:20]
				require.Equal(t, one(text), firstUnusual(text), "%q", text)
			}
		}
	}
}
