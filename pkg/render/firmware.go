package render

import (
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/machine"
)

func (x *rendering) setFirmware(d *kubevirtv1.DomainSpec) {
	f := &x.Firmware
	boot := x.bootloader()
	if boot == nil && f.UUID == "" && f.Serial == "" {
		return
	}
	d.Firmware = &kubevirtv1.Firmware{UUID: types.UID(f.UUID), Serial: f.Serial, Bootloader: boot}
	if f.Type == "secureboot" {
		requireSMM(d)
	}
}

// bootloader is nil where the platform's own choice is the right one.
func (x *rendering) bootloader() *kubevirtv1.Bootloader {
	f := &x.Firmware
	switch f.Type {
	case "efi", "secureboot":
		// KubeVirt takes EFI without `secureBoot` for secure boot (api core/v1
		// EFI.SecureBoot, v1.9.0): it is always written.
		efi := &kubevirtv1.EFI{SecureBoot: new(f.Type == "secureboot")}
		if f.Persistent {
			efi.Persistent = new(true)
		}
		return &kubevirtv1.Bootloader{EFI: efi}
	case "bios":
		// The default of amd64, and refused on other architectures; only a
		// preference can want something else.
		if x.Preference != nil {
			return &kubevirtv1.Bootloader{BIOS: &kubevirtv1.BIOS{}}
		}
	}
	return nil
}

// requireSMM switches system management mode on, without which KubeVirt refuses
// secure boot (virt-api validating webhook, v1.9.0).
func requireSMM(d *kubevirtv1.DomainSpec) {
	if d.Features == nil {
		d.Features = &kubevirtv1.Features{}
	}
	d.Features.SMM = &kubevirtv1.FeatureState{Enabled: new(true)}
}

func (x *rendering) setTPM(d *kubevirtv1.DomainSpec) {
	switch x.TPM {
	case machine.TPMVolatile:
		d.Devices.TPM = &kubevirtv1.TPMDevice{}
	case machine.TPMPersistent:
		d.Devices.TPM = &kubevirtv1.TPMDevice{Persistent: new(true)}
	}
}
