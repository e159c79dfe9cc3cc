package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDrainCluster reads the state from a cluster that serves some kinds, in all namespaces, and forbids one.
func TestDrainCluster(t *testing.T) {
	lists := map[string]string{
		"/apis/kubevirt.io/v1/virtualmachineinstances": `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineInstance",
			"metadata": {"name": "db", "namespace": "prod"}, "spec": {"evictionStrategy": "LiveMigrate"},
			"status": {"phase": "Running", "nodeName": "w1", "conditions": [
				{"type": "LiveMigratable", "status": "False", "reason": "HotplugNotLiveMigratable", "message": "no"}]}}`,
		"/api/v1/nodes": `{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "w1"}}`,
	}
	kubeconfig := servedCluster(t, lists, "/api/v1/pods")
	var stdout, stderr bytes.Buffer
	root := newRootCommand()
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	args := []string{"status", "--live", "cluster", "--kubeconfig", kubeconfig, "--drain", "w1", "--fail-on", "blocks"}
	require.Equal(t, statusInvalid, execute(root, args), stderr.String())
	require.Contains(t, stdout.String(), "cluster   the cluster of context lab\n")
	require.Contains(t, stdout.String(), "unknown:  what may not be read in the cluster: pods\n")
	require.Contains(t, stdout.String(), "permits nothing else: no\n")
	require.Contains(t, stdout.String(), "\n[?] 1 VM on w1: 1 blocks its drain\n")
}

// servedCluster returns the kubeconfig of a cluster that serves lists of one object by path, forbids one path, and has
// no other kinds.
func servedCluster(t *testing.T, lists map[string]string, forbidden string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		item, isServed := lists[r.URL.Path]
		switch {
		case r.Method != http.MethodGet:
			w.WriteHeader(http.StatusMethodNotAllowed)
		case isServed:
			_, _ = w.Write([]byte(`{"apiVersion": "v1", "kind": "List", "items": [` + item + `]}`))
		case r.URL.Path == forbidden:
			w.WriteHeader(http.StatusForbidden)
			status := `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403}`
			_, _ = w.Write([]byte(status))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	config := `{apiVersion: v1, kind: Config, current-context: lab, contexts: [{name: lab, context: {cluster: lab}}],
clusters: [{name: lab, cluster: {server: "` + server.URL + `"}}]}`
	require.NoError(t, os.WriteFile(kubeconfig, []byte(config), 0o600))
	return kubeconfig
}
