package e2e_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// With blue-green, a changed VM is a new VM next to the old one. The old one is
// deleted with its disks when the new one is ready. The Service keeps its name,
// and the guest its firmware UUID.
func TestBlueGreen(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "blue-green")
	s.write("fleet.yaml", lifecycleFleet)
	s.write("vms.yaml", "vms:\n  web: {memory: 4Gi, services: {http: 80}, lifecycle: {type: cattle, strategy: blue-green}}\n")
	s.wait(argo.Synced(s.push("A fleet")))
	blue := keys(s.machines())
	require.Len(t, blue, 1)
	disks, services := s.disks(), s.names(corev1.SchemeGroupVersion.WithResource("services"))
	firmware := s.field(kubevirt.VirtualMachines, blue[0], "spec", "template", "spec", "domain", "firmware", "uuid")
	s.will(kubevirt.Instances, "", kubevirt.Wait)

	s.replace("vms.yaml", "4Gi", "6Gi")
	revision := s.push("More memory")
	s.eventually("both run", func() bool { return len(s.instances()) == 2 })
	s.wait(underWay)
	require.True(t, s.ready(blue[0]))

	s.will(kubevirt.Instances, "", kubevirt.Done)
	s.wait(argo.Synced(revision))
	green := keys(s.machines())
	require.Len(t, green, 1)
	require.NotEqual(t, blue, green)
	require.Equal(t, firmware, s.field(kubevirt.VirtualMachines, green[0], "spec", "template", "spec", "domain", "firmware", "uuid"))
	require.Equal(t, services, s.names(corev1.SchemeGroupVersion.WithResource("services")))
	s.eventually("only the new disk", func() bool { return len(s.disks()) == 1 && len(common(disks, s.disks())) == 0 })
	s.stands(nil)
}

// With replace, a changed VM is deleted and recreated with its disks, and is the
// same to its guest. Unchanged VMs are left alone.
func TestReplace(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "replace", `vms:
  one: {memory: 4Gi, lifecycle: {type: cattle, strategy: replace}}
  two: {memory: 2Gi, lifecycle: {type: cattle, strategy: replace}}
`)
	machines, disks := s.machines(), s.disks()
	firmware := s.field(kubevirt.VirtualMachines, "one", "spec", "template", "spec", "domain", "firmware")

	s.replace("vms.yaml", "4Gi", "6Gi")
	s.wait(argo.Synced(s.push("More memory")))
	require.NotEqual(t, machines["one"], s.machines()["one"])
	require.Equal(t, machines["two"], s.machines()["two"])
	require.Equal(t, firmware, s.field(kubevirt.VirtualMachines, "one", "spec", "template", "spec", "domain", "firmware"))
	s.eventually("one new disk", func() bool {
		return len(s.disks()) == 2 && len(s.instances()) == 2 && len(common(disks, s.disks())) == 1
	})
	s.stands(nil)
}

// KubeVirt accepts a pool, creates its VMs, and deletes surplus ones.
func TestPool(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "pool", "vms:\n  farm: {replicas: 3, lifecycle: {type: cattle, strategy: pool}}\n")
	pools := schema.GroupVersionResource{Group: "pool.kubevirt.io", Version: "v1beta1", Resource: "virtualmachinepools"}
	pool := s.names(pools)
	require.Equal(t, []string{"farm-0", "farm-1", "farm-2"}, keys(s.machines()))

	s.replace("vms.yaml", "replicas: 3", "replicas: 1")
	s.wait(argo.Synced(s.push("Fewer")))
	s.eventually("one VM with its disk", func() bool { return len(s.machines()) == 1 && len(s.disks()) == 1 })
	require.Equal(t, pool, s.names(pools))
	s.stands(nil)
}

// A change to a pool's VMs restarts them, and they remain the same objects. If
// the template of a disk has changed, they are recreated with their disks.
func TestPoolChanged(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "pool-changed", `vms:
  farm:
    replicas: 2
    memory: 2Gi
    disks: {root: {size: 10Gi, source: {registry: docker://registry.example.com/web, version: "1"}}}
    lifecycle: {type: cattle, strategy: pool}
`)
	machines, instances := s.machines(), s.instances()
	s.replace("vms.yaml", "memory: 2Gi", "memory: 4Gi")
	s.wait(argo.Synced(s.push("More memory")))
	s.eventually("all restarted", func() bool { return len(s.changed(instances, true)) == 2 })
	require.Equal(t, machines, s.machines())

	disks := s.disks()
	s.replace("vms.yaml", "size: 10Gi", "size: 20Gi")
	s.push("Larger disks")
	s.eventually("all recreated", func() bool {
		return len(common(machines, s.machines())) == 0 && len(common(disks, s.disks())) == 0 && len(s.instances()) == 2
	})
	s.stands(nil)
}

// common returns the names under which both have the same object.
func common(a, b map[string]types.UID) []string {
	return slices.DeleteFunc(keys(a), func(name string) bool { return a[name] != b[name] })
}

// Another size of a data disk that is not kept has no effect: the disk is found
// by its name, and nothing restarts.
func TestOwnedDiskIgnored(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "ignored", "vms:\n  web: {disks: {data: 10Gi}, lifecycle: cattle}\n")
	disks, instances := s.disks(), s.instances()
	s.replace("vms.yaml", "10Gi", "20Gi")
	s.wait(argo.Synced(s.push("A larger disk")))
	require.Equal(t, disks, s.disks())
	require.Equal(t, instances, s.instances())
	require.Equal(t, "10Gi", s.field(kubevirt.DataVolumes, "web-data", "spec", "storage", "resources", "requests", "storage"))
	s.stands(nil)
}
