package keys

import (
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/machine"
)

// Disk is the rows of a disk as the guest sees it.
var Disk = Table[kubevirtv1.Disk, machine.Disk]{
	Part: "disk",
	Rows: []Row[kubevirtv1.Disk, machine.Disk]{
		{
			Key: "name", Path: "name", Instead: "it is also the name of the volume",
			Set: func(d *kubevirtv1.Disk, m *machine.Disk) { d.Name = m.Volume },
		},
		{
			Key: "type", Patched: true, Set: setTarget, // a patch may change fields of the type that the disk has
			Get:     func(d *kubevirtv1.Disk, _ *Inherited) any { return targetOf(d).kind },
			Default: func(*kubevirtv1.Disk, *Inherited) string { return plainDisk },
		},
		{
			Key: "bus", Also: []string{"disk.bus", "cdrom.bus", "lun.bus"}, Nullable: true, // see setTarget
			Get:     func(d *kubevirtv1.Disk, _ *Inherited) any { return targetOf(d).bus },
			Default: func(d *kubevirtv1.Disk, in *Inherited) string { return in.Bus(targetOf(d).kind) },
		},
		{
			Key: "bootOrder", Path: "bootOrder",
			Set: func(d *kubevirtv1.Disk, m *machine.Disk) { d.BootOrder = m.BootOrder },
			Get: func(d *kubevirtv1.Disk, _ *Inherited) any { return number(d.BootOrder) },
		},
		{
			Key: "cache", Path: "cache",
			Set: func(d *kubevirtv1.Disk, m *machine.Disk) { d.Cache = kubevirtv1.DriverCache(m.Cache) },
			Get: func(d *kubevirtv1.Disk, _ *Inherited) any { return string(d.Cache) },
		},
		{
			Key: "io", Path: "io",
			Set: func(d *kubevirtv1.Disk, m *machine.Disk) { d.IO = kubevirtv1.DriverIO(m.IO) },
			Get: func(d *kubevirtv1.Disk, _ *Inherited) any { return string(d.IO) },
		},
		{
			Key: "serial", Path: "serial",
			Set: func(d *kubevirtv1.Disk, m *machine.Disk) { d.Serial = m.Serial },
			Get: func(d *kubevirtv1.Disk, _ *Inherited) any { return d.Serial },
		},
		{
			Key: "readOnly", Also: []string{"disk.readonly", "cdrom.readonly", "lun.readonly"}, // see setTarget
			Get: func(d *kubevirtv1.Disk, _ *Inherited) any { return targetOf(d).readOnly },
		},
		{
			Key: "shareable", Path: "shareable",
			Set: func(d *kubevirtv1.Disk, m *machine.Disk) {
				if m.Shareable {
					d.Shareable = new(true)
				}
			},
			Get: func(d *kubevirtv1.Disk, _ *Inherited) any { return d.Shareable },
		},
	},
}

// plainDisk is the type of disks that name none.
const plainDisk = "disk"

// setTarget writes the type of a disk, which contains its bus and whether it is read-only.
func setTarget(d *kubevirtv1.Disk, m *machine.Disk) {
	bus := kubevirtv1.DiskBus(m.Bus)
	switch m.Type {
	case "cdrom":
		d.CDRom = &kubevirtv1.CDRomTarget{Bus: bus} // always read-only
	case "lun":
		d.LUN = &kubevirtv1.LunTarget{Bus: bus, ReadOnly: m.ReadOnly}
	default:
		d.Disk = &kubevirtv1.DiskTarget{Bus: bus, ReadOnly: m.ReadOnly}
	}
}

// target is what [setTarget] writes.
type target struct {
	kind, bus string
	readOnly  bool
}

func targetOf(d *kubevirtv1.Disk) target {
	switch {
	case d.CDRom != nil:
		return target{"cdrom", string(d.CDRom.Bus), false}
	case d.LUN != nil:
		return target{"lun", string(d.LUN.Bus), d.LUN.ReadOnly}
	case d.Disk != nil:
		return target{plainDisk, string(d.Disk.Bus), d.Disk.ReadOnly}
	}
	return target{kind: plainDisk}
}

// TypeOf returns the type of a disk as `type` has it: "disk", "cdrom" or "lun".
func TypeOf(d *kubevirtv1.Disk) string { return targetOf(d).kind }

// Bus returns the bus of disks of a type that name none, or "" if a preference or KubeVirt chooses it.
func (in *Inherited) Bus(kind string) string {
	return in.OS.BusOfDisk(kind, in.Hotpluggable, in.Preferred)
}

// Storage is the rows of the claim of a disk. Its size is set elsewhere: what it is by itself depends on the source.
var Storage = Table[cdiv1.StorageSpec, machine.Disk]{
	Part: "disk",
	Rows: []Row[cdiv1.StorageSpec, machine.Disk]{
		{Key: "size", Path: "resources.requests"},
		{
			Key: "storageClass", Path: "storageClassName",
			Set: func(s *cdiv1.StorageSpec, d *machine.Disk) { s.StorageClassName = optional(&d.StorageClass) },
			Get: func(s *cdiv1.StorageSpec, _ *Inherited) any { return valueOf(s.StorageClassName) },
		},
		{
			Key: "accessMode", Path: "accessModes",
			Set: func(s *cdiv1.StorageSpec, d *machine.Disk) {
				if d.AccessMode != "" {
					s.AccessModes = []corev1.PersistentVolumeAccessMode{corev1.PersistentVolumeAccessMode(d.AccessMode)}
				}
			},
			Get: func(s *cdiv1.StorageSpec, _ *Inherited) any {
				if len(s.AccessModes) != 1 {
					return nil
				}
				return string(s.AccessModes[0])
			},
		},
		{
			Key: "volumeMode", Path: "volumeMode",
			Set: func(s *cdiv1.StorageSpec, d *machine.Disk) {
				if d.VolumeMode != "" {
					s.VolumeMode = new(corev1.PersistentVolumeMode(d.VolumeMode))
				}
			},
			Get: func(s *cdiv1.StorageSpec, _ *Inherited) any { return string(valueOf(s.VolumeMode)) },
		},
	},
}
