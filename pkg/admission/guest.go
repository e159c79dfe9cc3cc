package admission

import (
	"path"
	"slices"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/rule"
)

// firmwareRules are about firmware.
var firmwareRules = []row[spec]{
	{
		Rule: Rule{
			ID: "secure-boot", Kind: rule.Conflict, Field: "domain.firmware.bootloader.efi", Source: sourceInstance,
			Problem: "secure boot, which is on unless `secureBoot: false`, needs `features: {smm: {enabled: true}}`",
		},
		broken: func(s *subject, v *spec) bool { // a preference can set both
			isTDX := v.Domain.LaunchSecurity != nil && v.Domain.LaunchSecurity.TDX != nil
			return s.vm.Spec.Preference == nil && isSecure(v) && !hasSMM(v) && !isTDX
		},
	},
	{
		Rule: Rule{
			ID: "bootloader", Kind: rule.Conflict, Field: "domain.firmware.bootloader", Source: sourceInstance,
			Problem: "KubeVirt accepts one of bios and efi",
		},
		broken: plain(func(v *spec) bool { b := bootloader(v); return b != nil && b.BIOS != nil && b.EFI != nil }),
	},
	{
		Rule: Rule{
			ID: "kernel-args", Kind: rule.Refused, Field: "domain.firmware.kernelBoot.kernelArgs", Source: sourceInstance,
			Problem: "arguments of a kernel need a container with it",
		},
		broken: plain(func(v *spec) bool { k := kernel(v); return k != nil && k.Container == nil && k.KernelArgs != "" }),
	},
	{
		Rule: Rule{
			ID: "kernel", Kind: rule.Refused, Field: "domain.firmware.kernelBoot.container", Source: sourceInstance,
			Problem: "expected an image, and an absolute kernelPath or initrdPath in it",
		},
		broken: plain(func(v *spec) bool {
			k := kernel(v)
			return k != nil && k.Container != nil && (k.Container.Image == "" || k.Container.InitrdPath == "" && k.Container.KernelPath == "" ||
				!isFile(k.Container.KernelPath) || !isFile(k.Container.InitrdPath))
		}),
	},
	{
		Rule: Rule{
			ID: "acpi", Kind: rule.Unpaired, Field: "domain.firmware.acpi", Source: sourceInstance,
			Problem: "expected the names of volumes with a Secret under slicNameRef or msdmNameRef",
		},
		broken: func(s *subject, v *spec) bool {
			if v.Domain.Firmware == nil || v.Domain.Firmware.ACPI == nil {
				return false
			}
			a := v.Domain.Firmware.ACPI
			return a.SlicNameRef == "" && a.MsdmNameRef == "" || !s.isTable(a.SlicNameRef) || !s.isTable(a.MsdmNameRef)
		},
	},
}

// machineTypeRules are about the machine type.
var machineTypeRules = []row[spec]{
	{
		Rule: Rule{
			ID: "machine-type", Kind: rule.Conflict, Field: "domain.machine.type", Source: sourceInstance,
			Problem: "the architecture has no machine type %q; accepted: q35 on amd64, virt on arm64, s390-ccw-virtio on s390x",
		},
		got:    machineType,
		broken: plain(func(v *spec) bool { return !fits(v, v.Architecture) && isKnown(v) }),
	},
	{
		Rule: Rule{
			ID: "emulated-machine", Kind: rule.Refused, Field: "domain.machine.type", Source: sourceInstance,
			Setting: "emulatedMachines",
			Problem: "there is no machine type %q unless KubeVirt's configuration has it; " +
				"accepted: q35 on amd64, virt on arm64, s390-ccw-virtio on s390x",
		},
		got:    machineType,
		broken: plain(func(v *spec) bool { return !isKnown(v) }),
	},
}

// launchSecurityRules are about confidential VMs.
var launchSecurityRules = []row[spec]{
	{
		Rule: Rule{
			ID: "launch-security", Kind: rule.Conflict, Field: "domain.launchSecurity", Source: sourceAMD,
			Problem: "expected exactly one of sev, snp and tdx on amd64, and none of them elsewhere",
		},
		broken: plain(func(v *spec) bool {
			l := v.Domain.LaunchSecurity
			return l != nil && (v.Architecture == "amd64" && count(l.SEV != nil, l.SNP != nil, l.TDX != nil) != 1 ||
				v.Architecture == "arm64")
		}),
	},
	confidentialRule("firmware", "needs EFI; set domain.firmware.bootloader.efi", func(v *spec) bool {
		return bootloader(v) == nil || bootloader(v).EFI == nil
	}),
	confidentialRule("secure-boot", "sev and snp exclude secure boot; set `secureBoot: false`", func(v *spec) bool {
		return v.Domain.LaunchSecurity.TDX == nil && isSecure(v)
	}),
	confidentialRule("persistent", "snp and tdx exclude persistent EFI variables", func(v *spec) bool {
		return v.Domain.LaunchSecurity.SEV == nil && bootloader(v) != nil && bootloader(v).EFI != nil && isTrue(bootloader(v).EFI.Persistent)
	}),
	confidentialRule("smm", "tdx excludes system management mode", func(v *spec) bool {
		return v.Domain.LaunchSecurity.TDX != nil && hasSMM(v)
	}),
	confidentialRule("nic", "excludes NICs with a bootOrder", func(v *spec) bool {
		return slices.ContainsFunc(v.Domain.Devices.Interfaces, func(n kubevirtv1.Interface) bool { return n.BootOrder != nil })
	}),
	confidentialRule("attestation", "the attestation of sev needs `startStrategy: Paused`", func(v *spec) bool {
		return v.Domain.LaunchSecurity.SEV != nil && v.Domain.LaunchSecurity.SEV.Attestation != nil &&
			textOfPointer(v.StartStrategy) != "Paused"
	}),
}

// confidentialRule returns a rule of VMs on amd64 whose memory is encrypted.
func confidentialRule(name, problem string, broken func(*spec) bool) row[spec] {
	return row[spec]{
		Rule: Rule{
			ID: "launch-security-" + name, Kind: rule.Conflict, Field: "domain.launchSecurity", Problem: problem, Source: sourceAMD,
		},
		broken: func(s *subject, v *spec) bool {
			return s.settled() && v.Domain.LaunchSecurity != nil && v.Architecture == "amd64" && broken(v)
		},
	}
}

func bootloader(v *spec) *kubevirtv1.Bootloader {
	if v.Domain.Firmware == nil {
		return nil
	}
	return v.Domain.Firmware.Bootloader
}

func kernel(v *spec) *kubevirtv1.KernelBoot {
	if v.Domain.Firmware == nil {
		return nil
	}
	return v.Domain.Firmware.KernelBoot
}

func isSecure(v *spec) bool {
	b := bootloader(v)
	return b != nil && b.EFI != nil && isOn(b.EFI.SecureBoot)
}

func hasSMM(v *spec) bool {
	f := v.Domain.Features
	return f != nil && f.SMM != nil && isOn(f.SMM.Enabled)
}

// isTable reports whether a volume that the firmware reads is a Secret, or has no name.
func (s *subject) isTable(name string) bool {
	if name == "" {
		return true
	}
	v := s.volume(name)
	return v != nil && v.Secret != nil
}

// isFile reports whether a path is empty, or an absolute one of a file.
func isFile(name string) bool { return name == "" || name != "/" && path.Join("/", name) == name }

// machineTypes are the beginnings of those that KubeVirt accepts by default, by architecture (v1.8.4,
// pkg/virt-config/virt-config.go).
var machineTypes = map[string][]string{
	"amd64": {"q35", "pc-q35"}, "arm64": {"virt"}, "s390x": {"s390-ccw-virtio"},
}

func machineType(v *spec) string {
	if v.Domain.Machine == nil {
		return ""
	}
	return v.Domain.Machine.Type
}

// fits reports whether the machine type is one of an architecture, or not set.
func fits(v *spec, architecture string) bool {
	t := machineType(v)
	return t == "" || architecture == "" || slices.ContainsFunc(machineTypes[architecture], func(prefix string) bool {
		return strings.HasPrefix(t, prefix)
	})
}

// isKnown reports whether the machine type is one of any architecture, or not set.
func isKnown(v *spec) bool {
	return fits(v, "amd64") || fits(v, "arm64") || fits(v, "s390x")
}
