package keys

import (
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// Firmware is the rows of the identity in `firmware`. See [SetBootloader] for its type.
var Firmware = Table[kubevirtv1.Firmware, machine.Firmware]{
	Part: "VM",
	Rows: []Row[kubevirtv1.Firmware, machine.Firmware]{
		{
			Key: "uuid", Path: "uuid",
			Set: func(f *kubevirtv1.Firmware, v *machine.Firmware) { f.UUID = types.UID(v.UUID) },
			Get: func(f *kubevirtv1.Firmware, _ *Inherited) any { return string(f.UUID) },
		},
		{
			Key: "serial", Path: "serial",
			Set: func(f *kubevirtv1.Firmware, v *machine.Firmware) { f.Serial = v.Serial },
			Get: func(f *kubevirtv1.Firmware, _ *Inherited) any { return f.Serial },
		},
	},
}

// SetBootloader writes the type of the firmware, unless the platform's default is right.
func SetBootloader(to *kubevirtv1.Firmware, m *machine.Machine) {
	switch f := &m.Firmware; f.Type {
	case "efi", "secureboot":
		// In KubeVirt, EFI without `secureBoot` means secure boot (api core/v1
		// EFI.SecureBoot, v1.9.0), so it is always set, but not of VMs that others have made.
		efi := &kubevirtv1.EFI{SecureBoot: new(f.Type == "secureboot")}
		if m.Adopted && f.Type == "secureboot" {
			efi.SecureBoot = nil
		}
		if f.Persistent {
			efi.Persistent = new(true)
		}
		to.Bootloader = &kubevirtv1.Bootloader{EFI: efi}
	case "bios":
		// BIOS is the default on amd64 and rejected on other architectures. It has
		// to be set only to override a preference.
		if m.Preference != nil {
			to.Bootloader = &kubevirtv1.Bootloader{BIOS: &kubevirtv1.BIOS{}}
		}
	}
}

// Bootloader returns what [SetBootloader] writes: the type of the firmware, "bios", "efi" or "secureboot", and whether
// its variables persist. With a preference, firmware that the VM does not name is "". f may be nil.
func Bootloader(f *kubevirtv1.Firmware, preferred bool) (kind string, persistent bool) {
	b := valueOf(valueOf(f).Bootloader)
	switch {
	case b.EFI == nil && b.BIOS == nil && preferred:
		return "", false
	case b.EFI == nil:
		return "bios", false
	}
	kind = "efi"
	if b.EFI.SecureBoot == nil || *b.EFI.SecureBoot {
		kind = "secureboot"
	}
	return kind, values.IsTrue(b.EFI.Persistent)
}

// SetTPM writes the TPM.
func SetTPM(to *kubevirtv1.Devices, mode machine.TPMMode) {
	switch mode {
	case machine.TPMVolatile:
		to.TPM = &kubevirtv1.TPMDevice{}
	case machine.TPMPersistent:
		to.TPM = &kubevirtv1.TPMDevice{Persistent: new(true)}
	}
}

// TPM returns what [SetTPM] writes.
func TPM(t *kubevirtv1.TPMDevice) machine.TPMMode {
	switch {
	case t == nil || t.Enabled != nil && !*t.Enabled:
		return machine.TPMNone
	case values.IsTrue(t.Persistent):
		return machine.TPMPersistent
	}
	return machine.TPMVolatile
}

// GPU is the rows of one of `gpus`.
var GPU = Table[kubevirtv1.GPU, values.Device]{
	Part: "GPU",
	Rows: []Row[kubevirtv1.GPU, values.Device]{
		{
			Key: "device", Path: "deviceName",
			Set: func(g *kubevirtv1.GPU, v *values.Device) { g.DeviceName = v.Device },
			Get: func(g *kubevirtv1.GPU, _ *Inherited) any { return g.DeviceName },
		},
		{
			Key: "name", Path: "name",
			Set:     func(g *kubevirtv1.GPU, v *values.Device) { g.Name = v.Name },
			Get:     func(g *kubevirtv1.GPU, _ *Inherited) any { return g.Name },
			Default: func(_ *kubevirtv1.GPU, in *Inherited) string { return in.Name },
		},
	},
}

// HostDevice is the rows of one of `hostDevices`.
var HostDevice = Table[kubevirtv1.HostDevice, values.Device]{
	Part: "device",
	Rows: []Row[kubevirtv1.HostDevice, values.Device]{
		{
			Key: "device", Path: "deviceName",
			Set: func(h *kubevirtv1.HostDevice, v *values.Device) { h.DeviceName = v.Device },
			Get: func(h *kubevirtv1.HostDevice, _ *Inherited) any { return h.DeviceName },
		},
		{
			Key: "name", Path: "name",
			Set:     func(h *kubevirtv1.HostDevice, v *values.Device) { h.Name = v.Name },
			Get:     func(h *kubevirtv1.HostDevice, _ *Inherited) any { return h.Name },
			Default: func(_ *kubevirtv1.HostDevice, in *Inherited) string { return in.Name },
		},
	},
}

// SetDevices writes the devices that are passed through.
func SetDevices(to *kubevirtv1.Devices, h *machine.Hardware) {
	to.GPUs = append(to.GPUs, setEach(&GPU, h.GPUs)...)
	to.HostDevices = append(to.HostDevices, setEach(&HostDevice, h.HostDevices)...)
}

// GPUs returns what [SetDevices] writes of `gpus`.
func GPUs(of *kubevirtv1.Devices, in *Inherited) any { return getDevices(&GPU, of.GPUs, "gpu", in) }

// HostDevices returns what [SetDevices] writes of `hostDevices`.
func HostDevices(of *kubevirtv1.Devices, in *Inherited) any {
	return getDevices(&HostDevice, of.HostDevices, "hostdevice", in)
}
