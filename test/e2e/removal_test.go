package e2e_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/argo"
)

// Cattle that is removed from the repository is deleted, with its disks.
func TestRemovedCattle(t *testing.T) {
	t.Parallel()
	s := newFleet(t, "cattle")
	s.replace("vms/web.yaml", "replicas: 2", "replicas: 1")
	s.wait(argo.Synced(s.push("One less")))
	s.eventually("no web-1", func() bool { return s.machines()["web-1"] == "" })
	s.eventually("only the disks of web-0 and db", func() bool { return len(s.disks()) == 3 })
}

// A pet that is removed from the repository stays until somebody confirms its
// deletion. Its disks stay then, too.
func TestRemovedPet(t *testing.T) {
	t.Parallel()
	s := newFleet(t, "pet")
	machines, disks := s.machines(), s.disks()

	require.NoError(t, os.Remove(s.repository.Path("vms/databases.yaml")))
	revision := s.push("No database")
	s.wait(confirmation(revision))
	require.Equal(t, machines, s.machines())

	require.NoError(t, s.app.Approve(t.Context()))
	s.eventually("no db", func() bool { return s.machines()["db"] == "" })
	require.Equal(t, disks, s.disks())
	s.wait(argo.Synced(revision)) // what survives is no difference from Git
}

// confirmation is done when the synchronization to a revision waits for somebody.
func confirmation(revision string) func(*argo.Status) error {
	return func(s *argo.Status) error {
		if s.Sync.Revision != revision || s.Operation.Phase != "Running" ||
			!strings.HasPrefix(s.Operation.Message, "Waiting for pruning confirmation of kubevirt.io/v1/VirtualMachine/") {
			return errors.New("the operation does not wait for confirmation")
		}
		return nil
	}
}
