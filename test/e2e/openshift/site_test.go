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
	"github.com/vmrender/vmrender/test/e2e/process"
)

// patience is how long the site may take to come up on a computer that is busy with another
// build. limit is the limit of one sync.
const (
	patience = 10 * time.Minute
	limit    = time.Hour
)

// gitops is the namespace of OpenShift GitOps' Argo CD.
const gitops = "openshift-gitops"

// site is examples/site on a cluster of its own.
type site struct {
	*testing.T
	*openshift.OpenShift
	argo       *argo.Argo
	kubevirt   *kubevirt.KubeVirt
	repository *gitrepo.Repository
	root       *argo.Application
}

// newCluster starts an OpenShift cluster with Argo CD.
func newCluster(t *testing.T, release openshift.Release) *site {
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
	s.argo, err = argo.Start(ctx, c, argo.Installation{
		Namespace: gitops, Dir: s.dir("argocd"), Root: prepared.Root,
		Definitions: prepared.Definitions, Programs: prepared.Programs, Limit: limit,
	})
	require.NoError(t, err)
	t.Cleanup(s.argo.Stop)
	kubelet.Start(ctx, c.Client, s.dir("pods"), s.argo.Programs(), s.complain)
	return s
}

// newSite returns a cluster with a repository that contains the example.
func newSite(t *testing.T, release openshift.Release) *site {
	t.Helper()
	s := newCluster(t, release)
	dir := s.dir("repository")
	var err error
	s.repository, err = gitrepo.New(t.Context(), dir)
	require.NoError(t, err)
	require.NoError(t, os.CopyFS(dir, os.DirFS(filepath.Join(prepared.Root, "examples", "site"))))
	s.replace(`target: {openshift: "4.20"}`, fmt.Sprintf("target: {openshift: %q}", release.Name))
	s.replace("source: {repoURL: https://git.example.com/virtualization.git, path: examples/site, targetRevision: main}",
		"source: {repoURL: "+s.repository.URL()+"}")
	return s
}

// dir returns a directory of this test, which is kept if the test fails.
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

// complain shows the errors of the played parts.
func (s *site) complain(err error) { fmt.Fprintf(os.Stderr, "%s: %v\n", s.Name(), err) }

// virtualize returns a function that starts what HyperConverged deploys: KubeVirt and CDI,
// with their definitions.
func (s *site) virtualize(dir string) func(context.Context) error {
	return func(ctx context.Context) error {
		err := s.Admit(ctx)
		if err == nil {
			s.kubevirt, err = kubevirt.Start(ctx, s.Cluster, dir, prepared.Programs["virt-controller"], s.complain)
		}
		return err
	}
}

// stop ends the played parts, and the processes that they have started.
func (s *site) stop() {
	s.Wait()
	if s.kubevirt != nil {
		s.kubevirt.Stop()
	}
}

// syncing reports whether a sync of a layer is due or running.
func (s *site) syncing(ctx context.Context) (bool, error) {
	apps, err := s.layers(ctx)
	return slices.ContainsFunc(apps, func(app unstructured.Unstructured) bool {
		_, automated, _ := unstructured.NestedMap(app.Object, "spec", "syncPolicy", "automated")  //nolint:errcheck // as the schema says
		phase, _, _ := unstructured.NestedString(app.Object, "status", "operationState", "phase") //nolint:errcheck // as above
		return automated && (phase == "" || phase == "Running")
	}), err
}

// layers returns the Applications of the layers, or none before Argo CD is installed.
func (s *site) layers(ctx context.Context) ([]unstructured.Unstructured, error) {
	resource := schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}
	list, err := s.Resource(resource).Namespace(gitops).
		List(ctx, metav1.ListOptions{LabelSelector: "app.kubernetes.io/part-of=site-a"})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return list.Items, nil
}

// bringUp commits the example, and creates its root.
func (s *site) bringUp() {
	s.Helper()
	_, err := s.repository.Commit(s.Context(), "A site")
	require.NoError(s, err)
	objects, err := cluster.ReadObjects(filepath.Join(prepared.Root, "apps", "bootstrap", "root.yaml"))
	require.NoError(s, err)
	root := objects[0]
	root.SetNamespace(gitops)
	for key, value := range map[string]any{
		"repoURL": s.repository.URL(), "path": ".",
		"plugin": map[string]any{"name": "vmrender", "parameters": []any{map[string]any{"name": "layer", "string": "*"}}},
	} {
		require.NoError(s, unstructured.SetNestedField(root.Object, value, "spec", "source", key))
	}
	s.root, err = s.argo.Apply(s.Context(), root)
	require.NoError(s, err)
}

// deployFleet creates the Application of the VMs.
func (s *site) deployFleet() *argo.Application {
	s.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(s.Context(), prepared.Programs["vmrender"], "app", s.repository.Dir,
		"--repo", s.repository.URL(), "--name", "vms", "--namespace", "shop")
	command.Stdout, command.Stderr = &stdout, &stderr
	require.NoError(s, command.Run(), stderr.String())
	objects, err := cluster.Objects(stdout.Bytes())
	require.NoError(s, err)
	require.Len(s, objects, 1)
	app, err := s.argo.Apply(s.Context(), objects[0])
	require.NoError(s, err)
	return app
}

// applications returns the health of the layers' Applications by name.
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

// healthy is done when the Application is synced and healthy, and no sync is running.
func healthy(s *argo.Status) error {
	if s.Sync.Status != "Synced" || s.Health.Status != "Healthy" || s.Operation.Phase != "Succeeded" {
		return fmt.Errorf("%s, %s, %s: %s", s.Sync.Status, s.Health.Status, s.Operation.Phase, s.Operation.Message)
	}
	return nil
}

// degraded is done when an object of a kind has failed for a reason.
func degraded(kind, reason string) func(*argo.Status) error {
	return func(s *argo.Status) error {
		for _, r := range s.Resources {
			if r.Kind == kind && r.Health.Status == "Degraded" && strings.HasSuffix(r.Health.Message, reason) {
				return nil
			}
		}
		return fmt.Errorf("no %s is degraded for its reason", kind)
	}
}

// failed is done when the sync has failed that often.
func failed(times int) func(*argo.Status) error {
	return func(s *argo.Status) error {
		if s.Operation.RetryCount < times {
			return fmt.Errorf("the sync has failed %d times only", s.Operation.RetryCount)
		}
		return nil
	}
}

// An empty cluster gets to its first VM without manual steps, on every release. Operators
// install their definitions in their own time, HyperConverged needs the network of live
// migrations, and the descheduler needs rebooted nodes. Nodes reboot once. On the newest
// release, a later change has the effect that its plan shows.
func TestSite(t *testing.T) {
	releases := openshift.Releases()
	for i, release := range releases {
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
			if i == len(releases)-1 {
				s.reconfigure()
			}
		})
	}
}

// A failure shows on its layer, with the reason, and holds back what comes after it, however
// often the sync is retried. An operator holds back the next layers, and a canary the other
// nodes. All continue automatically when it works.
func TestFailures(t *testing.T) {
	const (
		operator, canary = "kubernetes-nmstate-operator", "br1-canary"
		timeout          = "install failed: deployment nmstate-operator not ready before timeout: deployment exceeded its progress deadline"
		unreachable      = "failed to execute NetworkStatePolicy: the default gateway does not answer"
	)
	s := newSite(t, openshift.Releases()[2])
	s.Fail(operator, timeout)
	s.Fail(canary, unreachable)
	s.bringUp()
	operators, network := s.argo.Application("site-a-operators"), s.argo.Application("site-a-network")
	require.NoError(t, operators.Wait(t.Context(), patience, degraded("Operator", "Failed: "+timeout)))
	require.NoError(t, s.root.Wait(t.Context(), patience, failed(2)))
	require.Equal(t, map[string]string{"operators": "Degraded"}, s.applications())

	s.Fail(operator, "")
	require.NoError(t, operators.Wait(t.Context(), patience, healthy))
	var failures int
	require.NoError(t, network.Wait(t.Context(), patience, func(status *argo.Status) error {
		failures = status.Operation.RetryCount
		if !strings.Contains(status.Operation.Message, "Retrying attempt") {
			return fmt.Errorf("the sync has not failed")
		}
		return degraded("NodeNetworkConfigurationPolicy", unreachable)(status)
	}))
	require.NoError(t, network.Wait(t.Context(), patience, failed(failures+1)))
	policies := schema.GroupVersionKind{Group: "nmstate.io", Version: "v1", Kind: "NodeNetworkConfigurationPolicy"}
	policy, err := s.Get(t.Context(), policies, "", "br1")
	require.NoError(t, err)
	require.Nil(t, policy)

	s.Fail(canary, "")
	require.NoError(t, network.Wait(t.Context(), patience, healthy), "%v", s.applications())
}

// If Git pins the version of an operator, the layer's Job approves that version. The
// operator comes up without manual steps, and keeps that version although the channel has a
// later one.
func TestPinnedOperator(t *testing.T) {
	const (
		pinned, later = "kubernetes-nmstate-operator.v4.19.9", "kubernetes-nmstate-operator.v4.20.0"
		operators     = "layers:\n  operators:\n    values:\n"
		descheduler   = "        descheduler: {enabled: true}\n"
	)
	s := newSite(t, openshift.Releases()[2])
	s.replace(operators, operators+"      approver: {image: registry.example.com/vmrender/vmrender:0.3.0}\n")
	s.replace(descheduler, descheduler+"        nmstate: {approval: Manual, startingCSV: "+pinned+"}\n")
	s.bringUp()
	require.NoError(t, s.argo.Application("site-a-operators").Wait(t.Context(), patience, healthy))

	require.True(t, s.approved(pinned))
	require.False(t, s.approved(later))
	require.Nil(t, s.get("clusterserviceversions", later))
}

// approved waits for the InstallPlan of a version of NMState's operator, and reports whether
// it is approved.
func (s *site) approved(version string) (is bool) {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	require.NoError(s, process.Poll(ctx, func(context.Context) error {
		object := s.get("installplans", "install-"+version)
		if object == nil {
			return fmt.Errorf("no InstallPlan of %s", version)
		}
		var err error
		is, _, err = unstructured.NestedBool(object.Object, "spec", "approved")
		return err
	}))
	return is
}

// get returns an object of the Operator Lifecycle Manager for NMState's operator, or nil if
// there is none.
func (s *site) get(resource, name string) *unstructured.Unstructured {
	s.Helper()
	of := schema.GroupVersionResource{Group: "operators.coreos.com", Version: "v1alpha1", Resource: resource}
	object, err := s.Resource(of).Namespace("openshift-nmstate").Get(s.Context(), name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	require.NoError(s, err)
	return object
}
