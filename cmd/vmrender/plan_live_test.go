package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const runningVM = `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
"metadata": {"name": "db", "namespace": "prod"},
"spec": {"runStrategy": "Halted", "template": {"spec": {"domain": {"memory": {"guest": "4Gi"}}}}},
"status": {"printableStatus": "Stopped"}}`

// TestPlanCluster reads the state from a cluster that serves some kinds and forbids one.
// It receives nothing but list requests, for the namespaces of the VMs.
func TestPlanCluster(t *testing.T) {
	var mu sync.Mutex
	var asked []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		asked = append(asked, r.Method+" "+r.URL.Path)
		mu.Unlock()
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case "/apis/kubevirt.io/v1/namespaces/prod/virtualmachines":
			list := `{"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachineList", "items": [` + runningVM + `]}`
			_, _ = w.Write([]byte(list))
		case "/api/v1/nodes":
			w.WriteHeader(http.StatusForbidden)
			status := `{"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Forbidden", "code": 403}`
			_, _ = w.Write([]byte(status))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	write := filesIn(t, t.TempDir())
	kubeconfig := kubeconfigOf(t, server)
	old := write("old.json", strings.Replace(runningVM, "Halted", "Always", 1))

	var stdout, stderr bytes.Buffer
	root := newRootCommand()
	root.SetOut(&stdout)
	root.SetErr(&stderr)
	args := []string{"plan", old, old, "--live", "cluster", "--kubeconfig", kubeconfig}
	require.Zero(t, execute(root, args), stderr.String())
	require.Contains(t, stdout.String(), "power: starts or stops the VM\n  prod/db")
	require.Contains(t, stdout.String(), "compared with the cluster of context test")
	require.Contains(t, stdout.String(), "unknown:  what may not be read in the cluster: nodes")
	for _, request := range asked {
		require.True(t, strings.HasPrefix(request, "GET "), request)
		require.NotContains(t, request, "secrets")
	}
}

// filesIn returns what writes a file of a directory and returns its path.
func filesIn(t *testing.T, dir string) func(name, text string) string {
	return func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
}

// The objects of a platform's layers are read from the cluster by their names: status finds what differs in them, and
// prints the token that the Job of a review accepts for them.
func TestStatusOfPlatformInCluster(t *testing.T) {
	const config = `{"apiVersion": "machineconfiguration.openshift.io/v1", "kind": "KubeletConfig",
		"metadata": {"name": "virt-worker", "uid": "a"}, "spec": {"kubeletConfig": {"maxPods": 271}}}`
	const api = "/apis/machineconfiguration.openshift.io/v1"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		switch r.URL.Path {
		case api:
			_, _ = w.Write([]byte(`{"resources": [{"name": "kubeletconfigs", "kind": "KubeletConfig"}]}`))
		case api + "/kubeletconfigs/virt-worker":
			_, _ = w.Write([]byte(config))
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(server.Close)
	write := filesIn(t, t.TempDir())
	kubeconfig := kubeconfigOf(t, server)
	platform := write("platform.yaml", `apiVersion: vmrender.io/v1alpha1
kind: Platform
metadata: {name: a}
source: {repoURL: https://git.example.com/platform.git}
target: {openshift: "4.20", image: registry.example.com/vmrender:1}
layers:
  baseline: {approve: none, values: {kubelet: {enabled: true}}}
`)
	token := func(live ...string) string {
		var stdout, stderr bytes.Buffer
		root := newRootCommand()
		root.SetOut(&stdout)
		root.SetErr(&stderr)
		require.Zero(t, execute(root, append([]string{"status", platform, "--live"}, live...)), stderr.String())
		found := regexp.MustCompile("after a review, set `approve: (.*)`").FindStringSubmatch(stdout.String())
		require.NotNil(t, found, stdout.String())
		return found[1]
	}
	require.Equal(t, token(write("export.json", config)), token("cluster", "--kubeconfig", kubeconfig))
}
