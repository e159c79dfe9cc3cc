package render

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/rule"
)

// AnsibleJob runs a job template of Ansible Automation Platform, once
// (ansible/awx-resource-operator, config/crd/bases/tower.ansible.com_ansiblejobs.yaml).
type AnsibleJob struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              AnsibleJobSpec `json:"spec"`
}

// AnsibleJobSpec names the job template that an AnsibleJob runs, and its variables.
type AnsibleJobSpec struct {
	ConnectionSecret string         `json:"connection_secret"` // has host and token
	JobTemplateName  string         `json:"job_template_name"`
	ExtraVars        map[string]any `json:"extra_vars,omitempty"`
}

// DeepCopyObject returns a copy that shares the variables, which are never changed.
func (j *AnsibleJob) DeepCopyObject() runtime.Object {
	out := *j
	j.DeepCopyInto(&out.ObjectMeta)
	return &out
}

// appendAnsible appends the job that runs after the VM has changed. Its name contains
// a hash of the VM's content and its own: a change makes another job, and Argo CD
// deletes the one before, so that content that returns runs again.
func (x *rendering) appendAnsible(objects []runtime.Object) []runtime.Object {
	a := x.Lifecycle.Ansible
	if a == nil {
		return objects
	}
	vars := maps.Clone(a.ExtraVars)
	if vars == nil {
		vars = map[string]any{}
	}
	vars["vm_name"], vars["vm_namespace"] = x.Name, x.Namespace
	if a.Image != "" {
		return x.appendPlaybook(objects, vars)
	}
	spec := AnsibleJobSpec{ConnectionSecret: a.Secret, JobTemplateName: a.Template, ExtraVars: vars}
	return append(objects, &AnsibleJob{
		TypeMeta:   metav1.TypeMeta{APIVersion: "tower.ansible.com/v1alpha1", Kind: "AnsibleJob"},
		ObjectMeta: x.ansibleMeta(x.contentOf(objects), x.content(spec)),
		Spec:       spec,
	})
}

// ansibleMeta returns the metadata of a job for the hashes of the VM and of the job.
func (x *rendering) ansibleMeta(content ...string) metav1.ObjectMeta {
	name := x.Name + "-ansible-" + machine.Hash(content...)
	return x.objectMeta(name, lifecycle.AnsibleJob.Annotations(0, x.Target))
}

// The directories of ansible-runner (docs "Runner Input Directory Hierarchy"), and one
// next to them with the variables: env/extravars belongs to the user's Secret.
const (
	runnerDir       = "/runner"
	runnerArtifacts = runnerDir + "/artifacts"
	runnerEnv       = runnerDir + "/env"
	runnerVars      = runnerDir + "/vmrender"
	varsFile        = "extravars.json"
)

// appendPlaybook appends a Job that runs a playbook of an image, and the Secret with
// its variables, which many more people may read in the arguments of a Job. The hash
// covers the whole Job, because its pod cannot be changed.
func (x *rendering) appendPlaybook(objects []runtime.Object, vars map[string]any) []runtime.Object {
	text, err := manifest.Encode(nil, vars)
	if err != nil {
		x.diags.Errorf(x.Pos, rule.Encode, x.path("lifecycle.ansible.extraVars"), "the variables cannot be written: %s", err)
	}
	job := newJob(metav1.ObjectMeta{Labels: x.owned}, x.playbookPod(), "ansible")
	meta := x.ansibleMeta(x.contentOf(objects), x.content(job.Spec), string(text))
	job.ObjectMeta = meta
	job.Spec.Template.Spec.Volumes = append(job.Spec.Template.Spec.Volumes, secretVolume("vars", meta.Name))
	return append(objects, &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: meta,
		StringData: map[string]string{varsFile: string(text)},
	}, job)
}

// playbookPod returns a pod that runs a playbook of an image with ansible-runner. The
// volume with the variables is missing: it is named after the pod's content.
func (x *rendering) playbookPod() corev1.PodSpec {
	a := x.Lifecycle.Ansible
	c := corev1.Container{
		Name: "ansible", Image: a.Image,
		Command: []string{"ansible-runner"},
		Args: []string{
			"run", runnerDir, "--playbook", a.Playbook, "--cmdline", "--extra-vars @" + runnerVars + "/" + varsFile,
		},
		Env: []corev1.EnvVar{{Name: "HOME", Value: "/tmp"}},
		VolumeMounts: []corev1.VolumeMount{
			{Name: "artifacts", MountPath: runnerArtifacts},
			{Name: "tmp", MountPath: "/tmp"},
			{Name: "vars", MountPath: runnerVars, ReadOnly: true},
		},
		Resources: jobResources(),
	}
	volumes := []corev1.Volume{emptyDir("artifacts"), emptyDir("tmp")}
	if a.Secret != "" {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "env", MountPath: runnerEnv, ReadOnly: true})
		volumes = append(volumes, secretVolume("env", a.Secret))
	}
	pod := confined(c)
	pod.Volumes = volumes
	pod.AutomountServiceAccountToken = new(false)
	return pod
}

func secretVolume(name, secret string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: secret},
	}}
}

func emptyDir(name string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}
