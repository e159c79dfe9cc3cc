package render_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
)

// TestVersionIsContent checks that another version of an image changes what is rendered of cattle with every strategy,
// so that it gets a new root disk, and nothing of a pet.
func TestVersionIsContent(t *testing.T) {
	for lifecycle, changes := range map[string]bool{
		"{type: cattle, strategy: blue-green}": true, "{type: cattle, strategy: replace}": true,
		"{type: cattle, strategy: pool}": true, "{type: cattle}": true, "pet": false,
	} {
		replicas := ""
		if strings.Contains(lifecycle, "pool") {
			replicas = "replicas: 2, "
		}
		rendered := func(version string) string {
			return manifests(t, open, "{web: {"+replicas+"lifecycle: "+lifecycle+
				", disks: {root: {size: 9Gi, source: {http: \"https://x/y\", version: \""+version+"\"}}}}}", fleet.Options{})
		}
		require.Equal(t, changes, rendered("1") != rendered("2"), lifecycle)
	}
}
