package e2e_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// gatedFleet requires approvals, and allows no loss of data.
const gatedFleet = lifecycleFleet + "policy: {approve: restart, maxImpact: recreate}\n"

// gatedPlatform has the policies of the gate for one namespace: the other scenarios delete
// disks that a gate would keep.
const gatedPlatform = `apiVersion: vmrender.io/v1alpha1
kind: Platform
metadata: {name: gate}
target: {openshift: "4.20"}
layers:
  governance:
    values:
      gate: {mode: Deny, namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: gate}}}
`

// installGate installs the policies of the gate, and waits until they refuse to delete a
// VM.
func (s *scenario) installGate(machine string) {
	s.Helper()
	file := filepath.Join(s.TempDir(), "platform.yaml")
	require.NoError(s, os.WriteFile(file, []byte(gatedPlatform), 0o600))
	policies := slices.DeleteFunc(s.vmrender("template", file, "--layer", "governance"), func(o *unstructured.Unstructured) bool {
		return !strings.HasPrefix(o.GetName(), "virtualization-gate")
	})
	require.NotEmpty(s, policies)
	require.NoError(s, lab.cluster.Install(s.Context(), policies))
	vms := lab.cluster.Resource(kubevirt.VirtualMachines).Namespace(s.name)
	s.eventually("the gate", func() bool {
		return vms.Delete(s.Context(), machine, metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}) != nil
	})
}

// refused is done when the cluster has refused a VM of a revision for a reason.
func refused(machine, reason string) func(*argo.Status) error {
	return func(status *argo.Status) error {
		if text := status.Refusal("VirtualMachine", machine); !strings.Contains(text, reason) {
			return fmt.Errorf("the VM is not refused: %q", text)
		}
		return nil
	}
}

// unapproved returns the lines with which the plan of the last commit asks for approvals,
// by VM. The plan fails if there are any.
func (s *scenario) unapproved() map[string]string {
	s.Helper()
	var stdout, stderr bytes.Buffer
	command := exec.CommandContext(s.Context(), lab.Programs["vmrender"],
		"plan", s.repository.Dir, "--namespace", s.name, "--live", "cluster", "--kubeconfig", lab.cluster.Kubeconfig, "-o", "json")
	command.Stdout, command.Stderr = &stdout, &stderr
	err := command.Run()
	var report struct {
		VMs []struct {
			Name string
			Gate *struct {
				Blocked bool
				Write   string
			}
		}
	}
	require.NoError(s, json.Unmarshal(stdout.Bytes(), &report), stderr.String())
	lines := map[string]string{}
	for _, vm := range report.VMs {
		if vm.Gate != nil && vm.Gate.Blocked {
			lines[vm.Name] = vm.Gate.Write
		}
	}
	var status *exec.ExitError
	require.Equal(s, len(lines) > 0, errors.As(err, &status), stderr.String())
	return lines
}

// A change without an approval changes nothing, and blocks neither the rest of its commit nor later ones. This holds for a
// restart of a database, another image of cattle, and the removal of cattle. With the line
// that the plan prints as the approval, the change is made.
func TestGate(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "gate")
	s.write("fleet.yaml", gatedFleet)
	s.write("vms.yaml", "vms:\n  db:\n    disks: {data: 20Gi}\n")
	s.write("herd.yaml", strings.Replace(herd, "replicas: 4", "replicas: 2", 1))
	s.wait(argo.Synced(s.push("A fleet")))
	s.installGate("db")
	machines, instances, disks := s.machines(), s.instances(), s.disks()
	generation := s.object(kubevirt.VirtualMachines, "db").GetGeneration()

	s.write("vms.yaml", "vms:\n  db:\n    disks: {data: 20Gi}\n    cpu: {cores: 2}\n  more: {}\n")
	s.push("More cores, and another VM")
	s.wait(refused("db", "needs an approval of restart"))
	require.Contains(t, s.machines(), "more", "the rest of the commit")
	s.replace("vms.yaml", "  more: {}\n", "  more: {}\n  later: {}\n")
	s.push("A third VM")
	s.eventually("a later commit", func() bool { return s.machines()["later"] != "" })
	s.wait(refused("db", "needs an approval of restart"))
	require.Equal(t, generation, s.object(kubevirt.VirtualMachines, "db").GetGeneration())
	lines := s.unapproved()
	require.Equal(t, []string{"db"}, keys(lines))
	s.replace("vms.yaml", "cpu: {cores: 2}", "cpu: {cores: 2}\n    "+lines["db"])
	s.wait(argo.Synced(s.push("Approved")))
	require.Greater(t, s.object(kubevirt.VirtualMachines, "db").GetGeneration(), generation)
	require.Empty(t, s.unapproved())
	s.stands(map[string]string{"db": "restart"})

	s.replace("herd.yaml", `version: "1"`, `version: "2"`)
	s.push("Another image")
	s.wait(refused("web-0", "needs an approval of delete"))
	require.Equal(t, instances["web-0"], s.instances()["web-0"])
	lines = s.unapproved()
	require.Equal(t, []string{"web-0", "web-1"}, keys(lines))
	require.Equal(t, lines["web-0"], lines["web-1"])
	s.replace("herd.yaml", "    lifecycle:", "    "+lines["web-0"]+"\n    lifecycle:")
	s.wait(argo.Synced(s.push("Approved, too")))
	require.NotEqual(t, instances["web-0"], s.instances()["web-0"])
	require.NotEqual(t, instances["web-1"], s.instances()["web-1"])

	require.NoError(t, os.Remove(s.repository.Path("herd.yaml")))
	s.write("vms.yaml", "vms: {more: {}}\n")
	revision := s.push("Nothing but the other VM")
	for name := range instances {
		s.wait(leftOver(revision, name))
	}
	s.stands(map[string]string{"db": "left-over", "later": "left-over", "web-0": "left-over", "web-1": "left-over"})
	for name, uid := range machines {
		require.Equal(t, uid, s.machines()[name], name)
	}
	require.Equal(t, instances["db"], s.instances()["db"])
	require.Equal(t, disks["db-data"], s.disks()["db-data"])
}
