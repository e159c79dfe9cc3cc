package resolve

import (
	"cmp"
	"strconv"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// hardware returns firmware and devices.
func (d *draft) hardware() machine.Hardware {
	mode := tpmMode(d.vm.TPM)
	if least := d.entry.OS.Minimum; least != nil && least.TPM && d.vm.Preference == nil && mode == machine.TPMNone {
		d.reportBelowMinimum(d.entry.At("tpm"), "tpm",
			"%s needs a TPM; set `tpm: {persistent: true}`, or `catalog.os.%[1]s.minimum.tpm: false`", d.entry.OS.Name)
	}
	return machine.Hardware{
		Firmware:    d.firmware(),
		TPM:         mode,
		GPUs:        d.devices(d.vm.GPUs, "gpus", "gpu"),
		HostDevices: d.devices(d.vm.HostDevices, "hostDevices", "hostdevice"),
	}
}

func (d *draft) firmware() machine.Firmware {
	fw := d.vm.Firmware
	if fw == nil {
		return machine.Firmware{}
	}
	if fw.UUID != "" && !values.IsUUID(fw.UUID) {
		d.errorf(d.entry.At("firmware", "uuid"), rule.BadUUID, "firmware.uuid", "%s", values.UUIDProblem(fw.UUID))
	}
	return machine.Firmware{
		Type: fw.Type, UUID: fw.UUID, Serial: fw.Serial,
		Persistent: values.IsTrue(fw.Persistent) && fw.Type != "bios",
	}
}

func tpmMode(t *values.TPM) machine.TPMMode {
	switch {
	case t == nil || t.Enabled != nil && !*t.Enabled:
		return machine.TPMNone
	case values.IsTrue(t.Persistent):
		return machine.TPMPersistent
	}
	return machine.TPMVolatile
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
