package render

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/flux"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// jobKind is a Job of vmrender's own image that serves all VMs of a namespace.
type jobKind struct {
	command string // of vmrender
	suffix  string // of the objects' names
	timeout string
	access  lifecycle.Part
	job     lifecycle.Part
	rules   func(name string, of *job) []rbacv1.PolicyRule // for the ServiceAccount with the name
}

var (
	rolloutKind = jobKind{
		command: "rollout", suffix: "rollout", timeout: "15m", access: lifecycle.RolloutAccess, job: lifecycle.RolloutJob,
		rules: rolloutRules,
	}
	snapshotKind = jobKind{
		command: "snapshot", suffix: "snapshot", timeout: "10m", access: lifecycle.SnapshotAccess, job: lifecycle.SnapshotJob,
		rules: snapshotRules,
	}
	restoreKind = jobKind{
		command: "restore", suffix: "restore", timeout: "1h", access: lifecycle.RestoreAccess, job: lifecycle.RestoreJob,
		rules: restoreRules,
	}
	windowKind = jobKind{
		command: "rollout", suffix: "window", timeout: "15m", access: lifecycle.WindowAccess, job: lifecycle.WindowJob,
		rules: windowRules,
	}
	scheduleKind = jobKind{
		command: "snapshot", suffix: "snapshot", timeout: "1h", access: lifecycle.ScheduleAccess, job: lifecycle.ScheduleJob,
		rules: scheduleRules,
	}
	powerKind = jobKind{
		command: "power", suffix: "power", timeout: "15m", access: lifecycle.PowerAccess, job: lifecycle.PowerJob,
		rules: powerRules,
	}
)

var patchKind = jobKind{
	command: "patch", suffix: "patch", timeout: "1h", access: lifecycle.PatchAccess, job: lifecycle.PatchJob,
	rules: patchRules,
}

// jobKey identifies a Job: one for each kind, namespace and part of a fleet, or a CronJob, of which there is one for
// each window, or for each schedule and number of snapshots, or one or two for the times of power.
type jobKey struct {
	kind            *jobKind
	namespace, part string
	window          window
	recurring       recurring
	power           power
	patched         string // name of the VM that Ansible patches on a schedule
}

// job collects the contents of a Job while VMs are rendered.
type job struct {
	target    values.Target
	args      []string
	snapshots []string             // VMs of which a snapshot is taken before a restart
	power     power                // when VMs are stopped and started
	ansible   schema.GroupResource // of the job that patches a VM
}

// jobs collects the Jobs that the VMs so far need. It is safe for concurrent use.
type jobs struct {
	mu   sync.Mutex
	byID map[jobKey]*job
	last int // the last wave of the VMs' objects, at least 0
}

// add adds a VM to the Jobs that it needs. content is the hash of its content,
// if a Job is to compare it.
func (j *jobs) add(m *machine.Machine, objects []runtime.Object, content string) {
	last := highestWave(objects)
	j.mu.Lock()
	defer j.mu.Unlock()
	j.last = max(j.last, last)
	if !m.Lifecycle.Hooks() {
		return
	}
	if m.Lifecycle.Strategy.Traits().Job && content != "" { // a held VM may have been without a Job
		of := j.of(&rolloutKind, m)
		of.args = append(of.args, m.Name+"="+content)
	}
	if m.Lifecycle.SnapshotBefore && content != "" {
		of := j.of(&snapshotKind, m)
		of.args = append(of.args, m.Name+"="+content)
	}
	if m.Lifecycle.Restores() {
		of := j.of(&restoreKind, m)
		of.args = append(of.args, m.Name+"="+m.Lifecycle.RestoreFrom.Argument())
	}
	if m.Lifecycle.Maintenance != nil {
		of := j.of(&windowKind, m)
		of.args = append(of.args, strings.Clone(m.Name))
		if m.Lifecycle.SnapshotBefore {
			of.snapshots = append(of.snapshots, strings.Clone(m.Name))
		}
	}
	if m.Lifecycle.Snapshots != nil {
		of := j.of(&scheduleKind, m)
		of.args = append(of.args, strings.Clone(m.Name))
	}
	if m.Lifecycle.Power != nil {
		of := j.of(&powerKind, m)
		of.args = append(of.args, strings.Clone(m.Name))
	}
}

// of returns the Job of a kind that serves the VM, and creates it if needed.
func (j *jobs) of(kind *jobKind, m *machine.Machine) *job {
	key := jobKey{kind: kind, namespace: m.Namespace, part: m.Part}
	switch kind {
	case &windowKind:
		key.window = windowOf(m.Lifecycle.Maintenance)
	case &scheduleKind:
		key.recurring = recurringOf(m.Lifecycle.Snapshots)
	case &powerKind:
		key.power = powerOf(m.Lifecycle.Power)
	}
	of, ok := j.byID[key]
	if !ok {
		if j.byID == nil {
			j.byID = map[jobKey]*job{}
		}
		key.namespace = strings.Clone(m.Namespace)
		of = &job{target: m.Target, power: key.power}
		j.byID[key] = of
	}
	return of
}

// highestWave returns the highest wave of objects that are neither hooks nor after all
// waves of VMs, at least 0.
func highestWave(objects []runtime.Object) int {
	last := 0
	for _, o := range objects {
		meta, ok := o.(metav1.Object)
		if !ok || meta.GetAnnotations()[argocd.HookAnnotation] != "" {
			continue
		}
		text, ok := waveAnnotation(meta.GetAnnotations())
		if !ok {
			continue // wave 0
		}
		if wave, err := strconv.Atoi(text); err == nil && wave < flux.LastWave {
			last = max(last, wave)
		}
	}
	return last
}

// objects returns the objects of all Jobs.
func (j *jobs) objects() map[jobKey][]runtime.Object {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make(map[jobKey][]runtime.Object, len(j.byID))
	for key, of := range j.byID {
		out[key] = key.objects(of, j.last)
	}
	return out
}

// program is the name of the container and of what runs in it.
const program = "vmrender"

func (k *jobKey) name() string {
	// The suffix is last, because the policies of the governance chart name accounts by it.
	switch k.kind {
	case &windowKind:
		return k.part + "-" + k.window.hash() + "-" + k.kind.suffix
	case &scheduleKind:
		return k.part + "-" + k.recurring.hash() + "-" + k.kind.suffix
	case &powerKind:
		return k.part + "-" + k.power.hash() + "-" + k.kind.suffix
	case &patchKind:
		return k.patched + "-" + k.kind.suffix
	}
	return k.part + "-" + k.kind.suffix
}

func (k *jobKey) meta(p lifecycle.Part, wave int, target values.Target) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: k.name(), Namespace: k.namespace,
		Labels:      map[string]string{labelApp: k.name(), labels.ManagedBy: labels.Manager},
		Annotations: p.Annotations(wave, target),
	}
}

// objects returns the Job, and the ServiceAccount, Role and RoleBinding that allow
// it what it does and nothing else. last is the last wave of all VMs.
func (k *jobKey) objects(of *job, last int) []runtime.Object {
	access := k.meta(k.kind.access, 0, of.target)
	return append(k.account(of, access), k.job(of, last)...)
}

// account returns the ServiceAccount, and the Role and RoleBinding with its rules.
func (k *jobKey) account(of *job, access metav1.ObjectMeta) []runtime.Object {
	return []runtime.Object{
		&corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: access},
		&rbacv1.Role{
			TypeMeta: metav1.TypeMeta{APIVersion: rbacGroup + "/v1", Kind: "Role"}, ObjectMeta: access,
			Rules: k.kind.rules(k.name(), of),
		},
		&rbacv1.RoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: rbacGroup + "/v1", Kind: "RoleBinding"}, ObjectMeta: access,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacGroup, Kind: "Role", Name: k.name()},
			Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: k.name(), Namespace: k.namespace}},
		},
	}
}

// job returns the Job, or the CronJobs of a window, of a schedule, or of times of power.
func (k *jobKey) job(of *job, last int) []runtime.Object {
	switch k.kind {
	case &windowKind:
		return []runtime.Object{k.ofWindow(of, last)}
	case &scheduleKind:
		return []runtime.Object{k.ofSchedule(of, last)}
	case &powerKind:
		return k.ofPower(of, last)
	}
	return []runtime.Object{k.once(of, last)}
}

const rbacGroup = "rbac.authorization.k8s.io"

// once returns the Job. If its pod fails, the status of the pod contains the end of the log,
// which Argo CD shows in the tree of the Application.
func (k *jobKey) once(of *job, last int) *batchv1.Job {
	args := []string{k.kind.command, "--namespace", k.namespace}
	if k.kind == &rolloutKind {
		args = append(args, "--id", k.part)
	}
	args = append(append(args, "--timeout", k.kind.timeout), slices.Sorted(slices.Values(of.args))...)
	if k.kind == &rolloutKind {
		return namedByContent(newJob(k.meta(k.kind.job, last, of.target), k.pod(of, args), program))
	}
	return newJob(k.meta(k.kind.job, 0, of.target), k.pod(of, args), program)
}

// pod returns the pod that runs the program with its arguments.
func (k *jobKey) pod(of *job, args []string) corev1.PodSpec {
	pod := confined(corev1.Container{
		Name: program, Image: of.target.Image, Command: []string{program}, Args: args, Resources: jobResources(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
	})
	pod.ServiceAccountName = k.name()
	return pod
}

// namedByContent adds a hash of the Job's spec to its name: Kubernetes does not allow
// to change the spec, and an equal Job must not run again.
//
// The Job has no deadline as a whole. Its steps have one each, and how many there are
// depends on the number of VMs. It has no TTL either: Argo CD would create it again.
func namedByContent(job *batchv1.Job) *batchv1.Job {
	text, err := json.Marshal(&job.Spec)
	if err != nil {
		panic(err) // the spec consists of plain fields only
	}
	job.Name += "-" + machine.Hash(string(text))
	return job
}

// jobResources returns resources that are enough for a few thousand VMs.
func jobResources() corev1.ResourceRequirements {
	return corev1.ResourceRequirements{
		Requests: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("20m"), corev1.ResourceMemory: resource.MustParse("64Mi"),
		},
		Limits: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("500m"), corev1.ResourceMemory: resource.MustParse("512Mi"),
		},
	}
}

// confined returns a pod that meets the "restricted" Pod Security Standard.
func confined(c corev1.Container) corev1.PodSpec {
	c.SecurityContext = &corev1.SecurityContext{
		AllowPrivilegeEscalation: new(false), ReadOnlyRootFilesystem: new(true),
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
	return corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever,
		Containers:    []corev1.Container{c},
		SecurityContext: &corev1.PodSecurityContext{
			RunAsNonRoot:   new(true),
			SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
		},
	}
}

// retries is the backoff limit for pods that end through no fault of the command.
const retries = 3

// newJob returns a Job that fails as soon as its command fails, but retries if the
// pod is lost, or the API server was unavailable (exit status 75): the next pod resumes
// the work.
func newJob(meta metav1.ObjectMeta, pod corev1.PodSpec, container string) *batchv1.Job {
	return &batchv1.Job{
		TypeMeta:   metav1.TypeMeta{APIVersion: "batch/v1", Kind: "Job"},
		ObjectMeta: meta,
		Spec: batchv1.JobSpec{
			BackoffLimit: new(int32(retries)),
			PodFailurePolicy: &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{
				{Action: batchv1.PodFailurePolicyActionIgnore, OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{
					{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue},
				}},
				{Action: batchv1.PodFailurePolicyActionFailJob, OnExitCodes: &batchv1.PodFailurePolicyOnExitCodesRequirement{
					ContainerName: new(container), Operator: batchv1.PodFailurePolicyOnExitCodesOpIn, Values: []int32{1, 2},
				}},
			}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: meta.Labels},
				Spec:       pod,
			},
		},
	}
}
