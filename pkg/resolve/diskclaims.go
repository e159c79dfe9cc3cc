package resolve

import (
	"cmp"
	"strconv"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// keeps reports whether the disk survives its VM. A strategy that creates a
// new root disk for a change deletes the old one, even with `keepDisks: true`.
func (d *draft) keeps(name string, in *values.Disk) bool {
	switch lc := d.vm.Lifecycle; {
	case in.Keep != nil:
		return *in.Keep
	case name == values.RootDisk && !d.traits.KeepsRoot:
		return false
	case lc != nil && lc.KeepDisks != nil:
		return *lc.KeepDisks
	}
	return d.traits.Pet
}

// diskClaim sets the name of the DataVolume or PVC.
func (d *draft) diskClaim(out *machine.Disk, in *values.Disk) {
	switch {
	case out.Kind == machine.DiskClaim:
		out.Claim = cmp.Or(out.Source.Claim, out.Source.DataVolume)
	case out.Kind != machine.DiskDataVolume:
	case in.ClaimName != "":
		out.Claim = d.expand(in.ClaimName, "disks", out.Name, "claimName")
	case out.Name != values.RootDisk:
		out.Claim = d.name + "-" + out.Name
	case d.traits.ContentNamedRoot && !out.Keep:
		out.Claim = d.name + "-root-" + contentHash(out)
	case out.Revision > 1: // not the claim of the VM NAME-2
		out.Claim = d.name + "-" + values.RootDisk
	default:
		out.Claim = d.name
	}
	if out.Kind == machine.DiskDataVolume && out.Revision > 1 {
		out.Claim += "-" + strconv.FormatUint(uint64(out.Revision), 10)
	}
}

// reportLimit reports a setting that the strategy of the VM does not allow.
func (d *draft) reportLimit(at source.Pos, path, why string) {
	d.errorf(at, rule.Strategy, path, "%s", d.strategy.Limit(why))
}

// checkClaimName reports a name for the claim of a disk that has none of its own, or several at a time.
func (d *draft) checkClaimName(disk *machine.Disk) {
	if d.vm.Disks[disk.Name].ClaimName == "" {
		return
	}
	at, path := d.entry.At("disks", disk.Name, "claimName"), disk.KeyPath("claimName")
	problem := values.ObjectNameProblem(disk.Claim)
	switch {
	case disk.Kind != machine.DiskDataVolume && !disk.Migrated:
		d.errorf(at, rule.Conflict, path,
			"only disks that CDI fills have a claim to name; remove it, or name another source")
	case d.traits.Together != "":
		d.reportLimit(at, path, d.traits.Together+", each with disks of its own; remove it")
	case disk.Name == values.RootDisk && d.traits.ContentNamedRoot && !disk.Keep:
		d.reportLimit(at, path, "the root disk is named by its content; remove it, or use `lifecycle: pet`")
	case problem != "":
		d.errorf(at, rule.BadName, path, "%s", problem)
	}
}

// checkRevision reports disks with revisions that KubeVirt does not copy to another claim (kubevirt/kubevirt v1.8.4,
// pkg/virt-controller/watch/volume-migration/volume-migration.go, ValidateVolumes), and those of cattle, which it does
// not copy.
func (d *draft) checkRevision(disk *machine.Disk) {
	if disk.Revision == 0 {
		return
	}
	at, path := d.entry.At("disks", disk.Name, "revision"), disk.KeyPath("revision")
	pet := d.traits.Pet
	switch {
	case disk.Kind != machine.DiskDataVolume:
		d.errorf(at, rule.Conflict, path, "only disks that CDI fills have revisions; remove it, or name another source")
	case !pet && disk.Name == values.RootDisk:
		d.reportLimit(at, path, "the root disk is named by its content; set `version` of its source instead")
	case !pet && (disk.Keep || d.traits.DeletesVM):
		d.reportLimit(at, path, "a new claim is filled from the source, and nothing copies the data; remove it")
	case pet && (disk.Type == "lun" || disk.Shareable):
		d.errorf(at, rule.Conflict, path,
			"KubeVirt copies neither LUNs nor shareable disks to another claim; remove it, and copy the data in the guest")
	case pet && len(d.vm.GPUs)+len(d.vm.HostDevices) > 0:
		d.errorf(at, rule.Conflict, path, "KubeVirt copies disks by a live migration, which a VM with devices of its host "+
			"cannot do; remove it, and copy the data in the guest")
	}
}

// contentHash returns a hash of the content of a root disk: different content,
// or a different size, class or mode, is a different disk.
func contentHash(d *machine.Disk) string {
	src := d.Source
	parts := append(src.Parts(), d.Size, d.StorageClass, d.AccessMode, d.VolumeMode)
	if spec := d.DataVolume.Get("spec"); spec.IsSet() {
		parts = append(parts, string(source.AppendJSON(nil, spec)))
	}
	return machine.Hash(parts...)
}
