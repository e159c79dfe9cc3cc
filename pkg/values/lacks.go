package values

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/versions"
)

// Missing returns what is wrong with using a feature on the target if its version does not have it, and "" otherwise.
func (t *Target) Missing(f *versions.Feature) string {
	if version := t.version(f.Product); f.MissingIn(version) {
		return missing(f, version)
	}
	return ""
}

// GateOff returns what is wrong with using a feature on the target if its feature gate is off, and "" otherwise.
func (t *Target) GateOff(f *versions.Feature) string {
	on, _ := t.Gate(f.Gate)
	if f.Gate == "" || on {
		return ""
	}
	return fmt.Sprintf("%s: needs the feature gate %s, which is off%s", f.Name, f.Gate, GateAdvice(f.Gate))
}

// GateAdvice returns what to do about a feature gate that is off.
func GateAdvice(gate string) string {
	return "; switch it on, and set `target.featureGates: {" + gate + ": true}`"
}

// Gate returns whether a feature gate is on, and whether the fleet sets it. A gate that nothing is known about counts
// as on: HyperConverged, which configures KubeVirt on OpenShift, sets gates of its own.
func (t *Target) Gate(name string) (on, set bool) {
	if on, set = t.FeatureGates[name]; set {
		return on, true
	}
	return t.KubeVirt == "" || t.OnOpenShift() || versions.GateOn(name, t.KubeVirt), false
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
