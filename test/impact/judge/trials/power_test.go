package trials_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	v1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/test/impact/judge/cluster"
	"github.com/vmrender/vmrender/test/impact/judge/edits"
	"github.com/vmrender/vmrender/test/impact/judge/trials"
)

// A VM with RerunOnFailure or Manual that is stopped stays off, also when Git changes it, until it is started. Its run
// strategy stays as it is all the time, so that Argo CD finds no difference: `power` needs that of every version.
func TestPowerKeepsTheRunStrategy(t *testing.T) {
	bases, err := edits.Bases()
	require.NoError(t, err)
	for _, strategy := range []v1.VirtualMachineRunStrategy{v1.RunStrategyRerunOnFailure, v1.RunStrategyManual} {
		t.Run(string(strategy), func(t *testing.T) {
			vm, err := edits.Apply(bases["limits"], "spec.runStrategy = "+string(strategy))
			require.NoError(t, err)
			manifest, err := json.Marshal(vm)
			require.NoError(t, err)
			c, err := cluster.New(trials.Clusters[0].Config)
			require.NoError(t, err)
			require.NoError(t, c.Boot(manifest, true))
			before := state(t, c, strategy, true)

			require.NoError(t, c.Power(false))
			state(t, c, strategy, false)
			_, err = c.Patch([]byte(`{"spec": {"template": {"spec": {"terminationGracePeriodSeconds": 77}}}}`))
			require.NoError(t, err)
			state(t, c, strategy, false)

			require.NoError(t, c.Power(true))
			after := state(t, c, strategy, true)
			require.NotEqual(t, before.UID, after.UID, "it started again")
			require.Equal(t, int64(77), *after.Spec.TerminationGracePeriodSeconds, "with the change")
			require.NoError(t, c.Power(false))
			state(t, c, strategy, false)
		})
	}
}

// state requires that a VM has a run strategy, no request that is open, and runs or not. It returns the instance.
func state(
	t *testing.T, c *cluster.Cluster, strategy v1.VirtualMachineRunStrategy, runs bool,
) *v1.VirtualMachineInstance {
	t.Helper()
	vm, err := c.Machine()
	require.NoError(t, err)
	require.Equal(t, strategy, *vm.Spec.RunStrategy)
	require.Empty(t, vm.Status.StateChangeRequests)
	vmi, err := c.Instance()
	require.NoError(t, err)
	require.Equal(t, runs, vmi != nil)
	require.Equal(t, runs, vm.Status.Created)
	return vmi
}
