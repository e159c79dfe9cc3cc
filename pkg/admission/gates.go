package admission

import (
	"slices"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/rule"
)

// gateRules are the fields that need a feature gate.
var gateRules = []row[spec]{
	gated("VSOCK", "", "domain.devices.autoattachVSOCK", "VSOCK device", func(v *spec) bool { return isTrue(v.Domain.Devices.AutoattachVSOCK) }),
	gated("VideoConfig", "1.9", "domain.devices.video", "video device", func(v *spec) bool { return v.Domain.Devices.Video != nil }),
	gated("PanicDevices", "1.9", "domain.devices.panicDevices", "panic devices", func(v *spec) bool { return len(v.Domain.Devices.PanicDevices) > 0 }),
	gated("RebootPolicy", "", "domain.rebootPolicy", "reboot policy", func(v *spec) bool { return v.Domain.RebootPolicy != nil }),
	gated("ReservedOverheadMemlock", "", "domain.memory.reservedOverhead", "reserved overhead", func(v *spec) bool {
		return v.Domain.Memory != nil && v.Domain.Memory.ReservedOverhead != nil
	}),
	gated("HostDevices", "", "domain.devices.hostDevices", "host devices", func(v *spec) bool { return v.Domain.Devices.HostDevices != nil }),
	gated("DownwardMetrics", "", "domain.devices.downwardMetrics", "device of downward metrics", func(v *spec) bool {
		return v.Domain.Devices.DownwardMetrics != nil
	}),
	gated("WorkloadEncryptionSEV", "", "domain.launchSecurity", "AMD SEV", func(v *spec) bool {
		l := v.Domain.LaunchSecurity
		return l != nil && (l.SEV != nil || l.SNP != nil)
	}),
	gated("WorkloadEncryptionTDX", "", "domain.launchSecurity", "Intel TDX", func(v *spec) bool {
		return v.Domain.LaunchSecurity != nil && v.Domain.LaunchSecurity.TDX != nil
	}),
	gated("SecureExecution", "1.9", "domain.launchSecurity", "IBM Secure Execution", func(v *spec) bool {
		return v.Domain.LaunchSecurity != nil && v.Architecture == "s390x"
	}),
	gated("GPUsWithDRA", "", "domain.devices.gpus", "GPU of a resource claim", func(v *spec) bool {
		return slices.ContainsFunc(v.Domain.Devices.GPUs, func(d kubevirtv1.GPU) bool { return d.DeviceName == "" && d.ClaimRequest != nil })
	}),
	gated("HostDevicesWithDRA", "", "domain.devices.hostDevices", "host device of a resource claim", func(v *spec) bool {
		return slices.ContainsFunc(v.Domain.Devices.HostDevices, func(d kubevirtv1.HostDevice) bool {
			return d.DeviceName == "" && d.ClaimRequest != nil
		})
	}),
}

// hasGated reports whether a VM sets a field of gateRules.
func hasGated(_ *subject, v *spec) bool {
	d := &v.Domain.Devices
	return d.AutoattachVSOCK != nil || d.Video != nil || len(d.PanicDevices) > 0 || v.Domain.RebootPolicy != nil ||
		v.Domain.Memory != nil && v.Domain.Memory.ReservedOverhead != nil || d.HostDevices != nil || d.DownwardMetrics != nil ||
		v.Domain.LaunchSecurity != nil || len(d.GPUs) > 0
}

// annotationRules are the annotations of instances that need a feature gate.
var annotationRules = []row[spec]{
	annotated("Sidecar", "hooks.kubevirt.io/hookSidecars", "sidecars that hook into the start of the VM"),
	annotated("ExperimentalIgnitionSupport", kubevirtv1.IgnitionAnnotation, "Ignition data"),
}

// gated returns the rule of a field that needs a feature gate, before a version or always.
func gated(gate, before, field, what string, used func(*spec) bool) row[spec] {
	return row[spec]{
		Rule: Rule{
			ID: "gate-" + gate, Kind: rule.KubeVirtVersion, Field: field, Problem: what, Before: before, Gate: gate,
			Source: sourceInstance,
		},
		broken: plain(used),
	}
}

// annotated returns the rule of an annotation of instances that needs a feature gate.
func annotated(gate, annotation, what string) row[spec] {
	r := gated(gate, "", "/spec.template.metadata.annotations", what, nil)
	r.broken = func(s *subject, _ *spec) bool { return s.vm.Spec.Template.ObjectMeta.Annotations[annotation] != "" }
	return r
}

// architectureRules are what KubeVirt refuses of an architecture when the VM starts.
var architectureRules = []row[spec]{
	archRule("arm64", "bios", "domain.firmware.bootloader.bios", "there is no BIOS on arm64; use efi", sourceARM, func(v *spec) bool {
		return bootloader(v) != nil && bootloader(v).BIOS != nil
	}),
	archRule("arm64", "cpu-model", "domain.cpu.model", "there is only the CPU model host-passthrough on arm64", sourceARM, func(v *spec) bool {
		return v.Domain.CPU != nil && v.Domain.CPU.Model != "" && v.Domain.CPU.Model != kubevirtv1.CPUModeHostPassthrough
	}),
	archRule("arm64", "bus", "domain.devices.disks", "there are only the buses virtio and scsi on arm64", sourceARM, func(v *spec) bool {
		return slices.ContainsFunc(v.Domain.Devices.Disks, func(d kubevirtv1.Disk) bool {
			return !slices.Contains([]string{"", "virtio", "scsi"}, busOf(&d))
		})
	}),
	archRule("arm64", "watchdog", "domain.devices.watchdog", "there is no watchdog on arm64; remove it", sourceARM, func(v *spec) bool {
		return v.Domain.Devices.Watchdog != nil
	}),
	archRule("arm64", "sound", "domain.devices.sound", "there is no sound device on arm64; remove it", sourceARM, func(v *spec) bool {
		return v.Domain.Devices.Sound != nil
	}),
	archRule("amd64", "watchdog", "domain.devices.watchdog", "there is only the watchdog i6300esb on amd64", sourceAMD, func(v *spec) bool {
		w := v.Domain.Devices.Watchdog
		return w != nil && (w.I6300ESB == nil || w.Diag288 != nil)
	}),
	archRule("s390x", "watchdog", "domain.devices.watchdog", "there is only the watchdog diag288 on s390x", sourceS390, func(v *spec) bool {
		w := v.Domain.Devices.Watchdog
		return w != nil && (w.Diag288 == nil || w.I6300ESB != nil)
	}),
	video("amd64", sourceAMD, "vga", "cirrus", "virtio", "ramfb", "bochs"), video("arm64", sourceARM, "virtio", "ramfb"),
	video("s390x", sourceS390, "virtio"),
	{
		Rule: Rule{
			ID: "hyperv-passthrough", Kind: rule.Conflict, Field: "domain.features.hypervPassthrough", Starts: true, Source: sourceHyperV,
			Problem: "KubeVirt accepts one of hyperv and hypervPassthrough",
		},
		broken: plain(func(v *spec) bool {
			return v.Domain.Features != nil && v.Domain.Features.Hyperv != nil && v.Domain.Features.HypervPassthrough != nil
		}),
	},
}

// isUncommon reports whether a VM is not one of amd64 without the devices of architectureRules.
func isUncommon(_ *subject, v *spec) bool {
	return v.Architecture != "amd64" || v.Domain.Devices.Watchdog != nil || v.Domain.Devices.Video != nil ||
		v.Domain.Features != nil && v.Domain.Features.HypervPassthrough != nil
}

// archRule returns a rule of one architecture. A preference can set what the rule finds missing, but nothing that is there.
func archRule(arch, name, field, problem, from string, broken func(*spec) bool) row[spec] {
	return row[spec]{
		Rule: Rule{
			ID: arch + "-" + name, Kind: rule.Conflict, Field: field, Problem: problem, Starts: true, Source: from,
		},
		broken: plain(func(v *spec) bool { return v.Architecture == arch && broken(v) }),
	}
}

// video returns the rule of the video devices of an architecture.
func video(arch, from string, accepted ...string) row[spec] {
	r := enum(Rule{
		ID: arch + "-video", Kind: rule.Conflict, Field: "domain.devices.video.type", Starts: true, Source: from,
	}, "type of a video device on "+arch, func(v *spec) string {
		if v.Domain.Devices.Video == nil || v.Architecture != arch {
			return ""
		}
		return v.Domain.Devices.Video.Type
	}, accepted...)
	return r
}
