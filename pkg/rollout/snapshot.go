package rollout

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1 "kubevirt.io/api/snapshot/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// Snapshot is a snapshot to take before a VirtualMachine changes.
type Snapshot struct {
	Machine string // name of the VirtualMachine
	Name    string // of the VirtualMachineSnapshot
	Content string // the value of [labels.Content] after the change
}

// ParseSnapshots parses arguments of the form `VM=SNAPSHOT@CONTENT`, at least one in
// total and at most one for each VM.
func ParseSnapshots(args []string) ([]Snapshot, error) {
	if len(args) == 0 {
		return nil, errors.New("no snapshot; expected VM=SNAPSHOT@CONTENT")
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

// parseSnapshot parses `VM=SNAPSHOT@CONTENT`.
func parseSnapshot(text string) (Snapshot, error) {
	machine, rest, found := strings.Cut(text, "=")
	name, content, also := strings.Cut(rest, "@")
	if !found || !also || machine == "" || name == "" || content == "" {
		return Snapshot{}, fmt.Errorf("invalid snapshot %q; expected VM=SNAPSHOT@CONTENT", text)
	}
	return Snapshot{machine, name, content}, nil
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

// next returns the next step for a snapshot, and a message about it. vm and snap are
// nil if they do not exist.
func (s *Snapshot) next(vm *kubevirtv1.VirtualMachine, snap *snapshotv1.VirtualMachineSnapshot) (step, string) {
	switch {
	case vm == nil:
		return nothing, "not there yet, so there is nothing to take a snapshot of"
	case vm.DeletionTimestamp != nil:
		return nothing, "being deleted"
	case vm.Annotations[labels.Content] == s.Content:
		return nothing, "unchanged, so no snapshot is taken"
	case snap == nil:
		return take, "taking snapshot " + s.Name
	case snap.Spec.Source.Name != s.Machine:
		return broken, fmt.Sprintf("snapshot %s is there already, of %s", s.Name, snap.Spec.Source.Name)
	case snap.DeletionTimestamp != nil || snap.Status == nil:
		return await, "waiting for snapshot " + s.Name
	case snap.Status.Phase == snapshotv1.Failed:
		return broken, fmt.Sprintf("snapshot %s failed%s; delete it to try again", s.Name, snapshotMessage(snap))
	case snap.Status.Phase == snapshotv1.Succeeded && snap.Status.ReadyToUse != nil && *snap.Status.ReadyToUse:
		return taken, "snapshot " + s.Name + " is ready" + consistency(snap)
	}
	return await, "waiting for snapshot " + s.Name
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

// Snapshot takes the snapshots that do not exist yet, of those VirtualMachines that
// exist and are about to change, and waits until they are ready to use.
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
			if said[s.Name] != text {
				said[s.Name] = text
				o.logf("%s: %s", s.Machine, text)
			}
		}
		if err := errors.Join(failures...); err != nil || len(left) == 0 {
			return err
		}
		if o.Now().Sub(start) >= o.Timeout {
			return fmt.Errorf("%s: not done within %s: %s", left[0].Machine, o.Timeout, said[left[0].Name])
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
	snap, err := get[snapshotv1.VirtualMachineSnapshot](ctx, c, snapshots, o.Namespace, s.Name)
	if err != nil {
		return broken, "", err
	}
	next, text := s.next(vm, snap)
	if next == take {
		err = c.create(ctx, snapshots, o.Namespace, s.object(o))
	}
	return next, text, err
}

// object returns the VirtualMachineSnapshot. It has no owner, so that it outlives the
// VM. Its deadline replaces KubeVirt's default of five minutes (kubevirt.io/api
// v1.9, snapshot/v1beta1).
func (s *Snapshot) object(o *Options) *snapshotv1.VirtualMachineSnapshot {
	group := machines.Group
	return &snapshotv1.VirtualMachineSnapshot{
		TypeMeta: metav1.TypeMeta{APIVersion: snapshots.GroupVersion().String(), Kind: "VirtualMachineSnapshot"},
		ObjectMeta: metav1.ObjectMeta{
			Name: s.Name, Namespace: o.Namespace,
			Labels: map[string]string{labels.SnapshotOf: s.Machine, "app.kubernetes.io/managed-by": "vmrender"},
		},
		Spec: snapshotv1.VirtualMachineSnapshotSpec{
			Source:          corev1.TypedLocalObjectReference{APIGroup: &group, Kind: "VirtualMachine", Name: s.Machine},
			FailureDeadline: &metav1.Duration{Duration: o.Timeout},
		},
	}
}
