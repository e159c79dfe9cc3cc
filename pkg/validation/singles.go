package validation

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// checkSingles reports disks of which KubeVirt accepts one for each VM (kubevirt/kubevirt v1.8.4,
// pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go).
func (d *decided) checkSingles(disks []machine.Disk, filesystems []machine.Filesystem) {
	first := map[string]string{}
	for _, f := range filesystems {
		if other, ok := first["serviceAccount"]; ok && f.ServiceAccount != "" {
			d.errorf(d.entry.KeyAt("filesystems", f.Name), rule.Conflict, "filesystems."+f.Name,
				"a VM has one serviceAccount, and %s is it; remove one of them", other)
		}
		if f.ServiceAccount != "" {
			first["serviceAccount"] = "filesystems." + f.Name
		}
	}
	for i := range disks {
		kind := disks[i].Source.Kind()
		if !slices.Contains([]string{"serviceAccount", "downwardMetrics", "cloudInit", "sysprep"}, kind) {
			continue
		}
		if other, ok := first[kind]; ok {
			d.errorf(disks[i].Pos, rule.Conflict, "disks."+disks[i].Name,
				"a VM has one %s, and %s is it; remove one of them", kind, other)
		}
		first[kind] = "disks." + disks[i].Name
	}
}

// checkBootOrder checks that disks and NICs together use every position in the
// boot order at most once.
func (d *decided) checkBootOrder(disks []machine.Disk) {
	var taken map[uint]string
	claim := func(order *uint, path string, at source.Pos) {
		if other, ok := taken[*order]; ok {
			d.errorf(at, rule.Duplicate, path+".bootOrder",
				"place %d in the boot order is taken by %s; give it a place of its own", *order, other)
			return
		}
		if taken == nil {
			taken = map[uint]string{}
		}
		taken[*order] = path
	}
	for i := range disks {
		if disk := &disks[i]; disk.BootOrder != nil {
			claim(disk.BootOrder, "disks."+disk.Name, d.entry.At("disks", disk.Name, "bootOrder"))
		}
	}
	for i := range d.vm.NICs {
		if order := d.vm.NICs[i].BootOrder; order != nil {
			claim(order, source.IndexPath("nics", i), d.entry.ItemAt("nics", i))
		}
	}
}
