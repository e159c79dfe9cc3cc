package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// A pet's disk moves to another storage class by one line, `revision`, as the plan says: KubeVirt begins to copy it to
// the new claim while the VM runs, asks for no restart, and the old disk stays.
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

// phase is that of an instance.
func (s *scenario) phase(machine string) any {
	s.Helper()
	return s.field(kubevirt.Instances, machine, "status", "phase")
}

// copies are the claims that KubeVirt says a VM's first disk is copied from and to.
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
