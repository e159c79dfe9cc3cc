package resolve

import (
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

// isGuestVolume reports whether a disk with the guest's data has the name that its volume has by default.
func isGuestVolume(d *machine.Disk) bool {
	return d.Source.CloudInit && d.Volume == machine.CloudInitVolume ||
		d.Source.Sysprep && d.Volume == machine.SysprepVolume
}

// ofClaims are the keys of a disk that only count for one with a claim.
var ofClaims = []string{
	"size", "storageClass", "accessMode", "volumeMode", "preallocation", "keep", "expandTo", "ejected", "shareable",
}

// checkGuestDisk reports keys without effect on a disk with the guest's data, and a root disk with nothing else.
func (d *draft) checkGuestDisk(disk *machine.Disk) {
	written := d.vm.Disks[disk.Name].Source
	if disk.Kind != machine.DiskGuestData && (written == nil || !written.CloudInit && !written.Sysprep) {
		return
	}
	path := "disks." + disk.Name
	if disk.Name == values.RootDisk {
		d.errorf(d.entry.At("disks", disk.Name, "source"), rule.Conflict, path+".source",
			"the guest does not boot from its data; give the disk another name")
	}
	for _, key := range ofClaims {
		if d.entry.Keys.Get("disks", disk.Name, key).IsSet() && !d.entry.FromOS("disks", disk.Name, key) {
			d.errorf(d.entry.At("disks", disk.Name, key), rule.Conflict, path+"."+key,
				"KubeVirt creates the disk at every start, from the guest's data; remove it")
		}
	}
}
