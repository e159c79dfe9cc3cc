package render

import (
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
)

// addDisks appends the disks, and after them those with the guest's data that are none of them.
func (x *rendering) addDisks(spec *kubevirtv1.VirtualMachineInstanceSpec, g *guestData) {
	devices := &spec.Domain.Devices
	const guest = 2 // room for the cloud-init and sysprep disks
	devices.Disks = append(make([]kubevirtv1.Disk, 0, len(devices.Disks)+len(x.Disks)+guest), devices.Disks...)
	spec.Volumes = append(make([]kubevirtv1.Volume, 0, len(spec.Volumes)+len(x.Disks)+guest), spec.Volumes...)
	for i := range x.Disks {
		x.addDisk(spec, g, &x.Disks[i])
	}
	x.addGuestDisks(spec, g)
}

// addDisk appends a disk in KubeVirt's form: a device for the guest, and a
// volume of the same name with its content. An ejected CD-ROM has no volume.
func (x *rendering) addDisk(spec *kubevirtv1.VirtualMachineInstanceSpec, g *guestData, d *machine.Disk) {
	device := x.patchedDisk(d)
	if d.Source.CloudInit && d.Serial == "" {
		device.Serial = x.dataSerial(g)
	}
	spec.Domain.Devices.Disks = append(spec.Domain.Devices.Disks, *device)
	if d.Kind != machine.DiskEjected {
		spec.Volumes = append(spec.Volumes, kubevirtv1.Volume{Name: d.Volume, VolumeSource: x.volumeSource(d, g)})
	}
}

// patchedDisk returns KubeVirt's disk with the user's patch applied.
func (x *rendering) patchedDisk(d *machine.Disk) *kubevirtv1.Disk {
	device := diskDevice(d)
	if !d.Overrides.IsSet() {
		return device
	}
	p := diskPatch(d)
	out := patched(x, device, p)
	x.checkFields(p.over, kindVM, "spec.template.spec.domain.devices.disks[].", p.key)
	return out
}

// diskPatch returns the user's patch on KubeVirt's disk. What has a key of its own is checked there only.
func diskPatch(d *machine.Disk) partPatch {
	own := map[string]string{"name": "it is also the name of the volume"}
	for _, key := range []string{"bootOrder", "serial", "cache", "io", "shareable"} {
		own[key] = "set `" + key + "` of the disk instead"
	}
	for _, device := range []string{"disk", "cdrom", "lun"} {
		if device != d.Type {
			own[device] = "set `type` of the disk instead"
		}
		own[device+".bus"], own[device+".readonly"] = "set `bus` of the disk instead", "set `readOnly` of the disk instead"
	}
	return partPatch{
		over: d.Overrides, key: "disks." + d.Name + ".overrides", owned: own,
		allowed: map[string]string{d.Type + ".bus": "null", "cdrom.readonly": "true"},
	}
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
// the DataVolume, as KubeVirt requires for dataVolumeTemplates. For a disk that is
// copied to another claim, too: only then KubeVirt waits with the copy until CDI does
// not write to the claim (watch/volume-migration/volume-migration.go, ValidateVolumes,
// v1.8.4).
func (x *rendering) volumeSource(d *machine.Disk, g *guestData) kubevirtv1.VolumeSource {
	switch {
	case d.Kind == machine.DiskContainerDisk:
		return kubevirtv1.VolumeSource{ContainerDisk: &kubevirtv1.ContainerDiskSource{
			Image: d.Source.ContainerDisk, ImagePullSecret: d.Source.Secret,
			ImagePullPolicy: corev1.PullPolicy(d.Source.PullPolicy), Path: d.Source.Path,
		}}
	case d.Kind == machine.DiskGuestData:
		return x.guestSource(d, g)
	case d.Kind == machine.DiskFiles:
		return filesSource(&d.Source)
	case d.Kind == machine.DiskEmpty:
		return kubevirtv1.VolumeSource{EmptyDisk: &kubevirtv1.EmptyDiskSource{Capacity: x.capacity(d)}}
	case d.Source.DataVolume != "" || d.Kind == machine.DiskDataVolume && (!d.Keep || d.Revision > 1):
		return kubevirtv1.VolumeSource{DataVolume: &kubevirtv1.DataVolumeSource{Name: d.Claim, Hotpluggable: d.Hotpluggable}}
	}
	return kubevirtv1.VolumeSource{PersistentVolumeClaim: &kubevirtv1.PersistentVolumeClaimVolumeSource{
		PersistentVolumeClaimVolumeSource: corev1.PersistentVolumeClaimVolumeSource{ClaimName: d.Claim},
		Hotpluggable:                      d.Hotpluggable,
	}}
}

// filesSource returns the reference to files that the guest gets as a disk.
func filesSource(s *catalog.Source) kubevirtv1.VolumeSource {
	switch {
	case s.ConfigMap != "":
		return kubevirtv1.VolumeSource{ConfigMap: &kubevirtv1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: s.ConfigMap}, VolumeLabel: s.VolumeLabel,
		}}
	case s.ServiceAccount != "":
		return kubevirtv1.VolumeSource{ServiceAccount: &kubevirtv1.ServiceAccountVolumeSource{
			ServiceAccountName: s.ServiceAccount,
		}}
	case s.DownwardMetrics:
		return kubevirtv1.VolumeSource{DownwardMetrics: &kubevirtv1.DownwardMetricsVolumeSource{}}
	}
	return kubevirtv1.VolumeSource{Secret: &kubevirtv1.SecretVolumeSource{
		SecretName: s.Secret, VolumeLabel: s.VolumeLabel,
	}}
}

// addFilesystems appends the directories that the guest mounts.
func (x *rendering) addFilesystems(spec *kubevirtv1.VirtualMachineInstanceSpec) {
	devices := &spec.Domain.Devices
	for i := range x.Filesystems {
		f := &x.Filesystems[i]
		devices.Filesystems = append(devices.Filesystems, kubevirtv1.Filesystem{
			Name: f.Name, Virtiofs: &kubevirtv1.FilesystemVirtiofs{},
		})
		source := filesSource(&catalog.Source{ConfigMap: f.ConfigMap, Secret: f.Secret, ServiceAccount: f.ServiceAccount})
		if f.Claim != "" {
			source = kubevirtv1.VolumeSource{PersistentVolumeClaim: &kubevirtv1.PersistentVolumeClaimVolumeSource{
				PersistentVolumeClaimVolumeSource: corev1.PersistentVolumeClaimVolumeSource{ClaimName: f.Claim},
			}}
		}
		spec.Volumes = append(spec.Volumes, kubevirtv1.Volume{Name: f.Name, VolumeSource: source})
	}
}
