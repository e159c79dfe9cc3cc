package rollout

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1 "kubevirt.io/api/snapshot/v1beta1"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/labels"
)

// ofDB is the restore of the tests below.
var ofDB = []Restore{{"db", approval.Restore{Snapshot: "before", Token: "1-aabbccdd"}}}

func TestParseRestores(t *testing.T) {
	list, err := ParseRestores([]string{"db=before@1-aabbccdd", "web=x@2-0"})
	require.NoError(t, err)
	require.Equal(t, []Restore{ofDB[0], {"web", approval.Restore{Snapshot: "x", Token: "2-0"}}}, list)
	for _, wrong := range [][]string{
		nil,
		{"db"},
		{"db=before"},
		{"db=before@"},
		{"db=@1-a"},
		{"=before@1-a"},
		{"db=a@1-b@c@d"},
		{"db=a@1-b=c"},
		{"db=a@1-b", "db=a@1-b"},
	} {
		_, err := ParseRestores(wrong)
		require.Error(t, err, wrong)
	}
}

// restorable returns a cluster with the VM db and the snapshot "before" of it.
func restorable(
	t *testing.T, change func(*kubevirtv1.VirtualMachine, *snapshotv1.VirtualMachineSnapshot),
) *playedCluster {
	t.Helper()
	m := running("db")
	m.VirtualMachine = dbWithRoot()
	snap := earlier(10, func(s *snapshotv1.VirtualMachineSnapshot) {
		s.Name, s.Status.VirtualMachineSnapshotContentName = "before", new("content")
	})
	if change != nil {
		change(m.VirtualMachine, &snap)
	}
	p := play(t, m)
	p.runs = 0 // a restore watches nothing
	p.put(snapshots, "snapshot.kubevirt.io/v1beta1", "VirtualMachineSnapshot", &snap)
	p.put(snapshotContents, "snapshot.kubevirt.io/v1beta1", "VirtualMachineSnapshotContent",
		&snapshotv1.VirtualMachineSnapshotContent{
			ObjectMeta: metav1.ObjectMeta{Name: "content", Namespace: "prod"},
			Spec: snapshotv1.VirtualMachineSnapshotContentSpec{VolumeBackups: []snapshotv1.VolumeBackup{{
				VolumeName:            rootDisk,
				PersistentVolumeClaim: snapshotv1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "db-root"}},
			}}},
		})
	return p
}

// played returns the status of a restore in the next of several stages, each time it is read.
func played(p *playedCluster, stages ...snapshotv1.VirtualMachineRestoreStatus) {
	p.objects.PrependReactor("get", restores.Resource, func(action clienttesting.Action) (bool, runtime.Object, error) {
		name := action.(clienttesting.GetAction).GetName()
		found, err := p.objects.Tracker().Get(restores, "prod", name)
		if apierrors.IsNotFound(err) || len(stages) == 0 {
			return false, nil, nil
		}
		require.NoError(p.t, err)
		content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&stages[0])
		require.NoError(p.t, err)
		stages = stages[1:]
		out := found.DeepCopyObject().(interface {
			runtime.Object
			UnstructuredContent() map[string]any
		})
		out.UnstructuredContent()["status"] = content
		return true, out, nil
	})
}

var (
	stopping = snapshotv1.VirtualMachineRestoreStatus{Conditions: []snapshotv1.Condition{{
		Type: snapshotv1.ConditionProgressing, Status: corev1.ConditionFalse,
		Reason: "Automatically stopping restore target for restore operation",
	}}}
	complete = snapshotv1.VirtualMachineRestoreStatus{Complete: new(true), RestoreTime: &metav1.Time{Time: noon}}
	refused  = snapshotv1.VirtualMachineRestoreStatus{Conditions: []snapshotv1.Condition{{
		Type: snapshotv1.ConditionFailure, Status: corev1.ConditionTrue, Reason: "no such thing",
	}}}
)

// A VM is restored once: KubeVirt stops it and replaces its claims under their names, which belong to no VM, and one
// that nothing else starts is started again.
func TestRestore(t *testing.T) {
	for strategy, started := range map[kubevirtv1.VirtualMachineRunStrategy]string{
		kubevirtv1.RunStrategyAlways: "", kubevirtv1.RunStrategyHalted: "",
		kubevirtv1.RunStrategyManual: "start:db", kubevirtv1.RunStrategyRerunOnFailure: "start:db",
	} {
		t.Run(string(strategy), func(t *testing.T) {
			p := restorable(t, func(vm *kubevirtv1.VirtualMachine, _ *snapshotv1.VirtualMachineSnapshot) {
				vm.Spec.RunStrategy = &strategy
			})
			played(p, snapshotv1.VirtualMachineRestoreStatus{}, stopping, complete)
			var log bytes.Buffer
			require.NoError(t, p.Restore(t.Context(), ofDB, options(&log)))
			require.Equal(t, started, p.asked())
			restore, err := get[snapshotv1.VirtualMachineRestore](
				t.Context(), p.Cluster, restores, "prod", "db-restore-1-aabbccdd")
			require.NoError(t, err)
			require.Equal(t, "before", restore.Spec.VirtualMachineSnapshotName)
			require.Equal(t, "db", restore.Spec.Target.Name)
			require.Equal(t, snapshotv1.VirtualMachineRestoreStopTarget, *restore.Spec.TargetReadinessPolicy)
			require.Equal(t, snapshotv1.VolumeRestorePolicyInPlace, *restore.Spec.VolumeRestorePolicy)
			require.Equal(t, snapshotv1.VolumeOwnershipPolicyNone, *restore.Spec.VolumeOwnershipPolicy)
			require.Contains(t, log.String(), "db: restoring from snapshot before: KubeVirt stops the VM\n")
			require.Contains(t, log.String(), "waiting for restore db-restore-1-aabbccdd: Automatically stopping restore target")
			require.Contains(t, log.String(), "db: restored from snapshot before at 2026-01-01T12:00:00Z")
		})
	}
}

// A run that ends in the middle is resumed by the next one, with the same VirtualMachineRestore.
func TestRestoreResumes(t *testing.T) {
	p := restorable(t, nil)
	p.put(restores, "snapshot.kubevirt.io/v1beta1", "VirtualMachineRestore", ofDB[0].object(dbWithRoot(), true))
	played(p, stopping, complete)
	var log bytes.Buffer
	require.NoError(t, p.Restore(t.Context(), ofDB, options(&log)))
	require.NotContains(t, log.String(), "restoring from")
	require.Equal(t, "db-restore-1-aabbccdd", p.names(restores))
}

// A restore that does not fit the VM changes nothing, and says why.
func TestRestoreRefused(t *testing.T) {
	type (
		vm   = kubevirtv1.VirtualMachine
		snap = snapshotv1.VirtualMachineSnapshot
	)
	for says, change := range map[string]func(*vm, *snap){
		"there is no snapshot before": func(_ *vm, s *snap) { s.Name = "after" },
		"is of VirtualMachine web":    func(_ *vm, s *snap) { s.Spec.Source.Name = "web" },
		"is of an earlier VM of this name": func(_ *vm, s *snap) {
			s.Status.SourceUID = new(types.UID("old"))
		},
		"is not ready to use":                              func(_ *vm, s *snap) { unfinished(s) },
		"is without rootdisk, which contains data to keep": func(_ *vm, s *snap) { incomplete(s) },
		"the content of snapshot before is gone": func(_ *vm, s *snap) {
			s.Status.VirtualMachineSnapshotContentName = new("x")
		},
		"has the claim db-root-2 now, and snapshot before is ": func(v *vm, _ *snap) {
			v.Spec.Template.Spec.Volumes = rootVolume("db-root-2")
		},
	} {
		t.Run(says, func(t *testing.T) {
			p := restorable(t, change)
			err := p.Restore(t.Context(), ofDB, options(new(bytes.Buffer)))
			require.ErrorContains(t, err, says)
			require.Empty(t, p.names(restores))
		})
	}
}

// The policies of the cluster see a VM after its restore, so that the Job asks for the approval of its gate: from what
// it is, and not from anything else.
func TestRestoreOfGatedVM(t *testing.T) {
	const is, was = "0123456789abcdef0123456789abcdef", "ffffffffffffffffffffffffffffffff"
	from := func(level string) map[string]string {
		return map[string]string{labels.ApproveFrom: level, labels.Becomes: is}
	}
	for name, c := range map[string]struct {
		gate map[string]string
		from string
		says string
	}{
		"no gate":               {nil, "", ""},
		"no gate any longer":    {from("none"), "", ""},
		"approved":              {from("restart"), is, ""},
		"not approved":          {from("restart"), "", "requires an approval"},
		"approved before":       {from("data-loss"), was, "requires an approval"},
		"approved from nothing": {map[string]string{labels.ApproveFrom: "restart"}, approval.None, ""},
		"never":                 {map[string]string{labels.MaxImpact: "delete"}, is, "policy.maxImpact of the VM is delete"},
	} {
		t.Run(name, func(t *testing.T) {
			p := restorable(t, func(vm *kubevirtv1.VirtualMachine, _ *snapshotv1.VirtualMachineSnapshot) {
				vm.Annotations = c.gate
			})
			played(p, complete)
			list := []Restore{{"db", approval.Restore{Snapshot: "before", Token: "1-aabbccdd", From: c.from}}}
			err := p.Restore(t.Context(), list, options(new(bytes.Buffer)))
			if c.says == "" {
				require.NoError(t, err)
				require.Equal(t, "db-restore-1-aabbccdd", p.names(restores))
				return
			}
			require.ErrorContains(t, err, c.says)
			require.Empty(t, p.names(restores))
		})
	}
}

func TestRestoreFails(t *testing.T) {
	p := restorable(t, nil)
	played(p, refused)
	err := p.Restore(t.Context(), ofDB, options(new(bytes.Buffer)))
	require.EqualError(t, err, "db: restore db-restore-1-aabbccdd failed: no such thing; "+
		"delete it, repair the cause, and sync again")
}

// Nothing happens to a VM that is not there, or that was restored with the same token.
func TestRestoreOnce(t *testing.T) {
	p := restorable(t, func(vm *kubevirtv1.VirtualMachine, _ *snapshotv1.VirtualMachineSnapshot) {
		vm.Annotations = map[string]string{labels.Restore: "before@1-aabbccdd"}
	})
	var log bytes.Buffer
	list := []Restore{ofDB[0], {"gone", approval.Restore{Snapshot: "x", Token: "1-0"}}}
	require.NoError(t, p.Restore(t.Context(), list, options(&log)))
	require.Empty(t, p.names(restores))
	require.Equal(t, "db: restored already, as its annotation vmrender.io/restore tells\n"+
		"gone: not there yet, so there is nothing to restore\n", log.String())
}
