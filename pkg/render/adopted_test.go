package render_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// Overrides can remove every label and annotation that is not for the lifecycle, and set some only on the VM or on
// its pods, because a VM that is older than the fleet has its own.
func TestOverridesOfLabels(t *testing.T) {
	metadata := func(m keys) keys { return keys{"overrides": keys{"metadata": m}} }
	template := func(m keys) keys {
		return keys{"overrides": keys{"spec": keys{"template": keys{"metadata": m}}}}
	}
	var (
		vmLabels    = keys{"app": "it", "app.kubernetes.io/managed-by": "vmrender"}
		podLabels   = keys{"kubevirt.io/domain": "it", "kubevirt.io/size": "custom"}
		annotations = keys{
			"vm.kubevirt.io/flavor": "custom", "vm.kubevirt.io/os": "rhel9", "vm.kubevirt.io/workload": "server",
		}
		nothing = keys{}
		some    = keys{"team": "web"}
	)
	for name, c := range map[string]struct{ vm, vmLabels, podLabels, annotations keys }{
		"as-rendered": {keys{}, vmLabels, podLabels, annotations},
		"no-vm-labels": {
			metadata(keys{"labels": keys{"app": nil, "app.kubernetes.io/managed-by": nil}}), nothing, podLabels, annotations,
		},
		"no-vm-labels-at-all": {metadata(keys{"labels": nil}), nothing, podLabels, annotations},
		"no-pod-labels": {
			template(keys{"labels": keys{"kubevirt.io/size": nil, "kubevirt.io/domain": nil}}), vmLabels, nothing, annotations,
		},
		"no-pod-annotations": {
			template(keys{"annotations": keys{
				"vm.kubevirt.io/flavor": nil, "vm.kubevirt.io/os": nil, "vm.kubevirt.io/workload": nil,
			}}), vmLabels, podLabels, nothing,
		},
		"no-metadata-of-pods": {template(nil), vmLabels, nothing, nothing},
		"other-domain": {
			template(keys{"labels": keys{"kubevirt.io/domain": "old"}}), vmLabels,
			keys{"kubevirt.io/domain": "old", "kubevirt.io/size": "custom"},
			annotations,
		},
		"both":    {keys{"labels": some}, merge(vmLabels, some), merge(podLabels, some), annotations},
		"vm-only": {metadata(keys{"labels": some}), merge(vmLabels, some), podLabels, annotations},
		"vm-only-by-removal": {
			merge(keys{"labels": some}, template(keys{"labels": keys{"team": nil}})),
			merge(vmLabels, some), podLabels, annotations,
		},
		"pods-only": {template(keys{"labels": some}), vmLabels, merge(podLabels, some), annotations},
	} {
		t.Run(name, func(t *testing.T) {
			vm := overridden(t, c.vm)
			require.Equal(t, c.vmLabels, anyMap(vm.Labels))
			require.Equal(t, c.podLabels, anyMap(vm.Spec.Template.ObjectMeta.Labels))
			require.Equal(t, c.annotations, anyMap(vm.Spec.Template.ObjectMeta.Annotations))
		})
	}
	_, found := rendered(t, merge(template(keys{"labels": keys{"kubevirt.io/domain": nil}}), keys{
		"cpu": 2, "memory": "4Gi", "replicas": 2, "services": keys{"http": keys{"port": 80, "scope": "group"}},
	}))
	require.Empty(t, found.Sorted(), "a Service for all replicas does not find them by that label")
}

// The older form of a run strategy replaces it.
func TestOverrideOfRunning(t *testing.T) {
	vm := overridden(t, keys{"overrides": keys{"spec": keys{"running": true, "runStrategy": nil}}})
	require.Nil(t, vm.Spec.RunStrategy)
	require.Equal(t, new(true), vm.Spec.Running)
}

// The labels of a disk that the VM owns can be the original ones.
func TestLabelsOfOwnedDisks(t *testing.T) {
	labels := func(l keys) keys {
		return disk(keys{"size": "1Gi", "keep": false, "dataVolume": keys{"metadata": keys{"labels": l}}})
	}
	vm := overridden(t, labels(keys{"app": nil, "app.kubernetes.io/managed-by": nil}))
	require.Empty(t, vm.Spec.DataVolumeTemplates[0].Labels)
	vm = overridden(t, labels(keys{"app": "old", "team": "web"}))
	require.Equal(t, "old", vm.Spec.DataVolumeTemplates[0].Labels["app"])
	_, found := rendered(t, merge(keys{"cpu": 2, "memory": "4Gi"}, disk(keys{
		"size": "1Gi", "dataVolume": keys{"metadata": keys{"labels": keys{"app": nil}}},
	})))
	require.True(t, found.HasErrors(), "a disk that is kept is found by its labels")
}

// overridden returns the VM "it", which must have no problems.
func overridden(t *testing.T, vm keys) *kubevirtv1.VirtualMachine {
	t.Helper()
	out, found := rendered(t, merge(keys{"cpu": 2, "memory": "4Gi"}, vm))
	require.Empty(t, found.Sorted())
	var all struct{ Items []kubevirtv1.VirtualMachine }
	require.NoError(t, json.Unmarshal([]byte(out), &all))
	for i := range all.Items {
		if vm := &all.Items[i]; vm.Kind == "VirtualMachine" && vm.Name == "it" {
			return vm
		}
	}
	require.Fail(t, "no VM")
	return nil
}

func anyMap(m map[string]string) keys {
	out := keys{}
	for k, v := range m {
		out[k] = v
	}
	return out
}
