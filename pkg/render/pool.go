package render

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	poolv1 "kubevirt.io/api/pool/v1beta1"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/outcome"
	"github.com/vmrender/vmrender/pkg/versions"
)

// pool returns a VirtualMachinePool whose VMs are like vm. KubeVirt appends a number
// to the names of the VMs and of the DataVolumes in their templates
// (virt-controller watch/pool/pool.go, v1.8.4).
func (x *rendering) pool(vm *kubevirtv1.VirtualMachine) *poolv1.VirtualMachinePool {
	member := map[string]string{labels.Pool: x.Name}
	out := &poolv1.VirtualMachinePool{
		TypeMeta:   metav1.TypeMeta{APIVersion: x.poolVersion(), Kind: poolv1.VirtualMachinePoolKind},
		ObjectMeta: vm.ObjectMeta,
		Spec: poolv1.VirtualMachinePoolSpec{
			Replicas: &x.Lifecycle.Replicas,
			Selector: &metav1.LabelSelector{MatchLabels: member},
			VirtualMachineTemplate: &poolv1.VirtualMachineTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{
					Labels: merged(vm.Labels, member), Annotations: x.memberAnnotations(vm.Annotations),
				},
				Spec: vm.Spec,
			},
			MaxUnavailable: x.maxUnavailable(),
			UpdateStrategy: x.updateStrategy(),
		},
	}
	x.decodePool(&out.Spec)
	return out
}

// decodePool decodes what the user writes in KubeVirt's own form.
func (x *rendering) decodePool(spec *poolv1.VirtualMachinePoolSpec) {
	x.decode(x.Lifecycle.ScaleInStrategy, &spec.ScaleInStrategy, "lifecycle.scaleInStrategy")
	x.decode(x.Lifecycle.Autohealing, &spec.Autohealing, "lifecycle.autohealing")
	if x.Lifecycle.UpdateStrategy.IsSet() {
		spec.UpdateStrategy = nil
		x.decode(x.Lifecycle.UpdateStrategy, &spec.UpdateStrategy, "lifecycle.updateStrategy")
	}
}

// poolVersion returns v1beta1 for KubeVirt 1.7 and later, and v1alpha1, which has
// the same fields, before that.
func (x *rendering) poolVersion() string {
	if versions.Before(x.Target.KubeVirt, "1.7") {
		return "pool.kubevirt.io/v1alpha1"
	}
	return "pool.kubevirt.io/v1beta1"
}

// memberAnnotations returns the annotations of a pool's VMs, without those for
// Argo CD or Flux, which manages the pool and not its VMs.
func (x *rendering) memberAnnotations(all map[string]string) map[string]string {
	out := map[string]string{}
	for key, value := range all {
		if isOfMember(key) {
			out[key] = value
		}
	}
	return out
}

// isOfMember reports whether a pool's VMs have an annotation of the pool.
func isOfMember(key string) bool { return key != labels.Wave && !outcome.IsForDelivery(key) }

// maxUnavailable always returns a value: KubeVirt's default is all VMs at the same
// time.
func (x *rendering) maxUnavailable() *intstr.IntOrString {
	v := x.Lifecycle.MaxUnavailable
	if v.Percent {
		return new(intstr.FromString(v.String()))
	}
	return new(intstr.FromInt(v.Int))
}

// updateStrategy returns a strategy that restarts VMs in the order of their
// numbers, or nil before KubeVirt 1.7, which cannot be configured and uses any
// order.
func (x *rendering) updateStrategy() *poolv1.VirtualMachinePoolUpdateStrategy {
	if versions.Before(x.Target.KubeVirt, "1.7") {
		return nil
	}
	return &poolv1.VirtualMachinePoolUpdateStrategy{Proactive: &poolv1.VirtualMachinePoolProactiveUpdateStrategy{
		SelectionPolicy: &poolv1.VirtualMachinePoolSelectionPolicy{
			SortPolicy: new(poolv1.VirtualMachinePoolSortPolicyAscendingOrder),
		},
	}}
}
