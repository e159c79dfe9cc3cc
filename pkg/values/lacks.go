package values

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/versions"
)

// Lacks returns what is wrong with using a feature on the target, or "". It is an error if the version
// does not have the feature, and otherwise a feature gate that is off as far as is known: HyperConverged, which
// configures KubeVirt on OpenShift, sets gates of its own.
func (t *Target) Lacks(f *versions.Feature) (problem string, isError bool) {
	version := t.version(f.Product)
	if f.MissingIn(version) {
		return missing(f, version), true
	}
	on, said := t.FeatureGates[f.Gate]
	known := said || t.KubeVirt != "" && !t.OnOpenShift()
	if f.Gate == "" || !known || on || !said && versions.GateOn(f.Gate, t.KubeVirt) {
		return "", false
	}
	return fmt.Sprintf("%s: needs the feature gate %s, which is off; "+
		"switch it on, and set `target.featureGates: {%[2]s: true}`", f.Name, f.Gate), false
}

// missing returns the problem of a feature that a version does not have.
func missing(f *versions.Feature, version string) string {
	problem := fmt.Sprintf("%s: needs %s %s; target is %s", f.Name, f.Product, f.Since, version)
	if f.Since == "" {
		problem = fmt.Sprintf("%s: no version of %s up to %s has it", f.Name, f.Product, versions.Newest)
	}
	if f.Instead != "" {
		problem += "; " + f.Instead
	}
	return problem
}

// version returns the target's version of a product, or "" if it is not known.
func (t *Target) version(p versions.Product) string {
	switch p {
	case versions.ArgoCD:
		return t.ArgoCD
	case versions.CDI:
		return t.CDI
	}
	return t.KubeVirt
}
