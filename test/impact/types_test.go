package impact_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/test/impact/judge/cluster"
)

// The instance types that plans know are those that KubeVirt installs, field by field, and so are the preferences that make
// every CPU a socket.
func TestInstalledTypes(t *testing.T) {
	all, err := cluster.Instancetypes()
	require.NoError(t, err)
	known := 0
	for _, o := range all {
		object, err := manifest.New(o)
		require.NoError(t, err)
		spec, _ := object.Tree()["spec"].(manifest.Tree)
		ours := catalog.Installed(object.ID.Kind, "", object.ID.Name)
		if object.ID.Kind == "VirtualMachineClusterPreference" {
			topology := manifest.Text(spec, "cpu", "preferredCPUTopology")
			require.Equal(t, topology == "" || topology == "sockets", ours != nil, object.ID.Name)
			continue
		}
		known++
		want, err := json.Marshal(spec)
		require.NoError(t, err)
		got, err := json.Marshal(ours)
		require.NoError(t, err)
		require.JSONEq(t, string(want), string(got), object.ID.Name)
	}
	require.Greater(t, known, 60)
}
