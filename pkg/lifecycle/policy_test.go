package lifecycle

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The table of all policies has no gap.
func TestPoliciesInShort(t *testing.T) {
	for _, p := range Policies() {
		require.Len(t, p.InShort, len(Events()), p.Summary)
		for _, on := range Events() {
			require.NotEmpty(t, p.InShort[on], "%s: %s", p.Summary, on)
		}
	}
}
