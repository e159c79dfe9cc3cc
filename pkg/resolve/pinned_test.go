package resolve_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
)

// The values in this file must never change, because clusters contain objects and guests
// that are identified by them. They are deliberately literals, which "make golden" does
// not rewrite.

const pinnedFleet = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: site}
identity: {macPrefix: "02:a1:b2"}
target: {image: registry.example.com/vmrender:1}
defaults:
  {namespace: prod, os: linux, cpu: 1, memory: 1Gi,
    disks: {root: {size: 30Gi, source: {http: https://example.com/disk.qcow2}}}}
`

const pinnedVMs = `vms:
  db: {}
  web: {replicas: 2, lifecycle: cattle}
  cache:
    lifecycle: cattle
    disks:
      root: {storageClass: ceph, accessMode: ReadWriteMany, volumeMode: Block,
        source: {http: null, registry: docker://quay.io/a/b, version: v2}}
  clone: {lifecycle: cattle, disks: {root: {size: null, source: {http: null, dataSource: os-images/rhel9}}}}
`

// pinned loads the fleet from a directory, or from a path below it, and returns its VMs
// by name.
func pinned(t *testing.T, dir, path string, vms ...string) map[string]*machine.Machine {
	t.Helper()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "a"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(pinnedFleet), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a", "vms.yaml"), []byte(pinnedVMs), 0o600))
	f, diags := inventory.Load(filepath.Join(dir, path), fleet.Options{VMs: vms})
	require.Empty(t, diags.Sorted())
	machines := map[string]*machine.Machine{}
	for _, m := range f.Machines {
		machines[m.Name] = m
	}
	return machines
}

// Windows requires another activation when its firmware's UUID changes. Licenses depend
// on serial numbers, and DHCP leases on MAC addresses.
func TestPinnedIdentities(t *testing.T) {
	machines := pinned(t, t.TempDir(), "")
	for name, want := range map[string][]string{
		"db":    {"30f68826-d40d-5826-bdb0-90eb206de82d", "77deed7b-6d70-5d51-b481-f1b40eb153c6", "02:a1:b2:1d:87:09"},
		"web-1": {"e403754b-abae-5736-afa2-c45eba277140", "c0b637b5-4e73-5a08-9814-531729853a00", "02:a1:b2:0c:bd:b6"},
	} {
		m := machines[name]
		require.Equal(t, want, []string{m.Firmware.UUID, m.Firmware.Serial, m.NICs[0].MAC}, name)
	}
}

// A root disk with another name is another disk: the VM boots from a new image.
func TestPinnedDisks(t *testing.T) {
	machines := pinned(t, t.TempDir(), "")
	got := map[string]string{}
	for name, m := range machines {
		got[name] = m.Disks[0].Claim
	}
	require.Equal(t, map[string]string{
		"db": "db", "web-0": "web-0-root-3c7c1fc4", "web-1": "web-1-root-3c7c1fc4", "cache": "cache-root-fbd9339b",
		"clone": "clone-root-c37940c8",
	}, got)
}

// The part is in the names of Jobs and in a label by which a rollout finds its VMs.
func TestPinnedParts(t *testing.T) {
	dir := t.TempDir()
	require.Equal(t, "site-b37a71c4", pinned(t, dir, "")["db"].Part)
	require.Equal(t, "site-bddf13e3", pinned(t, dir, "a")["db"].Part)
	require.Equal(t, "site-ea35db65", pinned(t, dir, "a/vms.yaml", "db", "web")["db"].Part)
}

// Names of objects end with a hash of their content.
func TestPinnedHashes(t *testing.T) {
	require.Equal(t, "4fd0bfc1", machine.Hash())
	require.Equal(t, "29620a93", machine.Hash(""))
	require.Equal(t, "a60057f4", machine.Hash("a", "b"))
	require.Equal(t, "e261ff07", machine.Hash("ab"))
	require.Equal(t, "9c91ff75", machine.Hash("b", "a"))
}
