package manifest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSortEntries sorts short and long lists in random order.
func TestSortEntries(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for n := range 40 {
		entries := make([]stringEntry, n)
		want := make([]string, n)
		for i := range entries {
			want[i] = fmt.Sprintf("%04x", random.IntN(1<<16))
			entries[i].key = want[i]
		}
		slices.Sort(want)
		sortEntries(entries)
		got := make([]string, n)
		for i := range entries {
			got[i] = entries[i].key
		}
		require.Equal(t, want, got)
	}
}
