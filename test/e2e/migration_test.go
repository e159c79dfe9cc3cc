package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
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

// movedVMs are pets with a disk to move: copied has no other change, small one that KubeVirt's handler of memory refuses,
// both one that it compares, and pending had that one in the commit before.
const movedVMs = `vms:
  copied: {disks: {root: {storageClass: nfs, accessMode: ReadWriteMany}}}
  small: {memory: 4Gi, disks: {root: {storageClass: nfs, accessMode: ReadWriteMany}}}
  both: {cpu: {cores: 2}, disks: {root: {storageClass: nfs, accessMode: ReadWriteMany}}}
  pending: {cpu: {cores: 2}, disks: {root: {storageClass: nfs, accessMode: ReadWriteMany}}}
`

// KubeVirt copies no disk of a VM that waits for a restart (v1.8.4, pkg/virt-controller/watch/vm/vm.go, sync): the restart
// starts it from the new disk, and the data stays in the old one. The plan shows this if the same commit needs the
// restart, and with the state in the cluster if an earlier one does. A disk alone is copied, also next to a change that
// only a handler of live changes refuses.
func TestStorageMigrationWithRestart(t *testing.T) {
	t.Parallel()
	s := newHotplug(t, "migration-restart", movedVMs)
	s.hasMemory("small", "4Gi")
	s.replace("vms.yaml", "pending: {cpu: {cores: 2}", "pending: {cpu: {cores: 4}")
	s.wait(argo.Synced(s.push("More cores")))
	s.eventually("RestartRequired", func() bool { return s.asksForRestart("pending") })
	before, disks := s.moment(), s.disks()

	s.replace("vms.yaml", "storageClass: nfs", "storageClass: ceph, revision: 2")
	s.replace("vms.yaml", "both: {cpu: {cores: 2}", "both: {cpu: {cores: 4}")
	s.replace("vms.yaml", "memory: 4Gi", "memory: 2Gi")
	plan := map[string]verdict{
		"copied": {impact.Migrate, "copied"}, "small": {impact.Restart, "copied"},
		"both": {impact.Recreate, "not-copied"}, "pending": {impact.Migrate, "copied"},
	}
	require.Equal(t, plan, s.verdicts())
	plan["pending"] = verdict{impact.Recreate, "not-copied"}
	require.Equal(t, plan, s.verdictsLive())
	s.wait(argo.Synced(s.push("Another storage class")))
	for _, name := range []string{"copied", "small"} {
		s.eventually("the copy of "+name, func() bool { return s.copies(name) == name+" to "+name+"-root-2" })
		s.eventually("KubeVirt knows of the copy", func() bool {
			return hasCondition(s.object(kubevirt.VirtualMachines, name), "VolumesChange")
		})
	}
	s.eventually("RestartRequired", func() bool { return s.asksForRestart("both") && s.asksForRestart("small") })
	require.ErrorContains(t, lab.kubevirt.Restart(t.Context(), s.name, "small"), "VM recovery required", "not before its data is copied")

	for _, name := range []string{"both", "pending"} {
		require.Equal(t, []string{name}, s.moment().machines[name].claims, "before the restart")
		s.restart(name)
		require.Equal(t, []string{name + "-root-2"}, s.moment().machines[name].claims, "after the restart")
		require.Empty(t, s.copies(name))
		require.Equal(t, disks[name], s.disks()[name], "the data")
		require.NotEqual(t, disks[name], s.disks()[name+"-root-2"])
	}
	require.Equal(t, map[string]impact.Level{
		"copied": impact.Migrate, "small": impact.Restart, "both": impact.Recreate, "pending": impact.Recreate,
	}, s.requireNotMilder(plan, before))
	s.stands(map[string]string{"copied": "under-way", "small": "restart"})
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
