package render_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/golden"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

// VMs in vSphere are rendered only as a Plan. VMs that have migrated are VirtualMachines with the claims that
// the Plan names.
func TestMigration(t *testing.T) {
	const dir = "testdata/migrate"
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{}, c.Visit)
	require.Empty(t, diags.Sorted())
	var out bytes.Buffer
	w := manifest.NewWriter(&out, manifest.YAML)
	require.NoError(t, render.Write(w, c.Rendered(diags)...))
	require.NoError(t, w.Close())
	golden.Equal(t, dir+"/.want.yaml", out.String())
}

// A cluster without forklift is an error at the first VM that needs it.
func TestMigrationNeedsForklift(t *testing.T) {
	c := render.NewCollector()
	c.APIs = "v1,kubevirt.io/v1,cdi.kubevirt.io/v1beta1,k8s.cni.cncf.io/v1"
	_, diags := inventory.Visit("testdata/migrate", fleet.Options{}, c.Visit)
	c.CheckAPIs(diags)
	require.Len(t, diags.Sorted(), 1)
	require.Contains(t, diags.Sorted()[0].String(), "alone.yaml:3:3: vms.alone: "+
		"the cluster serves no forklift.konveyor.io/v1beta1 Plan; install the Migration Toolkit for Virtualization")
}
