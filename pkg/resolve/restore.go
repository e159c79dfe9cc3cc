package resolve

import (
	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/versions"
)

// restoresSince is the version of KubeVirt that restores claims under their own names (kubevirt.io/api v1.6.1,
// snapshot/v1beta1, VolumeRestorePolicyInPlace).
const restoresSince = "1.6"

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
