package validation

import (
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

// checkOldDisk warns of a root disk that exists already, whose guest may have been
// installed with another firmware than that of the operating system's entry.
func (d *decided) checkOldDisk(m *machine.Machine) {
	installed := m.Firmware.Type == "efi" || m.Firmware.Type == "secureboot"
	if !installed || m.Adopted || m.Arch != catalog.DefaultArch ||
		len(m.Disks) == 0 || m.Disks[0].Name != values.RootDisk ||
		!m.Disks[0].Migrated && d.entry.FromOS("disks", values.RootDisk, "source") || !d.entry.FromOS("firmware", "type") {
		return
	}
	src := &m.Disks[0].Source
	if src.Claim == "" && src.DataVolume == "" && src.PVC == "" && src.Snapshot == "" {
		return
	}
	d.diags.Warnf(d.entry.At("disks", values.RootDisk, "source"), rule.Firmware, d.entry.Path+".disks.root.source",
		"the guest on this disk boots only with the firmware that it was installed with, and %s has %q; "+
			"set `firmware` to bios, efi or secureboot", m.OS.Name, m.Firmware.Type)
}
