package render

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/vmrender/vmrender/pkg/machine"
)

func (x *rendering) appendServices(objects []runtime.Object) []runtime.Object {
	for i := range x.Services {
		objects = append(objects, x.service(&x.Services[i]))
	}
	return objects
}

func (x *rendering) service(s *machine.Service) *corev1.Service {
	meta := x.objectMeta(s.Name, x.syncAnnotations(dependent))
	if len(s.Labels) > 0 {
		meta.Labels = merged(x.owned, s.Labels)
	}
	if len(s.Annotations) > 0 {
		meta.Annotations = merged(meta.Annotations, s.Annotations)
	}
	port := corev1.ServicePort{Name: s.PortName, Port: s.Port, Protocol: corev1.Protocol(s.Protocol)}
	if s.TargetPort != 0 && s.TargetPort != s.Port {
		port.TargetPort = intstr.FromInt32(s.TargetPort)
	}
	return &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: meta,
		Spec: corev1.ServiceSpec{
			Type:     corev1.ServiceType(s.Type),
			Selector: map[string]string{labelDomain: x.base},
			Ports:    []corev1.ServicePort{port},
		},
	}
}
