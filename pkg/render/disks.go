package render

import (
	"maps"
	"sync"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
)

// addDisks appends the disks, and after them those with the guest's data that are none of them.
func (x *rendering) addDisks(spec *kubevirtv1.VirtualMachineInstanceSpec, g *keys.GuestData) {
	var space [2]*machine.Disk
	data := x.appendGuestDisks(space[:0])
	devices, n := &spec.Domain.Devices, len(x.Disks)+len(data)
	devices.Disks = append(make([]kubevirtv1.Disk, 0, len(devices.Disks)+n), devices.Disks...)
	spec.Volumes = append(make([]kubevirtv1.Volume, 0, len(spec.Volumes)+n), spec.Volumes...)
	for i := range x.Disks {
		x.addDisk(spec, g, &x.Disks[i])
	}
	for _, d := range data {
		x.addDisk(spec, g, d)
	}
}

// addDisk appends a disk in KubeVirt's form: a device for the guest, and a
// volume of the same name with its content. An ejected CD-ROM has no volume.
func (x *rendering) addDisk(spec *kubevirtv1.VirtualMachineInstanceSpec, g *keys.GuestData, d *machine.Disk) {
	devices := &spec.Domain.Devices
	devices.Disks = append(devices.Disks, kubevirtv1.Disk{})
	device := &devices.Disks[len(devices.Disks)-1]
	keys.Disk.Set(device, d)
	if d.Overrides.IsSet() {
		*device = *x.patchedDisk(device, d)
	}
	if d.Source.CloudInit && d.Serial == "" {
		device.Serial = x.dataSerial(g)
	}
	if d.Kind != machine.DiskEjected {
		spec.Volumes = append(spec.Volumes, x.volume(d, g))
	}
}

// patchedDisk returns KubeVirt's disk with the user's patch applied.
func (x *rendering) patchedDisk(device *kubevirtv1.Disk, d *machine.Disk) *kubevirtv1.Disk {
	p := diskPatch(d)
	out := patched(x, device, p)
	x.checkFields(p.over, kindVM, "spec.template.spec.domain.devices.disks[].", p.key)
	return out
}

// ownedDisk is what no patch on a disk changes: what has a key of its own.
var ownedDisk = sync.OnceValue(keys.Disk.Owned)

// diskPatch returns the user's patch on KubeVirt's disk.
func diskPatch(d *machine.Disk) partPatch {
	own := maps.Clone(ownedDisk())
	for _, device := range []string{"disk", "cdrom", "lun"} {
		if device != d.Type {
			own[device] = "set `type` of the disk instead"
		}
	}
	allowed := keys.Disk.Allowed()
	allowed["cdrom.readonly"] = "true" // which it is anyway
	return partPatch{over: d.Overrides, key: "disks." + d.Name + ".overrides", owned: own, allowed: allowed}
}

// volume returns the volume of a disk.
func (x *rendering) volume(d *machine.Disk, g *keys.GuestData) kubevirtv1.Volume {
	out := kubevirtv1.Volume{Name: d.Volume}
	switch {
	case d.Kind == machine.DiskGuestData && d.Source.Sysprep:
		out.Sysprep = new(kubevirtv1.SysprepSource)
		keys.Sysprep.Set(out.Sysprep, &x.Sysprep.Sysprep)
	case d.Kind == machine.DiskGuestData:
		keys.SetCloudInit(&out.VolumeSource, x.CloudInit, g)
	case d.Kind == machine.DiskVolume:
		x.decode(d.Source.Volume, &out.VolumeSource, "disks."+d.Name+".source.volume")
	default:
		x.checkCapacity(d)
		keys.SetVolume(&out.VolumeSource, d)
	}
	return out
}

// checkCapacity reports a scratch disk without a size: it has no source to take one from.
func (x *rendering) checkCapacity(d *machine.Disk) {
	if d.Kind == machine.DiskEmpty && d.Size == "" {
		x.diags.Errorf(d.Pos, rule.MissingKey, x.path("disks."+d.Name+".size"),
			"missing size; expected a quantity such as \"10Gi\"")
	}
}

// addFilesystems appends the directories that the guest mounts.
func (x *rendering) addFilesystems(spec *kubevirtv1.VirtualMachineInstanceSpec) {
	devices := &spec.Domain.Devices
	for i := range x.Filesystems {
		f := &x.Filesystems[i]
		devices.Filesystems = append(devices.Filesystems, kubevirtv1.Filesystem{
			Name: f.Name, Virtiofs: &kubevirtv1.FilesystemVirtiofs{},
		})
		volume := kubevirtv1.Volume{Name: f.Name}
		keys.SetFilesystem(&volume.VolumeSource, f)
		spec.Volumes = append(spec.Volumes, volume)
	}
}
