package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// hotplugFleet has the setting with which the cluster plugs disks that Git adds: the
// feature gate, which is off by default in KubeVirt 1.8.
const hotplugFleet = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: site}
target: {openshift: true, argocd: "3.2", kubevirt: "1.8", featureGates: {DeclarativeHotplugVolumes: true}, liveMigratable: true}
defaults: {os: rhel9, flavor: small}
`

// A hotpluggable disk that Git adds to a VM is plugged in while the VM runs, and
// unplugged when Git removes it. The plan of each commit shows this. A pet's disk
// stays in the cluster. Any other disk waits for a restart.
func TestDiskHotplug(t *testing.T) {
	t.Parallel()
	s := newHotplug(t, "plugged-disk", "vms:\n  db: {disks: {}}\n  other: {disks: {}}\n")
	machines, instances := s.machines(), s.instances()

	s.write("vms.yaml", "vms:\n  db: {disks: {more: {size: 10Gi, hotpluggable: true}}}\n  other: {disks: {more: 10Gi}}\n")
	revision := s.push("Another disk of both")
	require.Equal(t, map[string]string{"db": "live", "other": "restart"}, s.plan("HEAD~"))
	s.wait(argo.Synced(revision))
	s.eventually("the disk in the guest", func() bool { return s.plugged("db", "more") })
	require.Contains(t, s.devices("db", "disks"), "more")
	s.eventually("RestartRequired", func() bool { return s.asksForRestart("other") })
	require.NotContains(t, s.devices("other", "disks"), "more")
	disks := s.disks()
	require.Contains(t, disks, "db-more")

	s.write("vms.yaml", "vms:\n  db: {disks: {}}\n  other: {disks: {more: 10Gi}}\n")
	revision = s.push("Without the disk")
	require.Equal(t, map[string]string{"db": "live"}, s.plan("HEAD~"))
	s.wait(argo.Synced(revision))
	s.eventually("no disk in the guest", func() bool { return !s.plugged("db", "more") })
	require.NotContains(t, s.devices("db", "disks"), "more")
	require.False(t, s.asksForRestart("db"))
	require.Equal(t, disks, s.disks())
	require.Equal(t, machines, s.machines())
	require.Equal(t, instances, s.instances())
	s.stands(map[string]string{"other": "restart: waits for a restart: disks"})
}

// A bridge NIC that Git adds to a VM is passed to its instance while it runs. It is
// removed with the state `absent`, after which Git can remove it. A cluster completes
// both by a live migration, as the plan shows.
func TestNICHotplug(t *testing.T) {
	t.Parallel()
	s := newHotplug(t, "plugged-nic", "vms:\n  db: {disks: {root: {accessMode: ReadWriteMany}}, nics: [pod]}\n")
	machines, instances := s.machines(), s.instances()

	s.replace("vms.yaml", "[pod]", "[pod, {network: default/blue}]")
	revision := s.push("A NIC")
	require.Equal(t, map[string]string{"db": "migrate"}, s.plan("HEAD~"))
	s.wait(argo.Synced(revision))
	s.eventually("the NIC", func() bool { return len(s.devices("db", "interfaces")) == 2 })
	require.Equal(t, []string{"default", "blue"}, s.devices("db", "interfaces"))

	s.replace("vms.yaml", "default/blue", "default/blue, state: absent")
	s.push("Unplug the NIC")
	require.Equal(t, map[string]string{"db": "migrate"}, s.plan("HEAD~"))
	s.eventually("no NIC", func() bool { return len(s.devices("db", "interfaces")) == 1 })

	s.replace("vms.yaml", ", {network: default/blue, state: absent}", "")
	s.wait(argo.Synced(s.push("Without the NIC")))
	require.Equal(t, []string{"default"}, s.devices("db", "interfaces"))
	require.False(t, s.asksForRestart("db"))
	require.Equal(t, machines, s.machines())
	require.Equal(t, instances, s.instances())
	s.stands(nil)
}

// newHotplug returns a scenario in which these VMs run.
func newHotplug(t *testing.T, name, vms string) *scenario {
	t.Helper()
	s := newScenario(t, name)
	s.write("fleet.yaml", hotplugFleet)
	s.write("vms.yaml", vms)
	s.wait(argo.Synced(s.push("A fleet")))
	return s
}

// plugged reports whether the guest has a hotpluggable disk.
func (s *scenario) plugged(machine, disk string) bool {
	s.Helper()
	for _, status := range elements(s.field(kubevirt.Instances, machine, "status", "volumeStatus")) {
		if status["name"] == disk {
			return status["phase"] == "Ready"
		}
	}
	return false
}

// devices returns the names of an instance's disks or interfaces.
func (s *scenario) devices(machine, kind string) []string {
	s.Helper()
	var names []string
	for _, device := range elements(s.field(kubevirt.Instances, machine, "spec", "domain", "devices", kind)) {
		names = append(names, device["name"].(string)) //nolint:forcetypeassert // as the schema says
	}
	return names
}

// elements returns the elements of a list of maps.
func elements(list any) []map[string]any {
	items, _ := list.([]any)
	out := make([]map[string]any, len(items))
	for i, item := range items {
		out[i] = item.(map[string]any) //nolint:forcetypeassert // as the schema says
	}
	return out
}
