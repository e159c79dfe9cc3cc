package resolve_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
)

// vcenter is the header of a fleet whose VMs can migrate.
const vcenter = `catalog: {networks: {pod: {pod: true, vsphere: [VM Network, network-7]},
lan: {nad: ns/lan, vsphere: [VLAN 7]}},
storageClasses: {ceph: {name: ceph-rbd, volumeMode: Block, vsphere: [nvme, datastore-3]}}}
defaults: {namespace: ns, os: windows2022, flavor: large, firmware: efi, disks: {root: {storageClass: ceph}}}`

// vmOf returns the VM of a fleet without problems.
func vmOf(t *testing.T, header, keys string) *machine.Machine {
	t.Helper()
	machines, problems := inFleet(t, header, keys, fleet.Options{})
	require.Empty(t, problems)
	require.Len(t, machines, 1)
	return machines[0]
}

func TestMigration(t *testing.T) {
	m := vmOf(t, vcenter, `disks: {logs: {storageClass: ceph}, data: {storageClass: ceph}, `+
		`new: {size: 1Gi, source: blank}, cd: {type: cdrom, source: {claim: cd}}}, nics: [lan, pod], `+
		`migrate: {vm: "{{ .vm.name }}", provider: vcenter, warm: true, cutover: "2026-12-06T00:30:00+02:00", `+
		`transferNetwork: lan, disks: [root, data, logs]}`)
	network := machine.VSphereRef{Name: "VM Network"}
	require.Equal(t, &machine.Migration{
		Plan: "it", VM: machine.VSphereRef{Name: "it"}, Warm: true, Cutover: "2026-12-05T22:30:00Z", PreserveStaticIPs: true,
		Provider:        machine.NamespacedName{Namespace: "openshift-mtv", Name: "vcenter"},
		Destination:     machine.NamespacedName{Namespace: "openshift-mtv", Name: "host"},
		TransferNetwork: &machine.NamespacedName{Namespace: "ns", Name: "lan"},
		Disks: []machine.MigratedDisk{
			{Claim: "it", Volume: "rootdisk"}, {Claim: "it-data", Volume: "data"}, {Claim: "it-logs", Volume: "logs"},
		},
		Networks: []machine.MappedNetwork{
			{Source: machine.VSphereRef{Name: "VLAN 7"}, NAD: &machine.NamespacedName{Namespace: "ns", Name: "lan"}},
			{Source: network},
			{Source: machine.VSphereRef{ID: "network-7"}},
		},
		Storage: []machine.MappedStorage{
			{Source: machine.VSphereRef{Name: "nvme"}, Class: "ceph-rbd", VolumeMode: "Block"},
			{Source: machine.VSphereRef{ID: "datastore-3"}, Class: "ceph-rbd", VolumeMode: "Block"},
			{Source: machine.VSphereRef{Name: "nvme"}, Class: "ceph-rbd", VolumeMode: "Block"},
			{Source: machine.VSphereRef{ID: "datastore-3"}, Class: "ceph-rbd", VolumeMode: "Block"},
			{Source: machine.VSphereRef{Name: "nvme"}, Class: "ceph-rbd", VolumeMode: "Block"},
			{Source: machine.VSphereRef{ID: "datastore-3"}, Class: "ceph-rbd", VolumeMode: "Block"},
		},
	}, m.Migration)
	require.True(t, m.Migration.Pending())
	for _, d := range m.Disks {
		require.Equal(t, d.Name == "new", d.Kind == machine.DiskDataVolume, d.Name)
	}
}

// A VM that has migrated and been cleaned up needs nothing from vSphere.
func TestMigrationEnded(t *testing.T) {
	m := vmOf(t, `defaults: {namespace: ns, os: windows2022, flavor: large, firmware: {type: efi, serial: a,
uuid: 5d307ca9-b3ef-428c-8861-06e72d69f223}}`,
		`nics: [{network: ns/lan, mac: "02:00:00:00:00:01"}], migrate: {vm: vm-1, done: true}`)
	require.True(t, m.Migration.Ended())
	require.False(t, m.Migration.Pending())
	require.Equal(t, "it", m.Disks[0].Claim)
}

// Defaults can configure migrations but cannot migrate a VM.
func TestMigrationOfDefaults(t *testing.T) {
	m := vmOf(t, vcenter[:len(vcenter)-1]+`, migrate: {provider: vcenter, run: 1, done: true}}`, "")
	require.Nil(t, m.Migration)
	require.Equal(t, machine.DiskDataVolume, m.Disks[0].Kind)
}

// Hooks are in the order in which they run, with all keys of all levels.
func TestMigrationHooks(t *testing.T) {
	m := vmOf(t, vcenter[:len(vcenter)-1]+`, migrate: {provider: vcenter, hooks: {pre: {image: a, deadline: 60}}}}`,
		`migrate: {vm: vm-1, hooks: {post: {image: b}, pre: {playbook: "- hosts: '{{ x }}'", serviceAccount: mover}}}`)
	require.Equal(t, []machine.MigrationHook{
		{Step: "pre", Image: "a", Playbook: "- hosts: '{{ x }}'", ServiceAccount: "mover", Deadline: 60},
		{Step: "post", Image: "b"},
	}, m.Migration.Hooks)
}

// A password in a playbook is reported. A template or vault of Ansible is not, and
// neither is a key that only contains the word.
func TestPlaybookPassword(t *testing.T) {
	for line, secret := range map[string]bool{
		"ansible_password: hunter2":                  true,
		"- login_password: 'hunter2'":                true,
		"api_token: \"hunter2\"":                     true,
		"PASSWORD: 4711":                             true,
		"ansible_password: \"{{ login.password }}\"": false,
		"token: '{{ lookup(\"file\", \"/t\") }}'":    false,
		"ansible_password: !vault |":                 false,
		"password:":                                  false,
		"password: # from the Secret":                false,
		"password_file: /run/secret":                 false,
		"name: the password: none":                   false,
	} {
		t.Run(line, func(t *testing.T) {
			_, problems := inFleet(t, vcenter, `migrate: {vm: vm-1, provider: vcenter, `+
				`hooks: {pre: {image: a, playbook: "- vars:\n    `+
				strings.NewReplacer(`"`, `\"`).Replace(line)+`\n"}}}`, fleet.Options{})
			if !secret {
				require.Empty(t, problems)
				return
			}
			require.Len(t, problems, 1)
			require.Contains(t, problems[0], "it.migrate.hooks.pre.playbook: a password in clear text")
			require.NotContains(t, problems[0], "hunter2")
		})
	}
}

// The claim name of a disk is that of the claim that the migration creates and the VM uses afterwards.
func TestMigratedClaimName(t *testing.T) {
	m := vmOf(t, vcenter, `disks: {root: {claimName: "{{ .vm.name }}-boot"}, `+
		`data: {storageClass: ceph, claimName: old}}, migrate: {vm: vm-1, provider: vcenter}`)
	require.Equal(t, []machine.MigratedDisk{{Claim: "it-boot", Volume: "rootdisk"}, {Claim: "old", Volume: "data"}},
		m.Migration.Disks)
	for i, claim := range []string{"it-boot", "old"} {
		require.Equal(t, machine.DiskClaim, m.Disks[i].Kind)
		require.Equal(t, claim, m.Disks[i].Claim)
	}
	_, problems := inFleet(t, vcenter, `disks: {data: {storageClass: ceph, claimName: it}}, `+
		`migrate: {vm: vm-1, provider: vcenter}`, fleet.Options{})
	require.Len(t, problems, 1)
	require.Contains(t, problems[0], `"it" is also that of disks.root`)
}
