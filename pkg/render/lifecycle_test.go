package render

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

func TestVMAnnotations(t *testing.T) {
	tests := map[string]struct {
		write func(*machine.Machine)
		want  map[string]string
	}{
		"pet": {
			write: func(*machine.Machine) {},
			want: map[string]string{
				argocd.SyncWaveAnnotation:    "0",
				argocd.SyncOptionsAnnotation: "Prune=false,Delete=confirm",
				labels.Lifecycle:             "pet", labels.OnChange: "in-place",
			},
		},
		"pet, where Argo CD cannot ask": {
			write: func(m *machine.Machine) { m.Target.ArgoCD = "2.13" },
			want: map[string]string{
				argocd.SyncWaveAnnotation:    "0",
				argocd.SyncOptionsAnnotation: "Prune=false,Delete=false",
				labels.Lifecycle:             "pet", labels.OnChange: "in-place",
			},
		},
		"pet, where Argo CD can ask": {
			write: func(m *machine.Machine) { m.Target.ArgoCD, m.Wave = "2.14", -1 },
			want: map[string]string{
				argocd.SyncWaveAnnotation: "-1", argocd.SyncOptionsAnnotation: "Prune=false,Delete=confirm",
				labels.Lifecycle: "pet", labels.OnChange: "in-place",
			},
		},
		"cattle": {
			write: func(m *machine.Machine) { m.Lifecycle = rolloutLifecycle() },
			want: map[string]string{
				argocd.SyncWaveAnnotation: "0",
				labels.Lifecycle:          "cattle", labels.OnChange: "recreate",
				labels.MaxUnavailable: "25%", labels.KeepOld: "1",
			},
		},
		"a replica with a deadline": {
			write: func(m *machine.Machine) {
				m.Lifecycle, m.Entry = rolloutLifecycle(), "web"
				m.Lifecycle.ProgressDeadlineSeconds = 60
			},
			want: map[string]string{
				argocd.SyncWaveAnnotation: "0",
				labels.Lifecycle:          "cattle", labels.OnChange: "recreate",
				labels.MaxUnavailable: "25%", labels.KeepOld: "1", labels.Entry: "web", labels.ProgressDeadline: "60",
			},
		},
		"blue-green cattle": {
			write: func(m *machine.Machine) { m.Lifecycle = machine.Lifecycle{Strategy: values.BlueGreen} },
			want: map[string]string{
				argocd.SyncWaveAnnotation:    "0",
				argocd.SyncOptionsAnnotation: "PruneLast=true",
				labels.Lifecycle:             "cattle", labels.OnChange: "recreate", labels.Strategy: "blue-green",
			},
		},
		"replaced cattle": {
			write: func(m *machine.Machine) { m.Lifecycle = machine.Lifecycle{Strategy: "replace"} },
			want: map[string]string{
				argocd.SyncWaveAnnotation:    "0",
				argocd.SyncOptionsAnnotation: "Force=true,Replace=true",
				labels.Lifecycle:             "cattle", labels.OnChange: "recreate",
			},
		},
		"annotations of the user are merged, sync options by name": {
			write: func(m *machine.Machine) {
				m.Annotations = map[string]string{
					argocd.SyncOptionsAnnotation: " ServerSideApply=true, Delete=false", "a": "b",
				}
			},
			want: map[string]string{
				argocd.SyncWaveAnnotation:    "0",
				argocd.SyncOptionsAnnotation: "Prune=false,Delete=false,ServerSideApply=true",
				labels.Lifecycle:             "pet", labels.OnChange: "in-place", "a": "b",
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			m := linuxMachine(t)
			test.write(m)
			annotations := find[*kubevirtv1.VirtualMachine](t, render(t, m)).Annotations
			require.Equal(t, m.Lifecycle.Strategy == values.Rollout, annotations[labels.Content] != "")
			delete(annotations, labels.Content)
			require.Equal(t, test.want, annotations)
		})
	}
}

// The wave and what a change does are on the objects whatever an override leaves.
func TestAnnotationsOfNoOverride(t *testing.T) {
	m := linuxMachine(t)
	m.Lifecycle.Unprotected = true
	m.Overrides = []*source.Node{tree(t, "vms.yaml", "{metadata: {annotations: {argocd.argoproj.io/sync-wave: null}}}\n")}
	vm := find[*kubevirtv1.VirtualMachine](t, render(t, m))
	require.Equal(t, "0", vm.Annotations[argocd.SyncWaveAnnotation])
	require.Equal(t, labels.InPlace, vm.Annotations[labels.OnChange])
}

// What says what a VM is anyway changes no hash, so that it causes no snapshot and no Ansible job.
func TestAnnounceChangesNoHash(t *testing.T) {
	m := linuxMachine(t)
	m.Lifecycle.SnapshotBefore = true
	x := rendering{Machine: m, base: m.Name, diags: new(source.Diagnostics), shared: new(renderer)}
	objects, content, _ := new(renderer).render(m, x.diags)
	vm := find[*kubevirtv1.VirtualMachine](t, objects)
	require.Equal(t, content, vm.Annotations[labels.Content])
	for _, o := range objects {
		meta := o.(metav1.Object)
		own := maps.Clone(meta.GetAnnotations())
		for _, key := range []string{argocd.SyncWaveAnnotation, labels.OnChange, labels.Content} {
			delete(own, key)
		}
		meta.SetAnnotations(own)
	}
	require.Equal(t, content, x.contentOf(objects))
}

func TestPartsAreInTheMachinesWave(t *testing.T) {
	m := secretMachine(t)
	m.Wave = 3
	m.Disks[0].ExpandTo = "60Gi"
	m.Services = []machine.Service{{
		Name: "web01-ssh", Key: "ssh", Type: "ClusterIP",
		Ports: []values.ServicePort{{Name: "ssh", Port: 22, Protocol: "TCP"}},
	}}
	objects := render(t, m)
	require.Equal(t, "3", find[*corev1.Secret](t, objects).Annotations[argocd.SyncWaveAnnotation])
	require.Equal(t, "3", find[*cdiv1.DataVolume](t, objects).Annotations[argocd.SyncWaveAnnotation])
	require.Equal(t, "3", find[*kubevirtv1.VirtualMachine](t, objects).Annotations[argocd.SyncWaveAnnotation])
	require.Equal(t, "3", find[*corev1.Service](t, objects).Annotations[argocd.SyncWaveAnnotation])
	require.Equal(t, "4", find[*corev1.PersistentVolumeClaim](t, objects).Annotations[argocd.SyncWaveAnnotation])
	require.Len(t, objects, 5)
}

// A VM that is not deleted keeps the Secret that it boots with.
func TestSecretAnnotations(t *testing.T) {
	m := secretMachine(t)
	options := func() string {
		return find[*corev1.Secret](t, render(t, m)).Annotations[argocd.SyncOptionsAnnotation]
	}
	require.Equal(t, "Prune=false", options())
	m.Target.ArgoCD = "2.13"
	require.Equal(t, "Prune=false,Delete=false", options())
	m.Lifecycle.Removal, m.Target.ArgoCD = values.Approved, ""
	require.Empty(t, options())
}

func TestDiskAnnotations(t *testing.T) {
	m := linuxMachine(t)
	want := map[string]string{
		argocd.SyncWaveAnnotation:       "0",
		argocd.SyncOptionsAnnotation:    "Prune=false,Delete=false",
		argocd.CompareOptionsAnnotation: "IgnoreExtraneous",
	}
	require.Equal(t, want, find[*cdiv1.DataVolume](t, render(t, m)).Annotations)

	m.Target.KubeVirt = "1.4"
	want[annotationDeleteAfterCompletion] = "false"
	require.Equal(t, want, find[*cdiv1.DataVolume](t, render(t, m)).Annotations)
}

func TestLabels(t *testing.T) {
	m := linuxMachine(t)
	m.Labels = map[string]string{labelApp: "shop", labelDomain: "mine", "tier": "edge"}
	m.PodLabels = map[string]string{"tier": "inner", "mesh": "on"}
	m.Lifecycle.Protect = true
	objects := render(t, m)
	vm := find[*kubevirtv1.VirtualMachine](t, objects)
	require.Equal(t, map[string]string{
		labelApp: "shop", labels.ManagedBy: "vmrender", labelDomain: "mine", "tier": "edge", labels.Protection: "True",
	}, vm.Labels)
	// Services select by the domain.
	require.Equal(t, map[string]string{
		labelApp: "shop", labelDomain: "web01", labelSize: "small", "tier": "inner", "mesh": "on",
	}, vm.Spec.Template.ObjectMeta.Labels)
	require.Equal(t, map[string]string{
		labelApp: "web01", labels.ManagedBy: "vmrender",
	}, find[*cdiv1.DataVolume](t, objects).Labels)
}

// Several queues follow from the operating system alone where KubeVirt can plug processors into such a VM. Elsewhere a
// VM with one processor has none.
func TestMultiqueue(t *testing.T) {
	m := linuxMachine(t)
	queues := func(version string, threads uint32) *bool {
		m.Target.KubeVirt, m.CPU.Threads = version, threads
		return find[*kubevirtv1.VirtualMachine](t, render(t, m)).Spec.Template.Spec.Domain.Devices.NetworkInterfaceMultiQueue
	}
	for _, version := range []string{"1.4.1", "1.4.9", "1.5.2", "1.6.0", "1.9"} {
		require.Equal(t, new(true), queues(version, 1), version)
	}
	for _, version := range []string{"1.4", "1.4.0", "1.5", "1.5.1"} {
		require.Nil(t, queues(version, 1), version)
		require.Equal(t, new(true), queues(version, 2), version)
	}
	m.OS.Multiqueue = false
	require.Nil(t, queues("1.9", 2))
}

func TestNoNICs(t *testing.T) {
	m := linuxMachine(t)
	m.NICs = nil
	devices := find[*kubevirtv1.VirtualMachine](t, render(t, m)).Spec.Template.Spec.Domain.Devices
	require.Equal(t, new(false), devices.AutoattachPodInterface)
}
