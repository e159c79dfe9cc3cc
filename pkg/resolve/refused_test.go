package resolve_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
)

// inHeader resolves a VM in a fleet for each row; the first problem contains want, or there is none.
func inHeader(t *testing.T, rows []struct{ name, header, keys, want string }) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			_, problems := inFleet(t, r.header, r.keys, fleet.Options{})
			if r.want == "" {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Contains(t, problems[0], r.want)
		})
	}
}

func TestUserDataHead(t *testing.T) {
	for _, head := range []string{
		"#cloud-config", "#cloud-config-archive", "\\n  #Cloud-Config", "#!/bin/sh", "## template: jinja", "#include-once",
		"Content-Type: multipart/mixed", "MIME-Version: 1.0", "{ignition: {}}", "version: v1alpha1",
		"{{ .vars.head }}",
	} {
		_, problems := inSite(t, `vars: {head: "#cloud-config"}, cloudInit: {userData: "`+head+`\n"}`)
		require.Empty(t, problems, head)
	}
	refuse(t, []row{
		{
			"no-head", `cloudInit: {userData: "packages: [secret]"}`,
			"vms.it.cloudInit.userData: user data without its first line",
		},
		{"comment-first", `cloudInit: {userData: "# mine\n#cloud-config\n"}`, "user data without its first line"},
		{
			"template", `vars: {head: "packages: []"}, cloudInit: {userData: "{{ .vars.head }}"}`,
			"user data without its first line",
		},
	})
	_, problems := inSite(t, `cloudInit: {userData: "packages: [secret]"}`)
	require.NotContains(t, problems[0], "secret")
}

func TestFirmwareOfOldDisks(t *testing.T) {
	const claim = "disks: {root: {source: {claim: old}}}"
	inHeader(t, []struct{ name, header, keys, want string }{
		{
			"claim", "", "os: rhel9, " + claim,
			"vms.yaml:1:77: warning: vms.it.disks.root.source: the guest on this disk boots only with the firmware " +
				"that it was installed with, and rhel9 has \"secureboot\"; set `firmware` to bios, efi or secureboot",
		},
		{"pvc", "", "os: debian13, disks: {root: {source: {pvc: a/b}}}", `and debian13 has "efi"; set`},
		{"snapshot", "", "os: windows2022, disks: {root: {source: {snapshot: a/b}}}", "set `firmware`"},
		{"dataVolume", "", "os: rhel9, disks: {root: {source: {dataVolume: old}}}", "set `firmware`"},
		{
			"image", "catalog: {images: {old: {pvc: a/b}}}", "os: rhel9, disks: {root: {source: {image: old}}}",
			"set `firmware`",
		},

		{"given", "", "os: rhel9, firmware: bios, " + claim, ""},
		{"given-in-defaults", "defaults: {firmware: secureboot}", "os: rhel9, " + claim, ""},
		{"bios", "", "os: rhel8, " + claim, ""},
		{"import", "", "os: rhel9, disks: {root: {source: {http: 'http://x/y'}}}", ""},
		{"data-disk", "", "os: rhel9, disks: {data: {source: {claim: old}}}", ""},
		{"own-image", "catalog: {os: {mine: {from: rhel9, image: {pvc: a/b}}}}", "os: mine", ""},
		{"preference", "", "os: rhel9, preference: rhel.9, " + claim, ""},
		{"arm64", "", "os: rhel9, arch: arm64, " + claim, ""},
	})
}

func TestRootSmallerThanImage(t *testing.T) {
	inHeader(t, []struct{ name, header, keys, want string }{
		{
			"smaller", "", "os: rhel9, disks: {root: 5Gi}", `vms.it.disks.root: "5Gi" is smaller than the image of rhel9; ` +
				"expected at least \"30Gi\", or another `catalog.os.rhel9.rootSize`",
		},
		{"long-form", "", "os: rhel9, disks: {root: {size: 29Gi}}", "vms.it.disks.root.size: "},
		{"equal", "", "os: rhel9, disks: {root: 30Gi}", ""},
		{"smaller-image", "catalog: {os: {rhel9: {rootSize: 5Gi}}}", "os: rhel9, disks: {root: 5Gi}", ""},
		{"import", "", "os: debian13, disks: {root: 5Gi}", ""},
		{"other-source", "", "os: rhel9, disks: {root: {size: 5Gi, source: {dataSource: a/b}}}", ""},
	})
}

func TestFeaturesOfKubeVirt(t *testing.T) {
	const root = "os: debian13, "
	inHeader(t, []struct{ name, header, keys, want string }{
		{
			"link-state", `target: {kubevirt: "1.4"}`, root + "nics: [{network: pod, state: down}]",
			"vms.yaml:1:86: vms.it.nics[0].state: link state: needs kubevirt 1.5; target is 1.4",
		},
		{
			"ejected", `target: {kubevirt: "1.5"}`, root + "disks: {tray: {type: cdrom, ejected: true}}",
			"vms.it.disks.tray.ejected: ",
		},
		{"igb", `target: {kubevirt: "1.3"}`, root + "nics: [{network: pod, model: igb}]", "vms.it.nics[0].model: "},
		{"s390x", `target: {kubevirt: "1.2"}`, "os: fedora, arch: s390x", "vms.it.arch: "},
		{"memory", `target: {kubevirt: "1.0"}`, root + "memory: {guest: 1Gi, max: 2Gi}", "vms.it.memory.max: "},
		{"plugin", `target: {kubevirt: "1.0"}`, root + "nics: [{network: pod, binding: passt}]", "vms.it.nics[0].binding: "},

		{"new", `target: {kubevirt: "1.5"}`, root + "nics: [{network: pod, state: down}]", ""},
		{"newest", "", root + "nics: [{network: pod, state: down}]", ""},
		{
			"old-features", `target: {kubevirt: "1.0"}`, root + "nics: [pod, {network: a/b, binding: bridge, state: absent}]",
			"",
		},
	})
}

// A wrong value is reported where it is written, once, whether or not a VM overrides it.
func TestValuesOfEveryLevel(t *testing.T) {
	const vm = "os: debian13, memory: 2Gi, cpu: 1, disks: {data: {size: 1Gi, storageClass: fast, source: blank}}, " +
		"nics: [], priorityClassName: x"
	const catalog = "catalog: {storageClasses: {fast: {name: x}}}\n"
	for _, test := range []struct{ keys, want string }{
		{"memory: 5GB", `defaults.memory: invalid quantity "5GB"; did you mean "5Gi"?`},
		{"disks: {data: {size: lots}}", `defaults.disks.data.size: invalid quantity`},
		{"disks: {data: lots}", `defaults.disks.data: invalid quantity`},
		{"disks: {data: {storageClass: nada}}", `defaults.disks.data.storageClass: unknown storage class "nada"; `},
		{"disks: {data: {source: {image: nada}}}", `defaults.disks.data.source.image: unknown image "nada"; `},
		{"nics: [nonet]", `defaults.nics[0]: unknown network "nonet"; `},
		{"nics: [{network: pod, mac: x}]", `defaults.nics[0].mac: invalid MAC address "x"`},
		{"nics: [{network: a/b, ip: 10.0.0.1}]", `defaults.nics[0].ip: invalid address "10.0.0.1"`},
		{"nics: [{network: a/b, dns: [x]}]", `defaults.nics[0].dns[0]: invalid address "x"`},
		{
			"nics: [{network: a/b, routes: [{to: x, via: 10.0.0.1}]}]",
			`defaults.nics[0].routes[0].to: invalid destination "x"`,
		},
		{
			"nics: [{network: a/b, binding: sriovv}]",
			`defaults.nics[0].binding: "sriovv" is the name of a network binding plugin; did you mean "sriov"?`,
		},
		{"firmware: {uuid: x}", `defaults.firmware.uuid: invalid UUID "x"`},
		{"flavor: xxl", `defaults.flavor: unknown flavor "xxl"`},
		{"os: rhle9", `defaults.os: unknown operating system "rhle9"`},
		{"nodeSelector: {bad key!: x}", `invalid label key "bad key!"`},
		{"priorityClassName: X Y", `defaults.priorityClassName: invalid name "X Y"`},
		{"cloudInit: {sshKeySecret: x y}", `defaults.cloudInit.sshKeySecret: invalid name "x y"`},
		{
			"cloudInit: {passwordSecret: Foo_Bar, packages: [qemu-guest-agent]}",
			`defaults.cloudInit.passwordSecret: invalid name "Foo_Bar"`,
		},
		{"cloudInit: {sshKeys: [nonsense]}", `defaults.cloudInit.sshKeys[0]: invalid SSH key; expected a public key`},
		{"gpus: [nvidia]", `defaults.gpus[0]: invalid device "nvidia"; expected the resource name`},
		{"hostDevices: [{device: pci_0000}]", `defaults.hostDevices[0].device: invalid device "pci_0000"`},
	} {
		_, problems := inFleet(t, catalog+"defaults: {"+test.keys+"}", vm, fleet.Options{})
		require.Len(t, problems, 1, test.keys)
		require.Contains(t, problems[0], "fleet.yaml:5:")
		require.Contains(t, problems[0], test.want)
	}
	const plain = "os: debian13, nics: [], cloudInit: null, gpus: []"
	for _, keys := range []string{
		`cloudInit: {sshKeys: ["no-pty ssh-ed25519 AAAA", "{{ .vm.name }}"]}`, "nics: [{network: a/b, binding: l2bridge}]",
		`nics: [{network: a/b, mac: "{{ .vars.mac }}"}]`, "gpus: [nvidia.com/GA102GL_A10]",
	} {
		_, problems := inFleet(t, "defaults: {"+keys+"}", plain, fleet.Options{})
		require.Empty(t, problems, keys)
	}
}

// A VM with no replicas is checked like any other.
func TestValuesOfNoReplicas(t *testing.T) {
	for keys, want := range map[string]string{
		"memory: 5GB":              `vms.it.memory: invalid quantity "5GB"`,
		"nics: [x]":                `vms.it.nics[0]: unknown network "x"`,
		"os: rhel7x":               "unknown operating system",
		"cloudInit: {userData: x}": "user data without its first line",
	} {
		_, problems := inFleet(t, "allowEmpty: true\ndefaults: {os: debian13}", "replicas: 0, "+keys, fleet.Options{})
		require.Len(t, problems, 1, keys)
		require.Contains(t, problems[0], want)
	}
}

// Services select pods by the label, so it cannot be changed.
func TestDomainLabel(t *testing.T) {
	refuse(t, []row{{
		"domain", "labels: {kubevirt.io/domain: q}",
		`vms.it.labels["kubevirt.io/domain"]: the label of the VM's pods is the name of the VM`,
	}})
}
