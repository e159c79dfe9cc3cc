package render

import (
	"cmp"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
)

func (x *rendering) appendServices(objects []runtime.Object) []runtime.Object {
	for i := range x.Services {
		objects = append(objects, x.service(&x.Services[i]))
	}
	return objects
}

func (x *rendering) service(s *machine.Service) *corev1.Service {
	meta := x.objectMeta(s.Name, x.syncAnnotations(lifecycle.Dependent))
	selector := map[string]string{labelDomain: x.base}
	if x.Plain {
		selector = map[string]string{labelName: cmp.Or(x.Hostname, x.Name)}
	}
	if s.Group {
		meta.Labels = merged(x.owned, map[string]string{labelApp: x.Entry})
		selector = map[string]string{labels.Group: x.Entry}
	}
	if len(s.Labels) > 0 {
		meta.Labels = merged(meta.Labels, s.Labels)
	}
	if len(s.Annotations) > 0 {
		meta.Annotations = merged(meta.Annotations, s.Annotations)
	}
	out := patched(x, &corev1.Service{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Service"},
		ObjectMeta: meta,
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceType(s.Type), Selector: selector, Ports: servicePorts(s)},
	}, servicePatch(s))
	x.checkPatchedService(s, out)
	return out
}

func servicePorts(s *machine.Service) []corev1.ServicePort {
	ports := make([]corev1.ServicePort, len(s.Ports))
	for i, p := range s.Ports {
		ports[i] = corev1.ServicePort{Name: p.Name, Port: p.Port, Protocol: corev1.Protocol(p.Protocol), NodePort: p.NodePort}
		if p.TargetPort != 0 && p.TargetPort != p.Port {
			ports[i].TargetPort = intstr.FromInt32(p.TargetPort)
		}
	}
	return ports
}

// ownedService is what no patch on a Service changes.
var ownedService = func() map[string]string {
	owned := maps.Clone(ownedMetadata)
	owned["spec.type"] = "set `type` of the Service instead"
	owned["spec.ports"] = "set `port` or `ports` of the Service instead"
	owned["spec.selector"] = "the Service selects the VM by it"
	owned["status"] = "remove it"
	return owned
}()

// servicePatch returns the user's patch on a Service.
func servicePatch(s *machine.Service) partPatch {
	return partPatch{over: s.Overrides, key: "services." + s.Key + ".overrides", owned: ownedService}
}

// checkPatchedService reports what the API server refuses for the type of the Service. Kubernetes v1.34,
// pkg/apis/core/validation/validation.go, ValidateService.
func (x *rendering) checkPatchedService(s *machine.Service, out *corev1.Service) {
	if !s.Overrides.IsSet() {
		return
	}
	p, spec := servicePatch(s), &out.Spec
	switch {
	case spec.ExternalTrafficPolicy != "" && spec.Type == corev1.ServiceTypeClusterIP:
		p.report(x, rule.Conflict, []string{"spec", "externalTrafficPolicy"},
			"needs `type: NodePort` or `LoadBalancer`", x.diags)
	case spec.ClusterIP == corev1.ClusterIPNone && spec.Type != corev1.ServiceTypeClusterIP:
		p.report(x, rule.Conflict, []string{"spec", "clusterIP"}, "a headless Service is of `type: ClusterIP`", x.diags)
	}
}
