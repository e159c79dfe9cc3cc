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

// bootloader returns the bootloader, or nil if the platform's default is right.
func (x *rendering) bootloader() *kubevirtv1.Bootloader {
	f := &x.Firmware
	switch f.Type {
	case "efi", "secureboot":
		// In KubeVirt, EFI without `secureBoot` means secure boot (api core/v1
		// EFI.SecureBoot, v1.9.0), so it is always set, but not of VMs that others have made.
		efi := &kubevirtv1.EFI{SecureBoot: new(f.Type == "secureboot")}
		if x.Adopted && f.Type == "secureboot" {
			efi.SecureBoot = nil
		}
		if f.Persistent {
			efi.Persistent = new(true)
		}
		return &kubevirtv1.Bootloader{EFI: efi}
	case "bios":
		// BIOS is the default on amd64 and rejected on other architectures. It has
		// to be set only to override a preference.
		if x.Preference != nil {
			return &kubevirtv1.Bootloader{BIOS: &kubevirtv1.BIOS{}}
		}
	}
	return nil
}

// requireSMM enables system management mode, without which KubeVirt rejects secure
// boot (virt-api validating webhook, v1.9.0).
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
