package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDrillCluster reads the state from a cluster: kinds that it does not serve have no objects, and what may not be
// read is unknown.
func TestDrillCluster(t *testing.T) {
	const vm = `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine", "metadata": {"name": "db", "namespace": "prod"},
		"spec": {"runStrategy": "Halted", "template": {"spec": {"volumes":
			[{"name": "root", "persistentVolumeClaim": {"claimName": "db"}}]}}}}`
	lists := map[string]string{
		"/apis/kubevirt.io/v1/virtualmachines": vm,
		"/api/v1/persistentvolumeclaims": `{"apiVersion": "v1", "kind": "PersistentVolumeClaim",
			"metadata": {"name": "db", "namespace": "prod"}}`,
	}
	for forbidden, want := range map[string]string{
		"": "\n  disk  db: Git does not render the claim, and no backup or replica of it leaves this site\n",
		"/apis/velero.io/v1/schedules": "\n  disk  [?] db: Git does not render the claim, " +
			"and no backup or replica of it leaves this site\n",
	} {
		kubeconfig := servedCluster(t, lists, forbidden)
		var stdout, stderr bytes.Buffer
		root := newRootCommand()
		root.SetIn(strings.NewReader(vm))
		root.SetOut(&stdout)
		root.SetErr(&stderr)
		args := []string{"drill", "-", "--live", "cluster", "--kubeconfig", kubeconfig, "--fail-on", "disk"}
		require.Equal(t, statusInvalid, execute(root, args), stderr.String())
		require.Contains(t, stdout.String(), "cluster   the cluster of context lab\n")
		require.Contains(t, stdout.String(), want)
		const unread = "unknown:  what may not be read in the cluster: schedules.velero.io\n"
		require.Equal(t, forbidden != "", strings.Contains(stdout.String(), unread), stdout.String())
	}
}
