package impact

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// A disk that moves between waves of Flux, or that Flux no longer delivers, goes with its data unless it is kept.
func TestMovedDisks(t *testing.T) {
	in := func(wave, prune string) manifest.Tree {
		annotations := manifest.Tree{"a": "b"}
		for key, value := range map[string]string{labels.Wave: wave, "kustomize.toolkit.fluxcd.io/prune": prune} {
			if value != "" {
				annotations[key] = value
			}
		}
		return manifest.Tree{"metadata": manifest.Tree{"annotations": annotations}}
	}
	for _, id := range []manifest.ID{
		{APIVersion: "v1", Kind: "PersistentVolumeClaim"}, {APIVersion: "cdi.kubevirt.io/v1beta1", Kind: "DataVolume"},
	} {
		for _, test := range []struct {
			old, now manifest.Tree
			want     Level
		}{
			{in("0", ""), in("1", ""), DataLoss},
			{in("0", "disabled"), in("1", "disabled"), Metadata},
			{in("0", ""), in("", ""), DataLoss},
			{in("", ""), in("0", ""), Metadata},
		} {
			s := &Subject{ID: id, Old: test.old, New: test.now}
			found := Findings(s, ObjectRules(), Changes(s))
			require.Len(t, found, 1, id.Kind)
			require.Equal(t, test.want, found[0].Level, "%s: %v", id.Kind, test)
		}
	}
}
