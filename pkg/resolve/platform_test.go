package resolve_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
)

// nextToPlatform loads one VM with a platform.yaml next to its fleet.
func nextToPlatform(t *testing.T, platform, vm string) (*inventory.Fleet, []string) {
	t.Helper()
	const header = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
defaults: {namespace: shop}
catalog: {networks: {mine: {nad: default/mine}}}
`
	dir := t.TempDir()
	for name, text := range map[string]string{
		"platform.yaml": platform,
		"fleet.yaml":    header,
		"vms.yaml":      "vms:\n  a: {os: rhel9, flavor: small, " + vm + "}\n",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	f, diags := inventory.Load(dir, fleet.Options{})
	var messages []string
	for _, d := range diags.Sorted() {
		d.File = ""
		messages = append(messages, d.String())
	}
	return f, messages
}

const sitePlatform = `apiVersion: vmrender.io/v1alpha1
kind: Platform
layers:
  hyperconverged: {}
  network: {values: {networks: {lan: {vlan: 7}, db: {namespace: data}}, userDefinedNetworks: {tenant: {}}}}
  second: {chart: network, values: {networks: {dmz: {}}}}
  storage:
    values:
      classes:
        ceph: {accessModes: [ReadWriteMany], volumeMode: Block}
        local: {claimPropertySets: [{accessModes: [ReadWriteOnce]}]}
        bare: {}
`

func TestNetworksAndClassesOfThePlatform(t *testing.T) {
	f, messages := nextToPlatform(t, sitePlatform,
		"nics: [lan, db, tenant, dmz], disks: {root: {size: 30Gi, storageClass: ceph}, x: {size: 1Gi, storageClass: bare}}")
	require.Empty(t, messages)
	var nads []string
	for _, n := range f.Machines[0].NICs {
		nads = append(nads, n.NAD)
	}
	require.Equal(t, []string{"default/lan", "data/db", "tenant", "default/dmz"}, nads)
	root, x := f.Machines[0].Disks[0], f.Machines[0].Disks[1]
	require.Equal(t, []string{"ceph", "ReadWriteMany", "Block"},
		[]string{root.StorageClass, root.AccessMode, root.VolumeMode})
	require.Equal(t, []string{"bare", "", ""}, []string{x.StorageClass, x.AccessMode, x.VolumeMode})
}

// A network of the SR-IOV operator needs its binding. One that replaces the pod network is a NIC of the pod network.
func TestBindingsOfNetworksOfThePlatform(t *testing.T) {
	const platform = `apiVersion: vmrender.io/v1alpha1
kind: Platform
layers:
  network:
    values:
      sriov: {networks: {market: {vlan: 7}, nvme: {namespace: data}}}
      userDefinedNetworks: {tenant: {role: Primary}, heartbeat: {namespace: shop}}
`
	f, messages := nextToPlatform(t, platform, "nics: [tenant, market, nvme, heartbeat]")
	require.Empty(t, messages)
	var nics [][]any
	for _, n := range f.Machines[0].NICs {
		nics = append(nics, []any{n.Pod, n.NAD, n.Binding, n.Model})
	}
	require.Equal(t, [][]any{
		{true, "", "l2bridge", "virtio"},
		{false, "default/market", "sriov", ""},
		{false, "data/nvme", "sriov", ""},
		{false, "shop/heartbeat", "bridge", "virtio"},
	}, nics)
}

func TestWhatThePlatformCannotGive(t *testing.T) {
	const migration = "2:47: warning: vms.a.disks.root: the disk is ReadWriteOnce, which rules out live migration, " +
		"and a drain of the node waits for it; " +
		"use a class with ReadWriteMany, or `evictionStrategy: LiveMigrateIfPossible` or `None`"
	const local = "disks: {root: {size: 30Gi, storageClass: local}}"
	for name, c := range map[string]struct {
		platform, vm string
		want         []string
	}{
		"a network of the fleet's own": {sitePlatform, "nics: [mine]", []string{
			`2:40: warning: vms.a.nics[0]: no layer of platform.yaml creates the network "default/mine"; ` +
				`did you mean "default/lan"?`,
		}},
		"the pod network of another namespace": {
			"apiVersion: vmrender.io/v1alpha1\nlayers: {network: {values: {userDefinedNetworks: " +
				"{lab: {role: Primary, namespace: lab}}}}}\n",
			"nics: [lab]",
			[]string{`2:40: warning: vms.a.nics[0]: the network "lab" of platform.yaml is the pod network of ` +
				`namespace "lab", and the VM is in "shop"; move the VM there, or use another network`},
		},
		"no layer for networks":         {"apiVersion: vmrender.io/v1alpha1\nlayers: {operators: {}}\n", "nics: [mine]", nil},
		"platform.yaml of another tool": {"apiVersion: example.com/v1\nlayers: {network: {}}\n", "nics: [mine]", nil},
		"migration by the cluster":      {sitePlatform, local, []string{migration}},
		"migration by the VM":           {sitePlatform, local + ", evictionStrategy: LiveMigrate", []string{migration}},
		"migration if possible":         {sitePlatform, local + ", evictionStrategy: LiveMigrateIfPossible", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, messages := nextToPlatform(t, c.platform, c.vm)
			for i := range messages {
				messages[i] = trimDir(messages[i])
			}
			require.Equal(t, c.want, messages)
		})
	}
}

var tempDir = regexp.MustCompile(`/\S*/platform\.yaml`)

// trimDir removes the test's directory from a message.
func trimDir(message string) string { return tempDir.ReplaceAllString(message, "platform.yaml") }

// A VM that does not tolerate the taint of the nodes that run VMs starts nowhere.
func TestPoolOfVMs(t *testing.T) {
	const pool = `apiVersion: vmrender.io/v1alpha1
kind: Platform
layers:
  node-pools:
    values:
      pools: {virt: {labels: {virt: ""}, taints: [{key: vms, value: "true", effect: %s}]}}
      virtualMachines: virt
`
	const warning = "warning: vms.a.tolerations: the VM does not tolerate \"vms=true:NoSchedule\" of the pool \"virt\", " +
		"which runs VMs, so it starts nowhere; add `tolerations` to `placement` in fleet.yaml"
	for vm, fits := range map[string]bool{
		"":                                  false,
		"tolerations: [{operator: Exists}]": true,
		"tolerations: [{key: vms, operator: Exists, effect: NoSchedule}]":          true,
		"tolerations: [{key: vms, operator: Exists, effect: PreferNoSchedule}]":    false,
		"tolerations: [{key: vms, operator: Exists, effect: NoExecute}]":           false,
		`tolerations: [{key: vms, value: "true", effect: NoSchedule}]`:             true,
		`tolerations: [{key: vms, operator: Equal, value: "false"}]`:               false,
		`tolerations: [{key: other, operator: Equal, value: "true"}]`:              false,
		`tolerations: [{key: other, operator: Exists}, {key: vms, value: "true"}]`: true,
	} {
		_, messages := nextToPlatform(t, fmt.Sprintf(pool, "NoSchedule"), vm)
		if fits {
			require.Empty(t, messages, vm)
		} else {
			require.Len(t, messages, 1, vm)
			require.Contains(t, messages[0], warning, vm)
		}
		_, messages = nextToPlatform(t, fmt.Sprintf(pool, "PreferNoSchedule"), vm)
		require.Empty(t, messages, vm)
	}
}
