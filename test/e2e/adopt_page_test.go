package e2e_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/gitrepo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
	"github.com/vmrender/vmrender/test/e2e/tutorial"
)

// A reader who follows docs/how-to/adopt.md up to automated sync gets the results that it shows: ten VMs of different
// kinds and origins are imported into an Application that is Synced and Healthy. None of them changes or restarts.
// TestAdoptPage of cmd/vmrender runs the rest of the page.
func TestAdoptPage(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(lab.Dir, "pages", "adopt")
	require.NoError(t, os.MkdirAll(dir, 0o755))
	s := &scenario{T: t, name: "shop", root: "shop", repository: &gitrepo.Repository{Dir: dir}}
	names := s.exported(filepath.Join(lab.Root, "cmd", "vmrender", "testdata", "adopt", "export.yaml"))
	require.Len(t, names, 11, "ten VMs, and one of another Application")
	before := s.machinesAsTheyAre(names)

	remote := tutorial.NewRepository(t, filepath.Join(lab.Dir, "repositories", "shop.git"))
	output, err := exec.CommandContext(t.Context(), "git", "clone", "--quiet", remote, dir).CombinedOutput()
	require.NoError(t, err, "%s", output)
	reader := tutorial.Reader{
		Dir:      dir,
		Programs: map[string]string{"vmrender": lab.Programs["vmrender"], "kubectl": lab.Programs["kubectl"]},
		Env:      append(tutorial.Author(), "KUBECONFIG="+lab.cluster.Kubeconfig),
		Until:    "Make the first change",
	}
	reader.Read(t, filepath.Join(lab.Root, "docs", "how-to", "adopt.md"))

	require.Equal(t, before, s.machinesAsTheyAre(names))
	require.Equal(t, "nothing changes for 10 VMs", s.headline())
	s.stands(nil)
}

// exported creates the VMs of an export in the scenario's namespace, with the claims and sizes that they need, and
// waits until they run. It returns the names of the VMs.
func (s *scenario) exported(path string) []string {
	s.Helper()
	objects, err := cluster.ReadObjects(path)
	require.NoError(s, err)
	namespace := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Namespace"}}
	namespace.SetName(s.name)
	require.NoError(s, lab.cluster.Apply(s.Context(), namespace))
	sizes, err := cluster.ReadObjects(filepath.Join("testdata", "adopt", "sizes.yaml"))
	require.NoError(s, err)
	for _, o := range sizes {
		require.NoError(s, lab.cluster.Apply(s.Context(), o))
	}
	var names []string
	for _, resource := range []schema.GroupVersionResource{kubevirt.Claims, kubevirt.VirtualMachines} {
		for _, o := range ofKind(objects, kinds[resource]) {
			_, err := lab.cluster.Resource(resource).Namespace(s.name).Create(
				s.Context(), asCreated(o), metav1.CreateOptions{FieldManager: "kubectl-create"})
			require.NoError(s, err, o.GetName())
			if resource == kubevirt.VirtualMachines {
				names = append(names, o.GetName())
			}
		}
	}
	s.atRest(names)
	for _, o := range ofKind(objects, "VirtualMachineInstance") {
		s.reports(o)
	}
	return names
}

var kinds = map[schema.GroupVersionResource]string{
	kubevirt.Claims: "PersistentVolumeClaim", kubevirt.VirtualMachines: "VirtualMachine",
}

func ofKind(objects []*unstructured.Unstructured, kind string) (out []*unstructured.Unstructured) {
	for _, o := range objects {
		if o.GetKind() == kind {
			out = append(out, o)
		}
	}
	return out
}

// asCreated returns an exported object without what the cluster has added.
func asCreated(o *unstructured.Unstructured) *unstructured.Unstructured {
	out := o.DeepCopy()
	unstructured.RemoveNestedField(out.Object, "status")
	for _, field := range []string{"uid", "generation", "creationTimestamp", "finalizers"} {
		unstructured.RemoveNestedField(out.Object, "metadata", field)
	}
	return out
}

// reports writes to a running instance what the guest agent of an exported one reports.
func (s *scenario) reports(exported *unstructured.Unstructured) {
	s.Helper()
	guest, _, err := unstructured.NestedMap(exported.Object, "status", "guestOSInfo")
	require.NoError(s, err)
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"guestOSInfo": guest}})
	require.NoError(s, err)
	_, err = lab.cluster.Resource(kubevirt.Instances).Namespace(s.name).Patch(
		s.Context(), exported.GetName(), types.MergePatchType, patch, metav1.PatchOptions{})
	require.NoError(s, err)
}
