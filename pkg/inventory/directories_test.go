package inventory_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
)

// spread is a fleet with VMs in directories of several depths.
const spread = `
-- site/fleet.yaml --
apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: site}
defaults: {namespace: ns, os: fedora, flavor: small}
-- site/lab/lab.yaml --
vms: {lab: {}}
-- site/lab/inner/deep.yaml --
vms: {deep: {}}
-- site/lab-b/b.yaml --
vms: {b: {}}
-- site/prod/db/db.yaml --
vms: {db: {replicas: 2}}
-- site/prod/web/web.yaml --
vms: {web: {}}
`

func TestDirectories(t *testing.T) {
	t.Chdir(fleettest.Unpack(t, txtar.Parse([]byte(spread))))
	for part, want := range map[string][]string{
		"site":           {"site/lab", "site/lab-b", "site/prod/db", "site/prod/web"},
		"site/prod":      {"site/prod/db", "site/prod/web"},
		"site/lab":       {"site/lab"},
		"site/lab/inner": {"site/lab/inner"},
	} {
		f, diags := inventory.Load(part, fleet.Options{})
		require.Empty(t, diags.Sorted())
		require.Equal(t, want, f.Directories(), part)
	}
}
