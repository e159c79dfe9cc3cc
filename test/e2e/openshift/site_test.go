package openshift_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/gitrepo"
	"github.com/vmrender/vmrender/test/e2e/kubelet"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
	"github.com/vmrender/vmrender/test/e2e/layers"
	"github.com/vmrender/vmrender/test/e2e/openshift"
)

// patience is how long the site may take to come up, on a machine that builds
// something else meanwhile, and limit is that of one sync.
const (
	patience = 10 * time.Minute
	limit    = time.Hour
)

// site is examples/site on a cluster of its own.
type site struct {
	*testing.T
	*openshift.OpenShift
	argo       *argo.Argo
	kubevirt   *kubevirt.KubeVirt
	repository *gitrepo.Repository
	root       *argo.Application
}

// newSite starts an OpenShift cluster with Argo CD, and puts the example into a
// repository.
func newSite(t *testing.T, release openshift.Release) *site {
	t.Helper()
	ctx := t.Context()
	s := &site{T: t}
	c, err := cluster.StartEmpty(ctx, s.dir("cluster"), prepared.Programs)
	require.NoError(t, err)
	t.Cleanup(c.Stop)
	require.NoError(t, c.Pretend(ctx, release.Kubernetes))
	definitions, err := layers.Definitions(prepared.Layers, os.Getenv("VMRENDER_EXTRA_CRDS"))
	require.NoError(t, err)
	s.OpenShift, err = openshift.Start(ctx, c, release, definitions,
		openshift.Surroundings{Virtualize: s.virtualize(s.dir("kubevirt")), Syncing: s.syncing, Complain: s.complain})
	require.NoError(t, err)
	t.Cleanup(s.stop)
	s.argo, err = argo.Start(ctx, c, s.dir("argocd"), prepared.Root, prepared.Definitions, prepared.Programs, limit)
	require.NoError(t, err)
	t.Cleanup(s.argo.Stop)
	kubelet.Start(ctx, c.Client, s.dir("pods"), s.argo.Programs(), s.complain)

	dir := s.dir("repository")
	s.repository, err = gitrepo.New(ctx, dir)
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(prepared.Root, "examples", "site"))))
	s.replace(`target: {openshift: "4.20"}`, fmt.Sprintf("target: {openshift: %q}\nargocdNamespace: %s", release.Name, argo.Namespace))
	s.replace("source: {repoURL: https://git.example.com/virtualization.git, path: examples/site, targetRevision: main}",
		"source: {repoURL: "+s.repository.URL()+"}")
	return s
}

// dir is a directory of this test that is kept if the test fails.
func (s *site) dir(name string) string {
	s.Helper()
	dir := filepath.Join(prepared.Dir, strings.ReplaceAll(s.Name(), "/", "-"), name)
	require.NoError(s, os.MkdirAll(dir, 0o755))
	return dir
}

func (s *site) replace(from, to string) {
	s.Helper()
	require.NoError(s, s.repository.Replace("platform.yaml", from, to))
}

// complain shows what goes wrong in what is played.
func (s *site) complain(err error) { fmt.Fprintf(os.Stderr, "%s: %v\n", s.Name(), err) }

// virtualize is what HyperConverged deploys: KubeVirt and CDI, with their definitions.
func (s *site) virtualize(dir string) func(context.Context) error {
	return func(ctx context.Context) error {
		err := s.Admit(ctx)
		if err == nil {
			s.kubevirt, err = kubevirt.Start(ctx, s.Cluster, dir, prepared.Programs["virt-controller"], s.complain)
		}
		return err
	}
}

// stop ends what plays, and what it has started.
func (s *site) stop() {
	s.Wait()
	if s.kubevirt != nil {
		s.kubevirt.Stop()
	}
}

// syncing tells whether Argo CD has a sync of a layer to do or to end.
func (s *site) syncing(ctx context.Context) (bool, error) {
	apps, err := s.layers(ctx)
	return slices.ContainsFunc(apps, func(app unstructured.Unstructured) bool {
		_, automated, _ := unstructured.NestedMap(app.Object, "spec", "syncPolicy", "automated")  //nolint:errcheck // as the schema says
		phase, _, _ := unstructured.NestedString(app.Object, "status", "operationState", "phase") //nolint:errcheck // as above
		return automated && (phase == "" || phase == "Running")
	}), err
}

// layers returns the Applications of the layers; none before Argo CD is installed.
func (s *site) layers(ctx context.Context) ([]unstructured.Unstructured, error) {
	resource := schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}
	list, err := s.Resource(resource).Namespace(argo.Namespace).
		List(ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/part-of=site-a"})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// bringUp commits the example, and makes its root.
func (s *site) bringUp() {
	s.Helper()
	_, err := s.repository.Commit(s.Context(), "A site")
	require.NoError(s, err)
	objects, err := cluster.ReadObjects(filepath.Join(prepared.Root, "apps", "bootstrap", "root.yaml"))
	require.NoError(s, err)
	root := objects[0]
	root.SetNamespace(argo.Namespace)
	for key, value := range map[string]any{
		"repoURL": s.repository.URL(), "path": ".",
		"plugin": map[string]any{"name": "vmrender", "parameters": []any{map[string]any{"name": "layer", "string": "*"}}},
	} {
		require.NoError(s, unstructured.SetNestedField(root.Object, value, "spec", "source", key))
	}
	require.NoError(s, unstructured.SetNestedField(root.Object, argo.Namespace, "spec", "destination", "namespace"))
	s.root, err = s.argo.Apply(s.Context(), root)
	require.NoError(s, err)
}

// deployFleet makes the Application of the virtual machines.
func (s *site) deployFleet() *argo.Application {
	s.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(s.Context(), prepared.Programs["vmrender"], "app", s.repository.Dir,
		"--repo", s.repository.URL(), "--name", "vms", "--namespace", "shop", "--argocd-namespace", argo.Namespace)
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(s, command.Run(), stderr.String())
	objects, err := cluster.Objects(stdout.Bytes())
	require.NoError(s, err)
	require.Len(s, objects, 1)
	app, err := s.argo.Apply(s.Context(), objects[0])
	require.NoError(s, err)
	return app
}

// applications returns the health of the layers' Applications, by their names.
func (s *site) applications() map[string]string {
	s.Helper()
	apps, err := s.layers(s.Context())
	require.NoError(s, err)
	found := map[string]string{}
	for _, app := range apps {
		health, _, err := unstructured.NestedString(app.Object, "status", "health", "status")
		require.NoError(s, err)
		found[strings.TrimPrefix(app.GetName(), "site-a-")] = health
	}
	return found
}

// healthy is done when the Application is synced and healthy, and at rest.
func healthy(s *argo.Status) error {
	if s.Sync.Status != "Synced" || s.Health.Status != "Healthy" || s.Operation.Phase != "Succeeded" {
		return fmt.Errorf("%s, %s, %s: %s", s.Sync.Status, s.Health.Status, s.Operation.Phase, s.Operation.Message)
	}
	return nil
}

// From an empty cluster to the first virtual machine without a hand, on every release:
// operators bring their definitions in their own time, HyperConverged needs the network
// of live migrations, the descheduler needs rebooted nodes, and nodes reboot once.
func TestSite(t *testing.T) {
	for _, release := range openshift.Releases() {
		t.Run(release.Name, func(t *testing.T) {
			s := newSite(t, release)
			s.bringUp()
			require.NoError(t, s.root.Wait(t.Context(), patience, healthy), "%v", s.applications())
			for _, layer := range []string{
				"operators", "network", "hyperconverged", "storage", "images", "baseline", "load-aware", "higher-density", "nodes",
			} {
				app := s.argo.Application("site-a-" + layer)
				require.NoError(t, app.Wait(t.Context(), patience, healthy), "%s: %v", layer, s.applications())
			}
			dryRun, err := s.argo.Application("site-a-governance").Status(t.Context())
			require.NoError(t, err)
			require.Equal(t, "OutOfSync", dryRun.Sync.Status)
			require.Equal(t, map[string]int{"worker-0": 1, "worker-1": 1, "worker-2": 1}, s.Reboots())

			vms := s.deployFleet()
			require.NoError(t, vms.Wait(t.Context(), patience, healthy))
			for _, name := range []string{"db", "web-0", "web-1"} {
				vm, err := s.Get(t.Context(), kubevirt.VirtualMachine(), "shop", name)
				require.NoError(t, err)
				require.NotNil(t, vm, name)
				ready, _, err := unstructured.NestedBool(vm.Object, "status", "ready")
				require.NoError(t, err)
				require.True(t, ready, name)
			}
		})
	}
}

// An operator that fails is what its layer says, with the operator's own reason; the
// layers that need it wait, and go on without a hand when it runs.
func TestFailedOperator(t *testing.T) {
	s := newSite(t, openshift.Releases()[2])
	const reason = "install failed: deployment nmstate-operator not ready before timeout: deployment exceeded its progress deadline"
	s.Fail("kubernetes-nmstate-operator", reason)
	s.bringUp()
	operators := s.argo.Application("site-a-operators")
	require.NoError(t, operators.Wait(t.Context(), patience, func(status *argo.Status) error {
		for _, r := range status.Resources {
			if r.Kind == "Operator" && r.Health.Status == "Degraded" && strings.HasSuffix(r.Health.Message, "Failed: "+reason) {
				return nil
			}
		}
		return fmt.Errorf("no operator is degraded for its reason")
	}))
	require.NoError(t, s.root.Wait(t.Context(), patience, func(status *argo.Status) error {
		if status.Operation.RetryCount == 0 {
			return fmt.Errorf("the root has not failed yet")
		}
		return nil
	}))
	require.NotContains(t, s.applications(), "network")

	s.Fail("kubernetes-nmstate-operator", "")
	require.NoError(t, s.root.Wait(t.Context(), patience, healthy), "%v", s.applications())
}
