package render

import (
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/machine"
)

// addDisks appends each disk in KubeVirt's form: a device for the guest, and a
// volume of the same name with its content. An ejected CD-ROM has no volume.
func (x *rendering) addDisks(spec *kubevirtv1.VirtualMachineInstanceSpec) {
	devices := &spec.Domain.Devices
	const guest = 2 // room for the cloud-init and sysprep disks
	devices.Disks = append(make([]kubevirtv1.Disk, 0, len(devices.Disks)+len(x.Disks)+guest), devices.Disks...)
	spec.Volumes = append(make([]kubevirtv1.Volume, 0, len(spec.Volumes)+len(x.Disks)+guest), spec.Volumes...)
	for i := range x.Disks {
		d := &x.Disks[i]
		devices.Disks = append(devices.Disks, *patched(x, diskDevice(d), diskPatch(d)))
		if d.Kind != machine.DiskEjected {
			spec.Volumes = append(spec.Volumes, kubevirtv1.Volume{Name: d.Volume, VolumeSource: x.volumeSource(d)})
		}
	}
}

// diskPatch returns the user's patch on KubeVirt's disk. What has a key of its own is checked there only.
func diskPatch(d *machine.Disk) partPatch {
	own := map[string]string{"name": "it is the name of the volume, too"}
	for _, key := range []string{"bootOrder", "serial", "cache", "io", "shareable"} {
		own[key] = "set `" + key + "` of the disk instead"
	}
	for _, device := range []string{"disk", "cdrom", "lun"} {
		if device != d.Type {
			own[device] = "set `type` of the disk instead"
		}
		own[device+".bus"], own[device+".readonly"] = "set `bus` of the disk instead", "set `readOnly` of the disk instead"
	}
	return partPatch{over: d.Overrides, key: "disks." + d.Name + ".overrides", owned: own}
}

func diskDevice(d *machine.Disk) *kubevirtv1.Disk {
	out := &kubevirtv1.Disk{
		Name: d.Volume, BootOrder: d.BootOrder, Serial: d.Serial,
		Cache: kubevirtv1.DriverCache(d.Cache), IO: kubevirtv1.DriverIO(d.IO),
	}
	bus := kubevirtv1.DiskBus(d.Bus)
	switch d.Type {
	case "cdrom":
		out.CDRom = &kubevirtv1.CDRomTarget{Bus: bus} // always read-only
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

// volumeSource returns the reference to the disk's content.
//
// For a disk that survives its VM it names the PVC: virt-controller waits until
// the PVC exists and is filled (watch/vmi/datavolumes.go, v1.8.4), and a restore
// may replace the PVC without the DataVolume. For a disk that the VM owns it names
// the DataVolume, as KubeVirt requires for dataVolumeTemplates.
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
