package e2e_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// The example fleets become Synced and Healthy.
func TestExamples(t *testing.T) {
	for _, example := range []string{"acp", "first", "fleet"} {
		t.Run(example, func(t *testing.T) {
			t.Parallel()
			s := newScenario(t, "example-"+example)
			s.copy(filepath.Join(lab.Root, "examples", example))
			s.createNamespaces()
			s.createClaims()
			s.wait(argo.Synced(s.push("An example")))
			s.stands(nil)
		})
	}
}

// A change of values reaches the VM, which remains the same object, and nothing
// else.
func TestChange(t *testing.T) {
	t.Parallel()
	s := newFleet(t, "change")
	before := s.machines()
	web := s.machine("web-0")

	s.replace("vms/databases.yaml", "disks:", "memory: 6Gi\n    disks:")
	s.wait(argo.Synced(s.push("More memory")))

	memory, _, err := unstructured.NestedString(s.machine("db").Object, "spec", "template", "spec", "domain", "memory", "guest")
	require.NoError(t, err)
	require.Equal(t, "6Gi", memory)
	require.Equal(t, before, s.machines())
	require.Equal(t, web.GetGeneration(), s.machine("web-0").GetGeneration())
	s.stands(map[string]string{"db": "restart: waits for a restart: memory"})
}

// A manual change in the cluster is reverted.
func TestDrift(t *testing.T) {
	t.Parallel()
	s := newFleet(t, "drift")
	want, _, err := unstructured.NestedInt64(s.machine("db").Object, sockets()...)
	require.NoError(t, err)
	require.NoError(t, lab.cluster.Update(t.Context(), kubevirt.VirtualMachine(), s.name, "db", func(vm *unstructured.Unstructured) {
		require.NoError(t, unstructured.SetNestedField(vm.Object, want+7, sockets()...))
	}))
	s.eventually("the sockets of the fleet", func() bool {
		live, _, err := unstructured.NestedInt64(s.machine("db").Object, sockets()...)
		return err == nil && live == want
	})
	s.stands(nil)
}

func sockets() []string {
	return []string{"spec", "template", "spec", "domain", "cpu", "sockets"}
}

// Broken values are reported with their place on the Application, and nothing
// is pruned. After a fix, the fleet is synced again.
func TestBrokenValues(t *testing.T) {
	t.Parallel()
	s := newFleet(t, "broken")
	machines, disks := s.machines(), s.disks()

	s.replace("vms/databases.yaml", "data: 10Gi", "data: 10Gx")
	s.replace("vms/web.yaml", "replicas", "replica")
	s.push("Two mistakes")
	s.wait(failed(
		`vms/databases.yaml:3:19: vms.db.disks.data: `,
		`vms/web.yaml:4:5: vms.web.replica: unknown key "replica"; did you mean "replicas"?`,
		`2 errors in 2 files`,
	))
	require.Equal(t, machines, s.machines())
	require.Equal(t, disks, s.disks())

	s.replace("vms/databases.yaml", "data: 10Gx", "data: 10Gi")
	s.replace("vms/web.yaml", "replica:", "replicas:")
	s.wait(argo.Synced(s.push("Mended")))
	require.Equal(t, machines, s.machines())
	s.stands(nil)
}

// A mistake that only KubeVirt can detect is shown with KubeVirt's message, and
// the VM stays as it was.
func TestRefusedByKubeVirt(t *testing.T) {
	t.Parallel()
	s := newFleet(t, "refused")
	before := s.machine("db").GetGeneration()
	s.replace("vms/databases.yaml", "disks:", "overrides: {spec: {template: {spec: {domain: {machine: {type: pc-i440fx}}}}}}\n    disks:")
	s.push("A machine type of another age")
	s.wait(func(status *argo.Status) error {
		if refusal := status.Refusal("VirtualMachine", "db"); !strings.Contains(refusal, "pc-i440fx") {
			return errors.New("no refusal of the machine: " + refusal)
		}
		return nil
	})
	require.Equal(t, before, s.machine("db").GetGeneration())
	s.stands(map[string]string{"db": "not-synced: is not synced yet: machineType"})
}

// A fleet without VMs is refused, and nothing is pruned.
func TestEmptiedFleet(t *testing.T) {
	t.Parallel()
	s := newFleet(t, "emptied")
	machines := s.machines()
	require.NoError(t, os.RemoveAll(s.repository.Path("vms")))
	s.push("Nothing left")
	s.wait(failed("allowEmpty"))
	require.Equal(t, machines, s.machines())
	s.statusRefuses("allowEmpty")
}

// If a directory is renamed, it renders the same VMs, and nothing is recreated.
// The same holds for another directory of the Application.
func TestRenamedDirectory(t *testing.T) {
	t.Parallel()
	s := newFleet(t, "renamed")
	machines, disks := s.machines(), s.disks()

	require.NoError(t, os.Rename(s.repository.Path("vms"), s.repository.Path("machines")))
	s.wait(argo.Synced(s.push("Another name")))
	require.Equal(t, machines, s.machines())

	require.NoError(t, os.Mkdir(s.repository.Path("site"), 0o755))
	for _, name := range []string{"fleet.yaml", "machines"} {
		require.NoError(t, os.Rename(s.repository.Path(name), s.repository.Path("site/"+name)))
	}
	revision := s.push("One directory down")
	s.deploy("site")
	s.wait(argo.Synced(revision))
	require.Equal(t, machines, s.machines())
	require.Equal(t, disks, s.disks())
	s.root = "site"
	s.stands(nil)
}

// failed is done when the Application's manifests cannot be rendered, and its
// error contains all these parts.
func failed(parts ...string) func(*argo.Status) error {
	return func(s *argo.Status) error {
		for _, part := range parts {
			if !strings.Contains(s.ComparisonError(), part) {
				return errors.New("no error with " + part)
			}
		}
		return nil
	}
}

// machine returns a VirtualMachine of the scenario.
func (s *scenario) machine(name string) *unstructured.Unstructured {
	s.Helper()
	vm, err := lab.cluster.Resource(kubevirt.VirtualMachines).Namespace(s.name).Get(s.Context(), name, metav1.GetOptions{})
	require.NoError(s, err)
	return vm
}
