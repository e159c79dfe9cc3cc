package kubevirt

import (
	"cmp"
	"context"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// WaitingClass is a storage class that fills a disk only when an instance uses it.
const WaitingClass = "local"

// defaultClass is the storage class of disks that name none.
const defaultClass = "standard"

// fillDisk plays CDI's controller of a DataVolume (pkg/controller/datavolume, controller-base.go, updateStatus)
// and the provisioner of its class. It creates the claim, binds it when that is due, and fills it.
func (s *stage) fillDisk(ctx context.Context, disk *unstructured.Unstructured) error {
	phase := nested[string](disk, "status", "phase")
	if disk.GetDeletionTimestamp() != nil || phase == succeeded || phase == failed {
		return nil
	}
	claim, err := s.claim(ctx, disk)
	if err != nil {
		return err
	}
	used, err := s.used(ctx, disk)
	if err != nil {
		return err
	}
	if claimClass(claim) == WaitingClass && !used {
		return s.setDisk(ctx, disk, "WaitForFirstConsumer", "N/A")
	}
	if err := s.provision(ctx, claim); err != nil {
		return err
	}
	switch s.outcome(DataVolumes, disk) {
	case Wait:
		return s.setDisk(ctx, disk, "ImportInProgress", "42.0%")
	case Fail:
		return s.setDisk(ctx, disk, failed, "N/A")
	default:
		return s.setDisk(ctx, disk, succeeded, "100.0%")
	}
}

func (s *stage) setDisk(ctx context.Context, disk *unstructured.Unstructured, phase, progress string) error {
	done := map[bool]string{true: "True", false: "False"}[phase == succeeded]
	return s.setStatus(ctx, DataVolumes, disk, map[string]any{
		"phase": phase, "progress": progress, "claimName": disk.GetName(),
		"conditions": []any{condition("Bound", done, ""), condition("Ready", done, ""), condition("Running", "False", "")},
	})
}

// claim returns the claim of a DataVolume, which CDI creates if there is none.
func (s *stage) claim(ctx context.Context, disk *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	claims := s.client.Resource(Claims).Namespace(disk.GetNamespace())
	claim, err := claims.Get(ctx, disk.GetName(), metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return claim, err
	}
	claim = newClaim(disk)
	if err := s.provideClass(ctx, claimClass(claim)); err != nil {
		return nil, err
	}
	return claims.Create(ctx, claim, metav1.CreateOptions{})
}

// newClaim returns the claim that CDI creates from spec.storage or spec.pvc (util.go, renderPvcSpec). A clone
// without a size has the size of its source.
func newClaim(disk *unstructured.Unstructured) *unstructured.Unstructured {
	spec := nested[map[string]any](disk, "spec", "storage")
	if spec == nil {
		spec = nested[map[string]any](disk, "spec", "pvc")
	}
	claim := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "PersistentVolumeClaim", "spec": spec}}
	claim.SetName(disk.GetName())
	claim.SetNamespace(disk.GetNamespace())
	claim.SetLabels(map[string]string{"app": "containerized-data-importer"})
	claim.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(disk, disk.GroupVersionKind())})
	if spec["accessModes"] == nil {
		spec["accessModes"] = []any{"ReadWriteOnce"}
	}
	if spec["resources"] == nil {
		spec["resources"] = map[string]any{"requests": map[string]any{"storage": "30Gi"}}
	}
	spec["storageClassName"] = cmp.Or(claimClass(claim), defaultClass)
	// CDI fills the claims of CSI drivers by volume populators (pkg/controller/datavolume/import-controller.go).
	spec["dataSourceRef"] = map[string]any{
		"apiGroup": "cdi.kubevirt.io", "kind": "VolumeImportSource", "name": "volume-import-source-" + disk.GetName(),
	}
	return claim
}

func claimClass(claim *unstructured.Unstructured) string {
	return nested[string](claim, "spec", "storageClassName")
}

// used reports whether an instance names the disk.
func (s *stage) used(ctx context.Context, disk *unstructured.Unstructured) (bool, error) {
	list, err := s.client.Resource(Instances).Namespace(disk.GetNamespace()).List(ctx, metav1.ListOptions{})
	if err != nil {
		return false, err
	}
	return slices.ContainsFunc(list.Items, func(vmi unstructured.Unstructured) bool {
		return slices.Contains(disksOf(&vmi), disk.GetName())
	}), nil
}

// provideClass creates a storage class whose claims can grow.
func (s *stage) provideClass(ctx context.Context, name string) error {
	return s.provide(ctx, schema.GroupVersionKind{Group: "storage.k8s.io", Version: "v1", Kind: "StorageClass"}, "", name, map[string]any{
		"provisioner": "e2e.example.com", "allowVolumeExpansion": true,
		"volumeBindingMode": map[bool]string{true: "WaitForFirstConsumer", false: "Immediate"}[name == WaitingClass],
	})
}

// provision creates the volume of a claim, as a CSI driver's provisioner does; the control plane binds them. The
// volume outlives the claim, which does not matter here.
func (s *stage) provision(ctx context.Context, claim *unstructured.Unstructured) error {
	if nested[string](claim, "spec", "volumeName") != "" {
		return nil
	}
	spec := map[string]any{
		"claimRef":                      map[string]any{"namespace": claim.GetNamespace(), "name": claim.GetName(), "uid": string(claim.GetUID())},
		"csi":                           map[string]any{"driver": "e2e.example.com", "volumeHandle": string(claim.GetUID())},
		"capacity":                      nested[map[string]any](claim, "spec", "resources", "requests"),
		"accessModes":                   nested[[]any](claim, "spec", "accessModes"),
		"persistentVolumeReclaimPolicy": "Retain",
		"storageClassName":              claimClass(claim),
		"volumeMode":                    cmp.Or(nested[string](claim, "spec", "volumeMode"), "Filesystem"),
	}
	return s.provide(ctx, volumes.GroupVersion().WithKind("PersistentVolume"), "", volumeName(claim.GetUID()), map[string]any{"spec": spec})
}

func volumeName(claim types.UID) string { return "pvc-" + string(claim) }

// growClaim plays the resizer of a CSI driver: a bound claim gets the size that it requests.
func (s *stage) growClaim(ctx context.Context, claim *unstructured.Unstructured) error {
	have, err := resource.ParseQuantity(cmp.Or(nested[string](claim, "status", "capacity", "storage"), "0"))
	if err != nil {
		return err
	}
	want, err := resource.ParseQuantity(nested[string](claim, "spec", "resources", "requests", "storage"))
	if err != nil || nested[string](claim, "status", "phase") != "Bound" || have.Cmp(want) >= 0 {
		return err
	}
	return s.setStatus(ctx, Claims, claim, map[string]any{"capacity": map[string]any{"storage": want.String()}})
}
