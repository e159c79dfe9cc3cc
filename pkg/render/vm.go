package render

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/keys"
)

// virtualMachine assembles the VirtualMachine: first the fragment of the operating
// system's traits, then the VM's own values.
func (x *rendering) virtualMachine(
	fragment *kubevirtv1.VirtualMachineInstanceSpec, guest *keys.GuestData,
) *kubevirtv1.VirtualMachine {
	vm := &kubevirtv1.VirtualMachine{
		TypeMeta: metav1.TypeMeta{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine"},
		ObjectMeta: metav1.ObjectMeta{
			Name: x.Name, Namespace: x.Namespace, Labels: x.vmLabels(), Annotations: x.vmAnnotations(),
		},
		Spec: kubevirtv1.VirtualMachineSpec{
			DataVolumeTemplates: x.dataVolumeTemplates(guest),
			Template: &kubevirtv1.VirtualMachineInstanceTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: x.templateLabels(), Annotations: x.templateAnnotations()},
			},
		},
	}
	if vm.Spec.Running = x.Running; x.Running == nil {
		vm.Spec.RunStrategy = new(kubevirtv1.VirtualMachineRunStrategy(x.RunStrategy))
	}
	if x.CopiesVolumes() {
		vm.Spec.UpdateVolumesStrategy = new(kubevirtv1.UpdateVolumesStrategyMigration)
	}
	x.setMatchers(&vm.Spec)
	spec := &vm.Spec.Template.Spec
	if x.Preference == nil {
		fragment.DeepCopyInto(spec)
	}
	x.setDomain(&spec.Domain)
	x.addDisks(spec, guest)
	x.addFilesystems(spec)
	x.addNICs(spec)
	x.setScheduling(spec)
	x.addAccessCredentials(spec)
	return vm
}

// setMatchers sets the instance type and the preference.
func (x *rendering) setMatchers(spec *kubevirtv1.VirtualMachineSpec) {
	if t := x.Instancetype; t != nil {
		spec.Instancetype = &kubevirtv1.InstancetypeMatcher{Name: t.Name, Kind: t.Kind, InferFromVolume: x.InstancetypeVolume}
	}
	if p := x.Preference; p != nil {
		spec.Preference = &kubevirtv1.PreferenceMatcher{Name: p.Name, Kind: p.Kind, InferFromVolume: x.PreferenceVolume}
	}
}

func (x *rendering) setDomain(d *kubevirtv1.DomainSpec) {
	x.setCPU(d)
	x.setMemory(d)
	x.setFirmware(d)
	keys.SetTPM(&d.Devices, x.TPM)
	keys.Resources.Set(&d.Resources, &x.Resources)
	keys.SetDevices(&d.Devices, &x.Hardware)
}
