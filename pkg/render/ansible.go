package render

import (
	"maps"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

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

// appendAnsible appends the job that runs after the VM has changed. Its name
// contains a hash of the VM's content and its own, so it runs once for each.
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
	hash := machine.Hash(x.contentOf(objects), x.content(vars), a.Template, a.Image, a.Playbook, a.Secret)
	meta := x.objectMeta(x.Name+"-ansible-"+hash, x.syncAnnotations(ansibleJob))
	if a.Image != "" {
		return append(objects, newJob(meta, x.playbookPod(a, vars), "ansible"))
	}
	return append(objects, &AnsibleJob{
		TypeMeta:   metav1.TypeMeta{APIVersion: "tower.ansible.com/v1alpha1", Kind: "AnsibleJob"},
		ObjectMeta: meta,
		Spec:       AnsibleJobSpec{ConnectionSecret: a.Secret, JobTemplateName: a.Template, ExtraVars: vars},
	})
}

// The directories of ansible-runner (docs "Runner Input Directory Hierarchy").
const (
	runnerDir       = "/runner"
	runnerArtifacts = runnerDir + "/artifacts"
	runnerEnv       = runnerDir + "/env"
)

// playbookPod returns a pod that runs a playbook of an image with ansible-runner.
func (x *rendering) playbookPod(a *machine.Ansible, vars map[string]any) corev1.PodSpec {
	text, err := manifest.Encode(nil, vars)
	if err != nil {
		x.diags.Errorf(x.Pos, rule.Encode, x.path("lifecycle.ansible.extraVars"), "the variables cannot be written: %s", err)
	}
	c := corev1.Container{
		Name: "ansible", Image: a.Image,
		Command: []string{"ansible-runner"},
		Args:    []string{"run", runnerDir, "--playbook", a.Playbook, "--cmdline", "--extra-vars " + shellWord(string(text))},
		Env:     []corev1.EnvVar{{Name: "HOME", Value: "/tmp"}},
		VolumeMounts: []corev1.VolumeMount{
			{Name: "artifacts", MountPath: runnerArtifacts}, {Name: "tmp", MountPath: "/tmp"},
		},
		Resources: jobResources(),
	}
	volumes := []corev1.Volume{emptyDir("artifacts"), emptyDir("tmp")}
	if a.Secret != "" {
		c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: "env", MountPath: runnerEnv, ReadOnly: true})
		volumes = append(volumes, corev1.Volume{Name: "env", VolumeSource: corev1.VolumeSource{
			Secret: &corev1.SecretVolumeSource{SecretName: a.Secret},
		}})
	}
	pod := confined(c)
	pod.Volumes = volumes
	pod.AutomountServiceAccountToken = new(false)
	return pod
}

func emptyDir(name string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}

// shellWord quotes text for ansible-runner, which splits its command line as a shell does.
func shellWord(text string) string { return "'" + strings.ReplaceAll(text, "'", `'"'"'`) + "'" }
