package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStoppedBySignal stops commands while the cluster does not answer. The Job retries
// only on this exit status.
func TestStoppedBySignal(t *testing.T) {
	for command, args := range map[string][]string{
		"rollout": {"--id", "web"}, "snapshot": {"db=1"}, "restore": {"db=a@1-b"},
	} {
		asked := make(chan struct{})
		var once sync.Once
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, "etcd is away", http.StatusServiceUnavailable)
			once.Do(func() { close(asked) })
		}))
		t.Cleanup(server.Close)
		kubeconfig := kubeconfigOf(t, server)
		var stdout, stderr bytes.Buffer
		root := newRootCommand()
		root.SetOut(&stdout)
		root.SetErr(&stderr)
		ended := make(chan int, 1)
		go func() {
			ended <- execute(root, append([]string{command, "--namespace", "prod", "--kubeconfig", kubeconfig}, args...))
		}()
		select {
		case <-asked:
		case status := <-ended:
			require.FailNow(t, "ended before it asked", "%s: %d: %s", command, status, stderr.String())
		}
		require.NoError(t, syscall.Kill(os.Getpid(), syscall.SIGTERM))
		require.Equal(t, statusStopped, <-ended)
		require.Contains(t, stderr.String(), "vmrender "+command+": stopped before the end; another run resumes from here\n")
		require.Empty(t, stdout.String())
	}
}

// kubeconfigOf returns a kubeconfig file for a server.
func kubeconfigOf(t *testing.T, server *httptest.Server) string {
	t.Helper()
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(kubeconfig, []byte(`
apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test}}]
clusters: [{name: test, cluster: {server: "`+server.URL+`"}}]
`), 0o600))
	return kubeconfig
}

// A command that the API server does not let do its work ends with the exit status on
// which the Job retries.
func TestUnavailable(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "etcd is away", http.StatusServiceUnavailable)
	}))
	t.Cleanup(server.Close)
	for command, arg := range map[string]string{
		"rollout": "--id=web", "snapshot": "db=1", "restore": "db=a@1-b", "approve": "a.v1",
	} {
		t.Run(command, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			root := newRootCommand()
			root.SetErr(&stderr)
			args := []string{command, "--namespace", "prod", "--timeout", "1ms", "--kubeconfig", kubeconfigOf(t, server), arg}
			require.Equal(t, statusUnavailable, execute(root, args), stderr.String())
			require.Contains(t, stderr.String(), "vmrender "+command+": ")
		})
	}
}
