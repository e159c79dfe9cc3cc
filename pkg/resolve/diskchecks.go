package resolve

import (
	"strings"

	"github.com/vmrender/vmrender/internal/sizes"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
)

// checkDisk reports keys of a decided disk that do not fit each other.
func (d *draft) checkDisk(disk *machine.Disk) {
	d.checkDiskSize(disk)
	d.checkDiskBus(disk)
	d.checkDiskClaim(disk)
	d.checkRevision(disk)
	d.checkClaimName(disk)
	d.checkGuestDisk(disk)
}

// checkDiskSize reports a size that is missing or invalid, and one that the disk cannot grow to.
func (d *draft) checkDiskSize(disk *machine.Disk) {
	if disk.Size == "" && !disk.PVC && needsSize(disk) {
		d.errorf(d.entry.KeyAt("disks", disk.Name), rule.MissingKey, disk.KeyPath("size"),
			"missing size, which the source does not define; expected a quantity such as \"30Gi\"")
	}
	size, sized := d.diskSize(disk)
	if sized {
		d.checkImageSize(disk, size)
	}
	if disk.ExpandTo == "" {
		return
	}
	if to, ok := d.quantity(disk.ExpandTo, "disks", disk.Name, "expandTo"); ok && sized && to < size {
		d.errorf(d.entry.At("disks", disk.Name, "expandTo"), rule.Shrinks, disk.KeyPath("expandTo"),
			"%q is below the size %q at %s; a disk can only grow",
			disk.ExpandTo, disk.Size, catalog.Where(d.entry.Keys.Get(sizeKeys(disk)...).Pos()))
	}
}

func (d *draft) diskSize(disk *machine.Disk) (int64, bool) {
	if disk.Size == "" {
		return 0, false
	}
	keys := sizeKeys(disk)
	n, ok := d.quantity(disk.Size, keys...)
	if ok && n < sizes.LeastBytes {
		d.errorf(d.entry.At(keys...), rule.BadQuantity, strings.Join(keys, "."),
			"%q is too little for a disk; expected a quantity such as \"30Gi\"", disk.Size)
		return 0, false
	}
	return n, ok
}

// needsSize reports whether a disk needs a size. CDI can determine it only for
// clones (containerized-data-importer,
// pkg/apiserver/webhooks/datavolume-validate.go, v1.65.0).
func needsSize(d *machine.Disk) bool {
	src := &d.Source
	switch d.Kind {
	case machine.DiskEmpty:
		return true
	case machine.DiskDataVolume:
		return !isClone(src) && src.Kind() != ""
	}
	return false
}

// checkDiskBus reports keys that the bus of the disk does not support.
func (d *draft) checkDiskBus(disk *machine.Disk) {
	if disk.Type != "disk" {
		return
	}
	if disk.Hotpluggable && !isPluggable(disk.Bus) {
		d.diskConflict(disk, "bus", "a hotpluggable disk cannot be on the bus %q; accepted: scsi, virtio", disk.Bus)
	}
	// kubevirt/kubevirt v1.8.4, pkg/storage/admitters/disks.go
	if disk.ReadOnly && disk.Bus == "sata" {
		d.diskConflict(disk, "readOnly",
			"a disk on the bus \"sata\" cannot be read-only; use `bus: virtio` or scsi, or `type: cdrom`")
	}
}

// checkDiskClaim reports keys that need a claim, or a DataVolume, if the source of the disk has none.
func (d *draft) checkDiskClaim(disk *machine.Disk) {
	if disk.DataVolume.IsSet() && disk.Kind != machine.DiskDataVolume {
		d.diskConflict(disk, "dataVolume",
			"the disk has no DataVolume to patch; remove it, or choose a source that CDI fills")
	}
	if disk.Kind == machine.DiskDataVolume || disk.Kind == machine.DiskClaim {
		return
	}
	// kubevirt/kubevirt v1.8.4, pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go
	if disk.Type == "lun" {
		d.diskConflict(disk, "type", "a LUN has a claim, and the source has none; use `type: disk`, or another source")
	}
	if disk.Hotpluggable {
		d.diskConflict(disk, "hotpluggable", "only disks with a claim are hotpluggable")
	}
}

// diskConflict reports a key of a disk that does not fit its other keys.
func (d *draft) diskConflict(disk *machine.Disk, key, format string, args ...any) {
	d.errorf(d.entry.At("disks", disk.Name, key), rule.Conflict, disk.KeyPath(key), format, args...)
}
