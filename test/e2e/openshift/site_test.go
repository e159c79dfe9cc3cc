package openshift_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path"
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

// image is the image of vmrender, whose programs the played kubelet runs.
const image = "registry.example.com/vmrender/vmrender:0.3.0"

// gitops is the namespace of OpenShift GitOps' Argo CD.
const gitops = "openshift-gitops"

// site is examples/site on a cluster of its own.
type site struct {
	*testing.T
	*openshift.OpenShift
	argo       *argo.Argo
	kubevirt   *kubevirt.KubeVirt
	release    openshift.Release
	repository *gitrepo.Repository
	root       *argo.Application
}

// newCluster starts an OpenShift cluster with Argo CD.
func newCluster(t *testing.T, release openshift.Release) *site {
	t.Helper()
	ctx := t.Context()
	s := &site{T: t, release: release}
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
	s.replace(`target: {openshift: "4.20"}`, fmt.Sprintf("target: {openshift: %q, image: %s}", release.Name, image))
	s.replace("[/spec/liveMigrationConfig/parallel", "[/"+path.Join(release.Virtualization("liveMigrationConfig", "parallel")...))
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

// scenario is something that happens to a site.
type scenario struct {
	prepare func(*site) // before the example is committed
	during  func(*site) // while it comes up
	finish  func(*site) // when it is up
}

// The scenarios.
var (
	pins         = scenario{prepare: (*site).pin, finish: (*site).checkPin}
	fails        = scenario{prepare: (*site).fail, during: (*site).recover}
	reconfigures = scenario{finish: (*site).reconfigure}
	pauses       = scenario{finish: (*site).pause}
	drifts       = scenario{finish: (*site).drift}
	reviews      = scenario{finish: (*site).review}
)

// scenarios is what happens in TestSite by release, unless EVERY is set: then everything happens on each release.
var scenarios = map[string][]scenario{
	"4.18": {pins, fails},
	"4.20": {reconfigures},
	"4.23": {pauses, drifts, reviews},
}

// An empty cluster gets to its first VM without manual steps, on every release. Operators
// install their definitions in their own time, HyperConverged needs the network of live
// migrations, storage classes follow when the storage is ready, and the descheduler needs
// rebooted nodes. Nodes reboot once, and those whose NICs are divided are drained once. In
// between, an operator and a network fail at first, and when the site is up, a layer is paused,
// fields are changed manually, a layer is reviewed, and a later change has the effect that its
// plan shows.
func TestSite(t *testing.T) {
	everything := []scenario{pins, fails, pauses, drifts, reviews, reconfigures}
	for _, release := range openshift.Releases() {
		happens := scenarios[release.Name]
		if os.Getenv("EVERY") != "" {
			happens = everything
		}
		if happens == nil {
			continue
		}
		t.Run(release.Name, func(t *testing.T) {
			s := newSite(t, release)
			for _, now := range happens {
				s.run(now.prepare)
			}
			s.bringUp()
			for _, now := range happens {
				s.run(now.during)
			}
			s.checkUp()
			s.checkDevices()
			s.checkFleet()
			for _, now := range happens {
				s.run(now.finish)
			}
		})
	}
}

// run takes a step of a scenario, if it has that step.
func (s *site) run(step func(*site)) {
	if step != nil {
		step(s)
	}
}

// checkUp waits for all layers. That of policies stays out of sync, because it is a dry run.
func (s *site) checkUp() {
	s.Helper()
	require.NoError(s, s.root.Wait(s.Context(), patience, healthy), "%v", s.applications())
	for _, layer := range []string{
		"node-pools", "operators", "network", "hyperconverged", "storage", "images", "backup", "monitoring", "baseline",
		"load-aware", "higher-density", "nodes",
	} {
		app := s.argo.Application("site-a-" + layer)
		require.NoError(s, app.Wait(s.Context(), patience, healthy), "%s: %v", layer, s.applications())
	}
	s.checkNodes()
	dryRun, err := s.argo.Application("site-a-governance").Status(s.Context())
	require.NoError(s, err)
	require.Equal(s, "OutOfSync", dryRun.Sync.Status)
	require.Equal(s, map[string]int{"worker-0": 1, "worker-1": 1, "worker-2": 1}, s.Reboots())
	s.checkStorage()
}

// checkStorage checks that the class of ODF is the default for VMs, and still that of ODF; and that
// Velero can write to the location of backups.
func (s *site) checkStorage() {
	s.Helper()
	kind := schema.GroupVersionKind{Group: "storage.k8s.io", Version: "v1", Kind: "StorageClass"}
	class, err := s.Get(s.Context(), kind, "", "ocs-storagecluster-ceph-rbd-virtualization")
	require.NoError(s, err)
	require.NotNil(s, class)
	require.Equal(s, "true", class.GetAnnotations()["storageclass.kubevirt.io/is-default-virt-class"])
	require.Equal(s, map[string]any{"pool": class.GetName()}, class.Object["parameters"])
	kind = schema.GroupVersionKind{Group: "velero.io", Version: "v1", Kind: "BackupStorageLocation"}
	location, err := s.Get(s.Context(), kind, "openshift-adp", "site-b")
	require.NoError(s, err)
	require.NotNil(s, location)
	phase, _, err := unstructured.NestedString(location.Object, "status", "phase")
	require.NoError(s, err)
	require.Equal(s, "Available", phase)
}

// checkNodes compares the labels and taints of the nodes with those of their pool.
func (s *site) checkNodes() {
	s.Helper()
	nodes, err := s.Resource(schema.GroupVersionResource{Version: "v1", Resource: "nodes"}).List(s.Context(), metav1.ListOptions{
		LabelSelector: "node-role.kubernetes.io/virtualization",
	})
	require.NoError(s, err)
	require.Len(s, nodes.Items, 3)
	for i := range nodes.Items {
		taints, _, err := unstructured.NestedSlice(nodes.Items[i].Object, "spec", "taints")
		require.NoError(s, err)
		require.Contains(s, taints, map[string]any{"key": "virtualization", "value": "true", "effect": "PreferNoSchedule"})
	}
}

// checkDevices waits for the virtual functions of the nodes for VMs, which are drained once each, and for their network.
func (s *site) checkDevices() {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), patience)
	defer cancel()
	states := schema.GroupVersionResource{Group: "sriovnetwork.openshift.io", Version: "v1", Resource: "sriovnetworknodestates"}
	require.NoError(s, process.Poll(ctx, func(ctx context.Context) error {
		list, err := s.Resource(states).Namespace("openshift-sriov-network-operator").List(ctx, metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, state := range list.Items {
			if status, _, _ := unstructured.NestedString(state.Object, "status", "syncStatus"); status != "Succeeded" { //nolint:errcheck // as the schema says
				return fmt.Errorf("%s: %s", state.GetName(), status)
			}
		}
		return nil
	}))
	require.Equal(s, map[string]int{"worker-0": 1, "worker-1": 1, "worker-2": 1}, s.Drains())
	attachment := schema.GroupVersionKind{Group: "k8s.cni.cncf.io", Version: "v1", Kind: "NetworkAttachmentDefinition"}
	network, err := s.Get(s.Context(), attachment, "default", "market")
	require.NoError(s, err)
	require.NotNil(s, network)
	require.Equal(s, "openshift.io/fast", network.GetAnnotations()["k8s.v1.cni.cncf.io/resourceName"])
}

// checkFleet deploys the VMs, and waits for them.
func (s *site) checkFleet() {
	s.Helper()
	vms := s.deployFleet()
	require.NoError(s, vms.Wait(s.Context(), patience, healthy))
	for _, name := range []string{"db", "web-0", "web-1"} {
		vm, err := s.Get(s.Context(), kubevirt.VirtualMachine(), "shop", name)
		require.NoError(s, err)
		require.NotNil(s, vm, name)
		ready, _, err := unstructured.NestedBool(vm.Object, "status", "ready")
		require.NoError(s, err)
		require.True(s, ready, name)
	}
}
