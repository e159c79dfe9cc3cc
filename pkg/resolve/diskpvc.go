package resolve

import (
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// pvcKeys are the keys of CDI's `pvc` below those of a disk.
var pvcKeys = []string{"dataVolume", "spec", "pvc"}

// sizeKeys returns the keys of the size of a disk.
func sizeKeys(d *machine.Disk) []string {
	if d.PVC {
		return append(append([]string{"disks", d.Name}, pvcKeys...), "resources", "requests", "storage")
	}
	return []string{"disks", d.Name, "size"}
}

// diskPVC reads size, class and modes from CDI's `pvc`, if the user's patch puts it in the place of `storage`. CDI
// takes exactly one of both, and has defaults for `storage` only (containerized-data-importer v1.65.0,
// pkg/apiserver/webhooks/datavolume-validate.go, validateDataVolumeSpec).
func (d *draft) diskPVC(out *machine.Disk) {
	pvc, storage := out.DataVolume.Get("spec", "pvc"), out.DataVolume.Get("spec", "storage")
	removed := storage != nil && storage.Kind == source.Null
	if out.Kind != machine.DiskDataVolume || !pvc.IsSet() && !removed {
		return
	}
	path := out.KeyPath("dataVolume.spec")
	switch {
	case !pvc.IsSet():
		d.errorf(storage.Pos(), rule.Conflict, path+".storage",
			"CDI needs `storage` or `pvc`; set `pvc` as well, or remove it")
	case storage.IsSet():
		d.errorf(storage.Pos(), rule.Conflict, path+".storage", "CDI accepts `pvc` or `storage`; remove one of them")
	default:
		d.checkPVC(out, pvc, path+".pvc")
		out.PVC, out.Size, out.AccessMode = true, "", ""
		out.StorageClass, out.VolumeMode = pvc.Get("storageClassName").Str(), pvc.Get("volumeMode").Str()
		if size := pvc.Get("resources", "requests", "storage"); size.IsSet() {
			if _, err := values.ParseQuantity(size.Text); err == nil {
				out.Size = size.Text
			}
		}
		if modes := pvc.Get("accessModes"); modes != nil && len(modes.Items) == 1 {
			out.AccessMode = modes.Items[0].Str()
		}
	}
}

// checkPVC reports what CDI misses in a `pvc`, and other keys that set the same. The rest of it is decoded where it is
// rendered.
func (d *draft) checkPVC(disk *machine.Disk, pvc *source.Node, path string) {
	for _, key := range []string{"size", "storageClass", "accessMode", "volumeMode"} {
		if d.entry.Keys.Get("disks", disk.Name, key).IsSet() && !d.entry.FromOS("disks", disk.Name, key) {
			d.errorf(d.entry.At("disks", disk.Name, key), rule.Conflict, "disks."+disk.Name+"."+key,
				"the `pvc` of `dataVolume` at %s sets it; remove it", catalog.Where(pvc.Pos()))
		}
	}
	if disk.Source.DataSourceRef.IsSet() {
		d.errorf(pvc.Pos(), rule.Conflict, path, "a disk with `dataSourceRef` has CDI's `storage`; remove it")
	}
	if !pvc.Get("resources", "requests", "storage").IsSet() {
		d.errorf(pvc.Pos(), rule.MissingKey, path+".resources.requests.storage", "missing size, which CDI needs in `pvc`")
	}
	if modes := pvc.Get("accessModes"); modes == nil || len(modes.Items) != 1 {
		d.errorf(pvc.Pos(), rule.MissingKey, path+".accessModes",
			"expected exactly one access mode, which CDI needs in `pvc`")
	}
}
