package render

import (
	"testing"

	"github.com/stretchr/testify/require"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"
	poolv1 "kubevirt.io/api/pool/v1beta1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// The name of a blue-green VM changes only with the content of the VM or its Secret.
func TestRevisionName(t *testing.T) {
	name := func(change func(*machine.Machine)) string {
		m := blueGreenMachine(t)
		change(m)
		return find[*kubevirtv1.VirtualMachine](t, render(t, m)).Name
	}
	base := name(func(*machine.Machine) {})
	require.Regexp(t, `^web01-[0-9a-f]{8}$`, base)
	for what, change := range map[string]func(*machine.Machine){
		"wave":       func(m *machine.Machine) { m.Wave = 5 },
		"service":    func(m *machine.Machine) { m.Services[0].Ports[0].Port = 81 },
		"annotation": func(m *machine.Machine) { m.Annotations = map[string]string{"a": "b"} },
	} {
		require.Equal(t, base, name(change), what)
	}
	for what, change := range map[string]func(*machine.Machine){
		"memory":    func(m *machine.Machine) { m.Memory.Guest = "4Gi" },
		"image":     func(m *machine.Machine) { m.Disks[0].Source.DataSource = "x/y" },
		"user data": func(m *machine.Machine) { m.CloudInit.Packages = nil },
		"overrides": func(m *machine.Machine) {
			m.Overrides = append(m.Overrides,
				tree(t, "vms.yaml", "{spec: {template: {spec: {domain: {ioThreadsPolicy: auto}}}}}"))
		},
	} {
		require.NotEqual(t, base, name(change), what)
	}
}

// Services select both the old revision and the new one.
func TestServicesOfRevisions(t *testing.T) {
	objects := render(t, blueGreenMachine(t))
	vm, service := find[*kubevirtv1.VirtualMachine](t, objects), find[*corev1.Service](t, objects)
	require.Equal(t, "web01-http", service.Name)
	require.Equal(t, service.Spec.Selector[labelDomain], vm.Spec.Template.ObjectMeta.Labels[labelDomain])
}

func TestPoolVersions(t *testing.T) {
	pool := func(kubevirt string) *poolv1.VirtualMachinePool {
		m := poolMachine(t)
		m.Target.KubeVirt = kubevirt
		return find[*poolv1.VirtualMachinePool](t, render(t, m))
	}
	require.Equal(t, "pool.kubevirt.io/v1alpha1", pool("1.6").APIVersion)
	require.Nil(t, pool("1.6").Spec.UpdateStrategy, "it came with 1.7")
	require.Equal(t, "pool.kubevirt.io/v1beta1", pool("1.7").APIVersion)
	require.NotNil(t, pool("").Spec.UpdateStrategy.Proactive)
	p := pool("")
	require.Equal(t, p.Spec.Selector.MatchLabels[labels.Pool],
		p.Spec.VirtualMachineTemplate.ObjectMeta.Labels[labels.Pool])
	require.NotContains(t, p.Spec.VirtualMachineTemplate.ObjectMeta.Annotations, argocd.SyncWaveAnnotation)
}

// The hash in the name of a snapshot changes with everything that is rendered for the VM.
// It is also an annotation of the VirtualMachine.
func TestContent(t *testing.T) {
	content := func(change func(*machine.Machine)) string {
		m := ansibleMachine(t)
		change(m)
		objects, content, _ := new(renderer).render(m, nil)
		require.Equal(t, content, find[*kubevirtv1.VirtualMachine](t, objects).Annotations[labels.Content])
		return content
	}
	base := content(func(*machine.Machine) {})
	require.Regexp(t, `^[0-9a-f]{8}$`, base)
	require.Equal(t, base, content(func(*machine.Machine) {}))
	require.NotEqual(t, base, content(func(m *machine.Machine) { m.Memory.Guest = "4Gi" }))
	require.NotEqual(t, base, content(func(m *machine.Machine) { m.Disks[0].ExpandTo = "40Gi" }))
}

// The spec that a rollout compares is written as it was encoded for its hash, in the bytes that the VM has otherwise.
func TestEncodedSpec(t *testing.T) {
	m := linuxMachine(t)
	m.Lifecycle = rolloutLifecycle()
	objects, _, spec := new(renderer).render(m, new(source.Diagnostics))
	require.NotEmpty(t, spec)
	got, err := NewCollector().encode(objects, spec)
	require.NoError(t, err)
	want, err := NewCollector().encode(objects, nil)
	require.NoError(t, err)
	require.Equal(t, string(*want), string(*got))
}

// An Ansible job runs again when the VM or the job has changed, because its name changes,
// too.
func TestAnsibleNames(t *testing.T) {
	name := func(change func(*machine.Machine)) string {
		m := ansibleMachine(t)
		change(m)
		return find[*AnsibleJob](t, render(t, m)).Name
	}
	base := name(func(*machine.Machine) {})
	require.Equal(t, base, name(func(*machine.Machine) {}))
	require.NotEqual(t, base, name(func(m *machine.Machine) { m.CPU.Sockets = 2 }))
	require.NotEqual(t, base, name(func(m *machine.Machine) { m.Lifecycle.Ansible.ExtraVars["reboot"] = false }))
	require.NotEqual(t, base, name(func(m *machine.Machine) { m.Lifecycle.Ansible.Template = "other" }))
}

// The name of a Job depends on its pod, which cannot be changed, and on the variables.
func TestPlaybookNames(t *testing.T) {
	name := func(change func(*machine.Machine)) string {
		m := playbookMachine(t)
		change(m)
		objects := render(t, m)
		job := find[*batchv1.Job](t, objects)
		require.Equal(t, find[*corev1.Secret](t, objects).Name, job.Name)
		return job.Name
	}
	base := name(func(*machine.Machine) {})
	require.Equal(t, base, name(func(m *machine.Machine) { m.Wave = 0 }))
	for what, change := range map[string]func(*machine.Machine){
		"memory":    func(m *machine.Machine) { m.Memory.Guest = "4Gi" },
		"variables": func(m *machine.Machine) { m.Lifecycle.Ansible.ExtraVars["motd"] = "other" },
		"image":     func(m *machine.Machine) { m.Lifecycle.Ansible.Image = "other" },
		"playbook":  func(m *machine.Machine) { m.Lifecycle.Ansible.Playbook = "other" },
		"secret":    func(m *machine.Machine) { m.Lifecycle.Ansible.Secret = "" },
		"labels":    func(m *machine.Machine) { m.Labels = map[string]string{"a": "b"} },
	} {
		require.NotEqual(t, base, name(change), what)
	}
}

// The job comes after all waves and is not a hook, so Argo CD does not wait for it.
func TestAnsibleHoldsNoSync(t *testing.T) {
	m := ansibleMachine(t)
	m.Wave = 7
	require.Equal(t, map[string]string{argocd.SyncWaveAnnotation: "2000000"},
		find[*AnsibleJob](t, render(t, m)).Annotations)
}

func TestAnsibleJobCopies(t *testing.T) {
	job := find[*AnsibleJob](t, render(t, ansibleMachine(t)))
	var o runtime.Object = job
	require.Equal(t, o, o.DeepCopyObject())
	o.DeepCopyObject().(metav1.Object).GetAnnotations()[argocd.SyncWaveAnnotation] = "changed"
	require.Equal(t, "2000000", job.Annotations[argocd.SyncWaveAnnotation])
}

// Annotations that delete a VM in every sync are rejected.
func TestByHand(t *testing.T) {
	annotated := func(key, value string) *machine.Machine {
		m := linuxMachine(t)
		m.Annotations = map[string]string{key: value}
		return m
	}
	replaced := annotated(argocd.SyncOptionsAnnotation, "Replace=true, Force=true")
	replaced.Lifecycle = machine.Lifecycle{Strategy: values.Replace}
	require.Empty(t, problems(t, replaced))
	require.Empty(t, problems(t, annotated(argocd.SyncOptionsAnnotation, "Prune=false,Replace=false")))
	require.Len(t, problems(t, annotated(argocd.SyncOptionsAnnotation, "Replace=true, Force=true")), 2)
	require.Len(t, problems(t, annotated(argocd.HookAnnotation, "Sync")), 1)

	overridden := linuxMachine(t)
	overridden.Overrides = append(overridden.Overrides,
		tree(t, "vms.yaml", "metadata: {annotations: {"+argocd.SyncOptionsAnnotation+": Force=true}}\n"))
	got := problems(t, overridden)
	require.Len(t, got, 1)
	require.Contains(t, got[0], "vms.yaml:1:59: vms.web01.overrides: "+
		`metadata.annotations["argocd.argoproj.io/sync-options"]: Force=true deletes`)
}
