package policies_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"

	"github.com/vmrender/vmrender/test/e2e/process"
)

// create creates an object, and returns access to its kind as the administrator.
func create(t *testing.T, name string, o *unstructured.Unstructured) (dynamic.ResourceInterface, *unstructured.Unstructured) {
	t.Helper()
	o.SetName(name)
	require.NoError(t, lab.Apply(t.Context(), o))
	resource, err := lab.Of(o.GroupVersionKind(), o.GetNamespace())
	require.NoError(t, err)
	live, err := resource.Get(t.Context(), name, metav1.GetOptions{})
	require.NoError(t, err)
	return resource, live
}

func owned(o, owner *unstructured.Unstructured) *unstructured.Unstructured {
	o.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, owner.GroupVersionKind())})
	return o
}

// A disk that an administrator deletes takes its claim along, which has the same
// options.
func TestClaimOfADeletedDisk(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	disks, live := create(t, "deleted", options(disk("team"), keepsAll))
	claims, _ := create(t, "deleted", owned(options(volumeClaim(), keepsAll), live))
	require.NoError(t, disks.Delete(ctx, "deleted", metav1.DeleteOptions{}))
	require.NoError(t, process.Poll(ctx, func(ctx context.Context) error { return gone(ctx, claims, "deleted") }))
}

// A namespace that an administrator deletes goes, with everything in it.
func TestDeletedNamespace(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	namespaces, _ := create(t, "leaving", namespace())
	move := func(o *unstructured.Unstructured) *unstructured.Unstructured {
		o.SetNamespace("leaving")
		return o
	}
	_, vm := create(t, "db", move(withTPM(pet("Prune=false,Delete=confirm"))))
	create(t, "db", move(options(disk("team"), keepsAll)))
	create(t, "db", move(owned(stateClaim("db"), vm)))
	require.NoError(t, namespaces.Delete(ctx, "leaving", metav1.DeleteOptions{}))
	require.NoError(t, process.Poll(ctx, func(ctx context.Context) error { return gone(ctx, namespaces, "leaving") }))
}

// A collection is deleted except what is kept in it.
func TestDeletedCollection(t *testing.T) {
	labels := map[string]string{"example.com/collection": "some"}
	disks, _ := create(t, "some-kept", labelled(options(disk("team"), keepsAll), labels))
	as := attempt{as: argoController, object: disk("team")}
	resource, err := as.resource(&recorder{})
	require.NoError(t, err)
	err = resource.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "example.com/collection=some"})
	require.ErrorContains(t, err, "kubectl annotate datavolume some-kept --namespace team argocd.argoproj.io/sync-options-")
	_, err = disks.Get(t.Context(), "some-kept", metav1.GetOptions{})
	require.NoError(t, err)
}

// The way out in the message leads out.
func TestWayOutOfKept(t *testing.T) {
	disks, _ := create(t, "way-out", options(disk("team"), keepsAll))
	resource, err := attempt{as: argoController, object: disk("team")}.resource(&recorder{})
	require.NoError(t, err)
	err = resource.Delete(t.Context(), "way-out", metav1.DeleteOptions{})
	require.ErrorContains(t, err, "kubectl annotate datavolume way-out --namespace team argocd.argoproj.io/sync-options-")
	_, err = disks.Patch(t.Context(), "way-out", types.MergePatchType, []byte(`{"metadata":{"annotations":{"argocd.argoproj.io/sync-options":null}}}`), metav1.PatchOptions{})
	require.NoError(t, err)
	require.NoError(t, resource.Delete(t.Context(), "way-out", metav1.DeleteOptions{}))
}
