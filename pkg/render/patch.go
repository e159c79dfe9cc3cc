package render

import (
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/pkg/lifecycle"
)

// Where the CronJob finds the job that it creates.
const (
	patchDir  = "/run/patch"
	patchFile = "job.json"
)

// appendPatch appends the CronJob that runs Ansible on a schedule, with what it needs: permissions, and a ConfigMap
// with the job, which is the last object so far.
func (x *rendering) appendPatch(objects []runtime.Object) []runtime.Object {
	if !x.Lifecycle.Patches() {
		return objects
	}
	manifest, resource := x.patchJob(objects[len(objects)-1])
	k := jobKey{kind: &patchKind, namespace: x.Namespace, patched: x.Name}
	of := &job{target: x.Target, args: []string{x.Name}, ansible: resource}
	command := []string{
		k.kind.command, x.Name, patchDir + "/" + patchFile, "--namespace", x.Namespace,
		"--job", "$(" + jobVariable + ")", "--job-uid", "$(" + uidVariable + ")", "--timeout", k.kind.timeout,
	}
	if x.Lifecycle.SnapshotBefore {
		of.snapshots = of.args
		command = append(command, "--snapshot")
	}
	times := &x.Lifecycle.Ansible.Schedule.Times
	cronJob := k.cronJob(of, 0, command, batchv1.CronJobSpec{
		Schedule: times.Cron(), TimeZone: new(strings.Clone(times.Zone)),
		StartingDeadlineSeconds: new(int64(latest.Seconds())),
	})
	pod := &cronJob.Spec.JobTemplate.Spec.Template.Spec
	pod.Containers[0].Env = []corev1.EnvVar{
		fromLabel(jobVariable, batchv1.JobNameLabel), fromLabel(uidVariable, batchv1.ControllerUidLabel),
	}
	pod.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "job", MountPath: patchDir, ReadOnly: true}}
	pod.Volumes = []corev1.Volume{{Name: "job", VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: k.name()}},
	}}}
	objects = append(objects, k.account(of, k.meta(lifecycle.PatchAccess, 0, x.Target))...)
	return append(objects, &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: k.meta(lifecycle.PatchJob, 0, x.Target),
		Data:       map[string]string{patchFile: string(x.encoded(manifest))},
	}, cronJob)
}

// uidVariable is the environment variable with the UID of the Job that a pod belongs to, which owns what it creates.
const uidVariable = "JOB_UID"

// patchJob returns the job that runs after a change as one that runs on a schedule, and its resource. It has no name of
// its own and nothing for Argo CD, which does not see it.
func (x *rendering) patchJob(after runtime.Object) (runtime.Object, schema.GroupResource) {
	meta := metav1.ObjectMeta{GenerateName: x.Name + "-patch-", Labels: x.owned}
	if job, ok := after.(*batchv1.Job); ok {
		return &batchv1.Job{TypeMeta: job.TypeMeta, ObjectMeta: meta, Spec: job.Spec},
			schema.GroupResource{Group: batchv1.GroupName, Resource: "jobs"}
	}
	job := after.(*AnsibleJob)
	return &AnsibleJob{TypeMeta: job.TypeMeta, ObjectMeta: meta, Spec: job.Spec},
		schema.GroupResource{Group: "tower.ansible.com", Resource: "ansiblejobs"}
}
