package kubevirt

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	v1 "kubevirt.io/api/core/v1"
	"kubevirt.io/kubevirt/pkg/virt-launcher/virtwrap/efi"

	"github.com/vmrender/vmrender/test/admission/object"
)

// NewBoot returns the judge of the firmware that virt-launcher boots a VM with, which no webhook checks. It finds the
// firmware with virt-launcher's own code, among files with the names of the EFI firmware for amd64 and arm64. NewBoot
// writes the files to dir, which must be empty.
func NewBoot(dir string) (object.Judge, error) {
	for _, name := range []string{
		efi.EFICode, efi.EFIVars, efi.EFICodeSecureBoot, efi.EFIVarsSecureBoot, efi.EFICodeAARCH64, efi.EFIVarsAARCH64,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			return nil, err
		}
	}
	return func(o object.Object) []string { return bootProblems(o, dir) }, nil
}

func bootProblems(o object.Object, dir string) []string {
	var vm v1.VirtualMachine
	if err := json.Unmarshal(o.JSON, &vm); err != nil || vm.Spec.Template == nil {
		return []string{fmt.Sprintf("boot: decoding: %v", err)}
	}
	spec := &vm.Spec.Template.Spec
	if spec.Domain.Firmware == nil || spec.Domain.Firmware.Bootloader == nil || spec.Domain.Firmware.Bootloader.EFI == nil {
		return nil
	}
	if Config().GetOVMFPath(spec.Architecture) == "" {
		return []string{"boot: there is no EFI firmware on " + spec.Architecture}
	}
	secure := spec.Domain.Firmware.Bootloader.EFI.SecureBoot
	if !efi.DetectEFIEnvironment(spec.Architecture, dir).Bootable(secure == nil || *secure, efi.None) {
		return []string{"boot: EFI OVMF roms missing on " + spec.Architecture}
	}
	return nil
}
