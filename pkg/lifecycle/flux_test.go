package lifecycle

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/flux"
)

// TestFluxKeepsPets checks that Flux leaves in the cluster what Argo CD does not prune, and nothing else.
func TestFluxKeepsPets(t *testing.T) {
	for options, want := range map[string]string{
		"Prune=false,Delete=confirm": flux.Disabled, "Prune=true": flux.Enabled, "": "",
	} {
		got := ""
		for _, p := range new(syncRule).fluxPairs(nil, 0, options) {
			if p.Key == flux.PruneAnnotation {
				got = p.Value
			}
		}
		require.Equal(t, want, got, options)
	}
}
