package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/lifecycle"
)

// Facts that all policies share are in the reference once, and no fact of a policy is
// lost.
func TestLossOn(t *testing.T) {
	policies := lifecycle.Policies()
	for _, on := range []lifecycle.Event{lifecycle.OnRemoval, lifecycle.OnDeletion} {
		want, got := 0, 0
		for _, p := range policies {
			want += len(factsOn(p, on))
		}
		seen := map[string]bool{}
		for _, f := range lossOn(policies, on).Facts {
			require.False(t, seen[f.Given+f.Text], f.Text)
			seen[f.Given+f.Text] = true
			require.Equal(t, len(f.policies) == len(policies), f.Only == "", f.Text)
			got += len(f.policies)
		}
		require.Equal(t, want, got, on)
	}
}
