package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// One line, `revision`, moves a pet's disk to another storage class, as the plan shows. KubeVirt begins to copy the
// disk to the new claim while the VM runs and asks for no restart. The old disk stays.
func TestStorageMigration(t *testing.T) {
	t.Parallel()
	s := newHotplug(t, "storage-migration", "vms:\n  db: {disks: {root: {storageClass: nfs, accessMode: ReadWriteMany}}}\n")
	machines, instances := s.machines(), s.instances()
	s.eventually("the instance", func() bool { return s.phase("db") == "Running" })

	s.replace("vms.yaml", "storageClass: nfs", "storageClass: ceph, revision: 2")
	revision := s.push("Another storage class")
	require.Equal(t, map[string]string{"db": "migrate"}, s.plan("HEAD~"))
	s.wait(argo.Synced(revision))
	s.eventually("the copy", func() bool { return s.copies("db") == "db to db-root-2" })
	require.False(t, s.asksForRestart("db"))
	require.Contains(t, s.disks(), "db")
	require.Contains(t, s.disks(), "db-root-2")
	require.Equal(t, machines, s.machines())
	require.Equal(t, instances, s.instances())
	s.stands(map[string]string{"db": "under-way"})
}

// phase returns the phase of an instance.
func (s *scenario) phase(machine string) any {
	s.Helper()
	return s.field(kubevirt.Instances, machine, "status", "phase")
}

// copies returns the source and target claims of a VM's first disk, as KubeVirt reports them.
func (s *scenario) copies(machine string) string {
	s.Helper()
	moved := s.field(kubevirt.VirtualMachines, machine, "status", "volumeUpdateState", "volumeMigrationState", "migratedVolumes")
	for _, volume := range elements(moved) {
		from, _ := volume["sourcePVCInfo"].(map[string]any)
		to, _ := volume["destinationPVCInfo"].(map[string]any)
		return from["claimName"].(string) + " to " + to["claimName"].(string) //nolint:forcetypeassert // as the schema says
	}
	return ""
}
