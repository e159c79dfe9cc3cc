package render

import (
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/schedule"
)

// window is what the VMs of a CronJob have in common. It is comparable.
type window struct {
	text, most string
	byWave     bool
	schedule.Window
}

func windowOf(m *machine.Maintenance) window {
	return window{strings.Clone(m.Text), m.MaxUnavailable.String(), m.ByWave, m.Window}
}

// hash tells the CronJobs of a part of a fleet apart.
func (w *window) hash() string { return machine.Hash(w.text, w.most, w.order()) }

func (w *window) order() string {
	if w.byWave {
		return "dependsOn"
	}
	return "name"
}

// ofWindow returns the CronJob of a window. A start that the cluster misses is made up for as long as the window lasts,
// and the program itself begins no restart after its end.
func (k *jobKey) ofWindow(of *job, last int) *batchv1.CronJob {
	args := make([]string, 0, 16+2*len(of.snapshots)+len(of.args))
	args = append(args,
		k.kind.command, "--pets", "--namespace", k.namespace, "--id", k.name(), "--window", k.window.text,
		"--job", "$("+jobVariable+")", "--max-unavailable", k.window.most, "--order", k.window.order(),
		"--timeout", k.kind.timeout)
	for _, name := range slices.Sorted(slices.Values(of.snapshots)) {
		args = append(args, "--snapshot", name)
	}
	args = append(args, slices.Sorted(slices.Values(of.args))...)
	cronJob := k.cronJob(of, last, args, batchv1.CronJobSpec{
		Schedule: k.window.Cron(), TimeZone: new(k.window.Zone),
		StartingDeadlineSeconds: new(int64(k.window.Length().Seconds())),
	})
	container := &cronJob.Spec.JobTemplate.Spec.Template.Spec.Containers[0]
	container.Env = []corev1.EnvVar{fromLabel(jobVariable, batchv1.JobNameLabel)}
	return cronJob
}

// fromLabel returns an environment variable with the value of a label of the pod.
func fromLabel(name, label string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.labels['" + label + "']"},
	}}
}

// jobVariable is the environment variable with the name of the Job that a pod belongs to: the program tells by it
// whether the schedule has created the Job, or a user.
const jobVariable = "JOB_NAME"

// cronJob returns a CronJob that runs the program with its arguments, at the times of a spec, one run at a time.
func (k *jobKey) cronJob(of *job, last int, args []string, at batchv1.CronJobSpec) *batchv1.CronJob {
	meta := k.meta(k.kind.job, last, of.target)
	run := newJob(metav1.ObjectMeta{Labels: meta.Labels}, k.pod(of, args), program)
	return &batchv1.CronJob{
		TypeMeta: metav1.TypeMeta{APIVersion: "batch/v1", Kind: "CronJob"}, ObjectMeta: meta,
		Spec: batchv1.CronJobSpec{
			Schedule: at.Schedule, TimeZone: at.TimeZone, StartingDeadlineSeconds: at.StartingDeadlineSeconds,
			ConcurrencyPolicy:          batchv1.ForbidConcurrent,
			SuccessfulJobsHistoryLimit: new(int32(1)), FailedJobsHistoryLimit: new(int32(3)),
			JobTemplate: batchv1.JobTemplateSpec{ObjectMeta: run.ObjectMeta, Spec: run.Spec},
		},
	}
}
