package machine

import (
	"cmp"
	"strconv"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// hardware returns firmware and devices.
func (d *draft) hardware() Hardware {
	if least := d.entry.OS.Minimum; least != nil && least.TPM && d.vm.Preference == nil && tpmMode(d.vm.TPM) == TPMNone {
		d.reportBelowMinimum(d.entry.At("tpm"), "tpm",
			"%s needs a TPM; set `tpm: {persistent: true}`, or `catalog.os.%[1]s.minimum.tpm: false`", d.entry.OS.Name)
	}
	return Hardware{
		Firmware:    d.firmware(),
		TPM:         tpmMode(d.vm.TPM),
		GPUs:        d.devices(d.vm.GPUs, "gpus", "gpu"),
		HostDevices: d.devices(d.vm.HostDevices, "hostDevices", "hostdevice"),
	}
}

func (d *draft) firmware() Firmware {
	fw := d.vm.Firmware
	if fw == nil {
		return Firmware{}
	}
	if fw.UUID != "" && !values.IsUUID(fw.UUID) {
		d.errorf(d.entry.At("firmware", "uuid"), rule.BadUUID, "firmware.uuid", "%s", values.UUIDProblem(fw.UUID))
	}
	return Firmware{
		Type: fw.Type, UUID: fw.UUID, Serial: fw.Serial,
		Persistent: values.IsTrue(fw.Persistent) && fw.Type != "bios",
	}
}

// checkOldDisk warns of a root disk that exists already, whose guest may have been
// installed with another firmware than that of the operating system's entry.
func (d *draft) checkOldDisk(m *Machine) {
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

func tpmMode(t *values.TPM) TPMMode {
	switch {
	case t == nil || t.Enabled != nil && !*t.Enabled:
		return TPMNone
	case values.IsTrue(t.Persistent):
		return TPMPersistent
	}
	return TPMVolatile
}

// devices returns the devices with default names filled in, and checks that
// names are unique.
func (d *draft) devices(in []values.Device, key, prefix string) []values.Device {
	out := make([]values.Device, len(in))
	seen := map[string]bool{}
	for i, device := range in {
		device.Name = cmp.Or(device.Name, prefix+strconv.Itoa(i))
		if seen[device.Name] {
			d.errorf(d.entry.ItemAt(key, i), rule.Duplicate, source.IndexPath(key, i),
				"duplicate name %q; give it a `name` of its own", device.Name)
		}
		seen[device.Name] = true
		out[i] = device
	}
	return out
}
