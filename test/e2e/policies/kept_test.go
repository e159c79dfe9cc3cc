package policies_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/vmrender/vmrender/test/e2e/process"
)

// A kept disk survives the VM that it still belongs to. Kubernetes' own garbage
// collector deletes the VM's other disk, but may not delete this one until it is
// released as described in the message. Then nothing tries to delete it any
// longer.
func TestKeptDisks(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	m := newMachineWithDisks(ctx, t, "background")
	m.delete(ctx, t, metav1.DeletePropagationBackground)

	collector := attempt{
		name: "kept disk", as: serviceAccount("kube-system", "generic-garbage-collector"), object: disk("team"), remove: true,
		refused: `release it: kubectl patch datavolume background-kept --namespace team --type merge --patch '{"metadata":{"ownerReferences":null}}'`,
	}
	collector.object.SetName("background-kept")
	require.NoError(t, collector.check(ctx))
	m.release(ctx, t)
}

// A VM that is deleted in the foreground, as Argo CD does (v3.2.11,
// controller/sync.go, prunePropagationPolicy), stays until the disk is released.
func TestKeptDiskHoldsMachine(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	m := newMachineWithDisks(ctx, t, "foreground")
	m.delete(ctx, t, metav1.DeletePropagationForeground)
	live, err := m.machines.Get(ctx, m.name, metav1.GetOptions{})
	require.NoError(t, err)
	require.NotNil(t, live.GetDeletionTimestamp())

	m.release(ctx, t)
	require.NoError(t, process.Poll(ctx, func(ctx context.Context) error { return gone(ctx, m.machines, m.name) }))
	_, err = m.disks.Get(ctx, m.name+"-kept", metav1.GetOptions{})
	require.NoError(t, err)
}

// machineWithDisks is a substitute for a VM that owns two disks, one of which
// vmrender keeps.
type machineWithDisks struct {
	name            string
	machines, disks dynamic.ResourceInterface
}

func newMachineWithDisks(ctx context.Context, t *testing.T, name string) machineWithDisks {
	t.Helper()
	owner := newObject("v1", "ConfigMap", "team", nil)
	delete(owner.Object, "spec")
	owner.SetName(name)
	require.NoError(t, lab.Apply(ctx, owner))
	live, err := lab.Get(ctx, owner.GroupVersionKind(), "team", name)
	require.NoError(t, err)
	machines, err := lab.Of(owner.GroupVersionKind(), "team")
	require.NoError(t, err)
	ownedDisk(ctx, t, live, name+"-other", "Prune=false")
	return machineWithDisks{name: name, machines: machines, disks: ownedDisk(ctx, t, live, name+"-kept", "Prune=false,Delete=false")}
}

// delete deletes the VM, and returns when its other disk has been deleted, too.
func (m machineWithDisks) delete(ctx context.Context, t *testing.T, how metav1.DeletionPropagation) {
	t.Helper()
	require.NoError(t, m.machines.Delete(ctx, m.name, metav1.DeleteOptions{PropagationPolicy: &how}))
	require.NoError(t, process.Poll(ctx, func(ctx context.Context) error { return gone(ctx, m.disks, m.name+"-other") }))
}

// release releases the kept disk and checks that it was not deleted.
func (m machineWithDisks) release(ctx context.Context, t *testing.T) {
	t.Helper()
	patch := []byte(`{"metadata":{"ownerReferences":null}}`)
	released, err := m.disks.Patch(ctx, m.name+"-kept", types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(t, err)
	require.Nil(t, released.GetDeletionTimestamp())
	require.Empty(t, released.GetOwnerReferences())
}

func gone(ctx context.Context, where dynamic.ResourceInterface, name string) error {
	if _, err := where.Get(ctx, name, metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		return errors.New(name + " has not been deleted")
	}
	return nil
}

// ownedDisk creates a disk of vmrender's that belongs to an object in the same
// way as KubeVirt's controller makes disks belong to a VM. It returns access to
// the disks of its namespace.
func ownedDisk(ctx context.Context, t *testing.T, owner *unstructured.Unstructured, name, options string) dynamic.ResourceInterface {
	t.Helper()
	d := labelled(disk("team"), map[string]string{"app.kubernetes.io/managed-by": "vmrender"})
	d.SetName(name)
	d.SetAnnotations(map[string]string{"argocd.argoproj.io/sync-options": options})
	d.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, owner.GroupVersionKind())})
	require.NoError(t, lab.Apply(ctx, d))
	resource, err := lab.Of(d.GroupVersionKind(), "team")
	require.NoError(t, err)
	return resource
}
