package machine

import (
	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/versions"
)

const (
	// restoresSince is the version of KubeVirt that restores claims under their own names (kubevirt.io/api v1.6.1,
	// snapshot/v1beta1, VolumeRestorePolicyInPlace).
	restoresSince = "1.6"
	// leavesOwners is the version of KubeVirt that can leave restored claims without an owner (kubevirt.io/api v1.7.0,
	// snapshot/v1beta1, VolumeOwnershipPolicyNone). Before it, the VM owns those that belong to no DataVolume, so that
	// they are deleted with it.
	leavesOwners = "1.7"
)

// restoreFrom returns the restore of the VM, or nil if there is none.
func (d *draft) restoreFrom() *approval.Restore {
	in := d.vm.RestoreFrom
	if in == nil {
		return nil
	}
	at, path := d.entry.KeyAt("restoreFrom"), "restoreFrom"
	switch {
	case !d.traits.Pet:
		d.errorf(at, rule.Conflict, path,
			"is for pets; the root disks of cattle are recreated: remove it, or use `lifecycle: pet`")
		return nil
	case versions.Before(d.site.Target.KubeVirt, restoresSince):
		d.errorf(at, rule.KubeVirtVersion, path,
			"requires KubeVirt %s, and the target has %s, which gives restored claims other names; "+
				"restore as docs/how-to/restore.md describes, and write the claims into the entry",
			restoresSince, d.site.Target.KubeVirt)
		return nil
	case in.Snapshot == "":
		d.errorf(at, rule.MissingKey, path+".snapshot", "missing; expected the name of a VirtualMachineSnapshot")
		return nil
	}
	out := &approval.Restore{Snapshot: in.Snapshot, Token: in.Token}
	if in.Token == "" {
		d.diags.Warnf(at, rule.NoEffect, d.entry.Path+"."+path,
			"restores nothing without its `token`, which `vmrender plan` prints")
		return out
	}
	if _, err := approval.RestoreNumber(in.Token, d.namespace, d.name, in.Snapshot); err != nil {
		d.errorf(d.entry.At("restoreFrom", "token"), rule.Approval, path+".token", "%q is %s", in.Token, err)
		return nil
	}
	return out
}

// checkRestored reports disks that would belong to the VM after its restore, and be deleted with it.
func (d *draft) checkRestored(m *Machine) {
	if m.Lifecycle.RestoreFrom == nil || !versions.Before(d.site.Target.KubeVirt, leavesOwners) {
		return
	}
	for i := range m.Disks {
		if disk := &m.Disks[i]; disk.Kind == DiskClaim && disk.Type == "disk" {
			d.errorf(d.entry.KeyAt("restoreFrom"), rule.KubeVirtVersion, "restoreFrom",
				"requires KubeVirt %s for disk %q, whose claim is not that of a DataVolume in the entry: "+
					"KubeVirt %s makes the VM its owner, and it is deleted with it; restore as docs/how-to/restore.md describes",
				leavesOwners, disk.Name, d.site.Target.KubeVirt)
		}
	}
}
