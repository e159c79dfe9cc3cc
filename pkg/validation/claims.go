package validation

import (
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
)

// checkOwnClaims reports disks of the VM that have the same DataVolume.
func (d *decided) checkOwnClaims(disks []machine.Disk) {
	of := map[string]string{}
	for i := range disks {
		disk := &disks[i]
		if disk.Kind != machine.DiskDataVolume && !disk.Migrated {
			continue
		}
		if other, ok := of[disk.Claim]; ok {
			d.errorf(d.entry.KeyAt("disks", disk.Name), rule.Duplicate, "disks."+disk.Name,
				"its DataVolume %q is also that of disks.%s; rename the disk, or set another `revision` or `claimName`",
				disk.Claim, other)
		}
		of[disk.Claim] = disk.Name
	}
}
