package rollout

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/labels"
)

// Patch is a run of Ansible on a VirtualMachine.
type Patch struct {
	Machine  string                     // name of the VirtualMachine
	Job      *unstructured.Unstructured // the AnsibleJob or Job to create, with a generateName
	Snapshot bool                       // whether a snapshot is taken first
	Run      PatchRun
}

// PatchRun is the Job that a run belongs to, so that another pod of it resumes the run.
type PatchRun struct {
	Name string // empty for a run that belongs to none
	UID  string // or another text that no other run has, at most 63 characters of a label
}

var ansibleKind = schema.GroupVersionKind{Group: "tower.ansible.com", Version: "v1alpha1", Kind: "AnsibleJob"}

// patchKinds are the kinds of jobs that patch a VM.
var patchKinds = map[schema.GroupVersionKind]schema.GroupVersionResource{
	ansibleKind: ansibleKind.GroupVersion().WithResource("ansiblejobs"),
	batchv1.SchemeGroupVersion.WithKind("Job"): batchv1.SchemeGroupVersion.WithResource("jobs"),
}

// ParsePatchJob reads the manifest of a job to create, as JSON.
func ParsePatchJob(text []byte) (*unstructured.Unstructured, error) {
	const expected = "expected the JSON of an AnsibleJob or a Job with metadata.generateName"
	job := &unstructured.Unstructured{}
	if err := json.Unmarshal(text, &job.Object); err != nil {
		return nil, fmt.Errorf("%w; %s", err, expected)
	}
	_, known := patchKinds[job.GroupVersionKind()]
	switch {
	case !known:
		return nil, fmt.Errorf("unknown kind %q of %q; %s", job.GetKind(), job.GetAPIVersion(), expected)
	case job.GetGenerateName() == "":
		return nil, errors.New("no generateName; " + expected)
	}
	return job, nil
}

// patchRun is one run of Ansible on a VM.
type patchRun struct {
	polling
	Patch
	resource schema.GroupVersionResource
	vm       *kubevirtv1.VirtualMachine // as it was read last; nil before
	taker    snapshotRun
	phase    patchPhase
	job      string // name of the job that the run waits for
}

// patchPhase is how far a run is.
type patchPhase uint8

const (
	beforeJob  patchPhase = iota // looks for an earlier job, and whether the VM is ready
	inSnapshot                   // takes a snapshot
	inJob                        // creates the job, and waits for it
	afterJob                     // waits until the VM is ready again
)

// Patch creates the job, and waits until it has succeeded and the VirtualMachine is ready. A VirtualMachine that is not
// ready before is left alone, which an Event says. If an earlier job has not ended yet, the run waits for that one and
// creates none. A snapshot that fails ends the run before the job.
func (c *Cluster) Patch(ctx context.Context, p Patch, o Options) error {
	r := &patchRun{polling: c.poll(&o), Patch: p, resource: patchKinds[p.Job.GroupVersionKind()]}
	r.Run.UID = cmp.Or(p.Run.UID, r.looked.UTC().Format("20060102-150405"))
	r.taker = snapshotRun{polling: polling{Options: o, cluster: r.cluster}, ours: map[string]bool{}}
	err := r.each(ctx, []string{p.Machine}, r.step)
	if _, away := errors.AsType[*UnavailableError](err); err != nil && !away && ctx.Err() == nil {
		r.tell(ctx, warning, "PatchFailed", err.Error())
	}
	return err
}

// step takes the next step of the run.
func (r *patchRun) step(ctx context.Context, name string) (step, string, error) {
	vm, err := get[kubevirtv1.VirtualMachine](ctx, r.cluster, machines, r.Namespace, name)
	switch {
	case err != nil:
		return broken, "", err
	case vm == nil && r.phase == beforeJob:
		return nothing, "not there, so there is nothing to patch", nil
	case vm == nil:
		return broken, "deleted while it was patched", nil
	}
	r.vm = vm
	switch r.phase {
	case beforeJob:
		return r.begin(ctx)
	case inSnapshot:
		return r.takeSnapshot(ctx)
	case inJob:
		return r.await(ctx)
	}
	return r.awaitGuest(ctx)
}

// enter begins a phase, which has a timeout of its own.
func (r *patchRun) enter(phase patchPhase, text string) (step, string, error) {
	r.phase, r.waited = phase, 0
	return await, text, nil
}

// begin looks for a job that has not ended, and else whether the VM may be patched.
func (r *patchRun) begin(ctx context.Context) (step, string, error) {
	all, err := r.jobs(ctx)
	if err != nil {
		return broken, "", err
	}
	if job := r.current(all); job != nil {
		r.job = job.Name
		return r.enter(inJob, "waiting for "+r.named()+", which has begun before")
	}
	m, err := r.read(ctx)
	switch {
	case err != nil:
		return broken, "", err
	case m.DeletionTimestamp != nil:
		return nothing, "being deleted, so it is not patched", nil
	case m.isPaused():
		return r.skip(ctx, "it is paused")
	case m.instance == nil:
		return r.skip(ctx, "it does not run")
	case !m.isReady():
		return r.skip(ctx, "it is not ready: "+m.trouble())
	case r.Snapshot:
		return r.enter(inSnapshot, "ready, so a snapshot is taken first")
	}
	return r.enter(inJob, "ready")
}

// skip leaves the VM alone until the next run.
func (r *patchRun) skip(ctx context.Context, why string) (step, string, error) {
	text := "not patched: " + why
	r.tell(ctx, warning, "PatchSkipped", text)
	return nothing, text, nil
}

// beforePatch is the content for which the snapshot before a patch is taken.
const beforePatch = "patch"

// takeSnapshot takes the next step for the snapshot.
func (r *patchRun) takeSnapshot(ctx context.Context) (step, string, error) {
	next, text, err := r.taker.step(ctx, &Snapshot{Machine: r.Machine, Content: beforePatch})
	switch {
	case err != nil || next == await || next == take:
		return next, text, err
	case next == taken:
		return r.enter(inJob, text)
	}
	return broken, text + "; nothing was changed", nil
}

// await creates the job unless it exists, and waits for its end.
func (r *patchRun) await(ctx context.Context) (step, string, error) {
	all, err := r.jobs(ctx)
	if err != nil {
		return broken, "", err
	}
	job := r.current(all)
	switch {
	case job == nil && r.job != "":
		return broken, r.named() + " was deleted before its end", nil
	case job == nil:
		return take, "starting Ansible", r.cluster.create(ctx, r.resource, r.Namespace, r.object())
	}
	r.job = job.Name
	switch ended, failure := job.end(); {
	case failure != "":
		return broken, r.named() + " has failed: " + failure, nil
	case !ended:
		return await, "waiting for " + r.named(), nil
	}
	return r.enter(afterJob, r.named()+" has succeeded")
}

// awaitGuest waits until the VM is ready, which the job may have restarted.
func (r *patchRun) awaitGuest(ctx context.Context) (step, string, error) {
	m, err := r.read(ctx)
	switch {
	case err != nil:
		return broken, "", err
	case m.isRestarting() || !m.isReady():
		return await, "patched, but not ready: " + m.trouble(), nil
	}
	r.tell(ctx, normal, "Patched", r.named()+" has succeeded")
	return taken, "patched and ready", nil
}

func (r *patchRun) read(ctx context.Context) (*machine, error) {
	vmi, err := get[kubevirtv1.VirtualMachineInstance](ctx, r.cluster, instances, r.Namespace, r.Machine)
	return &machine{VirtualMachine: r.vm, instance: vmi, pet: true}, err
}

func (r *patchRun) named() string { return r.Job.GetKind() + " " + r.job }

// object returns the job of this run. It belongs to the Job of the run, so that Kubernetes deletes both together.
func (r *patchRun) object() *unstructured.Unstructured {
	job := r.Job.DeepCopy()
	job.SetNamespace(r.Namespace)
	own := map[string]string{labels.PatchOf: r.Machine, labels.PatchRun: r.Run.UID}
	for key, value := range job.GetLabels() {
		if _, ok := own[key]; !ok {
			own[key] = value
		}
	}
	job.SetLabels(own)
	if r.Run.Name != "" {
		job.SetOwnerReferences([]metav1.OwnerReference{{
			APIVersion: "batch/v1", Kind: "Job", Name: r.Run.Name, UID: types.UID(r.Run.UID),
		}})
	}
	return job
}

// jobs returns the jobs that patch the VM.
func (r *patchRun) jobs(ctx context.Context) ([]patchJob, error) {
	return list[patchJob](ctx, r.cluster, r.resource, r.Namespace, labels.PatchOf+"="+r.Machine)
}

// current returns the job that the run waits for: the one it knows, its own, or one that has not ended; nil if there is
// none.
func (r *patchRun) current(all []patchJob) *patchJob {
	for _, is := range []func(patchJob) bool{
		func(job patchJob) bool { return job.Name == r.job },
		func(job patchJob) bool { return r.job == "" && job.Labels[labels.PatchRun] == r.Run.UID },
		func(job patchJob) bool { ended, _ := job.end(); return r.job == "" && !ended },
	} {
		if i := slices.IndexFunc(all, is); i >= 0 {
			return &all[i]
		}
	}
	return nil
}

// tell creates an Event about the VM. If that fails, the run continues.
func (r *patchRun) tell(ctx context.Context, kind, reason, text string) {
	if r.vm == nil {
		return
	}
	if err := r.cluster.record(ctx, &r.Options, r.vm, kind, reason, text); err != nil && ctx.Err() == nil {
		r.say("Events", "not recorded: "+err.Error())
	}
}
