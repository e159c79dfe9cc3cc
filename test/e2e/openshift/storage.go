package openshift

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

var (
	storageClusterKind = kind("ocs.openshift.io", "v1", "StorageCluster")
	storageClassKind   = kind("storage.k8s.io", "v1", "StorageClass")
	protectionKind     = kind("oadp.openshift.io", "v1alpha1", "DataProtectionApplication")
	locationKind       = kind("velero.io", "v1", "BackupStorageLocation")
	scheduleKind       = kind("velero.io", "v1", "Schedule")
)

// The numbers of steps that ODF takes to install its operators, and then to deploy Ceph.
const (
	storageOperatorsStart = 5
	cephStart             = 10
)

// storageClusters deploys Ceph. The operator of ODF first subscribes to those of Ceph, with the
// definition of StorageClusters (red-hat-storage/odf-operator release-4.20,
// controllers/subscriptions.go), and so after its own ClusterServiceVersion has succeeded. The
// conditions and the storage classes are those of red-hat-storage/ocs-operator release-4.20,
// controllers/util/status.go and services/provider/server/server.go.
func (o *OpenShift) storageClusters(ctx context.Context) error {
	if runs, err := o.runs(ctx, "odf-operator"); err != nil || !runs {
		return err
	}
	if o.storage++; o.storage == storageOperatorsStart {
		return o.install(ctx, nil, "storageclusters.ocs.openshift.io")
	}
	return o.each(ctx, storageClusterKind, func(s *unstructured.Unstructured) error {
		if o.ceph++; o.ceph < cephStart {
			return o.setCeph(ctx, s, false, "ClusterStateCreating", "CephCluster is creating: Configuring Ceph OSDs")
		}
		for _, suffix := range []string{"ceph-rbd", "ceph-rbd-virtualization", "cephfs"} {
			if err := o.makeClass(ctx, s.GetName()+"-"+suffix); err != nil {
				return err
			}
		}
		return o.setCeph(ctx, s, true, "ReconcileCompleted", "Reconcile completed successfully")
	})
}

// setCeph writes the conditions of a StorageCluster, whose Ceph runs or not.
func (o *OpenShift) setCeph(
	ctx context.Context, s *unstructured.Unstructured, runs bool, reason, message string,
) error {
	return o.setStatus(ctx, s, map[string]any{
		"phase": map[bool]string{true: "Ready", false: "Progressing"}[runs],
		"conditions": []any{
			condition("ReconcileComplete", true, "ReconcileCompleted", "Reconcile completed successfully"),
			condition("Available", runs, reason, message), condition("Progressing", !runs, reason, message),
			condition("Degraded", false, reason, message),
		},
	})
}

// makeClass creates a storage class with the provisioner of package kubevirt, if there is none.
func (o *OpenShift) makeClass(ctx context.Context, name string) error {
	err := o.make(ctx, storageClassKind, "", name, map[string]any{
		"provisioner": "e2e.example.com", "allowVolumeExpansion": true, "parameters": map[string]any{"pool": name},
	})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// protection plays the operator of OADP. It refuses a location without its Secret, and creates a
// BackupStorageLocation for each other one (openshift/oadp-operator oadp-1.5,
// internal/controller/bsl.go and dataprotectionapplication_controller.go).
func (o *OpenShift) protection(ctx context.Context) error {
	if runs, err := o.runs(ctx, "redhat-oadp-operator"); err != nil || !runs {
		return err
	}
	return o.each(ctx, protectionKind, func(d *unstructured.Unstructured) error {
		for _, l := range get[[]any](d, "spec", "backupLocations") {
			location := &unstructured.Unstructured{Object: l.(map[string]any)} //nolint:forcetypeassert // as the schema says
			name := get[string](location, "velero", "credential", "name")
			secret, err := o.find(ctx, kind("", "v1", "Secret"), d.GetNamespace(), name)
			if err != nil {
				return err
			}
			if secret == nil {
				return o.setStatus(ctx, d, map[string]any{
					"conditions": []any{condition("Reconciled", false, "Error", fmt.Sprintf("Secret %q not found", name))},
				})
			}
			err = o.makeLocation(ctx, d.GetNamespace(), get[string](location, "name"), get[map[string]any](location, "velero"))
			if err != nil {
				return err
			}
		}
		return o.setStatus(ctx, d, map[string]any{
			"conditions": []any{condition("Reconciled", true, "Complete", "Reconcile complete")},
		})
	})
}

func (o *OpenShift) makeLocation(ctx context.Context, namespace, name string, spec map[string]any) error {
	found, err := o.find(ctx, locationKind, namespace, name)
	if err != nil || found != nil {
		return err
	}
	return o.make(ctx, locationKind, namespace, name, map[string]any{"spec": spec})
}

// velero runs where OADP has accepted its configuration. It reads the buckets of locations, and
// validates schedules (vmware-tanzu/velero v1.16, pkg/controller/backup_storage_location_controller.go
// and schedule_controller.go).
func (o *OpenShift) velero(ctx context.Context) error {
	return o.each(ctx, protectionKind, func(d *unstructured.Unstructured) error {
		if !holds(d, "Reconciled") {
			return nil
		}
		err := o.each(ctx, locationKind, func(l *unstructured.Unstructured) error {
			return o.setStatus(ctx, l, map[string]any{"phase": "Available", "lastValidationTime": moment})
		})
		if err != nil {
			return err
		}
		return o.each(ctx, scheduleKind, func(s *unstructured.Unstructured) error {
			return o.setStatus(ctx, s, map[string]any{"phase": "Enabled"})
		})
	})
}
