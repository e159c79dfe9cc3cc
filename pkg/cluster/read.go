package cluster

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// ReadSettings returns the settings of a cluster as its KubeVirt and HyperConverged
// objects have them, over those given, and a summary, such as "kubevirt 1.8.4".
// [plan.New] does the same with [plan.Options].
func ReadSettings(c Settings, state []manifest.Object) (Settings, []string) {
	r := settingsReader{cluster: c}
	for _, o := range state {
		switch KindOf(o.ID) {
		case KindKubeVirt:
			r.kubevirt(o.Tree())
		case kindHCO:
			r.cluster.OpenShift = true
			r.say("HyperConverged")
		}
	}
	slices.Sort(r.said)
	return r.cluster, slices.Compact(r.said)
}

type settingsReader struct {
	cluster Settings
	said    []string
}

func (r *settingsReader) say(format string, args ...any) {
	r.said = append(r.said, fmt.Sprintf(format, args...))
}

// kubevirt reads a KubeVirt object, which is complete: HyperConverged writes it, and
// what it lacks is the default (KubeVirt v1.8.4, api/core/v1/types.go, KubeVirtSpec).
func (r *settingsReader) kubevirt(object manifest.Tree) {
	if v := manifest.Text(object, "status", "observedKubeVirtVersion"); v != "" {
		r.cluster.KubeVirt = strings.TrimPrefix(v, "v")
		r.say("kubevirt %s", r.cluster.KubeVirt)
	}
	config := manifest.At(object, "spec", "configuration")
	r.cluster.VMRolloutStrategy = manifest.Text(config, "vmRolloutStrategy")
	r.cluster.EvictionStrategy = manifest.Text(config, "evictionStrategy")
	if r.cluster.VMRolloutStrategy != "" {
		r.say("vmRolloutStrategy %s", r.cluster.VMRolloutStrategy)
	} else {
		r.cluster.VMRolloutStrategy = defaultRollout(r.cluster.KubeVirt)
	}
	r.cluster.WorkloadUpdateMethods = []string{}
	for _, m := range manifest.List(object, "spec", "workloadUpdateStrategy", "workloadUpdateMethods") {
		if s, _ := m.(string); s != "" {
			r.cluster.WorkloadUpdateMethods = append(r.cluster.WorkloadUpdateMethods, s)
		}
	}
	r.say("workloadUpdateMethods [%s]", strings.Join(r.cluster.WorkloadUpdateMethods, ", "))
	r.cluster.FeatureGates = map[string]bool{}
	disabled := manifest.List(config, "developerConfiguration", "disabledFeatureGates")
	for field, on := range map[string]bool{"featureGates": true, "disabledFeatureGates": false} {
		for _, g := range manifest.List(config, "developerConfiguration", field) {
			if s, _ := g.(string); s != "" && (!on || !slices.Contains(disabled, g)) {
				r.cluster.FeatureGates[s] = on
			}
		}
	}
	if needsGate(r.cluster.KubeVirt) && !r.cluster.FeatureGates["VMLiveUpdateFeatures"] {
		r.cluster.VMRolloutStrategy = "Stage"
	}
}

// Exported returns the newest timestamp of an export, in RFC 3339: about the time at
// which it was created. It is empty if there is none.
func Exported(state []manifest.Object) string {
	var newest time.Time
	for _, o := range state {
		latest(o.Tree(), "", &newest)
	}
	if newest.IsZero() {
		return ""
	}
	return newest.UTC().Format(time.RFC3339)
}

// latest finds the newest time in fields that contain the time of an event.
func latest(v any, field string, newest *time.Time) {
	switch v := v.(type) {
	case manifest.Tree:
		for k, value := range v {
			if k != "spec" || field != "" {
				latest(value, k, newest)
			}
		}
		latest(manifest.At(v, "spec", "renewTime"), "renewTime", newest)
	case []any:
		for _, value := range v {
			latest(value, field, newest)
		}
	case string:
		if len(v) < len("2006-01-02T15:04:05Z") || !isTime(field) {
			return
		}
		if t, err := time.Parse(time.RFC3339, v); err == nil && t.After(*newest) {
			*newest = t
		}
	}
}

// isTime reports whether a field contains the time of an event.
func isTime(field string) bool {
	return slices.ContainsFunc([]string{"time", "Time", "Timestamp", "At"}, func(end string) bool {
		return strings.HasSuffix(field, end)
	})
}
