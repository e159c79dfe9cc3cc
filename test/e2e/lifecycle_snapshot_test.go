package e2e_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// A snapshot is taken for each change of a pet, before anything changes. The first
// installation takes none, and neither does a sync that leaves the VM as it is. A change
// that has been made before gets another one. Older snapshots stay. If the snapshot
// fails, nothing changes.
func TestSnapshotBefore(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "snapshots", "vms:\n  db: {memory: 4Gi, lifecycle: {snapshotBefore: true}}\n")
	require.Empty(t, s.names(kubevirt.Snapshots))

	s.write("more.yaml", "vms: {other: {}}\n")
	s.wait(argo.Synced(s.push("Another VM")))
	require.Empty(t, s.names(kubevirt.Snapshots))

	s.will(kubevirt.Snapshots, "", kubevirt.Wait)
	generation := s.object(kubevirt.VirtualMachines, "db").GetGeneration()
	s.replace("vms.yaml", "4Gi", "6Gi")
	revision := s.push("More memory")
	s.eventually("a snapshot under way", func() bool { return len(s.names(kubevirt.Snapshots)) == 1 })
	s.eventuallyLogs("-snapshot", "waiting for snapshot")
	require.Equal(t, generation, s.object(kubevirt.VirtualMachines, "db").GetGeneration())
	s.will(kubevirt.Snapshots, "", kubevirt.Done)
	s.wait(argo.Synced(revision))

	taken := s.names(kubevirt.Snapshots)
	require.Len(t, taken, 1)
	for i, memory := range []string{"4Gi", "6Gi", "4Gi"} {
		s.setMemory(memory)
		s.wait(argo.Synced(s.push("Memory " + memory)))
		require.Subset(t, keys(s.names(kubevirt.Snapshots)), keys(taken), "older ones stay")
		taken = s.names(kubevirt.Snapshots)
		require.Len(t, taken, i+2)
	}
	generation = s.object(kubevirt.VirtualMachines, "db").GetGeneration()
	s.will(kubevirt.Snapshots, "", kubevirt.Fail)
	s.setMemory("8Gi")
	revision = s.push("Still more memory")
	s.wait(syncFailed)
	require.Equal(t, generation, s.object(kubevirt.VirtualMachines, "db").GetGeneration())
	require.Subset(t, keys(s.names(kubevirt.Snapshots)), keys(taken))
	s.stands(map[string]string{"db": "failed: nothing was changed, because the snapshot db-pre-"})
	s.eventually("a pod that says why", func() bool {
		return slices.ContainsFunc(s.pods("-snapshot"), func(pod *unstructured.Unstructured) bool {
			statuses, _, _ := unstructured.NestedSlice(pod.Object, "status", "containerStatuses")
			return strings.Contains(fmt.Sprint(statuses), "failed: no snapshot class; the next sync takes another")
		})
	})

	s.will(kubevirt.Snapshots, "", kubevirt.Done)
	s.wait(argo.Synced(revision))
	require.Equal(t, "8Gi", s.wanted("db"))
	s.stands(map[string]string{"db": "restart"})
}

// A sync of selected objects, such as that of a VM's menu in Argo CD, runs no hooks, so that it takes
// no snapshot. Before and after it, status says so. The next full sync takes one again.
func TestSelectiveSync(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "selected")
	s.write("fleet.yaml", lifecycleFleet)
	s.write("vms.yaml", "vms:\n  db: {memory: 4Gi, lifecycle: {snapshotBefore: true}}\n")
	revision := s.pushForPeople("A fleet")
	s.wait(waiting(revision))
	require.NoError(t, s.app.Sync(t.Context()))
	s.wait(syncedTimes(revision, 1))

	said := func() string {
		stdout, stderr, err := s.runStatus()
		require.NoError(t, err, string(stderr))
		return string(stdout)
	}
	s.setMemory("6Gi")
	revision, err := s.repository.Commit(t.Context(), "More memory")
	require.NoError(t, err)
	require.Contains(t, said(), "a sync of selected objects takes no snapshot first")
	require.NoError(t, s.app.Refresh(t.Context(), false))
	s.wait(func(status *argo.Status) error {
		if status.Sync.Revision != revision || status.Sync.Status != "OutOfSync" {
			return errors.New("not compared")
		}
		return nil
	})
	require.NoError(t, s.app.Sync(t.Context(), argo.Resource{Group: "kubevirt.io", Kind: "VirtualMachine", Namespace: s.name, Name: "db"}))
	s.eventually("more memory", func() bool { return s.wanted("db") == "6Gi" })
	require.Empty(t, s.names(kubevirt.Snapshots))
	s.eventually("a note of status", func() bool {
		return strings.Contains(said(), "selected/db: the last sync of the Application selected was of selected objects")
	})

	s.setMemory("8Gi")
	revision, err = s.repository.Commit(t.Context(), "Still more memory")
	require.NoError(t, err)
	require.NoError(t, s.app.Sync(t.Context()))
	s.eventually("still more memory", func() bool { return s.wanted("db") == "8Gi" })
	require.Len(t, s.names(kubevirt.Snapshots), 1)
	s.wait(argo.Synced(revision))
	require.NotContains(t, said(), "selected objects")
}

// A disk of a pet whose image is wrong is filled from another one in either of two ways: with another
// revision of the disk in Git, after which the old disk is deleted, or by deleting the old disk.
func TestFailedImport(t *testing.T) {
	t.Parallel()
	for name, revised := range map[string]bool{"import-revised": true, "import-deleted": false} {
		s := newScenario(t, name)
		s.will(kubevirt.DataVolumes, "db", kubevirt.Fail)
		s.write("fleet.yaml", lifecycleFleet)
		s.write("vms.yaml", "vms:\n  db: {disks: {root: {size: 10Gi, source: {registry: docker://registry.example.com/wrong}}}}\n")
		s.push("A wrong image")
		s.eventually("a disk that failed", func() bool {
			return s.disks()["db"] != "" && s.field(kubevirt.DataVolumes, "db", "status", "phase") == "Failed"
		})
		disk, remove := "db", func() {
			require.NoError(t, lab.cluster.Resource(kubevirt.DataVolumes).Namespace(s.name).Delete(t.Context(), "db", metav1.DeleteOptions{}))
		}
		s.replace("vms.yaml", "wrong", "right")
		if revised {
			disk = "db-root-2"
			s.replace("vms.yaml", "size: 10Gi", "size: 10Gi, revision: 2")
		}
		revision := s.push("The right image")
		if !revised {
			s.wait(syncFailed)
			s.will(kubevirt.DataVolumes, "db", kubevirt.Done)
			remove()
		}
		s.eventually("a VM on the new disk", func() bool {
			return s.machines()["db"] != "" && s.ready("db") && s.disks()[disk] != ""
		})
		if revised {
			remove()
		}
		s.wait(argo.Synced(revision))
		if revised {
			s.stands(map[string]string{"db": "under-way"}) // KubeVirt's note about a copy stays
		} else {
			s.stands(nil)
		}
	}
}

// wanted returns the memory of the guest after the next restart.
func (s *scenario) wanted(machine string) any {
	s.Helper()
	return s.field(kubevirt.VirtualMachines, machine, "spec", "template", "spec", "domain", "memory", "guest")
}
