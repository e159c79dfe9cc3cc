package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1 "kubevirt.io/api/snapshot/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// Scheduled is a run of snapshots that are taken again and again.
type Scheduled struct {
	ID       string   // value of the label [labels.Schedule]
	Machines []string // names of VirtualMachines
	Keep     int      // number of ready snapshots to keep of each, at least 1
}

// scheduledRun is one run that takes snapshots on a schedule.
type scheduledRun struct {
	polling
	Scheduled
	stamp   string            // the minute in which the run began, for names
	awaited map[string]string // the snapshot of each VM, once it is there
	ready   map[string]bool   // VMs whose snapshot is ready
}

// SnapshotOnSchedule takes a snapshot of each VirtualMachine that exists, waits until it is ready to use, and then
// deletes the oldest snapshots that earlier runs with the same ID have taken of it. A VirtualMachine that fails does
// not stop the others; the error names all that have failed. It is an [UnavailableError] if nothing but the API server
// has failed.
func (c *Cluster) SnapshotOnSchedule(ctx context.Context, s Scheduled, o Options) error {
	base := c.poll(&o)
	r := &scheduledRun{
		polling: base, Scheduled: s, stamp: base.looked.UTC().Format("20060102-1504"),
		awaited: map[string]string{}, ready: map[string]bool{},
	}
	var failures []error
	left := s.Machines
	for {
		var these []error
		left, these = r.round(ctx, left)
		failures = append(failures, these...)
		if ctx.Err() != nil {
			return ErrInterrupted
		}
		if r.waited >= r.Timeout {
			for _, name := range left {
				failures = append(failures, fmt.Errorf("%s: not done within %s: %s", name, r.Timeout, r.said[name]))
			}
			left = nil
		}
		if len(left) == 0 {
			return allOf(failures)
		}
		r.pause(ctx)
	}
}

// allOf returns the failures of VMs as one error. One of a VM itself does not go away in another run, so that the
// whole is no [UnavailableError] if it contains one.
func allOf(failures []error) error {
	all := errors.Join(failures...)
	for _, err := range failures {
		if _, ok := errors.AsType[*UnavailableError](err); !ok {
			return errors.New(all.Error())
		}
	}
	return all
}

// round takes the next step for each VM, and returns those that need further ones, and what has failed.
func (r *scheduledRun) round(ctx context.Context, names []string) (left []string, failures []error) {
	answered := true
	for _, name := range names {
		next, text, err := r.step(ctx, name)
		switch {
		case isTrouble(err):
			text, answered = err.Error()+"; trying again", false
			left = append(left, name)
		case err != nil:
			failures = append(failures, fmt.Errorf("%s: %w", name, err))
			continue
		case next == broken:
			failures = append(failures, fmt.Errorf("%s: %s; the next run takes another", name, text))
			continue
		case next == take || next == await:
			left = append(left, name)
		}
		if text != "" {
			r.say(name, text)
		}
	}
	r.count(answered)
	return left, failures
}

// step takes the next step for a VM: it takes a snapshot, waits for it, or deletes old ones.
func (r *scheduledRun) step(ctx context.Context, name string) (step, string, error) {
	vm, err := get[kubevirtv1.VirtualMachine](ctx, r.cluster, machines, r.Namespace, name)
	switch {
	case err != nil:
		return broken, "", err
	case vm == nil:
		return nothing, "not there, so there is nothing to take a snapshot of", nil
	case vm.DeletionTimestamp != nil:
		return nothing, "being deleted, so no snapshot is taken", nil
	}
	all, err := r.cluster.snapshotsOf(ctx, r.Namespace, name)
	if err != nil {
		return broken, "", err
	}
	own := slices.DeleteFunc(slices.Clone(all), func(snap snapshotv1.VirtualMachineSnapshot) bool {
		return !r.owns(vm, &snap)
	})
	snap := r.current(name, own)
	if snap == nil {
		name := r.nameOf(name)
		return take, "taking snapshot " + name, r.cluster.create(ctx, snapshots, r.Namespace, r.object(vm, name))
	}
	r.awaited[name] = snap.Name
	next, text := progress(vm, snap, r.Now())
	if next != taken {
		return next, text, nil
	}
	if !r.ready[name] {
		r.ready[name] = true
		r.say(name, text)
	}
	text, err = r.retain(ctx, vm, own)
	return taken, text, err
}

func (r *scheduledRun) nameOf(machine string) string { return machine + "-at-" + r.stamp }

func (r *scheduledRun) object(vm *kubevirtv1.VirtualMachine, name string) *snapshotv1.VirtualMachineSnapshot {
	snap := snapshotOf(vm.Namespace, vm.Name, name, r.Timeout)
	snap.Labels[labels.Schedule] = r.ID
	return snap
}

// owns reports whether a snapshot is one that a run with the same ID has taken of the VM, and that still counts. Those
// of an earlier VM of the same name do not: they can be all that is left of its data. KubeVirt notes the UID of the VM
// in each snapshot that it takes (kubevirt v1.8.4, pkg/storage/snapshot/snapshot.go, updateSnapshotStatus).
func (s *Scheduled) owns(vm *kubevirtv1.VirtualMachine, snap *snapshotv1.VirtualMachineSnapshot) bool {
	of := &snap.Spec.Source
	switch {
	case snap.Labels[labels.Schedule] != s.ID || snap.Labels[labels.ManagedBy] != labels.Manager:
		return false
	case snap.Labels[labels.SnapshotOf] != vm.Name || of.Kind != "VirtualMachine" || of.Name != vm.Name:
		return false
	case snap.Status != nil && snap.Status.SourceUID != nil && *snap.Status.SourceUID != vm.UID:
		return false
	}
	return snap.DeletionTimestamp == nil
}

// current returns the snapshot that the run waits for, or nil if it has to take one. One that an earlier run has left
// unfinished is as good as another: KubeVirt takes one of a VM at a time (kubevirt v1.8.4,
// pkg/storage/snapshot/source.go, Lock).
func (r *scheduledRun) current(
	machine string, own []snapshotv1.VirtualMachineSnapshot,
) *snapshotv1.VirtualMachineSnapshot {
	name := cmp.Or(r.awaited[machine], r.nameOf(machine))
	for i := range own {
		if own[i].Name == name {
			return &own[i]
		}
	}
	now := r.Now()
	for i := range own {
		if !isReady(&own[i]) && !hasFailed(&own[i]) && age(&own[i], now) < r.Timeout {
			return &own[i]
		}
	}
	return nil
}

func isReady(snap *snapshotv1.VirtualMachineSnapshot) bool {
	st := snap.Status
	return st != nil && st.Phase == snapshotv1.Succeeded && st.ReadyToUse != nil && *st.ReadyToUse
}

func hasFailed(snap *snapshotv1.VirtualMachineSnapshot) bool {
	return snap.Status != nil && snap.Status.Phase == snapshotv1.Failed
}

// retain deletes the snapshots that are no longer needed, except those that a restore needs, and returns a message
// about these, or "".
func (r *scheduledRun) retain(
	ctx context.Context, vm *kubevirtv1.VirtualMachine, own []snapshotv1.VirtualMachineSnapshot,
) (string, error) {
	old := surplus(vm, own, r.Keep, r.Now())
	if len(old) == 0 {
		return "", nil
	}
	all, err := list[snapshotv1.VirtualMachineRestore](ctx, r.cluster, restores, r.Namespace, "")
	if err != nil {
		return "", err
	}
	var kept []string
	for i := range old {
		snap := &old[i]
		if restore := restoreOf(snap, all); restore != "" {
			kept = append(kept, fmt.Sprintf("keeping snapshot %s, which the restore %s needs", snap.Name, restore))
			continue
		}
		if err := r.cluster.remove(ctx, snapshots, r.Namespace, snap.Name, snap.UID); err != nil {
			return "", fmt.Errorf("removing snapshot %s: %w", snap.Name, err)
		}
		r.logf("%s: removed snapshot %s", vm.Name, snap.Name)
	}
	return strings.Join(kept, "; "), nil
}

// restoreOf returns the name of a restore that is not complete and needs the snapshot, or "".
func restoreOf(snap *snapshotv1.VirtualMachineSnapshot, all []snapshotv1.VirtualMachineRestore) string {
	for i := range all {
		st := all[i].Status
		if all[i].Spec.VirtualMachineSnapshotName == snap.Name && (st == nil || st.Complete == nil || !*st.Complete) {
			return all[i].Name
		}
	}
	return ""
}

// surplus returns the snapshots that are not needed because there are newer ones, the oldest first: those that are
// older than the newest complete ones to keep, and those that have failed. It returns none if the newest is not
// complete. A ready snapshot without a disk takes the place of no other: it is kept until enough complete ones are
// newer.
func surplus(
	vm *kubevirtv1.VirtualMachine, own []snapshotv1.VirtualMachineSnapshot, keep int, now time.Time,
) []snapshotv1.VirtualMachineSnapshot {
	own = slices.Clone(own)
	slices.SortFunc(own, func(a, b snapshotv1.VirtualMachineSnapshot) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(b.Name, a.Name))
	})
	var old []snapshotv1.VirtualMachineSnapshot
	complete := 0
	for i := range own {
		next, _ := progress(vm, &own[i], now)
		switch {
		case i == 0 && next != taken:
			return nil
		case hasFailed(&own[i]), isReady(&own[i]) && complete >= keep:
			old = append(old, own[i])
		case next == taken:
			complete++
		}
	}
	slices.Reverse(old)
	return old
}
