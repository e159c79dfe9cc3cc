package resolve_test

import (
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
)

// hardwareOf describes the hardware that differs between architectures.
func hardwareOf(m *machine.Machine) string {
	var list []any
	for i := range m.Disks {
		list = append(list, m.Disks[i].Name, m.Disks[i].Bus)
	}
	list = append(list, "arch", m.Arch, "firmware", m.Firmware.Type, "nic", m.NICs[0].Model)
	if m.Sysprep != nil {
		list = append(list, "sysprep", m.Sysprep.Bus)
	}
	return fields(list...)
}

func TestArchitectures(t *testing.T) {
	const cdrom = `disks: {root: {source: {registry: "docker://x/y"}}, iso: {type: cdrom, source: {claim: iso}}}`
	resolve(t, hardwareOf, []row{
		{"amd64", "os: rhel9, " + cdrom, "root=virtio iso=sata arch=amd64 firmware=secureboot nic=virtio"},
		{"arm64", "os: rhel9, arch: arm64, " + cdrom, "root=virtio iso=scsi arch=arm64 firmware=efi nic=virtio"},
		{"arm64-bios", "os: rhel8, arch: arm64, " + cdrom, "root=virtio iso=scsi arch=arm64 firmware=efi nic=virtio"},
		{"s390x", "os: rhel9, arch: s390x, " + cdrom, "root=virtio iso=scsi arch=s390x nic=virtio"},
		{
			"arm64-windows-with-preference", "os: windows2022, arch: arm64, preference: windows, sysprep: {secret: s}, " + cdrom,
			"arch=arm64",
		},
		{"machine-type", "arch: arm64, machineType: virt-rhel9.6.0", "root=virtio arch=arm64 firmware=efi nic=virtio"},
		{
			"cpu-model", "arch: arm64, cpu: {cores: 2, model: host-passthrough}",
			"root=virtio arch=arm64 firmware=efi nic=virtio",
		},
		{"cpu-model-of-s390x", "arch: s390x, cpu: {cores: 2, model: z15}", "root=virtio arch=s390x nic=virtio"},
	})
	refuse(t, []row{
		{
			"windows", "os: windows2022, arch: arm64",
			`vms.it.os: "windows2022" is not for arm64, which lacks apic, tpm, e1000e`,
		},
		{"emulated-nic", "os: sata, arch: s390x", `vms.it.os: "sata" is not for s390x, which lacks e1000e; use another`},
		{
			"sata", "arch: arm64, disks: {x: {size: 1Gi, bus: sata}}",
			`vms.it.disks.x.bus: there is no disk bus "sata" on arm64; accepted: virtio, scsi`,
		},
		{
			"cdrom-on-virtio", "disks: {x: {size: 1Gi, bus: virtio, type: cdrom}}",
			`there is no CD-ROM on the bus "virtio" on amd64; accepted: scsi, sata, usb`,
		},
		{"usb", "arch: s390x, disks: {x: {size: 1Gi, bus: usb}}", `there is no disk bus "usb" on s390x`},
		{
			"nic", "arch: arm64, nics: [{network: pod, model: e1000e}]",
			`vms.it.nics[0].model: there is no NIC model "e1000e" on arm64; accepted: virtio`,
		},
		{
			"unknown-nic", "nics: [{network: pod, model: virtoi}]",
			`there is no NIC model "virtoi" on amd64; accepted: virtio, e1000e`,
		},
		{
			"secureboot", "arch: arm64, firmware: secureboot",
			`vms.it.firmware: there is no firmware "secureboot" on arm64; accepted: efi`,
		},
		{"bios", "arch: arm64, firmware: {type: bios}", `vms.it.firmware.type: there is no firmware "bios" on arm64`},
		{"firmware-of-s390x", "arch: s390x, firmware: efi", `there is no firmware "efi" on s390x; remove it`},
		{"tpm", "arch: s390x, tpm: true", `vms.it.tpm: there is no volatile TPM on s390x; remove it`},
		{
			"memory-that-grows", "arch: arm64, memory: {guest: 2Gi, max: 4Gi}",
			"vms.it.memory.max: memory cannot grow on arm64 while the VM runs",
		},
		{"persistent-tpm", "arch: arm64, tpm: {persistent: true}", "there is no persistent TPM on arm64"},
		{
			"cpu-model", "arch: arm64, cpu: {cores: 2, model: host-model}",
			`vms.it.cpu.model: there is no CPU model "host-model" on arm64`,
		},
		{
			"threads", "arch: arm64, cpu: {cores: 1, threads: 2}",
			"vms.it.cpu.threads: arm64 has at most 1 thread per core; use `cores`",
		},
		{
			"machine-type", "machineType: pc",
			`vms.it.machineType: there is no machine type "pc" on amd64; accepted: q35*, pc-q35*`,
		},
		{
			"machine-type-of-arm64", "arch: arm64, machineType: q35",
			`there is no machine type "q35" on arm64; accepted: virt*`,
		},
		{
			"unpublished", "os: debian12, arch: s390x, disks: {root: {source: null}}",
			"debian12 has no image of its own for s390x; name the `source` of the root disk",
		},
	})
}

// inFleet resolves one VM "it" with the given keys, in a fleet with the given keys.
func inFleet(t *testing.T, header, keys string, opts fleet.Options) ([]*machine.Machine, []string) {
	t.Helper()
	dir := fleettest.Unpack(t, &txtar.Archive{Files: []txtar.File{
		{Name: "fleet.yaml", Data: []byte("apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: f}\n" + header)},
		{Name: "vms.yaml", Data: []byte("vms: {it: {flavor: medium, namespace: ns, " + keys + "}}\n")},
	}})
	f, diags := inventory.Load(dir, opts)
	return f.Machines, fleettest.Problems(diags, dir)
}

// On a cluster that is not OpenShift, nothing refers to features of OpenShift.
func TestPlainKubernetes(t *testing.T) {
	sources := func(target, keys string, opts fleet.Options) []string {
		machines, lines := inFleet(t, "target: "+target, keys, opts)
		for _, m := range machines {
			lines = append(lines, m.Disks[0].Source.String())
		}
		return lines
	}
	const plain, openShift, unknown = "{openshift: false}", "{openshift: true}", "{}"
	for _, test := range []struct{ name, target, keys, want string }{
		{"public-image", plain, "os: fedora", "registry docker://quay.io/containerdisks/fedora:43"},
		{"openshift", openShift, "os: fedora", "dataSource openshift-virtualization-os-images/fedora"},
		{"unknown", unknown, "os: fedora", "dataSource openshift-virtualization-os-images/fedora"},
		{
			"no-image", plain, "os: rhel9",
			"vms.it.disks.root.source: rhel9 has no image of its own outside OpenShift; name the `source`",
		},
		{
			"boot-source", plain, "os: rhel9, disks: {root: {source: {dataSource: openshift-virtualization-os-images/rhel9}}}",
			`"openshift-virtualization-os-images/rhel9" exists on OpenShift only; name an image that the cluster has`,
		},
		{
			"protect", plain, "os: debian12, lifecycle: {protect: true}",
			"warning: vms.it.lifecycle.protect: only OpenShift refuses to delete a protected VM",
		},
		{
			"protect-on-openshift", openShift, "os: debian12, lifecycle: {protect: true}",
			"registry docker://quay.io/containerdisks/debian:12",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Contains(t, sources(test.target, test.keys, fleet.Options{})[0], test.want)
		})
	}
	found := fleet.Options{NoOpenShift: true}
	require.Equal(t, []string{
		`fleet.yaml:4:9: warning: target.openshift: VMs boot from images in "openshift-virtualization-os-images", which ` +
			"only OpenShift has, and the cluster does not seem to be OpenShift; " +
			"set `target.openshift: false` for public images, or true",
		"dataSource openshift-virtualization-os-images/fedora", "dataSource openshift-virtualization-os-images/fedora",
	}, sources(unknown, "os: fedora, replicas: 2", found))
	require.Contains(t, sources(openShift, "os: fedora", found)[0], "dataSource", "the fleet knows better")
}
