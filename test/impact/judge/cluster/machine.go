package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

// Boot creates the VM of a manifest and makes it run or stop, as far as its run
// strategy permits.
func (c *Cluster) Boot(manifest []byte, running bool) error {
	vm, err := c.read(manifest)
	if err != nil {
		return err
	}
	if err := c.provide(vm); err != nil {
		return err
	}
	strategy, _ := vm.RunStrategy() // the webhook refuses a VM that has two
	byHand := running && strategy == v1.RunStrategyManual
	if byHand {
		setStrategy(vm, v1.RunStrategyAlways)
	}
	c.server.admission.byGitOps = true
	_, err = c.VirtualMachine(Namespace).Create(context.Background(), vm, metav1.CreateOptions{})
	c.server.admission.byGitOps = false
	if err != nil {
		return err
	}
	if err := c.Settle(); err != nil {
		return err
	}
	switch {
	case byHand:
		return c.edit(func(vm *v1.VirtualMachine) { setStrategy(vm, strategy) })
	case !running && (strategy == v1.RunStrategyRerunOnFailure || strategy == v1.RunStrategyOnce):
		return c.powerOff()
	default:
		return nil
	}
}

// read decodes a manifest, or returns a *[Refusal] of the schema.
func (c *Cluster) read(raw []byte) (*v1.VirtualMachine, error) {
	if err := c.server.admission.validate(raw); err != nil {
		return nil, err
	}
	vm := &v1.VirtualMachine{}
	if err := json.Unmarshal(raw, vm); err != nil {
		return nil, &Refusal{By: "schema", Messages: []string{err.Error()}}
	}
	return vm, nil
}

func setStrategy(vm *v1.VirtualMachine, strategy v1.VirtualMachineRunStrategy) {
	vm.Spec.Running, vm.Spec.RunStrategy = nil, &strategy
}

// edit changes the VM without admission.
func (c *Cluster) edit(change func(*v1.VirtualMachine)) error {
	vm, err := c.Machine()
	if err != nil {
		return err
	}
	change(vm)
	if err := c.write(vm); err != nil {
		return err
	}
	return c.Settle()
}

// write updates the VM and its status without admission.
func (c *Cluster) write(vm *v1.VirtualMachine) error {
	c.server.admission.suspended = true
	defer func() { c.server.admission.suspended = false }()
	ctx := context.Background()
	status := vm.DeepCopy()
	if _, err := c.VirtualMachine(Namespace).Update(ctx, vm, metav1.UpdateOptions{}); err != nil {
		return err
	}
	_, err := c.VirtualMachine(Namespace).UpdateStatus(ctx, status, metav1.UpdateOptions{})
	return err
}

// powerOff powers off the VM from inside the guest.
func (c *Cluster) powerOff() error {
	vmi, err := c.Instance()
	if err != nil {
		return err
	}
	if vmi == nil {
		return errors.New("no instance to power off")
	}
	if err := c.removePod(vmi); err != nil {
		return err
	}
	vmi.Status.Phase = v1.Succeeded
	if _, err := c.VirtualMachineInstance(Namespace).Update(context.Background(), vmi, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return c.Settle()
}

// Power starts or stops the VM as virt-api does with the run strategies RerunOnFailure and Manual: by a request in its
// status (v1.8.4, pkg/virt-api/rest/lifecycle.go, StartVMRequestHandler and StopVMRequestHandler).
func (c *Cluster) Power(on bool) error {
	request := v1.VirtualMachineStateChangeRequest{Action: v1.StartRequest}
	if !on {
		vmi, err := c.Instance()
		if err != nil || vmi == nil {
			return errors.Join(err, errors.New("no instance to stop"))
		}
		request = v1.VirtualMachineStateChangeRequest{Action: v1.StopRequest, UID: &vmi.UID}
	}
	return c.edit(func(vm *v1.VirtualMachine) {
		vm.Status.StateChangeRequests = []v1.VirtualMachineStateChangeRequest{request}
	})
}

// Patch changes the VM by a merge patch, as GitOps does, lets the controllers
// act, and returns the admitted VM. A refusal is a *[Refusal].
func (c *Cluster) Patch(patch []byte) (*v1.VirtualMachine, error) {
	live, err := c.Machine()
	if err != nil {
		return nil, err
	}
	live.APIVersion, live.Kind = v1.GroupVersion.String(), "VirtualMachine"
	raw, err := json.Marshal(live)
	if err != nil {
		return nil, err
	}
	if raw, err = jsonpatch.MergePatch(raw, patch); err != nil {
		return nil, err
	}
	vm, err := c.read(raw)
	if err != nil {
		return nil, err
	}
	c.server.admission.byGitOps = true
	admitted, err := c.VirtualMachine(Namespace).Update(context.Background(), vm, metav1.UpdateOptions{})
	c.server.admission.byGitOps = false
	if err != nil {
		return nil, err
	}
	return admitted.DeepCopy(), c.Settle()
}

// Restart restarts the VM, whatever its run strategy is. If the VM does not
// start, it returns the reason.
func (c *Cluster) Restart() (string, error) {
	for _, i := range []int{1, 2, 4} { // instances, migrations, Pods
		if err := c.kinds[i].replace(nil); err != nil {
			return "", err
		}
	}
	if err := c.deliver(); err != nil {
		return "", err
	}
	err := c.edit(func(vm *v1.VirtualMachine) {
		setStrategy(vm, v1.RunStrategyAlways)
		vm.Status.StartFailure, vm.Status.StateChangeRequests, vm.Status.Conditions = nil, nil, nil
	})
	if err != nil {
		return "", err
	}
	vmi, err := c.Instance()
	if err != nil || vmi != nil {
		return "", err
	}
	vm, err := c.Machine()
	if err != nil {
		return "", err
	}
	for _, condition := range vm.Status.Conditions {
		if condition.Type == v1.VirtualMachineFailure && condition.Status == corev1.ConditionTrue {
			return condition.Message, nil
		}
	}
	return "no reason is given", nil
}

// Provide creates the disks that a manifest names but no template creates.
func (c *Cluster) Provide(manifest map[string]any) error {
	raw, err := json.Marshal(manifest)
	if err != nil {
		return err
	}
	vm := &v1.VirtualMachine{}
	if json.Unmarshal(raw, vm) != nil {
		return nil // the schema reports it
	}
	return c.provide(vm)
}

func (c *Cluster) provide(vm *v1.VirtualMachine) error {
	if vm.Spec.Template == nil {
		return nil
	}
	made := map[string]bool{}
	for i := range vm.Spec.DataVolumeTemplates {
		made[vm.Spec.DataVolumeTemplates[i].Name] = true
	}
	for i := range vm.Spec.Template.Spec.Volumes {
		volume := &vm.Spec.Template.Spec.Volumes[i]
		var err error
		switch {
		case volume.DataVolume != nil && !made[volume.DataVolume.Name]:
			err = c.dataVolume(volume.DataVolume.Name)
		case volume.PersistentVolumeClaim != nil && !made[volume.PersistentVolumeClaim.ClaimName]:
			err = c.claim(volume.PersistentVolumeClaim.ClaimName, nil)
		}
		if err != nil {
			return fmt.Errorf("volume %s: %w", volume.Name, err)
		}
	}
	return nil
}

// dataVolume creates a filled DataVolume unless there is one with that name.
func (c *Cluster) dataVolume(name string) error {
	known, err := c.DataVolumes()
	if err != nil {
		return err
	}
	for _, other := range known {
		if other == name {
			return nil
		}
	}
	dv := &cdiv1.DataVolume{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: Namespace}}
	dv.Status.Phase = cdiv1.Unknown
	if _, err := c.cdi.CdiV1beta1().DataVolumes(Namespace).Create(context.Background(), dv, metav1.CreateOptions{}); err != nil {
		return err
	}
	if err := c.deliver(); err != nil {
		return err
	}
	if err := c.playStorage(); err != nil {
		return err
	}
	return c.deliver()
}
