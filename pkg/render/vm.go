package render

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
)

// virtualMachine assembles the VirtualMachine: what the operating system's
// traits say, then what the machine says.
func (x *rendering) virtualMachine(fragment *kubevirtv1.VirtualMachineInstanceSpec, guest *guestData) *kubevirtv1.VirtualMachine {
	vm := &kubevirtv1.VirtualMachine{
		TypeMeta: metav1.TypeMeta{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine"},
		ObjectMeta: metav1.ObjectMeta{
			Name: x.Name, Namespace: x.Namespace, Labels: x.vmLabels(), Annotations: x.vmAnnotations(),
		},
		Spec: kubevirtv1.VirtualMachineSpec{
			RunStrategy:         new(kubevirtv1.VirtualMachineRunStrategy(x.RunStrategy)),
			DataVolumeTemplates: x.dataVolumeTemplates(),
			Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: x.templateLabels(), Annotations: x.templateAnnotations()},
			},
		},
	}
	x.matchers(&vm.Spec)
	spec := &vm.Spec.Template.Spec
	if x.Preference == nil {
		fragment.DeepCopyInto(spec)
	}
	x.domain(&spec.Domain)
	x.disks(spec)
	x.guestDisks(spec, guest)
	x.nics(spec)
	x.scheduling(spec)
	x.accessCredentials(spec)
	return vm
}

// matchers name the instance type and the preference. Neither is ever inferred
// from a volume: KubeVirt replaces `inferFromVolume` when the object is created,
// and what is applied next conflicts with that.
func (x *rendering) matchers(spec *kubevirtv1.VirtualMachineSpec) {
	if t := x.Instancetype; t != nil {
		spec.Instancetype = &kubevirtv1.InstancetypeMatcher{Name: t.Name, Kind: t.Kind}
	}
	if p := x.Preference; p != nil {
		spec.Preference = &kubevirtv1.PreferenceMatcher{Name: p.Name, Kind: p.Kind}
	}
}

func (x *rendering) domain(d *kubevirtv1.DomainSpec) {
	x.cpu(d)
	x.memory(d)
	x.firmware(d)
	x.tpm(d)
	x.devices(d)
	if x.MachineType != "" {
		d.Machine = &kubevirtv1.Machine{Type: x.MachineType}
	}
}

// devices passes devices of the host through.
func (x *rendering) devices(d *kubevirtv1.DomainSpec) {
	for _, g := range x.GPUs {
		d.Devices.GPUs = append(d.Devices.GPUs, kubevirtv1.GPU{Name: g.Name, DeviceName: g.Device})
	}
	for _, h := range x.HostDevices {
		d.Devices.HostDevices = append(d.Devices.HostDevices, kubevirtv1.HostDevice{Name: h.Name, DeviceName: h.Device})
	}
}
