package policies_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/vmrender/vmrender/test/e2e/process"
)

// A disk that is kept survives the machine that it still belongs to: Kubernetes' own
// garbage collector deletes the machine's other disk, and is refused this one, until
// it is released as the message says. Then nothing wants to delete it any more.
func TestKeptDisks(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	owner := newObject("v1", "ConfigMap", "team", nil)
	delete(owner.Object, "spec")
	owner.SetName("machine-with-disks")
	require.NoError(t, lab.Apply(ctx, owner))
	live, err := lab.Get(ctx, owner.GroupVersionKind(), "team", owner.GetName())
	require.NoError(t, err)
	owned := func(name, options string) dynamic.ResourceInterface {
		return ownedDisk(ctx, t, live, name, options)
	}
	kept := owned("disk-kept", "Prune=false,Delete=false")
	other := owned("disk-other", "Prune=false")

	machines, err := lab.Of(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"}, "team")
	require.NoError(t, err)
	require.NoError(t, machines.Delete(ctx, owner.GetName(), metav1.DeleteOptions{}))
	require.NoError(t, process.Poll(ctx, func(ctx context.Context) error {
		if _, err := other.Get(ctx, "disk-other", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			return errors.New("the garbage collector has not deleted the other disk")
		}
		return nil
	}))

	collector := attempt{
		name: "kept disk", as: serviceAccount("kube-system", "generic-garbage-collector"), object: disk("team"), remove: true,
		refused: `release it: kubectl patch datavolume disk-kept --namespace team --type merge --patch '{"metadata":{"ownerReferences":null}}'`,
	}
	collector.object.SetName("disk-kept")
	require.NoError(t, collector.check(ctx))
	_, err = kept.Patch(ctx, "disk-kept", types.MergePatchType, []byte(`{"metadata":{"ownerReferences":null}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	released, err := kept.Get(ctx, "disk-kept", metav1.GetOptions{})
	require.NoError(t, err)
	require.Nil(t, released.GetDeletionTimestamp())
	require.Empty(t, released.GetOwnerReferences())
}

// ownedDisk creates a disk of vmrender's that belongs to an object, and returns where it is.
func ownedDisk(ctx context.Context, t *testing.T, owner *unstructured.Unstructured, name, options string) dynamic.ResourceInterface {
	t.Helper()
	d := labelled(disk("team"), map[string]string{"app.kubernetes.io/managed-by": "vmrender"})
	d.SetName(name)
	d.SetAnnotations(map[string]string{"argocd.argoproj.io/sync-options": options})
	d.SetOwnerReferences([]metav1.OwnerReference{{
		APIVersion: owner.GetAPIVersion(), Kind: owner.GetKind(), Name: owner.GetName(), UID: owner.GetUID(),
	}})
	require.NoError(t, lab.Apply(ctx, d))
	resource, err := lab.Of(d.GroupVersionKind(), "team")
	require.NoError(t, err)
	return resource
}
