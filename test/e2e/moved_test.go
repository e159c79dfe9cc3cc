package e2e_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// twoHomes are VMs that move from one directory to another: a pet, and cattle with and without a denial of its removal.
const twoHomes = `vms:
  db: {disks: {data: 10Gi}, cloudInit: {store: secret, packages: [nginx]}}
  web: {disks: {data: 10Gi}, lifecycle: {type: cattle, removal: approved}}
  lost: {disks: {data: 10Gi}, lifecycle: cattle}
`

// VMs that move to another Application with the documented steps keep everything: they
// stay in the old one until they are handed over. Cattle without these steps is lost: the old
// Application deletes it with its disks, and the new one creates an empty one. The plan of each commit shows this.
func TestMovedToAnotherApplication(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "moved")
	s.write("fleet.yaml", lifecycleFleet)
	s.write("a/stays.yaml", "vms: {stays: {}}\n")
	s.write("a/moves.yaml", twoHomes)
	s.write("b/first.yaml", "vms: {first: {}}\n")
	b := s.deployBoth(s.commit("Two directories"))
	require.Len(t, s.machines(), 5)

	s.replace("a/moves.yaml", "removal: approved", "removal: denied")
	s.wait(argo.Synced(s.push("Keep the web server")))
	before, disks := s.moment(), s.disks()

	require.NoError(t, os.Rename(s.repository.Path("a/moves.yaml"), s.repository.Path("b/moves.yaml")))
	plan := map[string]verdict{"db": {impact.Refused, "moved"}, "web": {impact.Refused, "moved"}, "lost": {impact.DataLoss, "moved"}}
	require.Equal(t, plan, s.verdicts())
	require.Equal(t, plan, s.verdictsLive())
	revision := s.commit("To the other Application")
	s.refreshBoth(b)
	s.wait(leftOver(revision, "db"))
	s.wait(leftOver(revision, "web"))
	require.NoError(t, b.Wait(t.Context(), patience, refusesShared))
	s.eventually("the end of the disks", func() bool { return s.disks()["lost-data"] == "" && s.names(kubevirt.Claims)["lost-data"] == "" })
	require.Equal(t, map[string]impact.Level{"lost": impact.DataLoss}, s.requireNotMilder(plan, before))

	s.handOver(kubevirt.VirtualMachines, "db", "web")
	s.handOver(kubevirt.DataVolumes, "db", "db-data")
	s.handOver(secretsResource, "db-cloudinit")
	s.refreshBoth(b)
	s.wait(argo.Synced(revision))
	require.NoError(t, b.Wait(t.Context(), patience, argo.Synced(revision)))
	require.Equal(t, map[string]impact.Level{"lost": impact.DataLoss}, s.requireNotMilder(plan, before))
	now := s.disks()
	require.Equal(t, keys(disks), keys(now))
	for name, uid := range disks {
		require.Equal(t, strings.HasPrefix(name, "lost"), now[name] != uid, name)
	}
	s.stands(nil)
}

// deployBoth has one Application render the directory a, and another one b, which it returns, and waits until both are
// synced.
func (s *scenario) deployBoth(revision string) *argo.Application {
	s.Helper()
	s.deploy("a")
	other := s.application("b")
	other.SetName(s.name + "-b")
	b, err := lab.argo.Apply(s.Context(), other)
	require.NoError(s, err)
	s.wait(argo.Synced(revision))
	require.NoError(s, b.Wait(s.Context(), patience, argo.Synced(revision)))
	return b
}

func (s *scenario) refreshBoth(b *argo.Application) {
	s.Helper()
	require.NoError(s, s.app.Refresh(s.Context(), false))
	require.NoError(s, b.Refresh(s.Context(), false))
}

// refusesShared is done when a sync has failed because another Application has some of the objects.
func refusesShared(status *argo.Status) error {
	if !strings.Contains(status.Operation.Message, "Shared resource found") {
		return errors.New("the other Application does not see that they are shared")
	}
	return nil
}

// handOver removes the annotation by which an Application finds its objects.
func (s *scenario) handOver(resource schema.GroupVersionResource, names ...string) {
	s.Helper()
	patch := []byte(`{"metadata":{"annotations":{"argocd.argoproj.io/tracking-id":null}}}`)
	for _, name := range names {
		_, err := lab.cluster.Resource(resource).Namespace(s.name).Patch(s.Context(), name, types.MergePatchType, patch, metav1.PatchOptions{})
		require.NoError(s, err)
	}
}
