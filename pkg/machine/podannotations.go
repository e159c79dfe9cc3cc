package machine

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// podDomains are the domains, with those below them, whose annotations are read from pods, and not from a
// VirtualMachine.
var podDomains = []string{
	"istio.io", "linkerd.io", // injection of sidecars
	"crio.io",                               // CPU tuning of nodes (cri-o, docs/crio.conf.5.md)
	"ovn.org",                               // OVN-Kubernetes
	"descheduler.alpha.kubernetes.io",       // eviction (kubernetes-sigs/descheduler, README.md)
	"cluster-autoscaler.kubernetes.io",      // eviction
	"backup.velero.io", "restore.velero.io", // hooks of Velero
	"hooks.kubevirt.io", // sidecars that edit the domain (kubevirt/kubevirt v1.8.4, pkg/hooks)
	"v1.multus-cni.io", "prometheus.io",
}

// podKeys are annotations of other domains that are read from pods, or from a VirtualMachineInstance, which has those
// of its template (kubevirt/kubevirt v1.8.4, staging/src/kubevirt.io/api/core/v1/types.go).
var podKeys = []string{
	"kubernetes.io/ingress-bandwidth", "kubernetes.io/egress-bandwidth",
	"kubevirt.io/ignitiondata", "kubevirt.io/allow-pod-bridge-network-live-migration",
	"kubevirt.io/keep-launcher-alive-after-failure",
}

// warnOfPodAnnotations warns of annotations of the VirtualMachine that have an effect on pods only.
func (d *draft) warnOfPodAnnotations(annotations map[string]string) {
	for key := range annotations {
		if isOfPods(key) {
			path := source.JoinPath("annotations", key)
			d.diags.Warnf(d.entry.KeyAt("annotations", key), rule.PodAnnotation, d.entry.Path+"."+path,
				"%q is read from pods, and `annotations` are the VirtualMachine's; write it under `podAnnotations`", key)
		}
	}
}

func isOfPods(key string) bool {
	domain, _, _ := strings.Cut(key, "/")
	return slices.Contains(podKeys, key) || slices.ContainsFunc(podDomains, func(of string) bool {
		above, ok := strings.CutSuffix(domain, of)
		return ok && (above == "" || strings.HasSuffix(above, "."))
	})
}
