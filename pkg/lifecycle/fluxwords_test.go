package lifecycle

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Every phrase that a fleet of Flux has other words for is a part of a fact: a fact that is written again would keep
// its words about Argo CD without a sign of it.
func TestFluxWordsAreOfFacts(t *testing.T) {
	var all strings.Builder
	for _, p := range Policies() {
		for _, f := range p.Facts {
			all.WriteString(f.Text + "\n")
		}
	}
	for i := 0; i < len(fluxWords); i += 2 {
		require.Contains(t, all.String(), fluxWords[i])
	}
}
