package rollout

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clienttesting "k8s.io/client-go/testing"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1 "kubevirt.io/api/snapshot/v1beta1"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/labels"
)

func TestParseSnapshot(t *testing.T) {
	s, err := parseSnapshot("db=1a2b")
	require.NoError(t, err)
	require.Equal(t, Snapshot{Machine: "db", Content: "1a2b"}, s)
	for _, bad := range []string{"", "db", "db=", "=1a2b", "db=db-pre-1a2b@1a2b", "db=1=2"} {
		_, err := parseSnapshot(bad)
		require.ErrorContains(t, err, "expected VM=CONTENT", bad)
	}
}

// noon is the time of the tables below.
var noon = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// version returns the VM db with the given content and resource version.
func version(content, resourceVersion string) *kubevirtv1.VirtualMachine {
	return &kubevirtv1.VirtualMachine{ObjectMeta: metav1.ObjectMeta{
		Name: "db", UID: "uid", Generation: 7, ResourceVersion: resourceVersion,
		Annotations: map[string]string{labels.Content: content},
	}}
}

// shot returns a snapshot of the VM from before its change to the given content, taken
// that many minutes before noon.
func shot(
	vm *kubevirtv1.VirtualMachine, content string, minutes int, change ...func(*snapshotv1.VirtualMachineSnapshot),
) snapshotv1.VirtualMachineSnapshot {
	of := Snapshot{"db", content}
	s := *of.object(vm, of.name(vm, nil), time.Minute)
	s.CreationTimestamp = metav1.NewTime(noon.Add(-time.Duration(minutes) * time.Minute))
	s.Status = &snapshotv1.VirtualMachineSnapshotStatus{Phase: snapshotv1.Succeeded, ReadyToUse: new(true)}
	for _, c := range change {
		c(&s)
	}
	return s
}

func TestSnapshotNext(t *testing.T) {
	type status = snapshotv1.VirtualMachineSnapshotStatus
	vm, waiting := version("1", "20"), "waiting for snapshot db-pre-2-20"
	fault := &snapshotv1.Error{Message: new("deadline exceeded")}
	with := func(s *status) []snapshotv1.VirtualMachineSnapshot {
		return []snapshotv1.VirtualMachineSnapshot{
			shot(vm, "2", 3, func(snap *snapshotv1.VirtualMachineSnapshot) { snap.Status = s }),
		}
	}
	going := version("1", "20")
	going.DeletionTimestamp = new(metav1.Now())
	for name, c := range map[string]struct {
		vm   *kubevirtv1.VirtualMachine
		all  []snapshotv1.VirtualMachineSnapshot
		want step
		text string
	}{
		"first install":      {nil, nil, nothing, "not there yet, so there is nothing to take a snapshot of"},
		"being deleted":      {going, nil, nothing, "being deleted"},
		"nothing changes":    {version("2", "20"), nil, nothing, "unchanged, so no snapshot is taken"},
		"changes":            {vm, nil, take, "taking snapshot db-pre-2-20"},
		"without a content":  {&kubevirtv1.VirtualMachine{}, nil, take, "taking snapshot db-pre-2-"},
		"taken a moment ago": {vm, with(nil), await, waiting},
		"in progress":        {vm, with(&status{Phase: snapshotv1.InProgress}), await, waiting},
		"not ready to use":   {vm, with(&status{Phase: snapshotv1.Succeeded, ReadyToUse: new(false)}), await, waiting},
		"ready": {
			vm, with(&status{Phase: snapshotv1.Succeeded, ReadyToUse: new(true)}), taken,
			"snapshot db-pre-2-20 of 3m0s ago is ready",
		},
		"failed": {
			vm, with(&status{Phase: snapshotv1.Failed, Error: fault}), broken,
			"snapshot db-pre-2-20 failed: deadline exceeded; the next sync takes another",
		},
		"ready, but": {vm, with(&status{
			Phase: snapshotv1.Succeeded, ReadyToUse: new(true),
			SourceIndications: []snapshotv1.SourceIndication{{Indication: snapshotv1.VMSnapshotNoGuestAgentIndication}},
			SnapshotVolumes:   &snapshotv1.SnapshotVolumesLists{ExcludedVolumes: []string{"cloudinit", "tmp"}},
		}), taken, "snapshot db-pre-2-20 of 3m0s ago is ready (taken while running and without the guest agent, " +
			"as after a power cut; without volumes cloudinit, tmp)"},
	} {
		t.Run(name, func(t *testing.T) {
			got, text := (&Snapshot{"db", "2"}).next(c.vm, c.all, noon, map[string]bool{"db-pre-2-20": true})
			require.Equal(t, c.want, got)
			require.Equal(t, c.text, text)
		})
	}
}

// A snapshot counts only for the change that it was taken for.
func TestSnapshotOfAnotherChange(t *testing.T) {
	type list = []snapshotv1.VirtualMachineSnapshot
	vm := version("1", "20")
	before := func(change func(*kubevirtv1.VirtualMachine)) list {
		vm := version("1", "10")
		change(vm)
		return list{shot(vm, "2", 3)}
	}
	for name, c := range map[string]struct {
		all  list
		want step
	}{
		"of a sync that is retried": {list{shot(vm, "2", 59)}, taken},
		"of a sync of long ago":     {list{shot(vm, "2", 60)}, take},
		"older ones before it":      {list{shot(vm, "3", 30), shot(vm, "2", 20)}, taken},
		"there and back since":      {list{shot(version("1", "10"), "2", 30), shot(version("2", "15"), "1", 20)}, take},
		"to another content":        {list{shot(vm, "3", 3)}, take},
		"of another content":        {before(func(vm *kubevirtv1.VirtualMachine) { vm.Annotations = nil }), take},
		"the VM changed since":      {before(func(vm *kubevirtv1.VirtualMachine) { vm.Generation-- }), take},
		"of a VM of that name":      {before(func(vm *kubevirtv1.VirtualMachine) { vm.UID = "old" }), take},
		"only its status changed":   {before(func(*kubevirtv1.VirtualMachine) {}), taken},
		"being deleted": {list{shot(vm, "2", 3, func(s *snapshotv1.VirtualMachineSnapshot) {
			s.DeletionTimestamp = new(metav1.Now())
		})}, take},
		"taken manually since": {list{shot(vm, "2", 3), shot(vm, "2", 1, func(s *snapshotv1.VirtualMachineSnapshot) {
			s.Annotations = nil
		})}, taken},
		"of another VM": {list{shot(vm, "2", 3, func(s *snapshotv1.VirtualMachineSnapshot) {
			s.Spec.Source.Name = "web"
		})}, take},
	} {
		t.Run(name, func(t *testing.T) {
			got, text := (&Snapshot{"db", "2"}).next(vm, c.all, noon, map[string]bool{})
			require.Equal(t, c.want, got, text)
		})
	}
}

// A snapshot that lacks a disk with data to keep is not complete. Disks that are deleted
// with their VM, or never written, may be missing.
func TestSnapshotWithoutDisks(t *testing.T) {
	const spec = `
dataVolumeTemplates: [{metadata: {name: db-scratch}}, {metadata: {name: db-root}}]
template:
  spec:
    domain:
      devices:
        disks:
        - {name: iso, cdrom: {}}
        - {name: fixed, disk: {readonly: true}}
        - {name: data, disk: {}}
    volumes:
    - {name: rootdisk, dataVolume: {name: db-root}}
    - {name: data, persistentVolumeClaim: {claimName: db-data}}
    - {name: adopted, dataVolume: {name: db-adopted}}
    - {name: scratch, dataVolume: {name: db-scratch}}
    - {name: iso, persistentVolumeClaim: {claimName: iso}}
    - {name: fixed, persistentVolumeClaim: {claimName: fixed}}
    - {name: image, containerDisk: {image: x}}
    - {name: cloudinit, cloudInitNoCloud: {}}
`
	vm := version("1", "20")
	require.NoError(t, yaml.Unmarshal([]byte(spec), &vm.Spec))
	for excluded, missing := range map[string]string{
		"":                                   "",
		"scratch iso fixed image cloudinit":  "",
		"rootdisk cloudinit":                 "rootdisk",
		"data":                               "data",
		"cloudinit adopted scratch rootdisk": "rootdisk, adopted",
	} {
		got, text := (&Snapshot{"db", "2"}).next(vm, []snapshotv1.VirtualMachineSnapshot{
			shot(vm, "2", 3, func(s *snapshotv1.VirtualMachineSnapshot) {
				s.Status.SnapshotVolumes = &snapshotv1.SnapshotVolumesLists{ExcludedVolumes: strings.Fields(excluded)}
			}),
		}, noon, map[string]bool{"db-pre-2-20": true})
		if missing == "" {
			require.Equal(t, taken, got, text)
			continue
		}
		require.Equal(t, broken, got)
		require.Equal(t, "snapshot db-pre-2-20 is without "+missing+", which contains data to keep; "+
			"create a VolumeSnapshotClass for the driver of its storage class; the next sync takes another", text)
	}
}

// A snapshot that has failed, or that is not complete, is not used again: the next run
// takes one more, which has another name, however old the first one is. A run takes one
// only, whatever the time on its node.
func TestSnapshotAfterAFailure(t *testing.T) {
	db := version("1", "20")
	db.Namespace = "prod"
	list := []Snapshot{{"db", "2"}}
	for name, skew := range map[string]time.Duration{
		"in time": 0, "an hour ahead": freshness, "a day ahead": 24 * time.Hour, "a day behind": -24 * time.Hour,
	} {
		t.Run(name, func(t *testing.T) {
			p := play(t)
			p.put(machines, "kubevirt.io/v1", "VirtualMachine", db)
			var phase atomic.Value
			phase.Store("Failed")
			finish(p, func() string { return phase.Load().(string) })
			var log bytes.Buffer
			o := options(&log)
			o.Now = func() time.Time { return noon.Add(skew) }

			require.EqualError(t, p.Snapshot(t.Context(), list, o),
				"db: snapshot db-pre-2-20 failed: no snapshot class; the next sync takes another")
			require.EqualError(t, p.Snapshot(t.Context(), list, o),
				"db: snapshot db-pre-2-20-2 failed: no snapshot class; the next sync takes another")
			require.Equal(t, "db-pre-2-20 db-pre-2-20-2", p.names(snapshots), "one for each run")
			phase.Store("Succeeded")
			require.NoError(t, p.Snapshot(t.Context(), list, o))
			require.Equal(t, "db-pre-2-20 db-pre-2-20-2 db-pre-2-20-3", p.names(snapshots))
			if skew < freshness {
				require.Contains(t, log.String(),
					"db: taking snapshot db-pre-2-20-3: snapshot db-pre-2-20-2 failed: no snapshot class\n")
				require.NoError(t, p.Snapshot(t.Context(), list, o))
				require.Equal(t, "db-pre-2-20 db-pre-2-20-2 db-pre-2-20-3", p.names(snapshots), "one that is ready is enough")
			}
		})
	}
}

// A snapshot that another run has begun is waited for, and its failure is the end.
func TestSnapshotOfAnotherRun(t *testing.T) {
	vm, ours := version("1", "20"), map[string]bool{}
	begun := shot(vm, "2", 3, func(s *snapshotv1.VirtualMachineSnapshot) { s.Status = nil })
	next, _ := (&Snapshot{"db", "2"}).next(vm, []snapshotv1.VirtualMachineSnapshot{begun}, noon, ours)
	require.Equal(t, await, next)
	begun.Status = &snapshotv1.VirtualMachineSnapshotStatus{Phase: snapshotv1.Failed}
	next, _ = (&Snapshot{"db", "2"}).next(vm, []snapshotv1.VirtualMachineSnapshot{begun}, noon, ours)
	require.Equal(t, broken, next)
}

// always returns a function for [finish].
func always(phase string) func() string { return func() string { return phase } }

// finish sets the phase of every snapshot that is created, and its time: the first at
// noon, and each further one a second later.
func finish(p *playedCluster, ends func() string) {
	created := 0
	p.objects.PrependReactor("create", snapshots.Resource, func(
		action clienttesting.Action,
	) (bool, runtime.Object, error) {
		create, ok := action.(clienttesting.CreateAction)
		if !ok {
			return false, nil, nil
		}
		object, ok := create.GetObject().(*unstructured.Unstructured)
		require.True(p.t, ok)
		object.SetCreationTimestamp(metav1.NewTime(noon.Add(time.Duration(created) * time.Second)))
		created++
		phase := ends()
		status := map[string]any{"phase": phase, "readyToUse": phase == string(snapshotv1.Succeeded)}
		if phase == string(snapshotv1.Failed) {
			status["error"] = map[string]any{"message": "no snapshot class"}
		}
		return false, nil, unstructured.SetNestedMap(object.Object, status, "status")
	})
}

// atNoon returns options with a clock that starts at noon and shows full minutes.
func atNoon(log *bytes.Buffer) Options {
	o, start := options(log), time.Now()
	o.Now = func() time.Time { return noon.Add(time.Since(start).Truncate(time.Minute)) }
	return o
}

func TestSnapshot(t *testing.T) {
	db, web := running("db"), running("web")
	db.ResourceVersion = "20"
	db.Annotations[labels.Content], web.Annotations[labels.Content] = "1", "2"
	p := play(t, db, web)
	finish(p, always("Succeeded"))
	list := []Snapshot{{"db", "2"}, {"web", "2"}, {"new", "2"}}
	var log bytes.Buffer
	require.NoError(t, p.Snapshot(t.Context(), list, atNoon(&log)))
	require.Equal(t, "db-pre-2-20", p.names(snapshots), "only of what is there and changes")
	require.Equal(t, `db: taking snapshot db-pre-2-20
web: unchanged, so no snapshot is taken
new: not there yet, so there is nothing to take a snapshot of
db: snapshot db-pre-2-20 of 0s ago is ready
`, log.String())

	snap, err := get[snapshotv1.VirtualMachineSnapshot](t.Context(), p.Cluster, snapshots, "prod", "db-pre-2-20")
	require.NoError(t, err)
	require.Equal(t, "db", snap.Labels[labels.SnapshotOf])
	require.Empty(t, snap.OwnerReferences, "it outlives the VM")
	require.Equal(t, "kubevirt.io", *snap.Spec.Source.APIGroup)
	require.Equal(t, time.Minute, snap.Spec.FailureDeadline.Duration, "KubeVirt gives up when the run does")
}

// Each change between two contents, in either direction, has its own snapshot. This
// includes a change of a Secret's content, which does not change the generation. A
// retried sync finds the snapshot that it has taken.
func TestSnapshotOfEachChange(t *testing.T) {
	db := running("db")
	p := play(t)
	finish(p, always("Succeeded"))
	want := []string{}
	for i, content := range []string{"A", "B", "A", "B", "A"} {
		db.Annotations[labels.Content], db.ResourceVersion = content, strconv.Itoa(10*i)
		p.put(machines, "kubevirt.io/v1", "VirtualMachine", db.VirtualMachine)
		next := map[string]string{"A": "B", "B": "A"}[content]
		want = append(want, "db-pre-"+next+"-"+db.ResourceVersion)
		slices.Sort(want)
		for range 2 {
			require.NoError(t, p.Snapshot(t.Context(), []Snapshot{{"db", next}}, atNoon(new(bytes.Buffer))))
			require.Equal(t, strings.Join(want, " "), p.names(snapshots))
		}
	}
}

func TestSnapshotOutlastsTrouble(t *testing.T) {
	p := play(t, running("db"))
	finish(p, always("Succeeded"))
	failures := 3
	p.objects.PrependReactor("get", machines.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		failures--
		return failures >= 0, nil, apierrors.NewServiceUnavailable("etcd is away")
	})
	var log bytes.Buffer
	require.NoError(t, p.Snapshot(t.Context(), []Snapshot{{"db", "2"}}, atNoon(&log)))
	require.Equal(t, `db: get virtualmachines.kubevirt.io in namespace prod: etcd is away; trying again
db: taking snapshot db-pre-2-
db: snapshot db-pre-2- of 0s ago is ready
`, log.String())
}

func TestSnapshotFailures(t *testing.T) {
	list := []Snapshot{{"db", "2"}, {"web", "2"}}

	p := play(t, running("db"), running("web"))
	finish(p, always("Failed"))
	err := p.Snapshot(t.Context(), list, atNoon(new(bytes.Buffer)))
	require.EqualError(t, err, "db: snapshot db-pre-2- failed: no snapshot class; the next sync takes another\n"+
		"web: snapshot web-pre-2- failed: no snapshot class; the next sync takes another")

	p = play(t, running("db"))
	finish(p, always("InProgress"))
	err = p.Snapshot(t.Context(), list[:1], hurried(new(bytes.Buffer)))
	require.EqualError(t, err, "db: not done within 1h0m0s: waiting for snapshot db-pre-2-")

	p = play(t, running("db"))
	p.objects.PrependReactor("create", snapshots.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewForbidden(snapshots.GroupResource(), "", errors.New("no"))
	})
	err = p.Snapshot(t.Context(), list[:1], hurried(new(bytes.Buffer)))
	requireUnavailable(t, err,
		"db: permission missing: create virtualmachinesnapshots.snapshot.kubevirt.io in namespace prod; ")
}

// A cluster that does not serve the kind for some minutes is not starting.
func TestSnapshotsNotServed(t *testing.T) {
	p := play(t, running("db"))
	p.objects.PrependReactor("list", snapshots.Resource, func(clienttesting.Action) (bool, runtime.Object, error) {
		return true, nil, apierrors.NewGenericServerResponse(404, "get", snapshots.GroupResource(), "", "", 0, false)
	})
	err := p.Snapshot(t.Context(), []Snapshot{{"db", "2"}}, hurried(new(bytes.Buffer)))
	requireUnavailable(t, err, "db: the cluster serves no virtualmachinesnapshots.snapshot.kubevirt.io "+
		"of version v1beta1 (the server could not find the requested resource "+
		"(get virtualmachinesnapshots.snapshot.kubevirt.io)); is its operator installed?; the same answer for ")
}
