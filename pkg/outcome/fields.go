package outcome

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/rule"
)

// Service returns what no Service of a fleet may have: with external addresses it takes traffic that is for others
// (CVE-2020-8554).
func Service(s *corev1.ServiceSpec) []Finding {
	if len(s.ExternalIPs) == 0 {
		return nil
	}
	return []Finding{finding(rule.Unsafe,
		"with external addresses, a Service takes traffic that is for others; remove it, or use `type: LoadBalancer`",
		"spec", "externalIPs")}
}

// Secret returns what is wrong with the type of a Secret: Kubernetes puts a token that never expires into one for a
// ServiceAccount (Kubernetes v1.34, pkg/controller/serviceaccount/tokens_controller.go).
func Secret(kind string) []Finding {
	if kind != string(corev1.SecretTypeServiceAccountToken) {
		return nil
	}
	return []Finding{finding(rule.Unsafe,
		"Kubernetes puts a token of a ServiceAccount into such a Secret, which never expires; "+
			"use a disk with `source: {serviceAccount: NAME}`", "type")}
}
