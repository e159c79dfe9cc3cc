// Package v1beta1 stands in for the types of the same package of virt-template-api.
package v1beta1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// VirtualMachineTemplate is a template without its spec.
type VirtualMachineTemplate struct {
	metav1.TypeMeta
	metav1.ObjectMeta
}

// DeepCopyObject returns a copy.
func (t *VirtualMachineTemplate) DeepCopyObject() runtime.Object {
	return &VirtualMachineTemplate{TypeMeta: t.TypeMeta, ObjectMeta: *t.ObjectMeta.DeepCopy()}
}
