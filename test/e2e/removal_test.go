package e2e_test

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// Cattle that is removed from the repository is deleted with its disks.
func TestRemovedCattle(t *testing.T) {
	t.Parallel()
	s := newFleet(t, "cattle")
	s.replace("vms/web.yaml", "replicas: 2", "replicas: 1")
	s.wait(argo.Synced(s.push("One less")))
	s.eventually("no web-1", func() bool { return s.machines()["web-1"] == "" })
	s.eventually("only the disks of web-0 and db", func() bool { return len(s.disks()) == 3 })
	s.stands(nil)
}

// A pet that is removed from the repository stays, and keeps running. Nothing waits:
// other commits are synced, and a revert takes the pet back. It is deleted, without its
// disks, only after a commit has approved its removal.
func TestRemovedPet(t *testing.T) {
	t.Parallel()
	s := newFleet(t, "pet")
	machines, instances, disks := s.machines(), s.instances(), s.disks()
	pets, err := os.ReadFile(s.repository.Path("vms/databases.yaml"))
	require.NoError(t, err)

	require.NoError(t, os.Remove(s.repository.Path("vms/databases.yaml")))
	s.wait(leftOver(s.push("No database"), "db"))
	s.stands(map[string]string{"db": "left-over"})
	s.replace("vms/web.yaml", "replicas: 2", "replicas: 1")
	s.wait(leftOver(s.push("One less"), "db"))
	s.eventually("no web-1", func() bool { return s.machines()["web-1"] == "" })
	require.Equal(t, machines["db"], s.machines()["db"])
	require.Equal(t, instances["db"], s.instances()["db"])

	s.write("vms/databases.yaml", strings.Replace(string(pets), "disks:", "memory: 6Gi\n    disks:", 1))
	s.wait(argo.Synced(s.push("The database again, larger")))
	require.Equal(t, machines["db"], s.machines()["db"])
	require.Equal(t, "6Gi", s.field(kubevirt.VirtualMachines, "db", "spec", "template", "spec", "domain", "memory", "guest"))

	s.write("vms/databases.yaml", strings.Replace(string(pets), "disks:", "lifecycle: {removal: approved}\n    disks:", 1))
	s.wait(argo.Synced(s.push("The database may go")))
	require.Equal(t, machines["db"], s.machines()["db"])
	require.NoError(t, os.Remove(s.repository.Path("vms/databases.yaml")))
	s.wait(argo.Synced(s.push("No database"))) // the remaining disks are no difference from Git
	s.eventually("no db", func() bool { return s.machines()["db"] == "" })
	for _, name := range []string{"db", "db-data"} {
		require.Equal(t, disks[name], s.disks()[name], name)
	}
	s.stands(nil)
}

// leftOver is done when a revision is synced and a VM that it does not contain is
// shown.
func leftOver(revision, machine string) func(*argo.Status) error {
	return func(s *argo.Status) error {
		shown := slices.ContainsFunc(s.Resources, func(r argo.Resource) bool {
			return r.Kind == "VirtualMachine" && r.Name == machine && r.Status == "OutOfSync" && r.RequiresPruning
		})
		switch {
		case s.Sync.Revision != revision || s.Operation.SyncResult.Revision != revision || s.Operation.Phase != "Succeeded":
			return errors.New("the revision is not synced")
		case s.Sync.Status != "OutOfSync" || !shown:
			return errors.New("the VM that is left over is not shown")
		}
		return nil
	}
}

// With `removal: confirm`, a pet stays until a user confirms its deletion. Its disks
// stay even then.
func TestConfirmedPet(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "confirmed", "vms:\n  db: {disks: {data: 10Gi}, lifecycle: {removal: confirm}}\n  other: {}\n")
	machines, disks := s.machines(), s.disks()
	s.write("vms.yaml", "vms:\n  other: {}\n")
	revision := s.push("No database")
	s.wait(confirmation(revision))
	require.Equal(t, machines, s.machines())

	require.NoError(t, s.app.Approve(t.Context()))
	s.eventually("no db", func() bool { return s.machines()["db"] == "" })
	require.Equal(t, disks, s.disks())
	s.wait(argo.Synced(revision))
	s.stands(nil)
}

// confirmation is done when the sync to a revision waits for a confirmation.
func confirmation(revision string) func(*argo.Status) error {
	return func(s *argo.Status) error {
		if s.Sync.Revision != revision || s.Operation.Phase != "Running" ||
			!strings.HasPrefix(s.Operation.Message, "Waiting for pruning confirmation of kubevirt.io/v1/VirtualMachine/") {
			return errors.New("the operation does not wait for confirmation")
		}
		return nil
	}
}
