package validation

import (
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/versions"
)

// leavesOwners is the version of KubeVirt that can leave restored claims without an owner (kubevirt.io/api v1.7.0,
// snapshot/v1beta1, VolumeOwnershipPolicyNone). Before it, the VM owns those that belong to no DataVolume, so that
// they are deleted with it.
const leavesOwners = "1.7"

// checkRestored reports disks that would belong to the VM after its restore, and be deleted with it.
func (d *decided) checkRestored(m *machine.Machine) {
	if m.Lifecycle.RestoreFrom == nil || !versions.Before(d.rules.target.KubeVirt, leavesOwners) {
		return
	}
	for i := range m.Disks {
		if disk := &m.Disks[i]; disk.Kind == machine.DiskClaim && disk.Type == "disk" {
			d.errorf(d.entry.KeyAt("restoreFrom"), rule.KubeVirtVersion, "restoreFrom",
				"requires KubeVirt %s for disk %q, whose claim is not that of a DataVolume in the entry: "+
					"KubeVirt %s makes the VM its owner, and it is deleted with it; restore as docs/how-to/restore.md describes",
				leavesOwners, disk.Name, d.rules.target.KubeVirt)
		}
	}
}
