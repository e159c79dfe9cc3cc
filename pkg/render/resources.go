package render

import (
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/values"
)

// podResources returns the resources of the VM's pod, which KubeVirt computes as far as they are unset.
func podResources(r *values.Resources) kubevirtv1.ResourceRequirements {
	return kubevirtv1.ResourceRequirements{
		Requests: resourceList(r.Requests), Limits: resourceList(r.Limits),
		OvercommitGuestOverhead: isTrue(r.OvercommitGuestOverhead),
	}
}

func resourceList(in map[string]values.Amount) corev1.ResourceList {
	if len(in) == 0 {
		return nil
	}
	out := make(corev1.ResourceList, len(in))
	for name, amount := range in {
		out[corev1.ResourceName(name)] = quantity(string(amount))
	}
	return out
}
