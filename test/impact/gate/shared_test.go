package gate_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/test/impact/judge/edits"
)

// The gate lets pass what one token of the fleet approves for several VMs, as it is rendered, and neither a further
// change of one of them nor the same change from another state. TestSharedInTheCluster of pkg/report writes the file.
func TestGateWithSharedApproval(t *testing.T) {
	text, err := os.ReadFile("testdata/shared.json")
	require.NoError(t, err)
	var changes []struct {
		Name, VM string
		Passes   bool
		Was, Now edits.Object
	}
	require.NoError(t, json.Unmarshal(text, &changes))
	g := asked(t, cluster.Settings{OpenShift: true}, "", "")
	passed := 0
	for _, c := range changes {
		v := says(t, g, c.Was, c.Now)
		require.Equal(t, c.Passes, v.Refused == "", "%s: %s: %s", c.Name, c.VM, v.Refused)
		if c.Passes {
			passed++
		}
	}
	require.Equal(t, 3, passed)
	require.Len(t, changes, 15)
}
