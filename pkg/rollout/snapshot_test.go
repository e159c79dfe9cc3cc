package rollout

import (
	"bytes"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1 "kubevirt.io/api/snapshot/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

func TestParseSnapshot(t *testing.T) {
	s, err := parseSnapshot("db=db-pre-1a2b@1a2b")
	require.NoError(t, err)
	require.Equal(t, Snapshot{Machine: "db", Name: "db-pre-1a2b", Content: "1a2b"}, s)
	for _, bad := range []string{"", "db", "db=", "db=x", "db=x@", "=x@y", "db=@y", "x@y"} {
		_, err := parseSnapshot(bad)
		require.ErrorContains(t, err, "expected VM=SNAPSHOT@CONTENT", bad)
	}
}

func TestSnapshotNext(t *testing.T) {
	wanted := Snapshot{Machine: "db", Name: "db-pre-2", Content: "2"}
	vm := func(content string) *kubevirtv1.VirtualMachine {
		return &kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{
			Name: "db", Annotations: map[string]string{labels.Content: content},
		}}
	}
	snap := func(change func(*snapshotv1.VirtualMachineSnapshot)) *snapshotv1.VirtualMachineSnapshot {
		s := wanted.object(new(Options))
		if change != nil {
			s.Status = &snapshotv1.VirtualMachineSnapshotStatus{}
			change(s)
		}
		return s
	}
	going := vm("1")
	going.DeletionTimestamp = new(metav1.Now())
	for name, c := range map[string]struct {
		vm   *kubevirtv1.VirtualMachine
		snap *snapshotv1.VirtualMachineSnapshot
		want step
		text string
	}{
		"first install":         {nil, nil, nothing, "not there yet, so there is nothing to take a snapshot of"},
		"being deleted":         {going, nil, nothing, "being deleted"},
		"nothing changes":       {vm("2"), nil, nothing, "unchanged, so no snapshot is taken"},
		"changes":               {vm("1"), nil, take, "taking snapshot db-pre-2"},
		"changes for the first": {&kubevirtv1.VirtualMachine{}, nil, take, "taking snapshot db-pre-2"},
		"taken a moment ago":    {vm("1"), snap(nil), await, "waiting for snapshot db-pre-2"},
		"in progress": {vm("1"), snap(func(s *snapshotv1.VirtualMachineSnapshot) {
			s.Status.Phase = snapshotv1.InProgress
		}), await, "waiting for snapshot db-pre-2"},
		"not ready to use": {vm("1"), snap(func(s *snapshotv1.VirtualMachineSnapshot) {
			s.Status.Phase, s.Status.ReadyToUse = snapshotv1.Succeeded, new(false)
		}), await, "waiting for snapshot db-pre-2"},
		"ready": {vm("1"), snap(func(s *snapshotv1.VirtualMachineSnapshot) {
			s.Status.Phase, s.Status.ReadyToUse = snapshotv1.Succeeded, new(true)
		}), taken, "snapshot db-pre-2 is ready"},
		"ready, but": {vm("1"), snap(func(s *snapshotv1.VirtualMachineSnapshot) {
			s.Status.Phase, s.Status.ReadyToUse = snapshotv1.Succeeded, new(true)
			s.Status.SourceIndications = []snapshotv1.SourceIndication{{Indication: snapshotv1.VMSnapshotNoGuestAgentIndication}}
			s.Status.SnapshotVolumes = &snapshotv1.SnapshotVolumesLists{ExcludedVolumes: []string{"logs", "tmp"}}
		}), taken, "snapshot db-pre-2 is ready (taken while running and without the guest agent, as after a power cut; " +
			"without volumes logs, tmp)"},
		"failed": {vm("1"), snap(func(s *snapshotv1.VirtualMachineSnapshot) {
			s.Status.Phase, s.Status.Error = snapshotv1.Failed, &snapshotv1.Error{Message: new("deadline exceeded")}
		}), broken, "snapshot db-pre-2 failed: deadline exceeded; delete it to try again"},
		"being removed": {vm("1"), snap(func(s *snapshotv1.VirtualMachineSnapshot) {
			s.Status.Phase, s.DeletionTimestamp = snapshotv1.Failed, new(metav1.Now())
		}), await, "waiting for snapshot db-pre-2"},
		"another's": {vm("1"), snap(func(s *snapshotv1.VirtualMachineSnapshot) {
			s.Spec.Source.Name = "web"
		}), broken, "snapshot db-pre-2 is there already, of web"},
	} {
		t.Run(name, func(t *testing.T) {
			got, text := wanted.next(c.vm, c.snap)
			require.Equal(t, c.want, got)
			require.Equal(t, c.text, text)
		})
	}
}

// finish sets the phase of every snapshot that is created.
func finish(p *playedCluster, phase string) {
	p.objects.PrependReactor("create", snapshots.Resource, func(
		action clienttesting.Action,
	) (bool, runtime.Object, error) {
		create, ok := action.(clienttesting.CreateAction)
		if !ok {
			return false, nil, nil
		}
		object, ok := create.GetObject().(*unstructured.Unstructured)
		require.True(p.t, ok)
		status := map[string]any{"phase": phase, "readyToUse": phase == string(snapshotv1.Succeeded)}
		return false, nil, unstructured.SetNestedMap(object.Object, status, "status")
	})
}

func TestSnapshot(t *testing.T) {
	db, web := running("db"), running("web")
	db.Annotations[labels.Content], web.Annotations[labels.Content] = "1", "2"
	p := play(t, db, web)
	finish(p, "Succeeded")
	list := []Snapshot{{"db", "db-pre-2", "2"}, {"web", "web-pre-2", "2"}, {"new", "new-pre-2", "2"}}
	var log bytes.Buffer
	require.NoError(t, p.Snapshot(t.Context(), list, options(&log)))
	require.Equal(t, "db-pre-2", p.names(snapshots), "only of what is there and changes")
	require.Equal(t, `db: taking snapshot db-pre-2
web: unchanged, so no snapshot is taken
new: not there yet, so there is nothing to take a snapshot of
db: snapshot db-pre-2 is ready
`, log.String())

	snap, err := get[snapshotv1.VirtualMachineSnapshot](t.Context(), p.Cluster, snapshots, "prod", "db-pre-2")
	require.NoError(t, err)
	require.Equal(t, "db", snap.Labels[labels.SnapshotOf])
	require.Empty(t, snap.OwnerReferences, "it outlives the machine")
	require.Equal(t, "kubevirt.io", *snap.Spec.Source.APIGroup)

	log.Reset()
	require.NoError(t, p.Snapshot(t.Context(), list[:1], options(&log)))
	require.Equal(t, "db: snapshot db-pre-2 is ready\n", log.String(), "once per revision")

	require.NoError(t, p.Snapshot(t.Context(), []Snapshot{{"db", "db-pre-3", "3"}}, options(&log)))
	require.Equal(t, "db-pre-2 db-pre-3", p.names(snapshots), "earlier ones stay")
}

func TestSnapshotOutlastsTrouble(t *testing.T) {
	p := play(t, running("db"))
	finish(p, "Succeeded")
	failures := 3
	p.objects.PrependReactor("get", machines.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		failures--
		return failures >= 0, nil, apierrors.NewServiceUnavailable("etcd is away")
	})
	var log bytes.Buffer
	require.NoError(t, p.Snapshot(t.Context(), []Snapshot{{"db", "db-pre-2", "2"}}, options(&log)))
	require.Equal(t, `db: get virtualmachines.kubevirt.io in namespace prod: etcd is away; trying again
db: taking snapshot db-pre-2
db: snapshot db-pre-2 is ready
`, log.String())
}

func TestSnapshotFailures(t *testing.T) {
	list := []Snapshot{{"db", "db-pre-2", "2"}, {"web", "web-pre-2", "2"}}

	p := play(t, running("db"), running("web"))
	finish(p, "Failed")
	err := p.Snapshot(t.Context(), list, options(new(bytes.Buffer)))
	require.EqualError(t, err, "db: snapshot db-pre-2 failed; delete it to try again\n"+
		"web: snapshot web-pre-2 failed; delete it to try again")

	p = play(t, running("db"))
	finish(p, "InProgress")
	err = p.Snapshot(t.Context(), list[:1], hurried(new(bytes.Buffer)))
	require.EqualError(t, err, "db: not done within 1h0m0s: waiting for snapshot db-pre-2")

	p = play(t, running("db"))
	p.objects.PrependReactor("create", snapshots.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(snapshots.GroupResource(), "", errors.New("no"))
	})
	err = p.Snapshot(t.Context(), list[:1], options(new(bytes.Buffer)))
	require.ErrorContains(t, err,
		"db: permission missing: create virtualmachinesnapshots.snapshot.kubevirt.io in namespace prod; ")
}
