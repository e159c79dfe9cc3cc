package argocd_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/argocd"
)

func TestWave(t *testing.T) {
	const wave, weight = argocd.SyncWaveAnnotation, argocd.HookWeightAnnotation
	for name, test := range map[string]struct {
		annotations map[string]string
		want        int
		from        string
	}{
		"none":                      {nil, 0, wave},
		"a wave":                    {map[string]string{wave: "-3"}, -3, wave},
		"a weight":                  {map[string]string{weight: "5"}, 5, weight},
		"a wave wins over a weight": {map[string]string{wave: "0", weight: "5"}, 0, wave},
		"no number":                 {map[string]string{wave: "first", weight: "5"}, 5, weight},
		"neither a number":          {map[string]string{wave: "first", weight: "last"}, 0, wave},
	} {
		t.Run(name, func(t *testing.T) {
			got, from := argocd.Wave(test.annotations)
			require.Equal(t, test.want, got)
			require.Equal(t, test.from, from)
		})
	}
}
