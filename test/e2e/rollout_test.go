package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// A new image of cattle is rolled out: the same VMs run from new disks, and the
// old ones are deleted. An unrelated commit restarts nothing, and a new image
// does not restart the pet.
func TestNewImage(t *testing.T) {
	t.Parallel()
	s := newFleet(t, "rollout")
	machines, instances := s.machines(), s.names(kubevirt.Instances)
	require.Len(t, instances, 3)

	s.write("README.md", "About this fleet\n")
	s.wait(argo.Synced(s.push("Nothing to do with VMs")))
	require.Equal(t, instances, s.names(kubevirt.Instances))

	disk := s.rootDisk("web-0")
	s.replace("vms/web.yaml", `version: "1"`, `version: "2"`)
	s.wait(argo.Synced(s.push("Another image")))
	require.Equal(t, machines, s.machines())
	rolled := s.names(kubevirt.Instances)
	require.Equal(t, instances["db"], rolled["db"])
	for _, name := range []string{"web-0", "web-1"} {
		require.NotEqual(t, instances[name], rolled[name], name)
		require.NotEmpty(t, rolled[name], name)
		require.Contains(t, s.disks(), s.rootDisk(name))
	}
	require.NotEqual(t, disk, s.rootDisk("web-0"))
	s.eventually("no disk of the old image", func() bool { return s.disks()[disk] == "" })
	s.stands(nil)
}

// rootDisk returns the DataVolume that a running VM runs from.
func (s *scenario) rootDisk(machine string) string {
	s.Helper()
	disk := s.runsFrom(machine)
	require.NotEmpty(s, disk, "%s does not run", machine)
	return disk
}

// runsFrom returns the DataVolume that a VM runs from, or "" if it does not
// run. During a restart, a VM has no instance for a moment.
func (s *scenario) runsFrom(machine string) string {
	s.Helper()
	instance, err := lab.cluster.Get(s.Context(), kubevirt.Instances.GroupVersion().WithKind("VirtualMachineInstance"), s.name, machine)
	require.NoError(s, err)
	if instance == nil {
		return ""
	}
	volumes, _, err := unstructured.NestedSlice(instance.Object, "spec", "volumes")
	require.NoError(s, err)
	for _, v := range volumes {
		volume, ok := v.(map[string]any)
		require.True(s, ok)
		if name, found, err := unstructured.NestedString(volume, "dataVolume", "name"); found && err == nil && volume["name"] == "rootdisk" {
			return name
		}
	}
	require.Fail(s, "no root disk")
	return ""
}
