package rollout

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clienttesting "k8s.io/client-go/testing"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1 "kubevirt.io/api/snapshot/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// daily are the snapshots of the tests below.
var daily = Scheduled{ID: "site-a-01234567", Machines: []string{"db"}, Keep: 2}

// earlier returns a ready snapshot of db from an earlier run.
func earlier(minutes int, change ...func(*snapshotv1.VirtualMachineSnapshot)) snapshotv1.VirtualMachineSnapshot {
	snap := *snapshotOf("prod", "db", fmt.Sprintf("db-at-%d", minutes), time.Minute)
	snap.Labels[labels.Schedule] = daily.ID
	snap.UID = types.UID(snap.Name)
	snap.CreationTimestamp = metav1.NewTime(noon.Add(-time.Duration(minutes) * time.Minute))
	snap.Status = &snapshotv1.VirtualMachineSnapshotStatus{
		Phase: snapshotv1.Succeeded, ReadyToUse: new(true), SourceUID: new(types.UID("uid-db")),
	}
	for _, c := range change {
		c(&snap)
	}
	return snap
}

func gaveUp(snap *snapshotv1.VirtualMachineSnapshot) {
	snap.Status.Phase, snap.Status.ReadyToUse = snapshotv1.Failed, new(false)
}

func unfinished(snap *snapshotv1.VirtualMachineSnapshot) {
	snap.Status.Phase, snap.Status.ReadyToUse = snapshotv1.InProgress, new(false)
}

// incomplete leaves out the root disk.
func incomplete(snap *snapshotv1.VirtualMachineSnapshot) {
	snap.Status.SnapshotVolumes = &snapshotv1.SnapshotVolumesLists{ExcludedVolumes: []string{rootDisk}}
}

// dbWithRoot returns the VM db with a root disk of its own.
func dbWithRoot() *kubevirtv1.VirtualMachine {
	m := running("db")
	m.UID = "uid-db"
	m.Spec.Template.Spec.Volumes = rootVolume("db-root")
	return m.VirtualMachine
}

func snapshotNames(all []snapshotv1.VirtualMachineSnapshot) string {
	var out []string
	for i := range all {
		out = append(out, all[i].Name)
	}
	return strings.Join(out, " ")
}

func TestSurplus(t *testing.T) {
	type list = []snapshotv1.VirtualMachineSnapshot
	for name, c := range map[string]struct {
		own  list
		want string
	}{
		"none":                          {nil, ""},
		"as many as are kept":           {list{earlier(1), earlier(2)}, ""},
		"one more":                      {list{earlier(3), earlier(1), earlier(2)}, "db-at-3"},
		"the oldest first":              {list{earlier(1), earlier(2), earlier(3), earlier(4)}, "db-at-4 db-at-3"},
		"the newest has failed":         {list{earlier(1, gaveUp), earlier(2), earlier(3), earlier(4)}, ""},
		"the newest is not ready":       {list{earlier(1, unfinished), earlier(2), earlier(3), earlier(4)}, ""},
		"the newest is incomplete":      {list{earlier(1, incomplete), earlier(2), earlier(3), earlier(4)}, ""},
		"failed ones":                   {list{earlier(1), earlier(2, gaveUp), earlier(3)}, "db-at-2"},
		"failed ones take no place":     {list{earlier(1), earlier(2, gaveUp), earlier(3), earlier(4)}, "db-at-4 db-at-2"},
		"unfinished ones":               {list{earlier(1), earlier(2, unfinished), earlier(3), earlier(4)}, "db-at-4"},
		"incomplete ones":               {list{earlier(1), earlier(2, incomplete), earlier(3)}, ""},
		"incomplete ones of long ago":   {list{earlier(1), earlier(2), earlier(3, incomplete)}, "db-at-3"},
		"incomplete ones take no place": {list{earlier(1), earlier(2, incomplete), earlier(3), earlier(4)}, "db-at-4"},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, snapshotNames(surplus(dbWithRoot(), c.own, 2, noon)))
		})
	}
}

func TestOwns(t *testing.T) {
	type snap = snapshotv1.VirtualMachineSnapshot
	for name, c := range map[string]struct {
		change func(*snap)
		want   bool
	}{
		"of an earlier run":          {func(*snap) {}, true},
		"not looked at by KubeVirt":  {func(s *snap) { s.Status = nil }, true},
		"taken manually":             {func(s *snap) { s.Labels = nil }, false},
		"before a change":            {func(s *snap) { delete(s.Labels, labels.Schedule) }, false},
		"of another part of a fleet": {func(s *snap) { s.Labels[labels.Schedule] = "site-b-01234567" }, false},
		"of another program":         {func(s *snap) { s.Labels[labels.ManagedBy] = "Helm" }, false},
		"of another VM":              {func(s *snap) { s.Spec.Source.Name = "web" }, false},
		"of another VM by its label": {func(s *snap) { s.Labels[labels.SnapshotOf] = "web" }, false},
		"of another kind":            {func(s *snap) { s.Spec.Source.Kind = "VirtualMachineInstance" }, false},
		"of an earlier VM":           {func(s *snap) { s.Status.SourceUID = new(types.UID("old")) }, false},
		"being deleted":              {func(s *snap) { s.DeletionTimestamp = new(metav1.Now()) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, daily.owns(dbWithRoot(), new(earlier(1, c.change))))
		})
	}
}

// Whatever there is, retention keeps the newest complete snapshots, as many as it is to keep, and deletes nothing
// that is not its own, that is not finished, or that is newer than one that it keeps and has not failed.
func TestRetentionOfAnything(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	changes := []func(*snapshotv1.VirtualMachineSnapshot){
		func(*snapshotv1.VirtualMachineSnapshot) {}, func(*snapshotv1.VirtualMachineSnapshot) {}, gaveUp, unfinished,
		incomplete, func(s *snapshotv1.VirtualMachineSnapshot) { delete(s.Labels, labels.Schedule) },
		func(s *snapshotv1.VirtualMachineSnapshot) { s.Status.SourceUID = new(types.UID("old")) },
	}
	vm := dbWithRoot()
	for range 5000 {
		keep := 1 + random.IntN(4)
		var all []snapshotv1.VirtualMachineSnapshot
		for i := range random.IntN(12) {
			all = append(all, earlier(i, changes[random.IntN(len(changes))]))
		}
		isComplete := func(s snapshotv1.VirtualMachineSnapshot) bool {
			next, _ := progress(vm, &s, noon)
			return daily.owns(vm, &s) && next == taken
		}
		own := slices.DeleteFunc(slices.Clone(all), func(s snapshotv1.VirtualMachineSnapshot) bool {
			return !daily.owns(vm, &s)
		})
		shuffled := slices.Clone(own)
		random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		deleted := strings.Fields(snapshotNames(surplus(vm, shuffled, keep, noon)))

		complete, left := 0, 0
		for i := range all { // from the newest
			snap := &all[i]
			isDeleted := slices.Contains(deleted, snap.Name)
			if isDeleted {
				require.True(t, daily.owns(vm, snap))
				require.True(t, hasFailed(snap) || isReady(snap) && complete >= keep)
				require.True(t, isComplete(own[0]))
			}
			if isComplete(*snap) {
				complete++
				if !isDeleted {
					left++
				}
			}
		}
		if len(own) > 0 && isComplete(own[0]) {
			require.Equal(t, min(keep, complete), left)
		} else {
			require.Empty(t, deleted)
		}
	}
}

// scheduledCluster returns a cluster with VMs and snapshots, in which new snapshots end in a phase at noon.
func scheduledCluster(t *testing.T, names string, snaps ...snapshotv1.VirtualMachineSnapshot) *playedCluster {
	t.Helper()
	var all []*machine
	for name := range strings.FieldsSeq(names) {
		m := running(name)
		m.UID = types.UID("uid-" + name)
		all = append(all, m)
	}
	p := play(t, all...)
	for i := range snaps {
		p.put(snapshots, "snapshot.kubevirt.io/v1beta1", "VirtualMachineSnapshot", &snaps[i])
	}
	return p
}

func TestSnapshotsOnSchedule(t *testing.T) {
	foreign := earlier(9, func(s *snapshotv1.VirtualMachineSnapshot) { s.Name = "db-by-hand"; s.Labels = nil })
	p := scheduledCluster(t, "db web", earlier(30), earlier(20, gaveUp), earlier(10), foreign)
	finish(p, always("Succeeded"))
	var log bytes.Buffer
	of := daily
	of.Machines = []string{"db", "gone", "web"}
	require.NoError(t, p.SnapshotOnSchedule(t.Context(), of, atNoon(&log)))
	require.Equal(t, "db-at-10 db-at-20260101-1200 db-by-hand web-at-20260101-1200", p.names(snapshots))
	require.Equal(t, `db: taking snapshot db-at-20260101-1200
gone: not there, so there is nothing to take a snapshot of
web: taking snapshot web-at-20260101-1200
db: snapshot db-at-20260101-1200 of 0s ago is ready
db: removed snapshot db-at-30
db: removed snapshot db-at-20
web: snapshot web-at-20260101-1200 of 0s ago is ready
`, log.String())

	snap, err := get[snapshotv1.VirtualMachineSnapshot](t.Context(), p.Cluster, snapshots, "prod", "db-at-20260101-1200")
	require.NoError(t, err)
	require.Equal(t, map[string]string{
		labels.SnapshotOf: "db", labels.ManagedBy: labels.Manager, labels.Schedule: daily.ID,
	}, snap.Labels)
	require.Equal(t, time.Minute, snap.Spec.FailureDeadline.Duration, "KubeVirt gives up when the run does")

	before := p.names(snapshots)
	require.NoError(t, p.SnapshotOnSchedule(t.Context(), of, atNoon(new(bytes.Buffer))))
	require.Equal(t, before, p.names(snapshots), "one for each minute")
}

// Each run takes one, and exactly the number to keep is left.
func TestSnapshotsOfManyRuns(t *testing.T) {
	p := scheduledCluster(t, "db")
	finish(p, always("Succeeded"))
	for i := range 5 {
		o := at(new(bytes.Buffer), noon.Add(time.Duration(i)*time.Hour))
		require.NoError(t, p.SnapshotOnSchedule(t.Context(), daily, o))
		require.Len(t, strings.Fields(p.names(snapshots)), min(i+1, daily.Keep))
	}
	require.Equal(t, "db-at-20260101-1500 db-at-20260101-1600", p.names(snapshots))
}

// A VM whose snapshot fails keeps its old ones, and the others are completed.
func TestOneSnapshotFails(t *testing.T) {
	p := scheduledCluster(t, "a db web", earlier(30), earlier(20), earlier(10))
	finish(p, always("Succeeded"))
	p.objects.PrependReactor("create", snapshots.Resource, func(
		action clienttesting.Action,
	) (bool, runtime.Object, error) {
		create, ok := action.(clienttesting.CreateAction)
		require.True(t, ok)
		object, ok := create.GetObject().(*unstructured.Unstructured)
		require.True(t, ok)
		switch object.GetLabels()[labels.SnapshotOf] {
		case "db":
			object.Object["status"] = map[string]any{
				"phase": "Failed", "error": map[string]any{"message": "no snapshot class"},
			}
			return true, object, p.objects.Tracker().Add(object)
		case "a":
			return true, nil, apierrors.NewForbidden(snapshots.GroupResource(), "a", errors.New("quota"))
		}
		return false, nil, nil
	})
	of := daily
	of.Machines = []string{"a", "db", "web"}
	err := p.SnapshotOnSchedule(t.Context(), of, hurried(new(bytes.Buffer)))
	require.ErrorContains(t, err,
		"db: snapshot db-at-20260101-1201 failed: no snapshot class; the next run takes another\n")
	require.ErrorContains(t, err,
		"a: permission missing: create virtualmachinesnapshots.snapshot.kubevirt.io in namespace prod;")
	var unavailable *UnavailableError
	require.NotErrorAs(t, err, &unavailable, "another run would not help db")
	require.Equal(t, "db-at-10 db-at-20 db-at-20260101-1201 db-at-30 web-at-20260101-1201", p.names(snapshots))
}

// What nothing but the API server prevents is done by another run.
func TestScheduleOutlastsTrouble(t *testing.T) {
	p := scheduledCluster(t, "db", earlier(30), earlier(20), earlier(10))
	finish(p, always("Succeeded"))
	failures := 3
	p.objects.PrependReactor("delete", snapshots.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		failures--
		return failures >= 0, nil, apierrors.NewServiceUnavailable("etcd is away")
	})
	var log bytes.Buffer
	require.NoError(t, p.SnapshotOnSchedule(t.Context(), daily, atNoon(&log)))
	require.Equal(t, "db-at-10 db-at-20260101-1200", p.names(snapshots))
	require.Equal(t, "db: taking snapshot db-at-20260101-1200\n"+
		"db: snapshot db-at-20260101-1200 of 0s ago is ready\n"+
		"db: removing snapshot db-at-30: delete virtualmachinesnapshots.snapshot.kubevirt.io in namespace prod: "+
		"etcd is away; trying again\n"+
		"db: removed snapshot db-at-30\n"+
		"db: removed snapshot db-at-20\n", log.String())

	p.objects.PrependReactor("get", machines.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewServiceUnavailable("etcd is away")
	})
	requireUnavailable(t, p.SnapshotOnSchedule(t.Context(), daily, hurried(new(bytes.Buffer))), "db: get virtualmachines")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, p.SnapshotOnSchedule(ctx, daily, atNoon(new(bytes.Buffer))), ErrInterrupted)
}

// A snapshot that a restore needs stays until the restore is complete.
func TestRestoreKeepsItsSnapshot(t *testing.T) {
	p := scheduledCluster(t, "db", earlier(30), earlier(20), earlier(10))
	finish(p, always("Succeeded"))
	restore := func(name, of string, complete bool) {
		p.put(restores, "snapshot.kubevirt.io/v1beta1", "VirtualMachineRestore", &snapshotv1.VirtualMachineRestore{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "prod"},
			Spec:       snapshotv1.VirtualMachineRestoreSpec{VirtualMachineSnapshotName: of},
			Status:     &snapshotv1.VirtualMachineRestoreStatus{Complete: &complete},
		})
	}
	restore("now", "db-at-30", false)
	restore("before", "db-at-20", true)
	var log bytes.Buffer
	require.NoError(t, p.SnapshotOnSchedule(t.Context(), daily, atNoon(&log)))
	require.Equal(t, "db-at-10 db-at-20260101-1200 db-at-30", p.names(snapshots))
	require.Contains(t, log.String(), "db: keeping snapshot db-at-30, which the restore now needs\n")

	restore("now", "db-at-30", true)
	require.NoError(t, p.SnapshotOnSchedule(t.Context(), daily, atNoon(new(bytes.Buffer))))
	require.Equal(t, "db-at-10 db-at-20260101-1200", p.names(snapshots))
}

// A snapshot that was replaced by another one of the same name is not deleted.
func TestRetentionDeletesByUID(t *testing.T) {
	p := scheduledCluster(t, "db", earlier(30), earlier(20), earlier(10))
	finish(p, always("Succeeded"))
	var asked []string
	p.objects.PrependReactor("delete", snapshots.Resource, func(
		action clienttesting.Action,
	) (bool, runtime.Object, error) {
		remove, ok := action.(clienttesting.DeleteActionImpl)
		require.True(t, ok)
		asked = append(asked, string(*remove.DeleteOptions.Preconditions.UID))
		return true, nil, apierrors.NewConflict(snapshots.GroupResource(), remove.Name, errors.New("UID"))
	})
	require.NoError(t, p.SnapshotOnSchedule(t.Context(), daily, atNoon(new(bytes.Buffer))))
	require.Equal(t, []string{"db-at-30", "db-at-20"}, asked)
}

// What an earlier run has left unfinished is waited for, and one that is never ready is a failure.
func TestUnfinishedSnapshot(t *testing.T) {
	var phase atomic.Value
	phase.Store("InProgress")
	p := scheduledCluster(t, "db", earlier(30), earlier(20), earlier(0, unfinished))
	finish(p, always("Succeeded"))
	require.EqualError(t, p.SnapshotOnSchedule(t.Context(), daily, hurried(new(bytes.Buffer))),
		"db: not done within 1h0m0s: waiting for snapshot db-at-0")
	require.Equal(t, "db-at-0 db-at-20 db-at-30", p.names(snapshots))

	long := options(new(bytes.Buffer))
	long.Now = func() time.Time { return noon.Add(2 * time.Hour) }
	require.NoError(t, p.SnapshotOnSchedule(t.Context(), daily, long))
	require.Contains(t, p.names(snapshots), "db-at-20260101-1400", "KubeVirt has given up the other one")
}
