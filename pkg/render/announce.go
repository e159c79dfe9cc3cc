package render

import (
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kubevirtv1 "kubevirt.io/api/core/v1"
	poolv1 "kubevirt.io/api/pool/v1beta1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
)

// announce says on the VM what a change does to it, and on the VM and its separate DataVolumes
// the wave, also where it is Argo CD's default. It comes after all hashes of content, because
// both follow from the rest: a VM that gets only these annotations, from a newer vmrender,
// needs no snapshot and no Ansible job.
func (x *rendering) announce(objects []runtime.Object) {
	key, wave, onChange := argocd.SyncWaveAnnotation, strconv.Itoa(x.Wave), x.onChange()
	if x.Target.ByFlux() {
		key = labels.Wave // which they have already
	}
	for _, o := range objects {
		switch o := o.(type) {
		case *cdiv1.DataVolume:
			annotate(&o.ObjectMeta, key, wave)
		case *kubevirtv1.VirtualMachine:
			annotate(&o.ObjectMeta, key, wave)
			annotate(&o.ObjectMeta, labels.OnChange, onChange)
			if w := x.Lifecycle.Maintenance; w != nil {
				annotate(&o.ObjectMeta, labels.Maintenance, w.Text)
			}
			if s := x.Lifecycle.Snapshots; s != nil {
				annotate(&o.ObjectMeta, labels.Snapshots, s.Text+", keep "+strconv.Itoa(s.Keep))
			}
			if p := x.Lifecycle.Power; p != nil {
				annotate(&o.ObjectMeta, labels.Power, p.String())
			}
			if x.Lifecycle.Patches() {
				annotate(&o.ObjectMeta, labels.Patch, x.Lifecycle.Ansible.Schedule.Text)
			}
		case *poolv1.VirtualMachinePool:
			annotate(&o.ObjectMeta, key, wave)
			annotate(&o.ObjectMeta, labels.OnChange, onChange)
			// KubeVirt copies it to the members and restarts none of them
			// (virt-controller watch/pool/pool.go, isOutdatedVMI, v1.8.4).
			annotate(&o.Spec.VirtualMachineTemplate.ObjectMeta, labels.OnChange, onChange)
		}
	}
}

// onChange returns the value of [labels.OnChange].
func (x *rendering) onChange() string {
	if x.Lifecycle.Strategy.Traits().Pet {
		return labels.InPlace
	}
	return labels.Recreate
}

// annotate sets an annotation, also of an object that an override has left without any.
func annotate(meta *metav1.ObjectMeta, key, value string) {
	if meta.Annotations == nil {
		meta.Annotations = make(map[string]string, 2)
	}
	meta.Annotations[key] = value
}
