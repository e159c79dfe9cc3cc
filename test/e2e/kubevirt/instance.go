package kubevirt

import (
	"cmp"
	"context"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// These are the phases of an instance (kubevirt.io/api v1.8.4, core/v1/types.go).
const (
	pending   = "Pending"
	running   = "Running"
	succeeded = "Succeeded"
	failed    = "Failed"
)

// runInstance plays virt-controller and virt-handler for an instance: it waits for
// its disks (pkg/virt-controller/watch/vmi/lifecycle.go, sync), runs, and is ready
// when its guest is (pkg/virt-handler/vm.go, updateVMIConditions). A deleted
// instance is shut down; then the controller of VirtualMachines releases it
// (watch/vm/vm.go, updateStatus).
func (s *stage) runInstance(ctx context.Context, vmi *unstructured.Unstructured) error {
	switch phase := nested[string](vmi, "status", "phase"); {
	case phase == succeeded || phase == failed:
		return nil
	case vmi.GetDeletionTimestamp() != nil:
		return s.setInstance(ctx, vmi, succeeded, condition("Ready", "False", "PodTerminating"))
	case phase == running && ready(vmi):
		return s.plug(ctx, vmi)
	}
	there, err := s.disksThere(ctx, vmi)
	if err != nil {
		return err
	}
	if !there {
		return s.setInstance(ctx, vmi, pending, condition("Ready", "False", "PodNotExists"))
	}
	switch s.outcome(Instances, vmi) {
	case Wait:
		return s.setInstance(ctx, vmi, running, condition("Ready", "False", "GuestNotRunning"))
	case Fail:
		return s.setInstance(ctx, vmi, failed, condition("Ready", "False", "PodTerminating"))
	default:
		migratable, err := s.migratable(ctx, vmi)
		if err != nil {
			return err
		}
		return s.setInstance(ctx, vmi, running, condition("Ready", "True", ""), migratable)
	}
}

// migratable returns the condition that shows whether an instance can be migrated.
// It can if all of its claims are shared (pkg/virt-handler/vm.go,
// checkVolumesForMigration).
func (s *stage) migratable(ctx context.Context, vmi *unstructured.Unstructured) (any, error) {
	for _, name := range disksOf(vmi) {
		claim, err := s.client.Resource(Claims).Namespace(vmi.GetNamespace()).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		if !slices.Contains(nested[[]any](claim, "spec", "accessModes"), any("ReadWriteMany")) {
			return condition("LiveMigratable", "False", "DisksNotLiveMigratable"), nil
		}
	}
	return condition("LiveMigratable", "True", ""), nil
}

// setInstance writes the status. An earlier running phase distinguishes the end of
// an instance from a failure to start (watch/vm/vm.go, syncStartFailureStatus).
func (s *stage) setInstance(ctx context.Context, vmi *unstructured.Unstructured, phase string, conditions ...any) error {
	status := map[string]any{"phase": phase, "conditions": conditions}
	if phase != nested[string](vmi, "status", "phase") {
		step := map[string]any{"phase": phase, "phaseTransitionTimestamp": time.Now().UTC().Format(time.RFC3339)}
		status["phaseTransitionTimestamps"] = append(nested[[]any](vmi, "status", "phaseTransitionTimestamps"), step)
	}
	return s.setStatus(ctx, Instances, vmi, status)
}

// disksThere reports whether the instance's claims exist and are filled.
func (s *stage) disksThere(ctx context.Context, vmi *unstructured.Unstructured) (bool, error) {
	for _, name := range disksOf(vmi) {
		if there, err := s.diskThere(ctx, vmi.GetNamespace(), name); !there || err != nil {
			return false, err
		}
	}
	return true, nil
}

// diskThere reports whether a claim exists and is filled, by CDI or manually.
func (s *stage) diskThere(ctx context.Context, namespace, name string) (bool, error) {
	_, err := s.client.Resource(Claims).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	disk, err := s.client.Resource(DataVolumes).Namespace(namespace).Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	return err == nil && nested[string](disk, "status", "phase") == succeeded, err
}

// disksOf returns the claims of an instance, which have the names of their
// DataVolumes.
func disksOf(vmi *unstructured.Unstructured) []string {
	names := []string{}
	for _, volume := range elements(vmi, "spec", "volumes") {
		if name := claimOf(volume); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// claimOf returns the claim of a volume, or an empty string if there is none.
func claimOf(volume *unstructured.Unstructured) string {
	return cmp.Or(nested[string](volume, "dataVolume", "name"), nested[string](volume, "persistentVolumeClaim", "claimName"))
}

func ready(vmi *unstructured.Unstructured) bool {
	return slices.ContainsFunc(nested[[]any](vmi, "status", "conditions"), func(c any) bool {
		condition, ok := c.(map[string]any)
		return ok && condition["type"] == "Ready" && condition["status"] == "True"
	})
}
