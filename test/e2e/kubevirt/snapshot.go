package kubevirt

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// takeSnapshot plays the controller of snapshots
// (pkg/storage/snapshot/snapshot.go, updateSnapshotStatus).
func (s *stage) takeSnapshot(ctx context.Context, snapshot *unstructured.Unstructured) error {
	phase := nested[string](snapshot, "status", "phase")
	if snapshot.GetDeletionTimestamp() != nil || phase == succeeded || phase == failed {
		return nil
	}
	switch s.outcome(Snapshots, snapshot) {
	case Wait:
		return s.setStatus(ctx, Snapshots, snapshot, map[string]any{"phase": "InProgress", "readyToUse": false})
	case Fail:
		return s.setStatus(ctx, Snapshots, snapshot, map[string]any{
			"phase": failed, "readyToUse": false, "error": map[string]any{"message": "no snapshot class"},
		})
	}
	vm, err := s.client.Resource(VirtualMachines).Namespace(snapshot.GetNamespace()).
		Get(ctx, nested[string](snapshot, "spec", "source", "name"), metav1.GetOptions{})
	if err != nil {
		return err
	}
	content, err := s.keepContent(ctx, snapshot, vm)
	if err != nil {
		return err
	}
	return s.setStatus(ctx, Snapshots, snapshot, map[string]any{
		"phase": succeeded, "readyToUse": true, "sourceUID": string(vm.GetUID()),
		"virtualMachineSnapshotContentName": content, "creationTime": snapshot.GetCreationTimestamp().UTC().Format("2006-01-02T15:04:05Z"),
	})
}

// keepContent creates the content of a snapshot: the VM as it is, and its claims (createContent). It returns its name.
func (s *stage) keepContent(ctx context.Context, snapshot, vm *unstructured.Unstructured) (string, error) {
	name := "vmsnapshot-content-" + string(snapshot.GetUID())
	var backups []any
	for _, volume := range elements(vm, "spec", "template", "spec", "volumes") {
		claim := nested[string](volume, "persistentVolumeClaim", "claimName") + nested[string](volume, "dataVolume", "name")
		if claim == "" {
			continue
		}
		found, err := s.client.Resource(Claims).Namespace(vm.GetNamespace()).Get(ctx, claim, metav1.GetOptions{})
		if err != nil {
			return "", err
		}
		backups = append(backups, map[string]any{
			"volumeName":         nested[string](volume, "name"),
			"volumeSnapshotName": "vmsnapshot-" + string(snapshot.GetUID()) + "-volume-" + nested[string](volume, "name"),
			"persistentVolumeClaim": map[string]any{
				"metadata": map[string]any{
					"name": claim, "labels": found.Object["metadata"].(map[string]any)["labels"], //nolint:forcetypeassert // as the schema says
					"ownerReferences": found.Object["metadata"].(map[string]any)["ownerReferences"], //nolint:forcetypeassert // as the schema says
				},
				"spec": found.Object["spec"],
			},
		})
	}
	content := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": SnapshotContents.GroupVersion().String(), "kind": "VirtualMachineSnapshotContent",
		"metadata": map[string]any{"name": name, "namespace": vm.GetNamespace()},
		"spec": map[string]any{
			"virtualMachineSnapshotName": snapshot.GetName(), "volumeBackups": backups,
			"source": map[string]any{"virtualMachine": map[string]any{
				"metadata": map[string]any{"name": vm.GetName(), "namespace": vm.GetNamespace()}, "spec": vm.Object["spec"],
			}},
		},
	}}
	_, err := s.client.Resource(SnapshotContents).Namespace(vm.GetNamespace()).Create(ctx, content, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		err = nil
	}
	return name, err
}
