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
	"k8s.io/apimachinery/pkg/runtime"
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
func (s *Snapshot) of(
	vm *kubevirtv1.VirtualMachine, all []snapshotv1.VirtualMachineSnapshot, now time.Time,
) *snapshotv1.VirtualMachineSnapshot {
	var newest *snapshotv1.VirtualMachineSnapshot
	for i := range all {
		snap := &all[i]
		ours := snap.Spec.Source.Name == s.Machine && snap.Annotations[labels.Change] != "" && snap.DeletionTimestamp == nil
		if ours && (newest == nil || newest.CreationTimestamp.Before(&snap.CreationTimestamp)) {
			newest = snap
		}
	}
	if newest == nil || newest.Annotations[labels.Change] != s.change(vm) || age(newest, now) >= freshness {
		return nil
	}
	return newest
}

func age(snap *snapshotv1.VirtualMachineSnapshot, now time.Time) time.Duration {
	return now.Sub(snap.CreationTimestamp.Time).Truncate(time.Second)
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
// does not exist; all are the snapshots of the VM.
func (s *Snapshot) next(
	vm *kubevirtv1.VirtualMachine, all []snapshotv1.VirtualMachineSnapshot, now time.Time,
) (step, string) {
	switch {
	case vm == nil:
		return nothing, "not there yet, so there is nothing to take a snapshot of"
	case vm.DeletionTimestamp != nil:
		return nothing, "being deleted"
	case vm.Annotations[labels.Content] == s.Content:
		return nothing, "unchanged, so no snapshot is taken"
	}
	snap := s.of(vm, all, now)
	if snap == nil {
		return take, "taking snapshot " + s.name(vm)
	}
	return progress(vm, snap, now)
}

// progress returns the next step for a snapshot that exists.
func progress(
	vm *kubevirtv1.VirtualMachine, snap *snapshotv1.VirtualMachineSnapshot, now time.Time,
) (step, string) {
	switch st := snap.Status; {
	case st == nil:
	case st.Phase == snapshotv1.Failed:
		return broken, fmt.Sprintf("snapshot %s failed%s; delete it to try again", snap.Name, snapshotMessage(snap))
	case st.Phase == snapshotv1.Succeeded && st.ReadyToUse != nil && *st.ReadyToUse:
		if missing := missingVolumes(vm, st.SnapshotVolumes); len(missing) > 0 {
			return broken, fmt.Sprintf("snapshot %s is without %s, which contains data to keep; "+
				"create a VolumeSnapshotClass for the driver of its storage class, delete the snapshot, and sync again",
				snap.Name, strings.Join(missing, ", "))
		}
		return taken, fmt.Sprintf("snapshot %s of %s ago is ready%s", snap.Name, age(snap, now), consistency(snap))
	}
	return await, "waiting for snapshot " + snap.Name
}

// rootDisk is the name of the volume of a root disk, which package machine sets.
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

// Snapshot takes a snapshot of each VirtualMachine that exists and is about to change,
// unless there is one for that very change, and waits until all are ready to use. A
// snapshot without a volume that contains data to keep is an error.
func (c *Cluster) Snapshot(ctx context.Context, list []Snapshot, o Options) error {
	start := o.Now()
	said := map[string]string{}
	for {
		var left []Snapshot
		var failures []error
		for _, s := range list {
			next, text, err := c.snapshot(ctx, &s, &o)
			switch {
			case ctx.Err() != nil:
				return ErrInterrupted
			case err != nil && isPermanent(err):
				return fmt.Errorf("%s: %w", s.Machine, err)
			case err != nil:
				text = err.Error() + "; trying again"
				left = append(left, s)
			case next == broken:
				failures = append(failures, fmt.Errorf("%s: %s", s.Machine, text))
				continue
			case next == take || next == await:
				left = append(left, s)
			}
			if said[s.Machine] != text {
				said[s.Machine] = text
				o.logf("%s: %s", s.Machine, text)
			}
		}
		if err := errors.Join(failures...); err != nil || len(left) == 0 {
			return err
		}
		if o.Now().Sub(start) >= o.Timeout {
			return fmt.Errorf("%s: not done within %s: %s", left[0].Machine, o.Timeout, said[left[0].Machine])
		}
		list = left
		o.pause(ctx)
	}
}

// snapshot returns the next step for one snapshot, and takes the snapshot if that is
// the step.
func (c *Cluster) snapshot(ctx context.Context, s *Snapshot, o *Options) (step, string, error) {
	vm, err := get[kubevirtv1.VirtualMachine](ctx, c, machines, o.Namespace, s.Machine)
	if err != nil {
		return broken, "", err
	}
	all, err := c.snapshotsOf(ctx, o.Namespace, s.Machine)
	if err != nil {
		return broken, "", err
	}
	next, text := s.next(vm, all, o.Now())
	if next == take {
		err = c.create(ctx, snapshots, o.Namespace, s.object(vm, o))
	}
	return next, text, err
}

// snapshotsOf returns the snapshots of a VirtualMachine that have [labels.SnapshotOf].
func (c *Cluster) snapshotsOf(
	ctx context.Context, namespace, machine string,
) ([]snapshotv1.VirtualMachineSnapshot, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	list, err := c.objects.Resource(snapshots).Namespace(namespace).
		List(ctx, metav1.ListOptions{LabelSelector: labels.SnapshotOf + "=" + machine})
	if err != nil {
		return nil, explain(err, "list", snapshots, namespace)
	}
	all := make([]snapshotv1.VirtualMachineSnapshot, len(list.Items))
	for i := range list.Items {
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.Items[i].Object, &all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// name returns the name of a snapshot of the VM as it is now. It contains the version
// of the VM, so that two pods of a Job take one snapshot, and two changes take two.
func (s *Snapshot) name(vm *kubevirtv1.VirtualMachine) string {
	return s.Machine + "-pre-" + s.Content + "-" + vm.ResourceVersion
}

// object returns the VirtualMachineSnapshot. It has no owner, so that it outlives the
// VM. Its deadline replaces KubeVirt's default of five minutes (kubevirt.io/api
// v1.9, snapshot/v1beta1).
func (s *Snapshot) object(vm *kubevirtv1.VirtualMachine, o *Options) *snapshotv1.VirtualMachineSnapshot {
	group := machines.Group
	return &snapshotv1.VirtualMachineSnapshot{
		TypeMeta: metav1.TypeMeta{APIVersion: snapshots.GroupVersion().String(), Kind: "VirtualMachineSnapshot"},
		ObjectMeta: metav1.ObjectMeta{
			Name: s.name(vm), Namespace: o.Namespace,
			Labels:      map[string]string{labels.SnapshotOf: s.Machine, labels.ManagedBy: labels.Manager},
			Annotations: map[string]string{labels.Change: s.change(vm)},
		},
		Spec: snapshotv1.VirtualMachineSnapshotSpec{
			Source:          corev1.TypedLocalObjectReference{APIGroup: &group, Kind: "VirtualMachine", Name: s.Machine},
			FailureDeadline: &metav1.Duration{Duration: o.Timeout},
		},
	}
}
