package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExport checks that the cluster has all that was rendered, and an instance that belongs to it.
func TestExport(t *testing.T) {
	vm := object{
		"kind":     "VirtualMachine",
		"metadata": object{"name": "vm", "annotations": object{"a": "b"}},
		"spec":     object{"template": object{"spec": object{"volumes": []any{object{"name": "rootdisk"}}}}},
	}
	has := stored(vm)
	require.Equal(t, vm["spec"], has["spec"])
	require.Equal(t, "b", at(has, "metadata", "annotations", "a"))
	require.NotContains(t, vm, "status", "what was rendered does not change")
	instance := instanceOf(vm)
	require.Equal(t, at(vm, "spec", "template", "spec"), instance["spec"])
	owners, _ := at(instance, "metadata", "ownerReferences").([]any)
	require.Equal(t, at(has, "metadata", "uid"), at(owners[0], "uid"))
	text, err := kubectlJSON(object{"a": "<"})
	require.NoError(t, err)
	require.Equal(t, "{\n    \"a\": \"<\"\n}\n", string(text))
}

// TestUnmanaged checks that a VM for import has no trace of vmrender or Argo CD, and keeps the rest.
func TestUnmanaged(t *testing.T) {
	vm := object{"spec": "kept", "metadata": object{
		"name":        "vm",
		"labels":      object{"app.kubernetes.io/managed-by": "vmrender", "team": "a"},
		"annotations": object{"vmrender.io/lifecycle": "pet", "argocd.argoproj.io/tracking-id": "x", "owner": "a"},
	}}
	require.Equal(t, object{"spec": "kept", "metadata": object{
		"name": "vm", "labels": object{"team": "a"}, "annotations": object{"owner": "a"},
	}}, unmanaged(vm))
	require.Contains(t, at(vm, "metadata", "labels"), "app.kubernetes.io/managed-by", "what was rendered does not change")
}
