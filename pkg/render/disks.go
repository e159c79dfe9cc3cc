package render

import (
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/machine"
)

// addDisks writes each disk as KubeVirt expects it: a device for the guest, and a
// volume of the same name with its content. An ejected CD-ROM has no volume.
func (x *rendering) addDisks(spec *kubevirtv1.VirtualMachineInstanceSpec) {
	devices := &spec.Domain.Devices
	const guest = 2 // cloud-init and answer file
	devices.Disks = append(make([]kubevirtv1.Disk, 0, len(devices.Disks)+len(x.Disks)+guest), devices.Disks...)
	spec.Volumes = append(make([]kubevirtv1.Volume, 0, len(spec.Volumes)+len(x.Disks)+guest), spec.Volumes...)
	for i := range x.Disks {
		d := &x.Disks[i]
		devices.Disks = append(devices.Disks, diskDevice(d))
		if d.Kind != machine.DiskEjected {
			spec.Volumes = append(spec.Volumes, kubevirtv1.Volume{Name: d.Volume, VolumeSource: x.volumeSource(d)})
		}
	}
}

func diskDevice(d *machine.Disk) kubevirtv1.Disk {
	out := kubevirtv1.Disk{
		Name: d.Volume, BootOrder: d.BootOrder, Serial: d.Serial,
		Cache: kubevirtv1.DriverCache(d.Cache), IO: kubevirtv1.DriverIO(d.IO),
	}
	bus := kubevirtv1.DiskBus(d.Bus)
	switch d.Type {
	case "cdrom":
		out.CDRom = &kubevirtv1.CDRomTarget{Bus: bus} // read-only anyway
	case "lun":
		out.LUN = &kubevirtv1.LunTarget{Bus: bus, ReadOnly: d.ReadOnly}
	default:
		out.Disk = &kubevirtv1.DiskTarget{Bus: bus, ReadOnly: d.ReadOnly}
	}
	if d.Shareable {
		out.Shareable = new(true)
	}
	return out
}

// volumeSource refers to the disk's content.
//
// A disk that survives its machine is referred to by claim: virt-controller
// waits until the claim is there and filled (watch/vmi/datavolumes.go, v1.8.4),
// and a restore may put another claim in its place without the DataVolume
// coming back. One that the machine owns is referred to by DataVolume, as
// KubeVirt wants for dataVolumeTemplates.
func (x *rendering) volumeSource(d *machine.Disk) kubevirtv1.VolumeSource {
	switch {
	case d.Kind == machine.DiskContainerDisk:
		return kubevirtv1.VolumeSource{ContainerDisk: &kubevirtv1.ContainerDiskSource{
			Image: d.Source.ContainerDisk, ImagePullSecret: d.Source.Secret,
		}}
	case d.Kind == machine.DiskEmpty:
		return kubevirtv1.VolumeSource{EmptyDisk: &kubevirtv1.EmptyDiskSource{Capacity: x.capacity(d)}}
	case d.Kind == machine.DiskDataVolume && !d.Keep:
		return kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: d.Claim, Hotpluggable: d.Hotpluggable}}
	}
	return kubevirtv1.VolumeSource{PersistentVolumeClaim: &kubevirtv1.PersistentVolumeClaimVolumeSource{
		PersistentVolumeClaimVolumeSource: corev1.PersistentVolumeClaimVolumeSource{ClaimName: d.Claim},
		Hotpluggable:                      d.Hotpluggable,
	}}
}
