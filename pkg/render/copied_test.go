package render_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// KubeVirt copies the disks of pets with revisions. It waits for CDI only if the volume
// names the DataVolume.
func TestCopiedVolumes(t *testing.T) {
	base := keys{"cpu": 2, "memory": "4Gi", "disks": keys{"data": keys{"size": "5Gi"}}}
	text, diags := rendered(t, base)
	require.False(t, diags.HasErrors())
	require.NotContains(t, text, "updateVolumesStrategy")

	text, diags = rendered(t, merge(base, keys{"disks": keys{"data": keys{"revision": 2}}}))
	require.False(t, diags.HasErrors())
	require.Contains(t, text, `"updateVolumesStrategy":"Migration"`)
	require.Contains(t, text, `{"name":"data","dataVolume":{"name":"it-data-2"}}`)
	require.Contains(t, text, `{"name":"rootdisk","persistentVolumeClaim":{"claimName":"it"}}`)
}
