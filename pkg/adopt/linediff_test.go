package adopt

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestUnified(t *testing.T) {
	tests := []struct{ name, was, now, want string }{
		{"same", "a\nb\n", "a\nb\n", ""},
		{"new", "", "a\nb\n", "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{
			"one line", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nx\n6\n7\n8\n9\n",
			"@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+x\n 6\n 7\n 8\n",
		},
		{
			"far from each other", "a\n1\n2\n3\n4\n5\n6\n7\nb\n", "1\n2\n3\n4\n5\n6\n7\nb\nc\n",
			"@@ -1,4 +1,3 @@\n-a\n 1\n 2\n 3\n@@ -7,3 +6,4 @@\n 6\n 7\n b\n+c\n",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out bytes.Buffer
			unified(&out, test.was, test.now)
			require.Equal(t, test.want, out.String())
		})
	}
}

// TestLineEditsAreBothTexts uses texts with few different lines. The edits without the new
// lines are the old text, and the edits without the old lines are the new text.
func TestLineEditsAreBothTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // the same texts each time
	text := func() []string {
		out := make([]string, r.IntN(12))
		for i := range out {
			out[i] = string(rune('a' + r.IntN(3)))
		}
		return out
	}
	for range 500 {
		a, b := text(), text()
		var was, now []string
		for _, l := range lineEdits(a, b) {
			if l.op != '+' {
				was = append(was, l.text)
			}
			if l.op != '-' {
				now = append(now, l.text)
			}
		}
		require.Equal(t, strings.Join(a, "\n"), strings.Join(was, "\n"))
		require.Equal(t, strings.Join(b, "\n"), strings.Join(now, "\n"))
	}
}
