package rollout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1 "kubevirt.io/api/snapshot/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// Snapshot is a snapshot to take before a VirtualMachine changes.
type Snapshot struct {
	Machine string // name of the VirtualMachine
	Content string // the value of [labels.Content] after the change
}

// ParseSnapshots parses arguments of the form `VM=CONTENT`, at least one in total and
// at most one for each VM.
func ParseSnapshots(args []string) ([]Snapshot, error) {
	if len(args) == 0 {
		return nil, errors.New("no snapshot; expected VM=CONTENT")
	}
	list := make([]Snapshot, 0, len(args))
	seen := map[string]bool{}
	for _, arg := range args {
		s, err := parseSnapshot(arg)
		if err != nil {
			return nil, err
		}
		if seen[s.Machine] {
			return nil, fmt.Errorf("two snapshots of %q; expected one", s.Machine)
		}
		seen[s.Machine] = true
		list = append(list, s)
	}
	return list, nil
}

// parseSnapshot parses `VM=CONTENT`.
func parseSnapshot(text string) (Snapshot, error) {
	machine, content, found := strings.Cut(text, "=")
	if !found || machine == "" || content == "" || strings.ContainsAny(content, "=@") {
		return Snapshot{}, fmt.Errorf("invalid snapshot %q; expected VM=CONTENT", text)
	}
	return Snapshot{machine, content}, nil
}

// freshness is the time for which a snapshot counts. It is longer than Argo CD
// retries a sync, and bounds the data that a restore loses when a sync is repeated
// later.
const freshness = time.Hour

// change returns the change that a snapshot is for: that of the VM, as it is now, to
// the new content. UID and generation distinguish changes between the same contents.
func (s *Snapshot) change(vm *kubevirtv1.VirtualMachine) string {
	return fmt.Sprintf("%s/%d: %s -> %s", vm.UID, vm.Generation, vm.Annotations[labels.Content], s.Content)
}

// of returns the snapshot that was taken for the change, or nil. Only the newest can
// be: the snapshots after it are of other changes, even if the contents are the same.
// What this run has taken counts whatever the clocks say.
func (s *Snapshot) of(
	vm *kubevirtv1.VirtualMachine, all []snapshotv1.VirtualMachineSnapshot, now time.Time, ours map[string]bool,
) *snapshotv1.VirtualMachineSnapshot {
	var newest *snapshotv1.VirtualMachineSnapshot
	for i := range all {
		snap := &all[i]
		ours := snap.Spec.Source.Name == s.Machine && snap.Annotations[labels.Change] != "" && snap.DeletionTimestamp == nil
		if ours && (newest == nil || newest.CreationTimestamp.Before(&snap.CreationTimestamp)) {
			newest = snap
		}
	}
	if newest == nil || newest.Annotations[labels.Change] != s.change(vm) {
		return nil
	}
	if age(newest, now) >= freshness && !ours[newest.Name] {
		return nil
	}
	return newest
}

// age returns the age of a snapshot, at least 0: the API server can have another time.
func age(snap *snapshotv1.VirtualMachineSnapshot, now time.Time) time.Duration {
	return max(0, now.Sub(snap.CreationTimestamp.Time).Truncate(time.Second))
}

// step is the next step for a snapshot.
type step uint8

const (
	nothing step = iota // the VM does not change, does not exist or is being deleted
	take
	await
	taken
	broken
)

// next returns the next step for a snapshot, and a message about it. vm is nil if it
// does not exist; all are the snapshots of the VM, and ours are the names of those that
// this run has waited for. Another snapshot is taken instead of one that has failed
// before.
func (s *Snapshot) next(
	vm *kubevirtv1.VirtualMachine, all []snapshotv1.VirtualMachineSnapshot, now time.Time, ours map[string]bool,
) (step, string) {
	switch {
	case vm == nil:
		return nothing, "not there yet, so there is nothing to take a snapshot of"
	case vm.DeletionTimestamp != nil:
		return nothing, "being deleted"
	case vm.Annotations[labels.Content] == s.Content:
		return nothing, "unchanged, so no snapshot is taken"
	}
	taking := "taking snapshot " + s.name(vm, all)
	snap := s.of(vm, all, now, ours)
	if snap == nil {
		return take, taking
	}
	next, text := progress(vm, snap, now)
	switch {
	case next == broken && !ours[snap.Name]:
		return take, taking + ": " + text
	case next == broken:
		return broken, text + "; the next " + s.occasion() + " takes another"
	}
	ours[snap.Name] = true
	return next, text
}

// occasion returns what the snapshot is taken in.
func (s *Snapshot) occasion() string {
	switch s.Content {
	case beforeRestart:
		return "window"
	case beforePatch:
		return "run"
	}
	return "sync"
}

// progress returns the next step for a snapshot that exists.
func progress(
	vm *kubevirtv1.VirtualMachine, snap *snapshotv1.VirtualMachineSnapshot, now time.Time,
) (step, string) {
	switch st := snap.Status; {
	case st == nil:
	case st.Phase == snapshotv1.Failed:
		return broken, fmt.Sprintf("snapshot %s failed%s", snap.Name, snapshotMessage(snap))
	case st.Phase == snapshotv1.Succeeded && st.ReadyToUse != nil && *st.ReadyToUse:
		if missing := missingVolumes(vm, st.SnapshotVolumes); len(missing) > 0 {
			return broken, fmt.Sprintf("snapshot %s is without %s, which contains data to keep; "+
				"create a VolumeSnapshotClass for the driver of its storage class",
				snap.Name, strings.Join(missing, ", "))
		}
		return taken, fmt.Sprintf("snapshot %s of %s ago is ready%s", snap.Name, age(snap, now), consistency(snap))
	}
	return await, "waiting for snapshot " + snap.Name
}

// rootDisk is the name of the volume of a root disk, which package resolve sets.
const rootDisk = "rootdisk"

// missingVolumes returns the volumes with data to keep that a snapshot excludes. KubeVirt
// excludes volumes whose storage class has no VolumeSnapshotClass, and all that are no
// PVC (kubevirt v1.8.4, pkg/storage/snapshot/snapshot.go).
func missingVolumes(vm *kubevirtv1.VirtualMachine, v *snapshotv1.SnapshotVolumesLists) []string {
	if v == nil || vm.Spec.Template == nil {
		return nil
	}
	owned := map[string]bool{}
	for i := range vm.Spec.DataVolumeTemplates {
		owned[vm.Spec.DataVolumeTemplates[i].Name] = true
	}
	fixed := readOnlyDisks(&vm.Spec.Template.Spec)
	var missing []string
	for _, volume := range vm.Spec.Template.Spec.Volumes {
		claim := claimOf(&volume)
		kept := claim != "" && (volume.Name == rootDisk || !owned[claim])
		if kept && !fixed[volume.Name] && slices.Contains(v.ExcludedVolumes, volume.Name) {
			missing = append(missing, volume.Name)
		}
	}
	return missing
}

// readOnlyDisks returns the names of the disks that the guest cannot write to.
func readOnlyDisks(spec *kubevirtv1.VirtualMachineInstanceSpec) map[string]bool {
	fixed := map[string]bool{}
	for _, d := range spec.Domain.Devices.Disks {
		fixed[d.Name] = d.CDRom != nil || d.LUN != nil && d.LUN.ReadOnly || d.Disk != nil && d.Disk.ReadOnly
	}
	return fixed
}

func snapshotMessage(snap *snapshotv1.VirtualMachineSnapshot) string {
	if e := snap.Status.Error; e != nil && e.Message != nil {
		return ": " + *e.Message
	}
	return ""
}

// consistency returns what the snapshot lacks, so that users learn it before they
// have to restore it.
func consistency(snap *snapshotv1.VirtualMachineSnapshot) string {
	var notes []string
	if slices.ContainsFunc(snap.Status.SourceIndications, func(i snapshotv1.SourceIndication) bool {
		return i.Indication == snapshotv1.VMSnapshotNoGuestAgentIndication
	}) {
		notes = append(notes, "taken while running and without the guest agent, as after a power cut")
	}
	if v := snap.Status.SnapshotVolumes; v != nil && len(v.ExcludedVolumes) > 0 {
		notes = append(notes, "without volumes "+strings.Join(v.ExcludedVolumes, ", "))
	}
	if len(notes) == 0 {
		return ""
	}
	return " (" + strings.Join(notes, "; ") + ")"
}

// snapshotRun is one run that takes snapshots.
type snapshotRun struct {
	polling
	ours map[string]bool // the snapshots that this run has taken or waited for
}

// Snapshot takes a snapshot of each VirtualMachine that exists and is about to change,
// unless there is one for that very change, and waits until all are ready to use. A
// snapshot without a volume that contains data to keep is an error. It waits while the
// API server does not answer or refuses, until that is an [UnavailableError].
func (c *Cluster) Snapshot(ctx context.Context, list []Snapshot, o Options) error {
	r := &snapshotRun{polling: c.poll(&o), ours: map[string]bool{}}
	of, vms := map[string]Snapshot{}, make([]string, len(list))
	for i, s := range list {
		of[s.Machine], vms[i] = s, s.Machine
	}
	return r.each(ctx, vms, func(ctx context.Context, machine string) (step, string, error) {
		return r.step(ctx, new(of[machine]))
	})
}

// step returns the next step for one snapshot, and takes the snapshot if that is the
// step.
func (r *snapshotRun) step(ctx context.Context, s *Snapshot) (step, string, error) {
	vm, err := get[kubevirtv1.VirtualMachine](ctx, r.cluster, machines, r.Namespace, s.Machine)
	if err != nil {
		return broken, "", err
	}
	all, err := r.cluster.snapshotsOf(ctx, r.Namespace, s.Machine)
	if err != nil {
		return broken, "", err
	}
	next, text := s.next(vm, all, r.Now(), r.ours)
	if next == take {
		name := s.name(vm, all)
		r.ours[name] = true
		err = r.cluster.create(ctx, snapshots, r.Namespace, s.object(vm, name, r.Timeout))
	}
	return next, text, err
}

// snapshotsOf returns the snapshots of a VirtualMachine that have [labels.SnapshotOf].
func (c *Cluster) snapshotsOf(
	ctx context.Context, namespace, machine string,
) ([]snapshotv1.VirtualMachineSnapshot, error) {
	return list[snapshotv1.VirtualMachineSnapshot](ctx, c, snapshots, namespace, labels.SnapshotOf+"="+machine)
}

// name returns the name of a new snapshot of the VM as it is now. It contains the version
// of the VM, so that two pods of a Job take one snapshot, and two changes take two. A
// snapshot that takes the place of one that has failed has a number.
func (s *Snapshot) name(vm *kubevirtv1.VirtualMachine, all []snapshotv1.VirtualMachineSnapshot) string {
	name := s.Machine + "-pre-" + s.Content + "-" + vm.ResourceVersion
	taken := map[string]bool{}
	for i := range all {
		taken[all[i].Name] = true
	}
	free := name
	for n := 2; taken[free]; n++ {
		free = fmt.Sprintf("%s-%d", name, n)
	}
	return free
}

// object returns the VirtualMachineSnapshot. It has no owner, so that it outlives the
// VM. Its deadline replaces KubeVirt's default of five minutes (kubevirt.io/api
// v1.9, snapshot/v1beta1).
func (s *Snapshot) object(
	vm *kubevirtv1.VirtualMachine, name string, deadline time.Duration,
) *snapshotv1.VirtualMachineSnapshot {
	snap := snapshotOf(vm.Namespace, s.Machine, name, deadline)
	snap.Annotations = map[string]string{labels.Change: s.change(vm)}
	return snap
}

// snapshotOf returns a new VirtualMachineSnapshot.
func snapshotOf(namespace, machine, name string, deadline time.Duration) *snapshotv1.VirtualMachineSnapshot {
	group := machines.Group
	return &snapshotv1.VirtualMachineSnapshot{
		TypeMeta: metav1.TypeMeta{APIVersion: snapshots.GroupVersion().String(), Kind: "VirtualMachineSnapshot"},
		ObjectMeta: metav1.ObjectMeta{
			Name: name, Namespace: namespace,
			Labels: map[string]string{labels.SnapshotOf: machine, labels.ManagedBy: labels.Manager},
		},
		Spec: snapshotv1.VirtualMachineSnapshotSpec{
			Source:          corev1.TypedLocalObjectReference{APIGroup: &group, Kind: "VirtualMachine", Name: machine},
			FailureDeadline: &metav1.Duration{Duration: deadline},
		},
	}
}
