package validation

import (
	"path"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/versions"
)

// checkArch reports hardware that the CPU architecture of the VM does not
// have. KubeVirt checks some of it when the VM starts, and the rest never starts.
func (d *decided) checkArch(m *machine.Machine) {
	arch := catalog.Architecture(m.Arch)
	if arch == nil {
		return // reported with the key
	}
	if len(d.entry.OS.Lacking) > 0 && m.Preference == nil {
		d.errorf(d.entry.At("os"), rule.Conflict, "os", "%q is not for %s, which lacks %s; use another operating system, "+
			"or other `traits` in its catalog entry", m.OS.Name, m.Arch, strings.Join(d.entry.OS.Lacking, ", "))
		return
	}
	d.checkDiskBuses(m, arch)
	for i := range m.NICs {
		if n := &m.NICs[i]; lacks(arch.NICModels, n.Model) {
			d.reportArch(m.Arch, n.Model, arch.NICModels, n.At("model"), machine.NICPath(i)+".model", "NIC model")
		}
	}
	d.checkFirmwareType(m, arch)
	if arch.CPUModels != nil && lacks(arch.CPUModels, m.CPU.Model) {
		d.reportArch(m.Arch, m.CPU.Model, arch.CPUModels, d.entry.At("cpu", "model"), "cpu.model", "CPU model")
	}
	if arch.Threads > 0 && m.CPU.Threads > arch.Threads {
		d.errorf(d.entry.At("cpu", "threads"), rule.Conflict, "cpu.threads",
			"%s has at most %d thread per core; use `cores`", m.Arch, arch.Threads)
	}
	if m.Memory.Max != "" && !arch.PlugMemory {
		d.errorf(d.entry.At("memory", "max"), rule.Conflict, "memory.max",
			"memory cannot grow on %s while the VM runs; remove it", m.Arch)
	}
	d.checkMachineType(m, arch)
	d.checkHeadroom(m)
}

// lacks reports whether a value is set and not accepted.
func lacks(accepted []string, value string) bool {
	return value != "" && !slices.Contains(accepted, value)
}

// reportArch reports a value that the architecture lacks.
func (d *decided) reportArch(arch, value string, accepted []string, at source.Pos, path, what string) {
	d.errorf(at, rule.Conflict, path, "there is no %s %q on %s; %s", what, value, arch, acceptedWords(accepted))
}

// acceptedWords lists what is accepted, or advises to remove the key if nothing is.
func acceptedWords(words []string) string {
	if len(words) == 0 {
		return "remove it"
	}
	return "accepted: " + strings.Join(words, ", ")
}

func (d *decided) checkDiskBuses(m *machine.Machine, arch *catalog.Arch) {
	if c := m.CloudInit; c != nil && lacks(arch.DiskBuses, c.Bus) {
		d.reportArch(m.Arch, c.Bus, arch.DiskBuses, d.entry.At("cloudInit", "bus"), "cloudInit.bus", "disk bus")
	}
	for i := range m.Disks {
		disk, what, accepted := &m.Disks[i], "disk bus", arch.DiskBuses
		if disk.Type == "cdrom" {
			what, accepted = "CD-ROM on the bus", arch.CDROMBuses()
		}
		if lacks(accepted, disk.Bus) {
			d.reportArch(m.Arch, disk.Bus, accepted, d.entry.At("disks", disk.Name, "bus"), disk.KeyPath("bus"), what)
		}
	}
}

// checkFirmwareType checks firmware and TPM.
func (d *decided) checkFirmwareType(m *machine.Machine, arch *catalog.Arch) {
	if lacks(arch.Firmware, m.Firmware.Type) {
		d.reportArch(m.Arch, m.Firmware.Type, arch.Firmware, d.entry.At("firmware", "type"),
			d.entry.KeyPath("firmware", "type"), "firmware")
	}
	if m.TPM == machine.TPMNone {
		return
	}
	tpm := map[machine.TPMMode]string{machine.TPMVolatile: "volatile", machine.TPMPersistent: "persistent"}[m.TPM]
	if tpm != "" && !slices.Contains(arch.TPM, tpm) {
		d.errorf(d.entry.At("tpm"), rule.Conflict, "tpm", "there is no %s TPM on %s; remove it", tpm, m.Arch)
	}
}

// checkMachineType checks a machine type against those that KubeVirt accepts if
// the cluster does not configure others.
func (d *decided) checkMachineType(m *machine.Machine, arch *catalog.Arch) {
	matches := func(pattern string) bool {
		ok, err := path.Match(pattern, m.MachineType)
		return ok && err == nil
	}
	switch {
	case m.MachineType == "":
	case !slices.ContainsFunc(arch.MachineTypes, matches):
		d.errorf(d.entry.At("machineType"), rule.Conflict, "machineType", "there is no machine type %q on %s; %s",
			m.MachineType, m.Arch, acceptedWords(arch.MachineTypes))
	case slices.ContainsFunc(arch.AgingMachineTypes, matches):
		d.diags.Warnf(d.entry.At("machineType"), rule.MachineType, d.entry.Path+".machineType",
			"%q is deprecated in the QEMU of KubeVirt up to %s, and a VM with it does not start on that of RHEL 10; "+
				"use another from the next start on, such as %q, for all VMs in `defaults`",
			m.MachineType, versions.Newest, arch.NewerMachineType)
	}
}
