package resolve

import (
	"cmp"
	"slices"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// rootVolume is the name of the root disk's volume.
const rootVolume = "rootdisk"

// reservedVolumes are the volume names that vmrender itself uses.
var reservedVolumes = map[string]string{
	rootVolume: "the root disk", machine.CloudInitVolume: "cloud-init", machine.SysprepVolume: "the answer file",
	driversDisk: "the drivers",
}

// disks returns the disks, root first if there is one, then in the order written.
func (d *draft) disks() []machine.Disk {
	names := d.diskNames()
	disks := make([]machine.Disk, 0, len(names))
	d.expandDiskLabels()
	for _, name := range names {
		if in := d.vm.Disks[name]; in != nil {
			disks = append(disks, machine.Disk{Name: name})
			d.setDisk(&disks[len(disks)-1], in)
		}
	}
	return append(disks, d.drivers()...)
}

// diskNames returns the keys of `disks`, root first, then in the order written.
func (d *draft) diskNames() []string {
	disks := d.entry.Keys.Get("disks").Entries()
	names := make([]string, 0, len(disks))
	for _, f := range disks {
		names = append(names, f.Key)
	}
	if i := slices.Index(names, values.RootDisk); i > 0 {
		copy(names[1:i+1], names[:i])
		names[0] = values.RootDisk
	}
	return names
}

// checkBoot reports a VM without a root disk, if there is nothing else to boot from: another disk, a NIC in the boot
// order, or what is patched, such as `kernelBoot`.
func (d *draft) checkBoot(m *machine.Machine) {
	inOrder := func(n machine.NIC) bool { return n.BootOrder != nil }
	inserted := func(disk machine.Disk) bool {
		return disk.Kind != machine.DiskEjected && disk.Kind != machine.DiskGuestData
	}
	if d.vm.Disks[values.RootDisk] != nil || slices.ContainsFunc(m.Disks, inserted) ||
		slices.ContainsFunc(m.NICs, inOrder) || len(m.Patches) > 0 ||
		overrides(m, "firmware", "kernelBoot") || overrides(m, "devices", "disks") {
		return
	}
	d.reportNew(d.entry.KeyAt("disks", values.RootDisk), rule.NoRoot, "disks."+values.RootDisk,
		"the disk is removed, and there is nothing else to boot from; set `bootOrder` of a NIC (PXE), "+
			"or `overrides` with `firmware.kernelBoot`")
}

// overrides reports whether an override sets a part of the domain.
func overrides(m *machine.Machine, path ...string) bool {
	path = append([]string{"spec", "template", "spec", "domain"}, path...)
	return slices.ContainsFunc(m.Overrides, func(o *source.Node) bool { return o.Get(path...).IsSet() })
}

// setDisk sets a disk, which has only its name, to what its keys specify.
func (d *draft) setDisk(out *machine.Disk, in *values.Disk) {
	name := out.Name
	*out = machine.Disk{
		Name: name, Volume: volumeName(name, in), Size: in.Size, Bus: in.Bus, Type: cmp.Or(in.Type, "disk"),
		BootOrder: in.BootOrder,
		Cache:     in.Cache, IO: in.IO, Serial: in.Serial,
		ReadOnly: values.IsTrue(in.ReadOnly), Shareable: values.IsTrue(in.Shareable),
		Preallocation: in.Preallocation, ExpandTo: in.ExpandTo,
		Pos: d.entry.At("disks", name), Overrides: in.Overrides, DataVolume: in.DataVolume,
	}
	if in.Revision != nil {
		out.Revision = *in.Revision
	}
	if out.Migrated = d.filledByMigration(name, in); !out.Migrated {
		d.setSource(out, in)
	}
	d.checkDiskName(out)
	if out.Source.Sysprep {
		out.Type = cmp.Or(in.Type, "cdrom")
	}
	if out.Kind != machine.DiskDataVolume && d.entry.FromOS("disks", name, "dataVolume") {
		out.DataVolume = nil // the operating system's is for a disk that CDI fills
	}
	if isClone(&out.Source) && d.entry.FromOS("disks", name, "size") && !d.entry.FromOS("disks", name, "source") {
		out.Size = "" // the operating system's is that of its own image
	}
	d.diskClass(out, in)
	d.diskPVC(out)
	out.Hotpluggable = values.IsTrue(in.Hotpluggable)
	d.diskBus(out)
	if in.Hotpluggable == nil {
		out.Hotpluggable = d.plugs(out)
	}
	out.Keep = d.keeps(name, in)
	d.diskClaim(out, in)
	if out.Migrated {
		out.Source, out.Kind, out.Size = catalog.Source{Claim: out.Claim}, machine.DiskClaim, ""
	}
	out.Labels = d.diskLabels(out, in)
	d.checkDisk(out)
}

// volumeName returns the name of a disk in the VirtualMachine.
func volumeName(key string, in *values.Disk) string {
	switch {
	case in.Name != "":
		return in.Name
	case key == values.RootDisk:
		return rootVolume
	}
	return key
}

func (d *draft) checkDiskName(disk *machine.Disk) {
	key := disk.Name
	if problem := values.NameProblem(key); problem != "" {
		d.errorf(d.entry.KeyAt("disks", key), rule.BadName, disk.KeyPath(""), "%s", problem)
		return
	}
	named := d.vm.Disks[key].Name != ""
	report := func(id rule.ID, format string, args ...any) {
		if named {
			d.errorf(d.entry.At("disks", key, "name"), id, disk.KeyPath("name"), format, args...)
		} else {
			d.errorf(d.entry.KeyAt("disks", key), id, disk.KeyPath(""), format, args...)
		}
	}
	of, reserved := reservedVolumes[disk.Volume]
	switch problem := values.NameProblem(disk.Volume); {
	case problem != "":
		report(rule.BadName, "%s", problem)
	case key == values.RootDisk && named && !d.traits.Pet:
		report(rule.Conflict, "rollouts find the root disk of cattle as %q; remove it", rootVolume)
	case disk.Volume == rootVolume && (named || key == values.RootDisk): // see checkVolumeNames
	case reserved && !isGuestVolume(disk):
		report(rule.BadName, "%q is the volume of %s; choose another name", disk.Volume, of)
	}
}

// checkVolumeNames reports disks and filesystems that have the same name in the VirtualMachine.
func (d *draft) checkVolumeNames(disks []machine.Disk, filesystems []machine.Filesystem) {
	for i := range disks {
		disk := &disks[i]
		other, isDisk := lastNamed(disk.Volume, disks[:i], filesystems)
		if other == "" {
			continue
		}
		_, reserved := reservedVolumes[disk.Name] // which is reported
		if disk.Volume != disk.Name || !reserved && isDisk {
			d.errorf(disk.Pos, rule.Duplicate, disk.KeyPath(""),
				"its name %q in the VirtualMachine is also that of %s; give it another `name`", disk.Volume, other)
		}
	}
}

// lastNamed returns the path of the last of the disks, or of the filesystem, that has a name in the VirtualMachine, or
// "". It also reports whether that is a disk.
func lastNamed(name string, disks []machine.Disk, filesystems []machine.Filesystem) (path string, isDisk bool) {
	for i := range slices.Backward(disks) {
		if disks[i].Volume == name {
			return disks[i].KeyPath(""), true
		}
	}
	for i := range filesystems {
		if filesystems[i].Name == name {
			return "filesystems." + name, false
		}
	}
	return "", false
}

// diskClass sets the storage class, whose modes are the defaults of the
// disk's.
func (d *draft) diskClass(out *machine.Disk, in *values.Disk) {
	out.StorageClass, out.AccessMode, out.VolumeMode = in.StorageClass, in.AccessMode, in.VolumeMode
	if in.StorageClass == "" {
		return
	}
	if class := d.site.Catalog.StorageClass(in.StorageClass); class != nil {
		out.StorageClass = class.Name
		out.AccessMode, out.VolumeMode = cmp.Or(in.AccessMode, class.AccessMode), cmp.Or(in.VolumeMode, class.VolumeMode)
		return
	}
	if len(d.site.Catalog.Names("storageClasses")) > 0 {
		written := d.entry.Keys.Get("disks", out.Name, "storageClass")
		d.reportUnknown(written, ".disks."+out.Name+".storageClass", "storage class", "storageClasses")
	}
}

func (d *draft) diskBus(out *machine.Disk) {
	switch {
	case out.Source.DownwardMetrics:
		d.metricsBus(out)
	case out.Bus == "":
		out.Bus = d.entry.OS.BusOfDisk(out.Type, out.Hotpluggable, d.vm.Preference != nil)
	}
}

// metricsBus sets the bus of the disk with metrics (kubevirt/kubevirt v1.8.4,
// pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
func (d *draft) metricsBus(out *machine.Disk) {
	for _, c := range []struct{ key, got, want string }{{"bus", out.Bus, "virtio"}, {"type", out.Type, "disk"}} {
		if c.got != "" && c.got != c.want {
			d.errorf(d.entry.At("disks", out.Name, c.key), rule.Conflict, "disks."+out.Name+"."+c.key,
				"a disk with metrics has %q; remove it", c.want)
		}
	}
	if out.Type == "disk" {
		out.Bus = "virtio"
	}
}
