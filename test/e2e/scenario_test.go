package e2e_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/cronjob"
	"github.com/vmrender/vmrender/test/e2e/gitrepo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// patience is how long Argo CD may take for a step, on a computer that is busy with
// another build.
const patience = 10 * time.Minute

// scenario is a repository with an Application that renders it into a namespace;
// all three have the scenario's name.
type scenario struct {
	*testing.T
	name       string
	repository *gitrepo.Repository
	app        *argo.Application
	root       string // directory of the fleet in the repository
	unasked    bool   // status has not been requested since the last commit
	schedules  *cronjob.Controller
}

// newScenario returns a scenario with an empty repository.
func newScenario(t *testing.T, name string) *scenario {
	t.Helper()
	dir := filepath.Join(lab.Dir, "repositories", name)
	require.NoError(t, os.MkdirAll(dir, 0o755))
	repository, err := gitrepo.New(t.Context(), dir)
	require.NoError(t, err)
	s := &scenario{T: t, name: name, repository: repository}
	t.Cleanup(s.requireAsked)
	return s
}

// newFleet returns a scenario whose repository is a small fleet: db, a pet with two
// disks, and two web servers, which are cattle. The fleet is synced.
func newFleet(t *testing.T, name string) *scenario {
	t.Helper()
	s := newScenario(t, name)
	s.copy(filepath.Join("testdata", "fleet"))
	s.wait(argo.Synced(s.push("A fleet")))
	return s
}

// copy copies a directory into the repository.
func (s *scenario) copy(dir string) {
	s.Helper()
	require.NoError(s, os.CopyFS(s.repository.Dir, os.DirFS(dir)))
}

// names returns the UIDs of the objects in the scenario's namespace by name.
func (s *scenario) names(resource schema.GroupVersionResource) map[string]types.UID {
	s.Helper()
	list, err := lab.cluster.Resource(resource).Namespace(s.name).List(s.Context(), metav1.ListOptions{})
	require.NoError(s, err)
	uids := map[string]types.UID{}
	for _, o := range list.Items {
		uids[o.GetName()] = o.GetUID()
	}
	return uids
}

// machines returns the UIDs of the VirtualMachines.
func (s *scenario) machines() map[string]types.UID {
	s.Helper()
	return s.names(kubevirt.VirtualMachines)
}

// disks returns the UIDs of the DataVolumes.
func (s *scenario) disks() map[string]types.UID {
	s.Helper()
	return s.names(kubevirt.DataVolumes)
}

// eventually waits until something holds. It calls holds on the goroutine of the
// test, where holds may fail the test.
func (s *scenario) eventually(what string, holds func() bool) {
	s.Helper()
	deadline := time.After(patience)
	for !holds() {
		select {
		case <-deadline:
			require.Fail(s, "not in time", what)
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// write writes a file in the repository.
func (s *scenario) write(name, content string) {
	s.Helper()
	require.NoError(s, s.repository.Write(name, content))
}

// replace changes a text in a file of the repository.
func (s *scenario) replace(name, from, to string) {
	s.Helper()
	require.NoError(s, s.repository.Replace(name, from, to))
}

// push commits the files and refreshes the Application. If there is none, it creates
// one for the root of the repository.
func (s *scenario) push(message string) string {
	s.Helper()
	revision := s.commit(message)
	if s.app == nil {
		s.deploy(".")
		return revision
	}
	require.NoError(s, s.app.Refresh(s.Context(), false))
	return revision
}

// commit commits the files without a refresh of the Application.
func (s *scenario) commit(message string) string {
	s.Helper()
	revision, err := s.repository.Commit(s.Context(), message)
	require.NoError(s, err)
	s.unasked = true
	return revision
}

// deploy has the Application render a directory of the repository.
func (s *scenario) deploy(path string) {
	s.Helper()
	s.apply(s.application(path))
}

// createNamespaces creates the namespaces that the fleet names; Argo CD creates only
// the one for VMs that name none.
func (s *scenario) createNamespaces() {
	s.Helper()
	for _, o := range s.vmrender("template", "--namespace", s.name, "--output", "json", s.repository.Dir) {
		namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
		namespace.SetName(o.GetNamespace())
		require.NoError(s, lab.cluster.Apply(s.Context(), namespace))
	}
}

// application returns the Application that vmrender prints for a directory of the
// repository.
func (s *scenario) application(path string) *unstructured.Unstructured {
	s.Helper()
	objects := s.vmrender("app", s.repository.Path(path),
		"--repo", s.repository.URL(), "--name", s.name, "--namespace", s.name, "--argocd-namespace", argo.Namespace)
	require.Len(s, objects, 1)
	return objects[0]
}

// vmrender runs a command of the program and returns the objects that it prints.
func (s *scenario) vmrender(args ...string) []*unstructured.Unstructured {
	s.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(s.Context(), lab.Programs["vmrender"], args...)
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(s, command.Run(), stderr.String())
	objects, err := cluster.Objects(stdout.Bytes())
	require.NoError(s, err)
	return objects
}

func (s *scenario) apply(application *unstructured.Unstructured) {
	s.Helper()
	var err error
	s.app, err = lab.argo.Apply(s.Context(), application)
	require.NoError(s, err)
}

// wait waits until done returns no error for the Application's status.
func (s *scenario) wait(done func(*argo.Status) error) {
	s.Helper()
	require.NoError(s, s.app.Wait(s.Context(), patience, done))
}
