package render

import (
	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/source"
)

// setScheduling sets where and when the VM runs.
func (x *rendering) setScheduling(spec *kubevirtv1.VirtualMachineInstanceSpec) {
	spec.Architecture = x.Arch
	spec.Hostname = x.Hostname
	spec.NodeSelector = x.NodeSelector
	spec.PriorityClassName = x.PriorityClassName
	if x.TerminationGracePeriodSeconds != nil {
		spec.TerminationGracePeriodSeconds = x.TerminationGracePeriodSeconds
	}
	if x.EvictionStrategy != "" {
		spec.EvictionStrategy = new(kubevirtv1.EvictionStrategy(x.EvictionStrategy))
	}
	x.decodeWritten(spec)
}

// decodeWritten decodes what the user writes in Kubernetes' own form, each key from
// its own node, so that mistakes are reported at their position.
func (x *rendering) decodeWritten(spec *kubevirtv1.VirtualMachineInstanceSpec) {
	for _, n := range x.Tolerations {
		var list []corev1.Toleration
		x.decode(n, &list, "tolerations")
		spec.Tolerations = append(spec.Tolerations, list...)
	}
	x.decode(x.Affinity, &spec.Affinity, "affinity")
	x.decode(x.TopologySpreadConstraints, &spec.TopologySpreadConstraints, "topologySpreadConstraints")
	x.decode(x.ReadinessProbe, &spec.ReadinessProbe, "readinessProbe")
	x.decode(x.LivenessProbe, &spec.LivenessProbe, "livenessProbe")
	x.decode(x.AccessCredentials, &spec.AccessCredentials, "accessCredentials")
}

func (x *rendering) decode(n *source.Node, into any, key string) {
	if n == nil {
		return
	}
	var found source.Diagnostics
	source.Decode(n, into, x.path(key), &found)
	x.diags.Merge(&found)
	if found.HasErrors() {
		x.misread = append(x.misread, key)
	}
}
