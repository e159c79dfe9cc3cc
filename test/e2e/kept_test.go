package e2e_test

import (
	"errors"
	"fmt"
	"maps"
	"math/bits"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// Kept disks and pets survive every combination of what can be selected in Argo CD's dialog for a sync, and the deletion of
// the Application with each propagation, with the policies that an installation of the plugin contains. Without the
// policies, the same syncs lose disks.
func TestKeptSurvivesEverySync(t *testing.T) {
	t.Parallel()
	installProtection(t)
	for _, p := range propagations {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			s := newKept(t, p.namespace())
			s.eventuallyProtected()
			s.pruneOwner(p)
			kept := s.kept()
			for i := range 1 << len(boxes) {
				b := p.boxes(i)
				require.NoError(t, s.app.SyncWith(t.Context(), b))
				s.wait(argo.Ended)
				require.Equal(t, kept, s.kept(), "%+v", b)
				s.fails(b)
			}
			s.deleteKept(p)
		})
	}
	t.Run("without policies", func(t *testing.T) {
		t.Parallel()
		losesKept(t)
	})
}

// propagation is the propagation of prunes, and the finalizer of the Application.
type propagation struct{ name, finalizer string }

var propagations = []propagation{
	{"foreground", "resources-finalizer.argocd.argoproj.io/foreground"},
	{"background", "resources-finalizer.argocd.argoproj.io/background"},
	{"orphan", "resources-finalizer.argocd.argoproj.io"},
}

// namespace returns the namespace of the fleet that is synced with the propagation.
func (p propagation) namespace() string { return "kept-" + p.name }

// boxes are what matters for the deletion of objects in a sync, in addition to the propagation.
var boxes = []string{"Prune", "Force", "Replace=true", "ServerSideApply=true", "ApplyOutOfSyncOnly=true"}

// boxes returns a combination of the boxes. Each of the other options is selected in half of the combinations, with and
// without any three of the boxes.
func (p propagation) boxes(combination int) argo.Boxes {
	b := argo.Boxes{Options: []any{"PrunePropagationPolicy=" + p.name}}
	for bit, name := range boxes {
		switch {
		case combination>>bit&1 == 0:
		case name == "Prune":
			b.Prune = true
		case name == "Force":
			b.Force = true
		default:
			b.Options = append(b.Options, name)
		}
	}
	if bits.OnesCount(uint(combination))%2 == 1 {
		b.Options = append(b.Options, "PruneLast=true", "RespectIgnoreDifferences=true", "Validate=false")
	}
	if bits.OnesCount(uint(combination&^0b10))%2 == 1 { // with and without Force
		b.Options = append(b.Options, "CreateNamespace=true")
	}
	return b
}

// fails requires that the last sync has failed as the documentation states: a replacement by force is refused by a policy,
// and without force, nothing is overwritten that cannot be changed.
func (s *scenario) fails(b argo.Boxes) {
	s.Helper()
	status, err := s.app.Status(s.Context())
	require.NoError(s, err)
	require.Equal(s, "Failed", status.Operation.Phase)
	why := map[[2]bool]string{
		{false, false}: "Cannot update DataVolume Spec",
		{false, true}:  "spec is immutable after creation",
		{true, false}:  "--force cannot be used with --server-side",
		{true, true}:   "ValidatingAdmissionPolicy 'protection-",
	}
	replace := slices.Contains(b.Options, any("Replace=true"))
	require.Contains(s, status.Operation.Message, why[[2]bool{b.Force, replace}], "%+v", b)
}

// newKept returns a fleet whose last commit is not synced, and cannot be: a disk with another size (db), a claim that
// shrinks (log), a pet that is removed without an approval (left) and with one (gone), and cattle that is removed, which
// still owns a disk that is kept (was). Only users sync it.
func newKept(t *testing.T, name string) *scenario {
	t.Helper()
	const before = `vms:
  log: {disks: {data: {size: 10Gi, expandTo: 20Gi}}}
  db: {wave: 1, disks: {data: 10Gi}}
  gone: {lifecycle: {removal: approved}}
  left: {}
`
	s := newLifecycle(t, name, before+"  was: {disks: {data: 5Gi}, lifecycle: cattle}\n")
	s.write("vms.yaml", before+"  was: {disks: {data: 5Gi}, lifecycle: {type: cattle, keepDisks: true}}\n")
	s.push("Keep the disks")
	s.wait(stillOwned)
	s.changeApplication(func(app *unstructured.Unstructured) {
		unstructured.RemoveNestedField(app.Object, "spec", "syncPolicy", "automated")
		labels := map[string]any{"example.com/team": "shop"}
		require.NoError(t, unstructured.SetNestedMap(app.Object, labels, "spec", "syncPolicy", "managedNamespaceMetadata", "labels"))
	})
	s.write("vms.yaml", "vms:\n  log: {disks: {data: {size: 10Gi, expandTo: 15Gi}}}\n  db: {wave: 1, disks: {data: 12Gi}}\n")
	revision := s.push("What cannot be synced")
	s.wait(func(status *argo.Status) error {
		if status.Sync.Revision != revision || status.Sync.Status != "OutOfSync" {
			return errors.New("the commit is not compared")
		}
		return nil
	})
	return s
}

// kept returns the disks that are kept, their claims with their volumes, and the pets that no commit has approved to go.
func (s *scenario) kept() map[string]string {
	s.Helper()
	out := map[string]string{}
	for resource, names := range map[schema.GroupVersionResource][]string{
		kubevirt.DataVolumes:     {"log", "log-data", "db", "db-data", "gone", "left", "was-data"},
		kubevirt.Claims:          {"log", "log-data", "db", "db-data", "gone", "left", "was-data"},
		kubevirt.VirtualMachines: {"log", "db", "left"},
	} {
		for _, o := range s.list(resource) {
			if slices.Contains(names, o.GetName()) {
				volume, _, _ := unstructured.NestedString(o.Object, "spec", "volumeName")
				out[resource.Resource+" "+o.GetName()] = fmt.Sprint(o.GetUID(), " ", volume, " ", o.GetDeletionTimestamp())
			}
		}
	}
	return out
}

// installProtection installs the policies for some namespaces and their Applications, because all tests share the cluster.
func installProtection(t *testing.T) {
	t.Helper()
	namespaces := []string{argo.Namespace}
	for _, p := range propagations {
		namespaces = append(namespaces, p.namespace())
	}
	policies, err := cluster.ReadObjects(filepath.Join(lab.Root, "plugin", "kustomize", "protection.yaml"))
	require.NoError(t, err)
	for _, o := range policies {
		if o.GetKind() == "ValidatingAdmissionPolicyBinding" {
			where := map[string]any{"namespaceSelector": in("kubernetes.io/metadata.name", namespaces)}
			if strings.HasSuffix(o.GetName(), "-applications") {
				where["objectSelector"] = map[string]any{"matchLabels": map[string]any{"example.com/fleet": "kept"}}
			}
			require.NoError(t, unstructured.SetNestedMap(o.Object, where, "spec", "matchResources"))
		}
	}
	require.NoError(t, lab.cluster.Install(t.Context(), policies))
}

// keptLabel selects the Applications for which a policy applies.
var keptLabel = map[string]string{"example.com/fleet": "kept"}

func in(label string, values []string) map[string]any {
	list := make([]any, len(values))
	for i, v := range values {
		list[i] = v
	}
	return map[string]any{"matchExpressions": []any{map[string]any{"key": label, "operator": "In", "values": list}}}
}

// eventuallyProtected waits until the policies have an effect on Argo CD.
func (s *scenario) eventuallyProtected() {
	s.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", lab.argo.Kubeconfig())
	require.NoError(s, err)
	client, err := dynamic.NewForConfig(config)
	require.NoError(s, err)
	for resource, name := range map[schema.GroupVersionResource]string{
		kubevirt.DataVolumes: "db-data", kubevirt.Claims: "log-data", kubevirt.VirtualMachines: "db",
	} {
		s.eventually("a policy for "+resource.Resource, func() bool {
			try := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
			return client.Resource(resource).Namespace(s.name).Delete(s.Context(), name, try) != nil
		})
	}
}

// pruneOwner prunes the VM that still owns a disk that is kept. In the foreground, the sync waits until the disk is
// released; a user terminates it, and releases the disk.
func (s *scenario) pruneOwner(p propagation) {
	s.Helper()
	require.NoError(s, s.app.SyncWith(s.Context(), argo.Boxes{Prune: true, Options: []any{"PrunePropagationPolicy=" + p.name}}))
	if p.name == "foreground" {
		s.wait(func(status *argo.Status) error {
			if !strings.HasPrefix(status.Operation.Message, "waiting for deletion of kubevirt.io/VirtualMachine/was") {
				return errors.New("the sync does not wait")
			}
			return nil
		})
		require.NoError(s, s.app.Terminate(s.Context()))
		s.wait(argo.Ended)
		s.releaseDisk("was-data")
	}
	s.wait(argo.Ended)
	s.eventually("the end of the VM", func() bool { return s.machines()["was"] == "" })
	require.Len(s, s.kept(), 17)
}

// deleteKept deletes the Application with everything, after a confirmation. The pets are deleted, and the disks stay. In the
// background, the pets stay as well, because the deletion cannot be told from a forced replacement, until a user removes the
// finalizer.
func (s *scenario) deleteKept(p propagation) {
	s.Helper()
	kept := s.kept()
	set := func(label map[string]string, finalizers ...string) {
		s.changeApplication(func(app *unstructured.Unstructured) {
			app.SetLabels(label)
			app.SetFinalizers(finalizers)
		})
	}
	set(keptLabel, p.finalizer)
	apps, err := lab.cluster.Of(applicationKind, argo.Namespace)
	require.NoError(s, err)
	require.ErrorContains(s, apps.Delete(s.Context(), s.name, metav1.DeleteOptions{}), "Application "+s.name+" has pets")
	require.NoError(s, s.app.Annotate(s.Context(), "argocd.argoproj.io/deletion-approved", "yes")) // as the policy's message states
	require.NoError(s, apps.Delete(s.Context(), s.name, metav1.DeleteOptions{}))
	require.NoError(s, s.app.Approve(s.Context())) // Argo CD does not accept a confirmation from before the deletion
	if p.name == "background" {
		s.wait(func(status *argo.Status) error {
			if !strings.Contains(fmt.Sprint(status.Conditions), "is a pet that no commit has approved to go") {
				return errors.New("the deletion is not refused")
			}
			return nil
		})
		set(nil)
		require.Equal(s, kept, s.kept())
	} else {
		s.eventually("the end of the pets", func() bool { return len(s.machines()) == 0 })
		maps.DeleteFunc(kept, func(name, _ string) bool { return strings.HasPrefix(name, kubevirt.VirtualMachines.Resource+" ") })
	}
	s.eventually("the end of the Application", func() bool { return !s.applicationExists() })
	require.Equal(s, kept, s.kept())
	s.unasked = false // there is no Application
}

// losesKept loses disks by the syncs that the policies limit.
func losesKept(t *testing.T) {
	t.Helper()
	s := newKept(t, "kept-not")
	for _, lost := range []struct {
		boxes argo.Boxes
		disks []string
	}{
		{argo.Boxes{Force: true, Options: []any{"ApplyOutOfSyncOnly=true"}}, []string{"db-data"}},
		{argo.Boxes{Force: true, Options: []any{"Replace=true"}}, []string{"log", "log-data"}},
	} {
		disks := s.disks()
		require.NoError(t, s.app.SyncWith(t.Context(), lost.boxes))
		for _, disk := range lost.disks {
			s.eventually("another disk "+disk, func() bool { return s.disks()[disk] != disks[disk] })
		}
		require.NoError(t, s.app.Terminate(t.Context()))
		s.wait(argo.Ended)
	}
	s.unasked = false
}
