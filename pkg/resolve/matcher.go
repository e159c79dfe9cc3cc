package resolve

import (
	"fmt"
	"maps"
	"slices"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

// inferred returns the volume that KubeVirt infers an instance type or a preference from, or "" if it has a name. key
// is that of the matcher, which may be nil.
func (d *draft) inferred(key string, m *values.Matcher) string {
	if m == nil || m.Name != "" && m.InferFrom == "" {
		return ""
	}
	path := key + ".inferFrom"
	switch {
	case m.InferFrom == "":
		d.errorf(d.entry.At(key), rule.MissingKey, key, "missing name; expected `name`, or `inferFrom` with a disk")
		return ""
	case m.Name != "" || m.Kind != "":
		d.errorf(d.entry.At(key, "inferFrom"), rule.Conflict, path,
			"the labels of the disk define name and kind; remove them, or `inferFrom`")
		return ""
	}
	at, disk := d.entry.At(key, "inferFrom"), d.vm.Disks[m.InferFrom]
	if disk == nil {
		d.errorf(at, rule.UnknownName, path, "%s", suggest.Later(fmt.Sprintf("unknown disk %q", m.InferFrom),
			m.InferFrom, len(d.vm.Disks), func() []string { return slices.Sorted(maps.Keys(d.vm.Disks)) }))
		return ""
	}
	d.checkInferrable(m.InferFrom, disk, path, key)
	return volumeName(m.InferFrom, disk)
}

// checkInferrable reports a disk in which KubeVirt finds no labels: it reads those of the DataVolume, and of the
// claim or the DataSource that is cloned (kubevirt/kubevirt v1.8.4, pkg/instancetype/infer/volume.go).
func (d *draft) checkInferrable(name string, disk *values.Disk, path, key string) {
	src, label := disk.Source, "instancetype.kubevirt.io/default-"+key
	cloned := src != nil && (src.DataSource != "" || src.PVC != "" || src.Claim != "" || src.DataVolume != "")
	if values.IsTrue(disk.Ejected) || !cloned && !disk.DataVolume.Get("metadata", "labels", label).IsSet() {
		d.errorf(d.entry.At(key, "inferFrom"), rule.Conflict, path,
			"the disk %q at %s has no labels that name the %s; use a disk with `dataSource`, `pvc`, `claim` or "+
				"`dataVolume`, or set the label %q of its `dataVolume`", name, catalog.Where(d.entry.At("disks", name)), key, label)
	}
}
