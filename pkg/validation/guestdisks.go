package validation

import (
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
)

// checkGuestDisks reports disks with data that does not exist, and the bus of data whose disk has one.
func (d *decided) checkGuestDisks(m *machine.Machine) {
	for i := range m.Disks {
		disk := &m.Disks[i]
		for _, data := range []struct {
			key          string
			placed, some bool
		}{
			{"cloudInit", disk.Source.CloudInit, m.CloudInit != nil}, {"sysprep", disk.Source.Sysprep, d.vm.Sysprep != nil},
		} {
			if data.placed && !data.some {
				d.errorf(d.entry.At("disks", disk.Name, "source", data.key), rule.Conflict, disk.KeyPath("source."+data.key),
					"the VM has no `%s`; set it, or remove the disk (`%s: null` removes an inherited one)", data.key, disk.Name)
			}
		}
		if c := d.vm.CloudInit; disk.Source.CloudInit && c != nil && c.Bus != "" {
			d.errorf(d.entry.At("cloudInit", "bus"), rule.Conflict, "cloudInit.bus",
				"the data is on the disk %q at %s; set its `bus` instead", disk.Name, catalog.Where(disk.Pos))
		}
	}
}
