package machine

import (
	"cmp"
	"strconv"

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
func (d *draft) diskClaim(out *Disk, in *values.Disk) {
	switch {
	case out.Kind == DiskClaim:
		out.Claim = cmp.Or(out.Source.Claim, out.Source.DataVolume)
	case out.Kind != DiskDataVolume:
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
	if out.Kind == DiskDataVolume && out.Revision > 1 {
		out.Claim += "-" + strconv.FormatUint(uint64(out.Revision), 10)
	}
}

// checkClaimName reports a name for the claim of a disk that has none of its own, or several at a time.
func (d *draft) checkClaimName(disk *Disk) {
	if d.vm.Disks[disk.Name].ClaimName == "" {
		return
	}
	at, path := d.entry.At("disks", disk.Name, "claimName"), disk.path("claimName")
	problem := values.ObjectNameProblem(disk.Claim)
	switch {
	case disk.Kind != DiskDataVolume && !disk.Migrated:
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

// checkOwnClaims reports disks of the VM that have the same DataVolume.
func (d *draft) checkOwnClaims(disks []Disk) {
	of := map[string]string{}
	for i := range disks {
		disk := &disks[i]
		if disk.Kind != DiskDataVolume && !disk.Migrated {
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

// checkRevision reports disks with revisions that KubeVirt does not copy to another claim (kubevirt/kubevirt v1.8.4,
// pkg/virt-controller/watch/volume-migration/volume-migration.go, ValidateVolumes), and those of cattle, which it does
// not copy.
func (d *draft) checkRevision(disk *Disk) {
	if disk.Revision == 0 {
		return
	}
	at, path := d.entry.At("disks", disk.Name, "revision"), disk.path("revision")
	pet := d.traits.Pet
	switch {
	case disk.Kind != DiskDataVolume:
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
func contentHash(d *Disk) string {
	src := d.Source
	parts := append(src.Parts(), d.Size, d.StorageClass, d.AccessMode, d.VolumeMode)
	if spec := d.DataVolume.Get("spec"); spec.IsSet() {
		parts = append(parts, string(source.AppendJSON(nil, spec)))
	}
	return Hash(parts...)
}
