package layers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/layers"
)

// The effects of the layers in testdata/effects.yaml on running objects are reported,
// each once. Layers that are synced manually are left out.
func TestEffects(t *testing.T) {
	n, diags := layers.Validate("testdata/effects.yaml", layers.Options{})
	require.Equal(t, 6, n, problems(diags, ""))
	golden.Equal(t, "testdata/effects.txt", problems(diags, "testdata"))
	_, diags = layers.RenderApps("testdata/effects.yaml", layers.Options{})
	require.NotContains(t, problems(diags, ""), "impact", "only validate says it")
}

func TestHeadline(t *testing.T) {
	require.Regexp(t, `^# Layer baseline of site: chart baseline, impact high \(nodes reboot, .*\)\.\n$`,
		layers.Headline("testdata/effects.yaml", "baseline", layers.Options{}))
	require.Empty(t, layers.Headline("testdata/effects.yaml", "none", layers.Options{}))
}
