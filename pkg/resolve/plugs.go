package resolve

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// plugsSince is the first KubeVirt that plugs the disks of a VirtualMachine by itself, virtio disks too, without a
// request for a restart, also of a VM that already has them (pkg/virt-controller/watch/vm/vm.go, validLiveUpdateVolumes
// and handleDeclarativeVolumeHotplug).
const plugsSince = "1.6.3"

// plugs reports whether the VM's `hotpluggable` makes a disk hotpluggable. The disk keeps its bus: one that the guest
// already has is found there after the next start. A bus that is not known here, such as that of a preference, could be
// one with which KubeVirt refuses the disk, and every later live change with it.
func (d *draft) plugs(disk *machine.Disk) bool {
	return values.IsTrue(d.vm.Hotpluggable) && d.traits.Pet && !versions.Before(d.site.Target.KubeVirt, plugsSince) &&
		disk.Name != values.RootDisk && (disk.Kind == machine.DiskDataVolume || disk.Kind == machine.DiskClaim) &&
		disk.Bus != "" && !isPatchedDevice(disk) &&
		(disk.Type == "disk" && isPluggable(disk.Bus) || disk.Type == "lun" && disk.Bus == "scsi")
}

// isPatchedDevice reports whether an override sets the device that the guest sees, with its bus.
func isPatchedDevice(d *machine.Disk) bool {
	isSet := func(device string) bool { return d.Overrides.Field(device) != nil }
	return slices.ContainsFunc([]string{"disk", "lun", "cdrom"}, isSet)
}

// isPluggable reports whether KubeVirt plugs disks on a bus. That of a preference is not known.
func isPluggable(bus string) bool { return bus == "" || bus == "scsi" || bus == "virtio" }

// checkPlugs warns about a `hotpluggable` that has no effect, in general only if the VM's own entry sets it: the levels
// above it are for others, too.
func (d *draft) checkPlugs(disks []machine.Disk) {
	if !values.IsTrue(d.vm.Hotpluggable) {
		return
	}
	isData := func(disk machine.Disk) bool { return disk.Name != values.RootDisk }
	at, path := d.entry.KeyAt("hotpluggable"), d.entry.Path+".hotpluggable"
	switch v := d.site.Target.KubeVirt; {
	case versions.Before(v, plugsSince):
		d.diags.Warnf(at, rule.KubeVirtVersion, path,
			"KubeVirt %s needs a restart to plug a disk, so the key has no effect; expected %s or later", v, plugsSince)
	case !d.entry.Own(d.entry.Keys.Get("hotpluggable")) || !slices.ContainsFunc(disks, isData):
	case !slices.ContainsFunc(disks, func(disk machine.Disk) bool { return disk.Hotpluggable }):
		d.diags.Warnf(at, rule.NoEffect, path, "none of its disks is hotpluggable by it: it is for disks of pets that have "+
			"a claim, on the bus virtio or scsi; remove it, or set `bus` of a disk")
	}
}
