package values

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/versions"
)

// Lacks returns what is wrong with using a feature of KubeVirt on the target, or "". It is an error if the version
// does not have the feature, and otherwise a feature gate that is off as far as is known: HyperConverged, which
// configures KubeVirt on OpenShift, sets gates of its own.
func (t *Target) Lacks(f *versions.Feature) (problem string, isError bool) {
	if f.MissingIn(t.KubeVirt) {
		return fmt.Sprintf("%s: needs kubevirt %s; target is %s", f.Name, f.Since, t.KubeVirt), true
	}
	on, said := t.FeatureGates[f.Gate]
	known := said || t.KubeVirt != "" && !t.OnOpenShift()
	if f.Gate == "" || !known || on || !said && versions.GateOn(f.Gate, t.KubeVirt) {
		return "", false
	}
	return fmt.Sprintf("%s: needs the feature gate %s, which is off; "+
		"switch it on, and set `target.featureGates: {%[2]s: true}`", f.Name, f.Gate), false
}
