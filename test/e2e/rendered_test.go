package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// rendered writes the manifests of the fleet into the repository, as CI does.
func (s *scenario) rendered() {
	s.Helper()
	s.vmrender("template", s.repository.Path("fleet"), "--namespace", s.name, "--output-dir", s.repository.Path("rendered"))
}

// A plain Application syncs a directory that `template --output-dir` maintains. A VM that is
// removed from the fleet is removed from the cluster, and the others are unchanged.
func TestRenderedManifests(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "rendered")
	s.root = "fleet"
	s.write("fleet/fleet.yaml", lifecycleFleet)
	s.write("fleet/vms.yaml", "vms: {db: {disks: {data: 10Gi}}, web: {lifecycle: cattle}, old: {lifecycle: cattle}}\n")
	s.rendered()
	revision, err := s.repository.Commit(t.Context(), "Rendered")
	require.NoError(t, err)
	app := s.application("fleet")
	require.NoError(t, unstructured.SetNestedMap(app.Object, map[string]any{
		"repoURL": s.repository.URL(), "targetRevision": "HEAD", "path": "rendered",
		"directory": map[string]any{"recurse": true},
	}, "spec", "source"))
	s.apply(app)
	s.wait(argo.Synced(revision))
	machines, disks := s.machines(), s.disks()
	require.Equal(t, []string{"db", "old", "web"}, keys(machines))

	s.write("fleet/vms.yaml", "vms: {db: {disks: {data: 10Gi}}, web: {lifecycle: cattle}}\n")
	s.rendered()
	s.wait(argo.Synced(s.push("Without old")))
	s.eventually("the cattle is gone", func() bool { return len(s.list(kubevirt.VirtualMachines)) == 2 })
	delete(machines, "old")
	require.Equal(t, machines, s.machines())
	require.Equal(t, disks["db-data"], s.disks()["db-data"])
	s.stands(nil)
}
