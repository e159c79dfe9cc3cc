package render

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	poolv1 "kubevirt.io/api/pool/v1beta1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/values"
)

// pool makes a VirtualMachinePool of the VirtualMachine that all its VMs are
// like. KubeVirt appends a number to the names of the VMs and of the DataVolumes
// in their templates (virt-controller watch/pool/pool.go, v1.8.4).
func (x *rendering) pool(vm *kubevirtv1.VirtualMachine) *poolv1.VirtualMachinePool {
	member := map[string]string{labels.Pool: x.Name}
	return &poolv1.VirtualMachinePool{
		TypeMeta:   metav1.TypeMeta{APIVersion: x.poolVersion(), Kind: poolv1.VirtualMachinePoolKind},
		ObjectMeta: vm.ObjectMeta,
		Spec: poolv1.VirtualMachinePoolSpec{
			Replicas: &x.Lifecycle.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: member},
			VirtualMachineTemplate: &poolv1.VirtualMachineTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: merged(vm.Labels, member), Annotations: x.memberAnnotations(vm.Annotations)},
				Spec:       vm.Spec,
			},
			MaxUnavailable: x.maxUnavailable(),
			UpdateStrategy: x.updateStrategy(),
		},
	}
}

// poolVersion is v1beta1 from KubeVirt 1.7 on; the fields are the same.
func (x *rendering) poolVersion() string {
	if values.Before(x.Target.KubeVirt, 1, 7) {
		return "pool.kubevirt.io/v1alpha1"
	}
	return "pool.kubevirt.io/v1beta1"
}

// memberAnnotations are those of a pool's VMs: Argo CD manages the pool, not them.
func (x *rendering) memberAnnotations(all map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range all {
		if key != argocd.SyncWaveAnnotation && key != argocd.SyncOptionsAnnotation {
			out[key] = value
		}
	}
	return out
}

// maxUnavailable is written always: KubeVirt's own is all VMs at once.
func (x *rendering) maxUnavailable() *intstr.IntOrString {
	v := x.Lifecycle.MaxUnavailable
	if v.Percent {
		return new(intstr.FromString(v.String()))
	}
	return new(intstr.FromInt(v.Int))
}

// updateStrategy restarts VMs in the order of their numbers, where KubeVirt can
// be told; else it takes any.
func (x *rendering) updateStrategy() *poolv1.VirtualMachinePoolUpdateStrategy {
	if values.Before(x.Target.KubeVirt, 1, 7) {
		return nil
	}
	return &poolv1.VirtualMachinePoolUpdateStrategy{Proactive: &poolv1.VirtualMachinePoolProactiveUpdateStrategy{
		SelectionPolicy: &poolv1.VirtualMachinePoolSelectionPolicy{SortPolicy: new(poolv1.VirtualMachinePoolSortPolicyAscendingOrder)},
	}}
}
