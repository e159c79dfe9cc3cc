package writeback

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/adopt"
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

// TestHidden checks that no diff and no report contains a value of a VM with sensitive ones, unlike those of others.
func TestHidden(t *testing.T) {
	change := ValueChange{Path: "annotations.key", Was: "hunter1", Becomes: "hunter2", Why: whyTemplate}
	for _, hidden := range []bool{true, false} {
		m := &Machine{
			Machine: adopt.Machine{File: "a.yaml", Hidden: hidden},
			Changes: []ValueChange{change}, Asks: []ValueChange{change},
			ByHand: []string{"metadata.annotations.key: set; it is hunter3"},
		}
		r := &Merged{
			Machines: []*Machine{m, {Machine: adopt.Machine{File: "b.yaml"}}},
			Files: []File{
				{Path: "a.yaml", Text: []byte("vms: {a: {annotations: {key: hunter2}}}\n")},
				{Path: "b.yaml", Text: []byte("vms: {b: {annotations: {key: shown}}}\n")},
			},
		}
		var report, diff strings.Builder
		require.NoError(t, r.Report(&report))
		require.NoError(t, r.Diff(&diff))
		require.Contains(t, diff.String(), "key: shown")
		require.Contains(t, report.String(), whyTemplate)
		require.Equal(t, !hidden, strings.Contains(diff.String(), "hunter2"))
		for _, value := range []string{"hunter1", "hunter2", "hunter3"} {
			require.Equal(t, !hidden, strings.Contains(report.String(), value), value)
		}
	}
}
