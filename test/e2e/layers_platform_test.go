package e2e_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/cluster"
)

// platform is a scenario whose repository contains a platform and a fleet, with the root
// Application of the bootstrap manifests.
type platform struct{ *scenario }

// newPlatform creates the root, and does not wait.
func newPlatform(t *testing.T) platform {
	t.Helper()
	require.NoError(t, define())
	p := platform{newScenario(t, "platform")}
	p.copy(filepath.Join("testdata", "platform"))
	p.replace("platform.yaml", "REPOSITORY", p.repository.URL())
	_, err := p.repository.Commit(t.Context(), "A platform and a fleet")
	require.NoError(t, err)
	p.createNamespaces()
	// The namespace in which the layer governance keeps its parameters comes with an
	// operator.
	operators := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	operators.SetName("openshift-cnv")
	require.NoError(t, lab.cluster.Apply(t.Context(), operators))
	p.apply(p.root())
	return p
}

// root returns the Application of the bootstrap manifests for this repository. Because a
// fleet is in the same directory, it specifies that it is about the platform.
func (p platform) root() *unstructured.Unstructured {
	p.Helper()
	objects, err := cluster.ReadObjects(filepath.Join(lab.Root, "apps", "bootstrap", "root.yaml"))
	require.NoError(p, err)
	require.Len(p, objects, 1)
	root := objects[0]
	root.SetNamespace(argo.Namespace)
	for key, value := range map[string]any{
		"repoURL": p.repository.URL(), "path": ".",
		"plugin": map[string]any{"name": "vmrender", "parameters": []any{map[string]any{"name": "layer", "string": "*"}}},
	} {
		require.NoError(p, unstructured.SetNestedField(root.Object, value, "spec", "source", key))
	}
	require.NoError(p, unstructured.SetNestedField(root.Object, argo.Namespace, "spec", "destination", "namespace"))
	return root
}

// of returns the Application of a layer.
func (p platform) of(layer string) *argo.Application {
	return lab.argo.Application(p.name + "-" + layer)
}

// waitFor waits for the Application of a layer.
func (p platform) waitFor(layer string, done func(*argo.Status) error) {
	p.Helper()
	require.NoError(p, p.of(layer).Wait(p.Context(), patience, done))
}

// pushAll commits the files and refreshes all Applications.
func (p platform) pushAll(message string) string {
	p.Helper()
	revision := p.push(message)
	for _, layer := range p.applications() {
		require.NoError(p, lab.argo.Application(layer).Refresh(p.Context(), false))
	}
	return revision
}

// applications returns the names of the Applications that the root has created.
func (p platform) applications() []string {
	p.Helper()
	resource := schema.GroupVersionResource{Group: "argoproj.io", Version: "v1alpha1", Resource: "applications"}
	list, err := lab.cluster.Resource(resource).Namespace(argo.Namespace).
		List(p.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/part-of=" + p.name})
	require.NoError(p, err)
	var names []string
	for _, app := range list.Items {
		names = append(names, app.GetName())
	}
	return names
}

// get returns an object of the platform, or nil if there is none.
func (p platform) get(kind schema.GroupVersionKind, namespace, name string) *unstructured.Unstructured {
	p.Helper()
	object, err := lab.cluster.Get(p.Context(), kind, namespace, name)
	require.NoError(p, err)
	return object
}

// uids returns the UIDs of the objects that the layers have created.
func (p platform) uids() map[string]types.UID {
	p.Helper()
	uids := map[string]types.UID{}
	for _, o := range []*unstructured.Unstructured{
		p.get(subscription(), "platform-nmstate", "kubernetes-nmstate-operator"),
		p.get(storageProfile(), "", "platform-block"),
		p.get(networkDefinition(), p.name, "lan"),
		p.get(instancetype(), "", "platform.small"),
	} {
		require.NotNil(p, o)
		uids[o.GetKind()] = o.GetUID()
	}
	return uids
}

func subscription() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "operators.coreos.com", Version: "v1alpha1", Kind: "Subscription"}
}

func storageProfile() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "cdi.kubevirt.io", Version: "v1beta1", Kind: "StorageProfile"}
}

func networkDefinition() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "k8s.cni.cncf.io", Version: "v1", Kind: "NetworkAttachmentDefinition"}
}

func instancetype() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "instancetype.kubevirt.io", Version: "v1beta1", Kind: "VirtualMachineClusterInstancetype"}
}

// install plays the operator lifecycle manager. It reports that the Subscription of the
// platform's operator is at its latest version. It reports the phase of its
// ClusterServiceVersion in the Operator that the layer has created.
func (p platform) install(phase string) {
	p.Helper()
	p.setStatus(subscription(), "platform-nmstate", "kubernetes-nmstate-operator",
		`{"status":{"state":"AtLatestKnown","installedCSV":"nmstate.v1","lastUpdated":"2026-01-01T00:00:00Z"}}`)
	p.setStatus(operator(), "", "kubernetes-nmstate-operator.platform-nmstate", fmt.Sprintf(
		`{"status":{"components":{"labelSelector":{},"refs":[{"apiVersion":"operators.coreos.com/v1alpha1",
		"kind":"ClusterServiceVersion","namespace":"platform-nmstate","name":"nmstate.v1",
		"conditions":[{"type":%q,"status":"True"}]}]}}}`, phase))
}

func (p platform) setStatus(kind schema.GroupVersionKind, namespace, name, patch string) {
	p.Helper()
	resource, err := lab.cluster.Of(kind, namespace)
	require.NoError(p, err)
	_, err = resource.Patch(p.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
	require.NoError(p, err)
}

func operator() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "operators.coreos.com", Version: "v1", Kind: "Operator"}
}

// synced is done when the Application is synced, at any revision, and has this health.
func synced(health string) func(*argo.Status) error {
	return func(s *argo.Status) error {
		if s.Sync.Status != "Synced" || s.Health.Status != health || s.Operation.Phase != "Succeeded" {
			return fmt.Errorf("not synced and %s", health)
		}
		return nil
	}
}

// outOfSync is done when the Application has been compared but never synced.
func outOfSync(s *argo.Status) error {
	if s.Sync.Status != "OutOfSync" || s.Operation.Phase != "" {
		return errors.New("not out of sync, or somebody has synced it")
	}
	return nil
}

// waitingFor is done when the sync of the root waits until an Application is healthy.
func waitingFor(app string) func(*argo.Status) error {
	return func(s *argo.Status) error {
		if s.Operation.Phase != "Running" || s.Operation.Message != "waiting for healthy state of argoproj.io/Application/"+app {
			return errors.New("not waiting for " + app)
		}
		return nil
	}
}

// A platform is installed in waves, each when the previous one is healthy. The settings
// of its layers for actions and fields take effect, and a mistake changes nothing.
func TestPlatform(t *testing.T) {
	t.Parallel()
	p := newPlatform(t)

	// The operator does not run yet, although its Subscription is at the latest version,
	// so nothing after it is synced.
	p.waitFor("operators", synced("Progressing"))
	p.wait(waitingFor("platform-operators"))
	p.install("Installing")
	p.waitFor("operators", synced("Progressing"))
	require.Equal(t, []string{"platform-operators"}, p.applications())
	p.install("Failed")
	p.waitFor("operators", synced("Degraded"))
	p.install("Succeeded")

	// An ignored layer blocks no other layer, and neither does one with manual sync.
	p.waitFor("network", synced("Healthy"))
	p.waitFor("storage", synced("Healthy"))
	p.waitFor("governance", synced("Healthy"))
	p.wait(synced("Healthy"))
	p.waitFor("images", outOfSync)
	require.Nil(t, p.get(instancetype(), "", "platform.small"))
	require.NoError(t, p.of("images").Sync(t.Context()))
	p.waitFor("images", synced("Healthy"))

	untouched, err := p.of("untouched").Status(t.Context())
	require.NoError(t, err)
	require.Empty(t, untouched.Sync.Status)
	require.Nil(t, p.get(instancetype().GroupVersion().WithKind("VirtualMachineClusterPreference"), "", "platform.untouched"))

	p.drift()
	p.mistake()
	p.leave()
	p.stands(map[string]string{"web": "not-synced: is not in the cluster"}) // no Application has it
}

// drift changes two fields manually. The field that the layer ignores keeps the new
// value, and the other one is reverted.
func (p platform) drift() {
	p.Helper()
	p.edit()
	p.eventually("the claim properties of the layer", p.asRendered)
	p.waitFor("storage", synced("Healthy"))
	strategy, _, err := unstructured.NestedString(p.get(storageProfile(), "", "platform-block").Object, "spec", "cloneStrategy")
	require.NoError(p, err)
	require.Equal(p, "copy", strategy)
}

// edit changes the profile of the storage class manually.
func (p platform) edit() {
	p.Helper()
	require.NoError(p, lab.cluster.Update(p.Context(), storageProfile(), "", "platform-block", func(profile *unstructured.Unstructured) {
		profile.Object["spec"] = map[string]any{
			"cloneStrategy":     "copy",
			"claimPropertySets": []any{map[string]any{"accessModes": []any{"ReadWriteOnce"}, "volumeMode": "Filesystem"}},
		}
	}))
}

// asRendered reports whether the profile has the claim properties of the layer.
func (p platform) asRendered() bool {
	p.Helper()
	sets, _, err := unstructured.NestedSlice(p.get(storageProfile(), "", "platform-block").Object, "spec", "claimPropertySets")
	return err == nil && fmt.Sprint(sets) == fmt.Sprint([]any{map[string]any{"accessModes": []any{"ReadWriteMany"}, "volumeMode": "Block"}})
}

// leave leaves the only object of a layer to others: it is neither pruned nor reverted,
// and the layer is as healthy as before. Then the layer manages it again.
func (p platform) leave() {
	p.Helper()
	before := p.uids()
	const field = "    ignoreFields: [/spec/cloneStrategy]\n"
	const entry = "    unmanaged: [StorageProfile/platform-block]\n"
	p.replace("platform.yaml", field, field+entry)
	p.waitFor("storage", argo.Synced(p.pushAll("Left to others")))
	p.edit()
	p.replace("vms.yaml", "\n", "\n\n")
	p.waitFor("storage", argo.Synced(p.pushAll("Something else")))
	require.False(p, p.asRendered())
	require.Equal(p, before, p.uids())

	p.replace("platform.yaml", entry, "")
	p.waitFor("storage", argo.Synced(p.pushAll("Taken back")))
	require.True(p, p.asRendered())
	require.Equal(p, before, p.uids())
}

// mistake adds a patch that does not apply. The layer and the root report it with its
// place, other layers continue, and everything stays until it is fixed.
func (p platform) mistake() {
	p.Helper()
	before := p.uids()
	const field = "    ignoreFields: [/spec/cloneStrategy]\n"
	const patch = "    patches: [{op: replace, path: /spec/nothing, value: x}]\n"
	p.replace("platform.yaml", field, field+patch)
	revision := p.pushAll("A patch that does not apply")
	complaint := failed("platform.yaml:25:15: layers.storage.patches[0]: StorageProfile platform-block: replace \"/spec/nothing\": path does not exist; \"/spec\" does")
	p.waitFor("storage", complaint)
	p.wait(complaint)
	p.waitFor("network", argo.Synced(revision))
	require.Equal(p, before, p.uids())

	p.replace("platform.yaml", patch, "")
	revision = p.pushAll("Mended")
	p.waitFor("storage", argo.Synced(revision))
	p.wait(argo.Synced(revision))
	require.Equal(p, before, p.uids())
}
