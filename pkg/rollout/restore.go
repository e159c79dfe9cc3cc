package rollout

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	snapshotv1 "kubevirt.io/api/snapshot/v1beta1"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/labels"
)

// Restore is a restore of a VirtualMachine from a snapshot, before a sync changes it.
type Restore struct {
	Machine string // name of the VirtualMachine
	From    approval.Restore
}

const restoreForm = "VM=SNAPSHOT@TOKEN, or VM=SNAPSHOT@TOKEN@FROM"

// ParseRestores parses arguments of the form `VM=SNAPSHOT@TOKEN` or `VM=SNAPSHOT@TOKEN@FROM`, at least one in total and
// at most one for each VM.
func ParseRestores(args []string) ([]Restore, error) {
	if len(args) == 0 {
		return nil, errors.New("no restore; expected " + restoreForm)
	}
	list := make([]Restore, 0, len(args))
	seen := map[string]bool{}
	for _, arg := range args {
		machine, value, _ := strings.Cut(arg, "=")
		r := Restore{machine, approval.ParseRestore(value)}
		switch {
		case machine == "", r.From.Snapshot == "", r.From.Token == "",
			strings.Contains(value, "="), strings.Count(value, "@") > 2:
			return nil, fmt.Errorf("invalid restore %q; expected %s", arg, restoreForm)
		case seen[machine]:
			return nil, fmt.Errorf("two restores of %q; expected one", machine)
		}
		seen[machine] = true
		list = append(list, r)
	}
	return list, nil
}

// Restore puts the disks of snapshots in place of those of VirtualMachines, and waits until that is done. KubeVirt
// stops a VM for it. A VM that has been restored with the same token is not restored again, and nothing happens to one
// whose snapshot cannot be restored. It waits while the API server does not answer or refuses, until that is an
// [UnavailableError].
func (c *Cluster) Restore(ctx context.Context, list []Restore, o Options) error {
	r := restoreRun{c.poll(&o)}
	of, vms := map[string]Restore{}, make([]string, len(list))
	for i, one := range list {
		of[one.Machine], vms[i] = one, one.Machine
	}
	return r.each(ctx, vms, func(ctx context.Context, machine string) (step, string, error) {
		return r.step(ctx, new(of[machine]))
	})
}

// restoreRun is one run that restores VMs.
type restoreRun struct{ polling }

// step takes the next step of a restore: it creates the VirtualMachineRestore, waits for it, or starts the VM.
func (r *restoreRun) step(ctx context.Context, of *Restore) (step, string, error) {
	vm, err := get[kubevirtv1.VirtualMachine](ctx, r.cluster, machines, r.Namespace, of.Machine)
	switch {
	case err != nil:
		return broken, "", err
	case vm == nil:
		return nothing, "not there yet, so there is nothing to restore", nil
	case vm.DeletionTimestamp != nil:
		return nothing, "being deleted", nil
	case vm.Annotations[labels.Restore] == of.From.String():
		return nothing, "restored already, as its annotation " + labels.Restore + " tells", nil
	}
	name := of.From.Object(of.Machine)
	restore, err := get[snapshotv1.VirtualMachineRestore](ctx, r.cluster, restores, r.Namespace, name)
	switch {
	case err != nil:
		return broken, "", err
	case restore != nil:
		return r.follow(ctx, vm, restore)
	}
	if problem := unapproved(vm, of.From.From); problem != "" {
		return broken, problem, nil
	}
	if problem, err := r.problem(ctx, vm, of.From.Snapshot); problem != "" || err != nil {
		return broken, problem, err
	}
	instance, err := get[kubevirtv1.VirtualMachineInstance](ctx, r.cluster, instances, r.Namespace, of.Machine)
	if err != nil {
		return broken, "", err
	}
	text := "restoring from snapshot " + of.From.Snapshot
	if instance != nil {
		text += ": KubeVirt stops the VM"
	}
	return take, text, r.cluster.create(ctx, restores, r.Namespace, of.object(vm, instance != nil))
}

// follow returns how far a restore is, and starts the VM when it is complete.
func (r *restoreRun) follow(
	ctx context.Context, vm *kubevirtv1.VirtualMachine, restore *snapshotv1.VirtualMachineRestore,
) (step, string, error) {
	from := restore.Spec.VirtualMachineSnapshotName
	switch st := restore.Status; {
	case st == nil:
		return await, "waiting for restore " + restore.Name, nil
	case st.Complete != nil && *st.Complete:
		text := "restored from snapshot " + from + timeOf(st.RestoreTime)
		if restore.Annotations[labels.Started] != "true" || !startsOnRequest(vm) {
			return taken, text, nil
		}
		// KubeVirt refuses it with a conflict if the VM runs.
		err := r.cluster.power(ctx, r.Namespace, vm.Name, startVM)
		if apierrors.IsConflict(err) {
			err = nil
		}
		return taken, text + "; started", err
	default:
		if why := conditionOf(st.Conditions, snapshotv1.ConditionFailure); why != nil {
			return broken, fmt.Sprintf("restore %s failed%s; delete it, repair the cause, and sync again",
				restore.Name, reasonOf(why)), nil
		}
		return await, "waiting for restore " + restore.Name +
			reasonOf(conditionOf(st.Conditions, snapshotv1.ConditionProgressing)), nil
	}
}

func timeOf(t *metav1.Time) string {
	if t == nil {
		return ""
	}
	return " at " + t.UTC().Format(time.RFC3339)
}

// conditionOf returns a condition that is true, or that has something to tell, or nil. KubeVirt waits for the VM to
// stop with Progressing=False (kubevirt v1.8.4, pkg/storage/snapshot/restore.go, handleVMRestoreTargetNotReady).
func conditionOf(all []snapshotv1.Condition, of snapshotv1.ConditionType) *snapshotv1.Condition {
	for i := range all {
		if c := &all[i]; c.Type == of && (c.Status == corev1.ConditionTrue || of == snapshotv1.ConditionProgressing) {
			return c
		}
	}
	return nil
}

// reasonOf returns the text of a condition, which KubeVirt has as its reason.
func reasonOf(c *snapshotv1.Condition) string {
	switch {
	case c == nil:
		return ""
	case c.Message != "":
		return ": " + c.Message
	case c.Reason != "":
		return ": " + c.Reason
	}
	return ""
}

// startsOnRequest reports whether nothing but a request starts the VM: a sync starts one whose run strategy KubeVirt
// has set to Halted to stop it (kubevirt v1.8.4, pkg/virt-api/rest/lifecycle.go, StopVM).
func startsOnRequest(vm *kubevirtv1.VirtualMachine) bool {
	strategy, err := vm.RunStrategy()
	return err == nil && (strategy == kubevirtv1.RunStrategyManual || strategy == kubevirtv1.RunStrategyRerunOnFailure)
}

// problem returns why a snapshot cannot be restored in place, or "".
func (r *restoreRun) problem(ctx context.Context, vm *kubevirtv1.VirtualMachine, name string) (string, error) {
	snap, err := get[snapshotv1.VirtualMachineSnapshot](ctx, r.cluster, snapshots, r.Namespace, name)
	if err != nil {
		return "", err
	}
	if problem := unusable(vm, snap, name); problem != "" {
		return problem, nil
	}
	if next, text := progress(vm, snap, r.Now()); next == broken {
		return text, nil
	}
	content, err := get[snapshotv1.VirtualMachineSnapshotContent](
		ctx, r.cluster, snapshotContents, r.Namespace, *snap.Status.VirtualMachineSnapshotContentName)
	if err != nil || content == nil {
		return "the content of snapshot " + name + " is gone", err
	}
	return otherClaims(vm, content, name), nil
}

// unapproved returns why the gate of a VM does not let it lose data, or "". The policies of the cluster see a VM only
// when it changes, after its restore, so that this is what asks for the approval. from is the digest that it is
// approved from.
func unapproved(vm *kubevirtv1.VirtualMachine, from string) string {
	if most := vm.Annotations[labels.MaxImpact]; most != "" {
		return "policy.maxImpact of the VM is " + most + ", so that nothing may lose its data"
	}
	level := vm.Annotations[labels.ApproveFrom]
	if level == "" || level == labels.NoLevel || from == cmp.Or(vm.Annotations[labels.Becomes], labels.NoBecomes) {
		return ""
	}
	return "the gate of the VM requires an approval of this loss of data, as it is now; " +
		"write the `approve` that `vmrender plan` prints into its entry"
}

// unusable returns why a snapshot is not one that the VM can be restored from, or "".
func unusable(vm *kubevirtv1.VirtualMachine, snap *snapshotv1.VirtualMachineSnapshot, name string) string {
	switch {
	case snap == nil:
		return "there is no snapshot " + name
	case snap.Spec.Source.Kind != "VirtualMachine" || snap.Spec.Source.Name != vm.Name:
		return fmt.Sprintf("snapshot %s is of %s %s", name, snap.Spec.Source.Kind, snap.Spec.Source.Name)
	case snap.Status != nil && snap.Status.SourceUID != nil && *snap.Status.SourceUID != vm.UID:
		return "snapshot " + name + " is of an earlier VM of this name, which KubeVirt does not restore"
	case !isReady(snap) || snap.Status.VirtualMachineSnapshotContentName == nil:
		return "snapshot " + name + " is not ready to use"
	}
	return ""
}

// otherClaims returns a problem if a disk has another claim now than in the snapshot: KubeVirt restores a claim under
// the name that it had, so that the VM would go on with what it has.
func otherClaims(vm *kubevirtv1.VirtualMachine, content *snapshotv1.VirtualMachineSnapshotContent, name string) string {
	was := map[string]string{}
	for _, backup := range content.Spec.VolumeBackups {
		was[backup.VolumeName] = backup.PersistentVolumeClaim.Name
	}
	if vm.Spec.Template == nil {
		return ""
	}
	for _, volume := range vm.Spec.Template.Spec.Volumes {
		claim, before := claimOf(&volume), was[volume.Name]
		if claim != "" && before != "" && claim != before {
			return fmt.Sprintf("the disk %s has the claim %s now, and snapshot %s is of the claim %s; "+
				"restore it as a disk: source: {snapshot: …}", volume.Name, claim, name, before)
		}
	}
	return ""
}

// object returns the VirtualMachineRestore. Claims keep their names, which are in Git, and DataVolumes their claims;
// others have no owner, so that they outlive the VM. KubeVirt owns the object for the VM.
func (of *Restore) object(vm *kubevirtv1.VirtualMachine, ran bool) *snapshotv1.VirtualMachineRestore {
	target := corev1.TypedLocalObjectReference{APIGroup: new(machines.Group), Kind: "VirtualMachine", Name: of.Machine}
	out := &snapshotv1.VirtualMachineRestore{
		TypeMeta: metav1.TypeMeta{APIVersion: restores.GroupVersion().String(), Kind: "VirtualMachineRestore"},
		ObjectMeta: metav1.ObjectMeta{
			Name: of.From.Object(of.Machine), Namespace: vm.Namespace,
			Labels: map[string]string{labels.ManagedBy: labels.Manager},
		},
		Spec: snapshotv1.VirtualMachineRestoreSpec{
			Target: target, VirtualMachineSnapshotName: of.From.Snapshot,
			TargetReadinessPolicy: new(snapshotv1.VirtualMachineRestoreStopTarget),
			VolumeRestorePolicy:   new(snapshotv1.VolumeRestorePolicyInPlace),
			VolumeOwnershipPolicy: new(snapshotv1.VolumeOwnershipPolicyNone),
		},
	}
	if ran {
		out.Annotations = map[string]string{labels.Started: "true"}
	}
	return out
}
