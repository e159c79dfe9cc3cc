package render

import (
	"slices"
	"strings"
	"sync"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// jobKind is a Job of vmrender's own image that serves all machines of a namespace.
type jobKind struct {
	command string // of vmrender, and suffix of the objects' names
	timeout string
	access  part
	job     part
	rules   []rbacv1.PolicyRule
}

var (
	rolloutKind = jobKind{
		command: "rollout", timeout: "15m", access: rolloutAccess, job: rolloutJob,
		rules: []rbacv1.PolicyRule{
			allow("kubevirt.io", []string{"virtualmachines", "virtualmachineinstances"}, "list", "watch"),
			allow("subresources.kubevirt.io", []string{"virtualmachines/restart"}, "update"),
			allow("cdi.kubevirt.io", []string{"datavolumes"}, "list", "watch", "delete"),
			allow("", []string{"events"}, "create"),
		},
	}
	snapshotKind = jobKind{
		command: "snapshot", timeout: "10m", access: snapshotAccess, job: snapshotJob,
		rules: []rbacv1.PolicyRule{
			allow("kubevirt.io", []string{"virtualmachines"}, "get"),
			allow("snapshot.kubevirt.io", []string{"virtualmachinesnapshots"}, "get", "create"),
		},
	}
)

// allow returns a rule of a Role. The rules above allow exactly what package
// rollout requests from the API server.
func allow(group string, resources []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{group}, Resources: resources, Verbs: verbs}
}

// jobKey identifies a Job: one for each kind, namespace and part of a fleet.
type jobKey struct {
	kind            *jobKind
	namespace, part string
}

// job collects the contents of a Job while machines are rendered.
type job struct {
	target values.Target
	args   []string
}

// jobs collects the Jobs that the machines so far need. It is safe for concurrent use.
type jobs struct {
	mu   sync.Mutex
	byID map[jobKey]*job
}

// add adds a machine to the Jobs that it needs. content is the hash of its content,
// if a snapshot is to be taken.
func (j *jobs) add(m *machine.Machine, content string) {
	if !m.Lifecycle.Hooks() {
		return
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if m.Lifecycle.Strategy.Traits().Job {
		j.of(&rolloutKind, m)
	}
	if m.Lifecycle.SnapshotBefore {
		of := j.of(&snapshotKind, m)
		of.args = append(of.args, m.Name+"="+m.Name+"-pre-"+content+"@"+content)
	}
}

// of returns the Job of a kind that serves the machine, and creates it if needed.
func (j *jobs) of(kind *jobKind, m *machine.Machine) *job {
	key := jobKey{kind, m.Namespace, m.Part}
	of, ok := j.byID[key]
	if !ok {
		if j.byID == nil {
			j.byID = map[jobKey]*job{}
		}
		key.namespace = strings.Clone(m.Namespace)
		of = &job{target: m.Target}
		j.byID[key] = of
	}
	return of
}

// objects returns the objects of all Jobs.
func (j *jobs) objects() map[jobKey][]runtime.Object {
	j.mu.Lock()
	defer j.mu.Unlock()
	out := make(map[jobKey][]runtime.Object, len(j.byID))
	for key, of := range j.byID {
		out[key] = key.objects(of)
	}
	return out
}

func (k *jobKey) name() string { return k.part + "-" + k.kind.command }

func (k *jobKey) meta(p part, target values.Target) metav1.ObjectMeta {
	return metav1.ObjectMeta{
		Name: k.name(), Namespace: k.namespace,
		Labels:      map[string]string{labelApp: k.name(), labelManagedBy: manager},
		Annotations: syncRules[p].annotations(0, target),
	}
}

// objects returns the Job, and the ServiceAccount, Role and RoleBinding that allow
// it what it does and nothing else.
func (k *jobKey) objects(of *job) []runtime.Object {
	access := k.meta(k.kind.access, of.target)
	return []runtime.Object{
		&corev1.ServiceAccount{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ServiceAccount"}, ObjectMeta: access},
		&rbacv1.Role{
			TypeMeta: metav1.TypeMeta{APIVersion: rbacGroup + "/v1", Kind: "Role"}, ObjectMeta: access,
			Rules: k.kind.rules,
		},
		&rbacv1.RoleBinding{
			TypeMeta: metav1.TypeMeta{APIVersion: rbacGroup + "/v1", Kind: "RoleBinding"}, ObjectMeta: access,
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacGroup, Kind: "Role", Name: k.name()},
			Subjects: []rbacv1.Subject{{Kind: "ServiceAccount", Name: k.name(), Namespace: k.namespace}},
		},
		k.job(of),
	}
}

const rbacGroup = "rbac.authorization.k8s.io"

func (k *jobKey) job(of *job) *batchv1.Job {
	args := []string{k.kind.command, "--namespace", k.namespace}
	if k.kind == &rolloutKind {
		args = append(args, "--id", k.part)
	}
	args = append(append(args, "--timeout", k.kind.timeout), slices.Sorted(slices.Values(of.args))...)
	image := of.target.Image
	if image == "" {
		image = values.DefaultImage
	}
	pod := confined(corev1.Container{
		Name: manager, Image: image, Command: []string{manager}, Args: args, Resources: jobResources(),
	})
	pod.ServiceAccountName = k.name()
	return newJob(k.meta(k.kind.job, of.target), pod, manager)
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
// pod is lost: the next pod resumes the work.
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
