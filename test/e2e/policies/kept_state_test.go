package policies_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/vmrender/vmrender/test/e2e/process"
)

// The claim with the state of a pet's TPM belongs to the VM, so the VM goes after the
// claim is released, and the claim stays. Cattle go with theirs.
func TestStateOfAPet(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	vms, vm := create(t, "stateful", withTPM(pet("Delete=confirm")))
	claims, _ := create(t, "persistent-state-for-stateful-abcde", owned(stateClaim("stateful"), vm))
	_, herd := create(t, "stateful-cattle", withTPM(noted(machine("team"), "vmrender.io/lifecycle", "cattle")))
	create(t, "persistent-state-for-stateful-cattle-abcde", owned(stateClaim("stateful-cattle"), herd))

	require.NoError(t, process.Poll(ctx, func(ctx context.Context) error { return stateHolds(ctx, vms) }))
	patch := []byte(`{"metadata":{"ownerReferences":null}}`)
	_, err := claims.Patch(ctx, "persistent-state-for-stateful-abcde", types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(t, err)
	require.NoError(t, process.Poll(ctx, func(ctx context.Context) error {
		return vms.Delete(ctx, "stateful", metav1.DeleteOptions{PropagationPolicy: &inForeground})
	}))
	require.NoError(t, vms.Delete(ctx, "stateful-cattle", metav1.DeleteOptions{}))
	require.NoError(t, process.Poll(ctx, func(ctx context.Context) error {
		return gone(ctx, claims, "persistent-state-for-stateful-cattle-abcde")
	}))
	require.NoError(t, process.Poll(ctx, func(ctx context.Context) error { return gone(ctx, vms, "stateful") }))
	live, err := claims.Get(ctx, "persistent-state-for-stateful-abcde", metav1.GetOptions{})
	require.NoError(t, err)
	require.Nil(t, live.GetDeletionTimestamp())
}

// stateHolds checks that neither way of deleting the VM is admitted.
func stateHolds(ctx context.Context, vms dynamic.ResourceInterface) error {
	for _, how := range []metav1.DeletionPropagation{inBackground, inForeground} {
		err := vms.Delete(ctx, "stateful", metav1.DeleteOptions{PropagationPolicy: &how, DryRun: []string{metav1.DryRunAll}})
		if err == nil || !strings.Contains(err.Error(), "release it: kubectl patch persistentvolumeclaim persistent-state-for-stateful-abcde --namespace team") {
			return fmt.Errorf("want the way to release the claim, got %v", err)
		}
	}
	return nil
}

func withTPM(o *unstructured.Unstructured) *unstructured.Unstructured {
	return with(o, object{"persistent": true}, "spec", "template", "spec", "domain", "devices", "tpm")
}
