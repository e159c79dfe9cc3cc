package kubevirt

import (
	"context"
	"errors"
	"maps"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// lastRestore is the annotation of what a restore has put in place.
const lastRestore = "restore.kubevirt.io/lastRestoreUID"

// restore plays the controller of restores (pkg/storage/snapshot/restore.go, updateVMRestore): one step each time that
// the restore or an instance of the namespace changes.
func (s *stage) restore(ctx context.Context, restore *unstructured.Unstructured) error {
	if restore.GetDeletionTimestamp() != nil || nested[bool](restore, "status", "complete") {
		return nil
	}
	target := nested[string](restore, "spec", "target", "name")
	vm, err := s.client.Resource(VirtualMachines).Namespace(restore.GetNamespace()).Get(ctx, target, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if stops, err := s.stopTarget(ctx, restore, vm); stops || err != nil {
		return err
	}
	if s.outcome(Restores, restore) == Wait {
		return s.setRestore(ctx, restore, "False", "Creating new PVCs")
	}
	content, err := s.contentOf(ctx, restore)
	if err != nil {
		return err
	}
	claims := map[string]string{}
	for _, backup := range elements(content, "spec", "volumeBackups") {
		if claims[nested[string](backup, "volumeName")], err = s.restoreClaim(ctx, restore, vm, backup); err != nil {
			return err
		}
	}
	if err := s.restoreMachine(ctx, restore, vm, content, claims); err != nil {
		return err
	}
	return s.setStatus(ctx, Restores, restore, map[string]any{
		"complete": true, "restoreTime": time.Now().UTC().Format(time.RFC3339),
		"conditions": []any{condition("Progressing", "False", "Operation complete"), condition("Ready", "True", "Operation complete")},
	})
}

// stopTarget stops the VM, and reports whether that is under way (handleVMRestoreTargetNotReady; virt-api's StopVM sets
// the run strategy of a VM that always runs).
func (s *stage) stopTarget(ctx context.Context, restore, vm *unstructured.Unstructured) (bool, error) {
	_, err := s.client.Resource(Instances).Namespace(vm.GetNamespace()).Get(ctx, vm.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return true, err
	}
	if nested[string](restore, "spec", "targetReadinessPolicy") != "StopTarget" {
		return true, s.setRestore(ctx, restore, "False", "Waiting for target VM to be powered off")
	}
	if nested[string](vm, "spec", "runStrategy") != "Halted" {
		_ = unstructured.SetNestedField(vm.Object, "Halted", "spec", "runStrategy")
		if _, err := s.client.Resource(VirtualMachines).Namespace(vm.GetNamespace()).Update(ctx, vm, metav1.UpdateOptions{}); err != nil {
			return true, err
		}
	}
	return true, s.setRestore(ctx, restore, "False", "Automatically stopping restore target for restore operation")
}

func (s *stage) setRestore(ctx context.Context, restore *unstructured.Unstructured, ready, reason string) error {
	return s.setStatus(ctx, Restores, restore, map[string]any{
		"complete": false, "conditions": []any{condition("Progressing", "False", reason), condition("Ready", ready, reason)},
	})
}

// contentOf returns the content of the snapshot of a restore.
func (s *stage) contentOf(ctx context.Context, restore *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	in := restore.GetNamespace()
	snapshot, err := s.client.Resource(Snapshots).Namespace(in).
		Get(ctx, nested[string](restore, "spec", "virtualMachineSnapshotName"), metav1.GetOptions{})
	if err != nil {
		return nil, err
	}
	return s.client.Resource(SnapshotContents).Namespace(in).
		Get(ctx, nested[string](snapshot, "status", "virtualMachineSnapshotContentName"), metav1.GetOptions{})
}

func restoreID(restore *unstructured.Unstructured) string {
	return restore.GetName() + "-" + string(restore.GetUID())
}

// restoreClaim replaces a claim, or with the default policy makes another one, and returns its name
// (reconcileVolumeRestores, createRestorePVC).
func (s *stage) restoreClaim(ctx context.Context, restore, vm, backup *unstructured.Unstructured) (string, error) {
	was := &unstructured.Unstructured{Object: nested[map[string]any](backup, "persistentVolumeClaim")}
	name := was.GetName()
	inPlace := nested[string](restore, "spec", "volumeRestorePolicy") == "InPlace"
	if !inPlace {
		name = "restore-" + string(restore.GetUID()) + "-" + nested[string](backup, "volumeName")
	}
	claims := s.client.Resource(Claims).Namespace(restore.GetNamespace())
	claim, err := claims.Get(ctx, name, metav1.GetOptions{})
	switch {
	case err == nil && claim.GetAnnotations()[lastRestore] == restoreID(restore):
		return name, s.provision(ctx, claim)
	case err == nil && inPlace:
		if err := s.prepopulate(ctx, claim); err != nil {
			return "", err
		}
		if err := claims.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			return "", err
		}
		return "", apierrors.NewConflict(Claims.GroupResource(), name, errors.New("it is being deleted"))
	case err != nil && !apierrors.IsNotFound(err):
		return "", err
	}
	made, err := claims.Create(ctx, restoredClaim(restore, vm, backup, was, name), metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return name, s.provision(ctx, made)
}

// restoredClaim returns the claim from the snapshot of a volume. CDI makes a DataVolume the owner of the claim that was
// populated for it.
func restoredClaim(restore, vm, backup, was *unstructured.Unstructured, name string) *unstructured.Unstructured {
	spec := nested[map[string]any](was, "spec")
	delete(spec, "volumeName")
	spec["dataSourceRef"] = map[string]any{
		"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": nested[string](backup, "volumeSnapshotName"),
	}
	delete(spec, "dataSource")
	claim := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": spec}}
	claim.SetName(name)
	claim.SetNamespace(restore.GetNamespace())
	claim.SetLabels(was.GetLabels())
	claim.SetAnnotations(map[string]string{lastRestore: restoreID(restore)})
	inPlace := name == was.GetName()
	switch owners := was.GetOwnerReferences(); {
	case inPlace && len(owners) > 0 && owners[0].Kind == "DataVolume":
		claim.SetOwnerReferences(owners)
	case nested[string](restore, "spec", "volumeOwnershipPolicy") != "None":
		claim.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(vm, vm.GroupVersionKind())})
	}
	return claim
}

// prepopulate keeps CDI from filling the DataVolume of a claim again (prepopulateDataVolume).
func (s *stage) prepopulate(ctx context.Context, claim *unstructured.Unstructured) error {
	for _, owner := range claim.GetOwnerReferences() {
		if owner.Kind != "DataVolume" {
			continue
		}
		disks := s.client.Resource(DataVolumes).Namespace(claim.GetNamespace())
		disk, err := disks.Get(ctx, owner.Name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		disk.SetAnnotations(with(disk.GetAnnotations(), "cdi.kubevirt.io/storage.prePopulated", "true"))
		if _, err := disks.Update(ctx, disk, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// restoreMachine writes the definition in the snapshot back, with the run strategy that the VM has (generateRestoredVMSpec).
func (s *stage) restoreMachine(
	ctx context.Context, restore, vm, content *unstructured.Unstructured, claims map[string]string,
) error {
	strategy := nested[string](vm, "spec", "runStrategy")
	spec := nested[map[string]any](content, "spec", "source", "virtualMachine", "spec")
	restored := &unstructured.Unstructured{Object: map[string]any{"spec": spec}}
	var all []any
	for _, volume := range elements(restored, "spec", "template", "spec", "volumes") {
		if name := claims[nested[string](volume, "name")]; name != "" {
			delete(volume.Object, "dataVolume")
			volume.Object["persistentVolumeClaim"] = map[string]any{"claimName": name}
		}
		all = append(all, volume.Object)
	}
	if err := unstructured.SetNestedSlice(restored.Object, all, "spec", "template", "spec", "volumes"); err != nil {
		return err
	}
	vm.Object["spec"] = restored.Object["spec"]
	if err := unstructured.SetNestedField(vm.Object, strategy, "spec", "runStrategy"); err != nil {
		return err
	}
	vm.SetAnnotations(with(vm.GetAnnotations(), lastRestore, restoreID(restore)))
	_, err := s.client.Resource(VirtualMachines).Namespace(vm.GetNamespace()).Update(ctx, vm, metav1.UpdateOptions{})
	return err
}

// with returns a copy of a map with one more entry.
func with(m map[string]string, key, value string) map[string]string {
	out := map[string]string{key: value}
	maps.Copy(out, m)
	out[key] = value
	return out
}
