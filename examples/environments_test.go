package examples

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
)

// TestEnvironments proves the claims of examples/environments. Every overlay is valid,
// without warnings. Its VMs share no name or identity with those of another overlay, so
// that all can be on one cluster and in one VLAN.
func TestEnvironments(t *testing.T) {
	overlays, err := filepath.Glob("environments/env/*.yaml")
	require.NoError(t, err)
	require.Len(t, overlays, 3)
	owner := map[string]string{}
	for _, overlay := range overlays {
		require.NotEmpty(t, gated(t, "environments", overlay))
		f, _ := inventory.Load("environments", fleet.Options{Overlays: []string{overlay}})
		require.Equal(t, strings.TrimSuffix(filepath.Base(overlay), ".yaml"), f.Environment)
		for _, m := range f.Machines {
			require.Equal(t, f.Environment, m.Labels["example.com/environment"])
			own := []string{m.Namespace + "/" + m.Name, m.Firmware.UUID, m.Firmware.Serial}
			for i := range m.NICs {
				own = append(own, m.NICs[i].MAC)
				if m.NICs[i].IP != "" {
					own = append(own, m.NICs[i].IP)
				}
			}
			for _, id := range own {
				require.NotEmpty(t, id)
				require.Empty(t, owner[id], "%s: %s", overlay, id)
				owner[id] = overlay
			}
		}
	}
	dev, _ := inventory.Load("environments", fleet.Options{Overlays: overlays[:1]})
	for _, m := range dev.Machines {
		require.Equal(t, "2Gi", m.Memory.Guest, "%s: small by `every`", m.Name)
	}
}
