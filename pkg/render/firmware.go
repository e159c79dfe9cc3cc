package render

import (
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/machine"
)

func (x *rendering) setFirmware(d *kubevirtv1.DomainSpec) {
	if x.Firmware == (machine.Firmware{}) {
		return
	}
	out := new(kubevirtv1.Firmware)
	keys.Firmware.Set(out, &x.Firmware)
	keys.SetBootloader(out, x.Machine)
	if *out == (kubevirtv1.Firmware{}) {
		return
	}
	d.Firmware = out
	if x.Firmware.Type == "secureboot" {
		requireSMM(d)
	}
}

// requireSMM enables system management mode, without which KubeVirt rejects secure
// boot (virt-api validating webhook, v1.9.0).
func requireSMM(d *kubevirtv1.DomainSpec) {
	if d.Features == nil {
		d.Features = &kubevirtv1.Features{}
	}
	d.Features.SMM = &kubevirtv1.FeatureState{Enabled: new(true)}
}
