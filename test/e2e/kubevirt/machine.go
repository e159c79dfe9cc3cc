package kubevirt

import (
	"context"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// NeverReady is a label of machines whose guests do not come up.
const NeverReady = "e2e.vmrender.io/never-ready"

// run is Controller.sync of a machine: it stays until its instance has gone and
// its finalizer is removed, gets the disks of its templates, and has an instance
// unless it is to be stopped.
func (c *controllers) run(ctx context.Context, vm *unstructured.Unstructured) error {
	instance, err := c.instance(ctx, vm)
	if err != nil {
		return err
	}
	held := slices.Contains(vm.GetFinalizers(), finalizer)
	switch {
	case vm.GetDeletionTimestamp() != nil && instance != nil:
		return c.stop(ctx, instance)
	case vm.GetDeletionTimestamp() != nil && held:
		vm.SetFinalizers(slices.DeleteFunc(vm.GetFinalizers(), func(f string) bool { return f == finalizer }))
		return c.update(ctx, vm)
	case vm.GetDeletionTimestamp() != nil:
		return nil
	case !held:
		vm.SetFinalizers(append(vm.GetFinalizers(), finalizer))
		return c.update(ctx, vm) // which brings it here again
	}
	if err := c.createDisks(ctx, vm); err != nil {
		return err
	}
	switch {
	case instance != nil && (!wanted(vm) || stopRequested(vm, instance)):
		return c.stop(ctx, instance)
	case instance == nil && wanted(vm):
		return c.start(ctx, vm)
	}
	return c.setStatus(ctx, VirtualMachines, vm, machineStatus(vm, instance))
}

func (c *controllers) update(ctx context.Context, vm *unstructured.Unstructured) error {
	_, err := c.client.Resource(VirtualMachines).Namespace(vm.GetNamespace()).Update(ctx, vm, metav1.UpdateOptions{})
	return err
}

// instance is what runs of the machine, or nil.
func (c *controllers) instance(ctx context.Context, vm *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	instance, err := c.client.Resource(Instances).Namespace(vm.GetNamespace()).Get(ctx, vm.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	return instance, err
}

// stop is Controller.stopVMI.
func (c *controllers) stop(ctx context.Context, instance *unstructured.Unstructured) error {
	return c.client.Resource(Instances).Namespace(instance.GetNamespace()).Delete(ctx, instance.GetName(), metav1.DeleteOptions{})
}

// start is Controller.startVMI, and virt-handler, which says that it runs. The
// instance gets the machine's template as it is now.
func (c *controllers) start(ctx context.Context, vm *unstructured.Unstructured) error {
	spec, _, err := unstructured.NestedMap(vm.Object, "spec", "template", "spec")
	if err != nil {
		return err
	}
	ready := condition("Ready", "True", "")
	if vm.GetLabels()[NeverReady] != "" {
		ready = condition("Ready", "False", "GuestNotRunning")
	}
	instance := &unstructured.Unstructured{Object: map[string]any{
		"spec":   spec,
		"status": map[string]any{"phase": "Running", "conditions": []any{ready}},
	}}
	instance.SetGroupVersionKind(Instances.GroupVersion().WithKind("VirtualMachineInstance"))
	instance.SetName(vm.GetName())
	instance.SetNamespace(vm.GetNamespace())
	instance.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(vm, vm.GroupVersionKind())})
	_, err = c.client.Resource(Instances).Namespace(vm.GetNamespace()).Create(ctx, instance, metav1.CreateOptions{})
	return err
}

// createDisks is Controller.handleDataVolumes: every template becomes a
// DataVolume of that name, unless there is one, that its machine owns.
func (c *controllers) createDisks(ctx context.Context, vm *unstructured.Unstructured) error {
	templates, _, err := unstructured.NestedSlice(vm.Object, "spec", "dataVolumeTemplates")
	if err != nil {
		return err
	}
	for _, template := range templates {
		content, ok := template.(map[string]any)
		if !ok {
			continue
		}
		disk := &unstructured.Unstructured{Object: content}
		disk.SetGroupVersionKind(DataVolumes.GroupVersion().WithKind("DataVolume"))
		disk.SetNamespace(vm.GetNamespace())
		disk.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(vm, vm.GroupVersionKind())})
		_, err := c.client.Resource(DataVolumes).Namespace(vm.GetNamespace()).Create(ctx, disk, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return nil
}

// wanted tells whether the run strategy wants an instance by itself.
func wanted(vm *unstructured.Unstructured) bool {
	strategy, _, err := unstructured.NestedString(vm.Object, "spec", "runStrategy")
	return err == nil && strategy != "Halted" && strategy != "Manual"
}

// stopRequested tells whether virt-api has asked to stop this instance.
func stopRequested(vm, instance *unstructured.Unstructured) bool {
	requests, _, err := unstructured.NestedSlice(vm.Object, "status", "stateChangeRequests")
	if err != nil || len(requests) == 0 {
		return false
	}
	request, ok := requests[0].(map[string]any)
	return ok && request["action"] == "Stop" && request["uid"] == string(instance.GetUID())
}

// machineStatus is what Controller.updateStatus says of a machine. An instance
// that is there has taken the requests to start it off.
func machineStatus(vm, instance *unstructured.Unstructured) map[string]any {
	status := map[string]any{
		"created": instance != nil, "ready": false, "printableStatus": "Stopped", "stateChangeRequests": nil,
		"conditions":        []any{condition("Ready", "False", "VMINotExists")},
		"desiredGeneration": vm.GetGeneration(),
	}
	if instance == nil {
		return status
	}
	conditions, _, _ := unstructured.NestedSlice(instance.Object, "status", "conditions") //nolint:errcheck // they are ours
	if restartRequired(vm, instance) {
		conditions = append(conditions, condition("RestartRequired", "True", "RestartRequired"))
	}
	status["printableStatus"], status["conditions"] = "Running", conditions
	status["ready"] = vm.GetLabels()[NeverReady] == ""
	return status
}

// restartRequired is Controller.addRestartRequiredIfNeeded, for changes that
// cannot be made to a machine that runs; here there are no others.
func restartRequired(vm, instance *unstructured.Unstructured) bool {
	wanted, _, err := unstructured.NestedMap(vm.Object, "spec", "template", "spec")
	if err != nil {
		return false
	}
	return !apiequality.Semantic.DeepEqual(wanted, instance.Object["spec"])
}

// fill is CDI's controller of a DataVolume whose disk is complete.
func (c *controllers) fill(ctx context.Context, disk *unstructured.Unstructured) error {
	if disk.GetDeletionTimestamp() != nil {
		return nil
	}
	return c.setStatus(ctx, DataVolumes, disk, map[string]any{
		"phase": "Succeeded", "progress": "100.0%", "claimName": disk.GetName(),
		"conditions": []any{condition("Bound", "True", "Bound"), condition("Ready", "True", ""), condition("Running", "False", "Completed")},
	})
}

func condition(kind, status, reason string) map[string]any {
	c := map[string]any{"type": kind, "status": status}
	if reason != "" {
		c["reason"] = reason
	}
	return c
}
