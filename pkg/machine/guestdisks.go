package machine

import (
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

// The volumes with the guest's data, unless a disk with the data has another name.
const (
	CloudInitVolume = "cloudinitdisk"
	SysprepVolume   = "sysprep"
)

// isGuestVolume reports whether a disk with the guest's data has the name that its volume has by default.
func (d *Disk) isGuestVolume() bool {
	return d.Source.CloudInit && d.Volume == CloudInitVolume || d.Source.Sysprep && d.Volume == SysprepVolume
}

// ofClaims are the keys of a disk that only count for one with a claim.
var ofClaims = []string{
	"size", "storageClass", "accessMode", "volumeMode", "preallocation", "keep", "expandTo", "ejected", "shareable",
}

// checkGuestDisk reports keys without effect on a disk with the guest's data, and a root disk with nothing else.
func (d *draft) checkGuestDisk(disk *Disk) {
	written := d.vm.Disks[disk.Name].Source
	if disk.Kind != DiskGuestData && (written == nil || !written.CloudInit && !written.Sysprep) {
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

// checkGuestDisks reports disks with data that does not exist, and the bus of data whose disk has one.
func (d *draft) checkGuestDisks(m *Machine) {
	for i := range m.Disks {
		disk := &m.Disks[i]
		for _, data := range []struct {
			key          string
			placed, some bool
		}{
			{"cloudInit", disk.Source.CloudInit, m.CloudInit != nil}, {"sysprep", disk.Source.Sysprep, d.vm.Sysprep != nil},
		} {
			if data.placed && !data.some {
				d.errorf(d.entry.At("disks", disk.Name, "source", data.key), rule.Conflict, disk.path("source."+data.key),
					"the VM has no `%s`; set it, or remove the disk (`%s: null` removes an inherited one)", data.key, disk.Name)
			}
		}
		if c := d.vm.CloudInit; disk.Source.CloudInit && c != nil && c.Bus != "" {
			d.errorf(d.entry.At("cloudInit", "bus"), rule.Conflict, "cloudInit.bus",
				"the data is on the disk %q at %s; set its `bus` instead", disk.Name, catalog.Where(disk.Pos))
		}
	}
}
