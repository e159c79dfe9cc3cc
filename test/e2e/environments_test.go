package e2e_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// storeFiles is a fleet with two environments for one cluster.
var storeFiles = map[string]string{
	"fleet.yaml": strings.Replace(lifecycleFleet, "{name: site}", "{name: store}", 1) +
		"ignore: [env]\nidentity: {macPrefix: \"02:5e:ed\"}\nvars: {size: 1}\n",
	"vms/front.yaml": "namespace: store-front\nvms: {web: {dependsOn: [store-back/db]}}\n",
	"vms/back.yaml":  "namespace: store-back\nvms: {db: {cpu: 2, disks: {data: 10Gi}}, web: {}}\n",
	"env/dev.yaml":   "environment: dev\nnamespaceSuffix: -dev\nevery: {cpu: 1}\n",
	"env/prod.yaml":  "environment: prod\n",
}

// environment is an Application with an overlay.
type environment struct {
	*argo.Application
	namespaces []string
}

// environment deploys the repository with an overlay into namespaces that it creates.
func (s *scenario) environment(name string, namespaces ...string) environment {
	s.Helper()
	overlay := s.repository.Path("env/" + name + ".yaml")
	for _, namespace := range namespaces {
		object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
		object.SetName(namespace)
		require.NoError(s, lab.cluster.Apply(s.Context(), object))
	}
	objects := s.vmrender("app", s.repository.Path("."), "--overlay", overlay,
		"--repo", s.repository.URL(), "--argocd-namespace", argo.Namespace)
	require.Len(s, objects, 1)
	app, err := lab.argo.Apply(s.Context(), objects[0])
	require.NoError(s, err)
	return environment{app, namespaces}
}

// objects returns the objects of a kind by namespace and name.
func (e *environment) objects(t *testing.T, resource schema.GroupVersionResource) map[string]*unstructured.Unstructured {
	t.Helper()
	all := map[string]*unstructured.Unstructured{}
	for _, namespace := range e.namespaces {
		list, err := lab.cluster.Resource(resource).Namespace(namespace).List(t.Context(), metav1.ListOptions{})
		require.NoError(t, err)
		for i := range list.Items {
			all[namespace+"/"+list.Items[i].GetName()] = &list.Items[i]
		}
	}
	return all
}

// identities returns the values that no two VMs may share.
func identities(t *testing.T, vm *unstructured.Unstructured) []string {
	t.Helper()
	domain, _, err := unstructured.NestedMap(vm.Object, "spec", "template", "spec", "domain")
	require.NoError(t, err)
	uuid, _, _ := unstructured.NestedString(domain, "firmware", "uuid")
	serial, _, _ := unstructured.NestedString(domain, "firmware", "serial")
	nics, _, _ := unstructured.NestedSlice(domain, "devices", "interfaces")
	require.Len(t, nics, 1)
	mac, _, _ := unstructured.NestedString(nics[0].(map[string]any), "macAddress") //nolint:forcetypeassert // as the schema says
	return []string{uuid, serial, mac}
}

// dev and prod of one fleet run on one cluster. They share no object and no identity, and
// a change of dev's overlay changes only dev.
func TestEnvironments(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "store")
	for name, text := range storeFiles {
		s.write(name, text)
	}
	revision, err := s.repository.Commit(t.Context(), "Two environments")
	require.NoError(t, err)
	dev := s.environment("dev", "store-front-dev", "store-back-dev")
	prod := s.environment("prod", "store-front", "store-back")
	both := []environment{dev, prod}
	require.NotEqual(t, dev.Name, prod.Name)
	owner := map[string]string{}
	for _, e := range both {
		require.NoError(t, e.Wait(t.Context(), patience, argo.Synced(revision)))
		machines := e.objects(t, kubevirt.VirtualMachines)
		require.Len(t, machines, 3)
		require.Len(t, e.objects(t, kubevirt.DataVolumes), 4)
		for name, vm := range machines {
			tracked := vm.GetAnnotations()["argocd.argoproj.io/tracking-id"]
			require.True(t, strings.HasPrefix(tracked, e.Name+":"), "%s: %s", name, tracked)
			for _, id := range identities(t, vm) {
				require.NotEmpty(t, id, name)
				require.Empty(t, owner[id], "%s: %s", name, id)
				owner[id] = name
			}
		}
	}

	before := []map[string]*unstructured.Unstructured{
		dev.objects(t, kubevirt.VirtualMachines), prod.objects(t, kubevirt.VirtualMachines),
	}
	require.NoError(t, s.repository.Replace("env/dev.yaml", "{cpu: 1}", "{cpu: 3}"))
	revision, err = s.repository.Commit(t.Context(), "More for dev")
	require.NoError(t, err)
	for i, e := range both {
		require.NoError(t, e.Refresh(t.Context(), false))
		require.NoError(t, e.Wait(t.Context(), patience, argo.Synced(revision)))
		for name, vm := range e.objects(t, kubevirt.VirtualMachines) {
			was := before[i][name]
			require.Equal(t, was.GetUID(), vm.GetUID())
			require.Equal(t, identities(t, was), identities(t, vm))
			sockets, _, err := unstructured.NestedInt64(vm.Object, "spec", "template", "spec", "domain", "cpu", "sockets")
			require.NoError(t, err)
			if e.Name == dev.Name {
				require.EqualValues(t, 3, sockets, name)
			} else {
				require.Equal(t, was.GetGeneration(), vm.GetGeneration(), "%s: prod is as it was", name)
				require.NotEqualValues(t, 3, sockets, name)
			}
		}
	}
}
