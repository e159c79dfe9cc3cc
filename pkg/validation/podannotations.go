package validation

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// podDomains are the domains, with those below them, whose annotations are read from pods, and not from a
// VirtualMachine.
var podDomains = map[string]bool{
	"istio.io":   true, // injection of sidecars
	"linkerd.io": true,
	"crio.io":    true, // CPU tuning of nodes (cri-o, docs/crio.conf.5.md)
	"ovn.org":    true, // OVN-Kubernetes

	"descheduler.alpha.kubernetes.io":  true, // eviction (kubernetes-sigs/descheduler, README.md)
	"cluster-autoscaler.kubernetes.io": true,

	"backup.velero.io":  true, // hooks of Velero
	"restore.velero.io": true,
	"hooks.kubevirt.io": true, // sidecars that edit the domain (kubevirt/kubevirt v1.8.4, pkg/hooks)
	"v1.multus-cni.io":  true,
	"prometheus.io":     true,
}

// podKeys are annotations of other domains that are read from pods, or from a VirtualMachineInstance, which has those
// of its template (kubevirt/kubevirt v1.8.4, staging/src/kubevirt.io/api/core/v1/types.go).
var podKeys = map[string]bool{
	"kubernetes.io/ingress-bandwidth":                     true,
	"kubernetes.io/egress-bandwidth":                      true,
	"kubevirt.io/ignitiondata":                            true,
	"kubevirt.io/allow-pod-bridge-network-live-migration": true,
	"kubevirt.io/keep-launcher-alive-after-failure":       true,
}

// warnOfPodAnnotations warns of annotations of the VirtualMachine that have an effect on pods only.
func (d *decided) warnOfPodAnnotations(annotations map[string]string) {
	for key := range annotations {
		if isOfPods(key) {
			path := source.JoinPath("annotations", key)
			d.diags.Warnf(d.entry.KeyAt("annotations", key), rule.PodAnnotation, d.entry.Path+"."+path,
				"%q is read from pods, and `annotations` are the VirtualMachine's; set it under `podAnnotations`", key)
		}
	}
}

func isOfPods(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	for below := true; below; _, domain, below = strings.Cut(domain, ".") {
		if podDomains[domain] {
			return true
		}
	}
	return podKeys[key]
}
