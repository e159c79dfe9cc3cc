package resolve_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/explain"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
)

// TestPlugs shows which disks the VM's `hotpluggable` is for, and that they keep their bus.
func TestPlugs(t *testing.T) {
	dir := fleettest.Dir(t, `-- x.yaml --
defaults: {os: rhel9, flavor: small, hotpluggable: true}
vms:
  pet:
    disks:
      root: {size: 50Gi}
      data: 5Gi
      claim: {source: {claim: other}}
      scsi: {size: 5Gi, bus: scsi}
      lun: {type: lun, bus: scsi, source: {claim: lun}}
      no: {size: 5Gi, hotpluggable: false}
      sata: {size: 5Gi, bus: sata}
      cd: {type: cdrom, size: 5Gi, source: {http: "https://example.com/x.iso"}}
      virtio-lun: {type: lun, bus: virtio, source: {claim: lun2}}
      scratch: {size: 5Gi, source: {emptyDisk: true}}
      config: {source: {configMap: c}}
      own: {size: 5Gi, hotpluggable: true}
      patched: {size: 5Gi, overrides: {disk: {bus: sata}}}
      tuned: {size: 5Gi, overrides: {dedicatedIOThread: true}}
  preferring: {preference: windows.11, disks: {data: 5Gi, virtio: {size: 5Gi, bus: virtio}}}
  cattle: {lifecycle: cattle, disks: {data: 5Gi}}
  not: {hotpluggable: false, disks: {data: 5Gi}}
`)
	f, diags := inventory.Load(dir, fleet.Options{})
	require.Empty(t, fleettest.Problems(diags, dir))
	plugged := map[string]string{}
	for _, m := range f.Machines {
		for _, d := range m.Disks {
			if d.Hotpluggable {
				plugged[m.Name+"."+d.Name] = d.Bus
			}
		}
	}
	require.Equal(t, map[string]string{
		"pet.data": "virtio", "pet.claim": "virtio", "pet.scsi": "scsi", "pet.lun": "scsi", "pet.own": "scsi",
		"pet.tuned": "virtio", "preferring.virtio": "virtio",
	}, plugged)

	rows, diags := explain.VM(dir, fleet.Options{}, "pet", "")
	require.Empty(t, fleettest.Problems(diags, dir))
	require.True(t, slices.ContainsFunc(rows, func(r fleet.Explained) bool {
		return r.Key == "disks.data.hotpluggable" && r.Level == "hotpluggable of the VM"
	}))
}

// TestPlugsWithoutEffect shows that a VM's own `hotpluggable` is not without effect in silence.
func TestPlugsWithoutEffect(t *testing.T) {
	dir := fleettest.Dir(t, `-- x.yaml --
defaults: {os: rhel9, flavor: small, disks: {data: 5Gi}}
vms:
  pet: {hotpluggable: true}
  cattle: {hotpluggable: true, lifecycle: cattle}
  sata: {hotpluggable: true, disks: {data: {bus: sata}}}
  alone: {hotpluggable: true, lifecycle: cattle, disks: {data: null}}
-- y.yaml --
defaults: {os: rhel9, flavor: small, disks: {data: 5Gi}, hotpluggable: true}
vms:
  others: {lifecycle: cattle}
`)
	_, diags := inventory.Load(dir, fleet.Options{})
	const problem = "none of its disks is hotpluggable by it: it is for disks of pets that have a claim, " +
		"on the bus virtio or scsi; remove it, or set `bus` of a disk"
	require.Equal(t, []string{
		"x.yaml:4:12: warning: vms.cattle.hotpluggable: " + problem,
		"x.yaml:5:10: warning: vms.sata.hotpluggable: " + problem,
	}, fleettest.Problems(diags, dir))
}
