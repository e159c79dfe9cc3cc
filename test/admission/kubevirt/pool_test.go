package kubevirt_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/admission/broken"
	"github.com/vmrender/vmrender/test/admission/kubevirt"
)

func TestPoolMachine(t *testing.T) {
	pool := broken.ReadManifest(t, "testdata/pool.yaml")
	judges := judges(t)
	require.Empty(t, judges["schema"](pool))

	machine, err := kubevirt.PoolMachine(pool)
	require.NoError(t, err)
	require.Equal(t, "VirtualMachine lab/web-0", machine.String())
	for name, judge := range judges {
		require.Empty(t, judge(machine), name)
	}
}

func TestPoolMachineWithoutTemplate(t *testing.T) {
	pool, err := broken.ReadManifest(t, "testdata/pool.yaml").Patched([]map[string]any{{"op": "remove", "path": "/spec/virtualMachineTemplate"}})
	require.NoError(t, err)
	_, err = kubevirt.PoolMachine(pool)
	require.ErrorContains(t, err, "spec.virtualMachineTemplate has no metadata")
}
