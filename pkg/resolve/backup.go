package resolve

import (
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// backup reports whether the changed blocks of the disks are tracked for backups, and warns if the cluster cannot.
func (d *draft) backup() bool {
	if !values.IsTrue(d.vm.Backup) {
		return false
	}
	if v := d.site.Target.KubeVirt; versions.Before(v, "1.7") {
		d.diags.Warnf(d.entry.KeyAt("backup"), rule.KubeVirtVersion, d.entry.Path+".backup",
			"KubeVirt %s does not track changed blocks, so backups copy whole disks; expected 1.7 or later", v)
	}
	if value, ok := d.vm.Labels[labels.BlockTracking]; ok && value != "true" {
		d.errorf(d.entry.KeyAt("labels", labels.BlockTracking), rule.Conflict,
			source.JoinPath("labels", labels.BlockTracking),
			"must not be mixed with `backup: true` at %s; remove one of them", catalog.Where(d.entry.At("backup")))
	}
	return true
}
