package writeback

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Lines that are hunks of `diff -u`, with three lines around each change.
func TestHunks(t *testing.T) {
	for _, test := range []struct{ name, was, now, want string }{
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
		{"no line break at the end", "a", "b\n", "@@ -1,1 +1,1 @@\n-a\n\\ No newline at end of file\n+b\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, string(hunks([]byte(test.was), []byte(test.now))))
		})
	}
}
