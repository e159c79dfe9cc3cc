package editor

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMistakes checks that each mistake is found where it is, and in words that help: one
// problem, on the line that ends with an arrow.
func TestMistakes(t *testing.T) {
	f := open(t, "fleet")
	for _, c := range mistakes {
		t.Run(c.title, func(t *testing.T) {
			f := fleet{t, f.root}
			before, _, ok := strings.Cut(c.text, arrow)
			require.True(t, ok, "no arrow")
			_, found := f.show(c.file, c.text)
			require.Len(t, found, 1, "%+v", found)
			require.Contains(t, found[0].Message, c.want)
			require.Equal(t, strings.Count(before, "\n")+1, found[0].Range.Start.Line, found[0].Message)
			for _, word := range []string{"^", "[a-z", "\\"} { // regular expressions help nobody
				require.NotContains(t, found[0].Message, word)
			}
		})
	}
}

// arrow is the comment on the line with a mistake.
const arrow = "# <-"

var mistakes = []struct{ title, file, text, want string }{
	{"key of a VM", "a.yaml", "vms:\n  web:\n    memroy: 4Gi # <-\n", "memroy"},
}
