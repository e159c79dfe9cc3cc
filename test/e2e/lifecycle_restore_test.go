package e2e_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// before returns the name of the only snapshot of db before a change.
func (s *scenario) snapshotBefore() string {
	s.Helper()
	taken := keys(s.names(kubevirt.Snapshots))
	require.Len(s, taken, 1)
	return taken[0]
}

// filledFrom returns what fills each claim of a VM's disks.
func (s *scenario) filledFrom() map[string]string {
	s.Helper()
	out := map[string]string{}
	for _, claim := range s.list(kubevirt.Claims) {
		kind, _, _ := unstructured.NestedString(claim.Object, "spec", "dataSourceRef", "kind")
		out[claim.GetName()] = kind
	}
	return out
}

// restoreLine returns the line of an entry that a plan against the cluster prints.
func (s *scenario) restoreLine() string {
	s.Helper()
	stdout, _ := s.command("plan", s.repository.Dir, "--namespace", s.name,
		"--live", "cluster", "--kubeconfig", lab.cluster.Kubeconfig)
	line := regexp.MustCompile(`restoreFrom: \{[^}]*\}`).FindString(stdout)
	require.NotEmpty(s, line, stdout)
	return line
}

// A bad update of a pet is rolled back in Git: plan prints the token and from when on data is lost, a Job takes a
// snapshot of what is there and restores the older one in place, and the sync brings back the definition and starts the
// VM. Nothing is left to do after it, and no later sync restores it again. What cannot be restored changes nothing.
func TestRestoreFromGit(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "restored", "vms:\n  db: {memory: 4Gi, disks: {data: 10Gi}, lifecycle: {snapshotBefore: true}}\n")
	s.setMemory("6Gi")
	s.wait(argo.Synced(s.push("A bad update")))
	snapshot := s.snapshotBefore()
	instance, machine := s.instances(), s.machines()
	disks, claims := s.disks(), s.names(kubevirt.Claims)
	require.Equal(t, map[string]string{"db": "VolumeImportSource", "db-data": "VolumeImportSource"}, s.filledFrom())

	s.setMemory("4Gi")
	s.replace("vms.yaml", "db: {", "db: {restoreFrom: "+snapshot+", ")
	s.commit("Back, without a token")
	line := s.restoreLine()
	require.Contains(t, line, snapshot)
	s.replace("vms.yaml", "restoreFrom: "+snapshot, line)
	revision := s.push("Back")
	s.wait(argo.Synced(revision))
	s.eventuallyLogs("-restore", "restored from snapshot "+snapshot+" at ")

	require.Equal(t, map[string]string{"db": "VolumeSnapshot", "db-data": "VolumeSnapshot"}, s.filledFrom())
	require.Equal(t, disks, s.disks(), "the DataVolumes stay")
	require.Equal(t, machine, s.machines())
	for name, uid := range s.names(kubevirt.Claims) {
		require.NotEqual(t, claims[name], uid, name)
		require.Equal(t, "DataVolume", s.object(kubevirt.Claims, name).GetOwnerReferences()[0].Kind)
	}
	s.eventually("db to run", func() bool { return len(s.changed(instance, true)) == 1 })
	s.hasMemory("db", "4Gi")
	require.Len(t, s.names(kubevirt.Snapshots), 2, "the way back from the way back")
	require.Len(t, s.names(kubevirt.Restores), 1)
	s.stands(nil)

	claims, instance = s.names(kubevirt.Claims), s.instances()
	s.write("more.yaml", "vms: {other: {}}\n")
	s.wait(argo.Synced(s.push("Another VM")))
	s.replace("vms.yaml", line+", ", "")
	s.wait(argo.Synced(s.push("Without the line")))
	require.Equal(t, instance["db"], s.instances()["db"])
	require.Equal(t, claims["db"], s.names(kubevirt.Claims)["db"])

	s.replace("vms.yaml", "db: {", "db: {restoreFrom: "+snapshot+", ")
	s.commit("Once more, without a token")
	s.replace("vms.yaml", "restoreFrom: "+snapshot, strings.Replace(s.restoreLine(), "token: 1-", "token: 2-", 1))
	require.NoError(t, lab.cluster.Resource(kubevirt.Snapshots).Namespace(s.name).Delete(t.Context(), snapshot, metav1.DeleteOptions{}))
	s.push("Once more")
	s.wait(syncFailed)
	s.eventuallyLogs("-restore", "there is no snapshot "+snapshot)
	s.stands(map[string]string{"db": "failed: nothing was changed, because the restore from the snapshot " + snapshot + " has failed"})
	require.Equal(t, instance["db"], s.instances()["db"])
	require.Equal(t, claims["db"], s.names(kubevirt.Claims)["db"])
}

// A restore that a user made in the console gives a VM other claims, which the next sync would take away again. An
// import writes them into its entry, and then nothing is left to do.
func TestRestoreFromConsole(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "console-restore")
	s.write("fleet.yaml", lifecycleFleet)
	s.write("vms.yaml", "vms:\n  db: {memory: 4Gi, runStrategy: Halted, disks: {data: 10Gi}}\n")
	revision := s.pushForPeople("A fleet")
	s.wait(waiting(revision))
	require.NoError(t, s.app.Sync(t.Context()))
	s.wait(syncedTimes(revision, 1))

	made := func(object *unstructured.Unstructured) { require.NoError(t, lab.cluster.Apply(t.Context(), object)) }
	group := map[string]any{"apiGroup": "kubevirt.io", "kind": "VirtualMachine", "name": "db"}
	version := kubevirt.Snapshots.GroupVersion().String()
	made(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": version, "kind": "VirtualMachineSnapshot", "metadata": map[string]any{"name": "manual", "namespace": s.name},
		"spec": map[string]any{"source": group},
	}})
	s.eventually("a snapshot", func() bool { return s.field(kubevirt.Snapshots, "manual", "status", "readyToUse") == true })
	made(&unstructured.Unstructured{Object: map[string]any{
		"apiVersion": version, "kind": "VirtualMachineRestore", "metadata": map[string]any{"name": "manual", "namespace": s.name},
		"spec": map[string]any{"target": group, "virtualMachineSnapshotName": "manual"},
	}})
	s.eventually("a restore", func() bool { return s.field(kubevirt.Restores, "manual", "status", "complete") == true })

	restored := map[string]types.UID{}
	for name, uid := range s.names(kubevirt.Claims) {
		if strings.HasPrefix(name, "restore-") {
			restored[name] = uid
		}
	}
	require.Len(t, restored, 2)
	stdout, _ := s.command("plan", s.repository.Dir, "--namespace", s.name,
		"--live", "cluster", "--kubeconfig", lab.cluster.Kubeconfig)
	require.Contains(t, stdout, "the VM will see another disk; the data stays in the old one")

	_, _ = s.command("import", "--write", "--merge", s.repository.Dir, "--kubeconfig", lab.cluster.Kubeconfig, "--namespace", s.name)
	for name := range restored {
		require.Contains(t, s.read("vms.yaml"), "claim: "+name)
	}
	revision, err := s.repository.Commit(t.Context(), "What the restore left")
	require.NoError(t, err)
	require.NoError(t, s.app.Refresh(t.Context(), false))
	require.NoError(t, s.app.Sync(t.Context()))
	s.wait(syncedTimes(revision, 2))
	for name, uid := range restored {
		require.Equal(t, uid, s.names(kubevirt.Claims)[name])
		require.Contains(t, kubevirtClaims(s, "db"), name)
	}
}

// kubevirtClaims returns the claims that a VM names.
func kubevirtClaims(s *scenario, machine string) []string {
	var out []string
	volumes, _, _ := unstructured.NestedSlice(s.object(kubevirt.VirtualMachines, machine).Object, "spec", "template", "spec", "volumes")
	for _, v := range volumes {
		name, _, _ := unstructured.NestedString(v.(map[string]any), "persistentVolumeClaim", "claimName") //nolint:forcetypeassert // as the schema says
		out = append(out, name)
	}
	return out
}
