package resolve

import (
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// expandDiskLabels checks `diskLabels`, and expands its templates once for all disks.
func (d *draft) expandDiskLabels() {
	d.ofDisks = d.expandMap(d.vm.DiskLabels, "diskLabels")
	d.checkDiskLabels(d.ofDisks, "diskLabels")
}

// diskLabels returns the user's labels of the DataVolume of a disk, or nil if there are none. CDI copies them to the
// claim when it creates it, and never again (containerized-data-importer v1.65.0,
// pkg/controller/datavolume/controller-base.go, newPersistentVolumeClaim).
func (d *draft) diskLabels(disk *machine.Disk, in *values.Disk) map[string]string {
	own := d.entry.Keys.Get("disks", disk.Name, "labels").Entries()
	switch {
	case disk.Kind != machine.DiskDataVolume || disk.Migrated:
		if len(in.Labels) > 0 && !d.entry.FromOS("disks", disk.Name, "labels") {
			d.diskConflict(disk, "labels", "the disk has no DataVolume to label; remove it, or label its claim with kubectl")
		}
		return nil
	case len(own) == 0:
		return d.ofDisks
	}
	all := maps.Clone(d.ofDisks)
	for i := range own {
		if !own[i].Value.IsSet() {
			delete(all, own[i].Key)
		}
	}
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, d.ownDiskLabels(disk, in.Labels))
	return all
}

// ownDiskLabels returns the labels that a disk itself sets, with templates expanded.
func (d *draft) ownDiskLabels(disk *machine.Disk, in map[string]string) map[string]string {
	own := make(map[string]string, len(in))
	for k, v := range in {
		own[k] = d.expand(v, "disks", disk.Name, "labels", k)
	}
	d.checkDiskLabels(own, "disks", disk.Name, "labels")
	return own
}

// checkDiskLabels checks labels of disks. keys is the path to them.
func (d *draft) checkDiskLabels(m map[string]string, keys ...string) {
	if len(m) == 0 {
		return
	}
	d.checkLabels(m, keys...)
	for _, k := range []string{labels.ManagedBy, labels.App} {
		if _, ok := m[k]; ok {
			d.errorf(d.entry.KeyAt(append(slices.Clone(keys), k)...), rule.Reserved,
				source.JoinPath(strings.Join(keys, "."), k), "%q is set by vmrender on all that it renders; remove it", k)
		}
	}
}
