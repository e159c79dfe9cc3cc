package compare

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// Settings are the settings of a cluster that a user gives, and that predictions depend on. They count more than the
// fleet's target, and less than what the cluster itself reports.
type Settings struct {
	KubeVirt, ArgoCD      string            // --kubevirt, --argocd: versions
	OpenShift             bool              // --openshift
	VMRolloutStrategy     string            // --vm-rollout-strategy
	WorkloadUpdateMethods []string          // --workload-update-methods
	FeatureGates          map[string]string // --feature-gates, by name: "true" or "false"
	LiveMigratable        bool              // --live-migratable
	// Given reports whether the user has set a flag; only what is given counts.
	Given func(flag string) bool
}

// RolloutStrategies are the accepted values of VMRolloutStrategy.
var RolloutStrategies = []string{"LiveUpdate", "Stage"}

// Check returns an error for values that are not accepted.
func (s *Settings) Check() error {
	var all []error
	for _, v := range []struct{ name, value string }{{"kubevirt", s.KubeVirt}, {"argocd", s.ArgoCD}} {
		if v.value != "" && !versions.Parse(v.value).IsKnown() {
			all = append(all, fmt.Errorf(`invalid --%s %q; expected a version such as "1.6"`, v.name, v.value))
		}
	}
	if s.VMRolloutStrategy != "" {
		all = append(all, checkWord("vm-rollout-strategy", s.VMRolloutStrategy, RolloutStrategies))
	}
	for _, m := range s.WorkloadUpdateMethods {
		all = append(all, checkWord("workload-update-methods", m, values.WorkloadUpdateMethods))
	}
	for name, on := range s.FeatureGates {
		if _, err := strconv.ParseBool(on); err != nil {
			all = append(all, fmt.Errorf("invalid --feature-gates %s=%s; expected true or false", name, on))
		}
	}
	all = slices.DeleteFunc(all, func(err error) bool { return err == nil })
	slices.SortFunc(all, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(all...)
}

func checkWord(flag, word string, accepted []string) error {
	if slices.Contains(accepted, word) {
		return nil
	}
	return fmt.Errorf("unknown --%s %q; %s", flag, word, suggest.DidYouMean(word, accepted))
}

// Cluster returns the settings over those of a fleet's target; nil if there is none. Without either, the cluster is the
// newest OpenShift Virtualization.
func (s *Settings) Cluster(t *values.Target) cluster.Settings {
	if t == nil {
		t = &values.Target{}
	}
	c := cluster.Settings{
		KubeVirt: t.KubeVirt, ArgoCD: t.ArgoCD, OpenShift: !t.Plain(), VMRolloutStrategy: t.VMRolloutStrategy,
		WorkloadUpdateMethods: t.WorkloadUpdateMethods, FeatureGates: t.FeatureGates, LiveMigratable: t.LiveMigratable,
		ApplyOutOfSyncOnly: t.ApplyOutOfSyncOnly,
	}
	if s.Given("kubevirt") {
		c.KubeVirt = s.KubeVirt
	}
	if s.Given("argocd") {
		c.ArgoCD = s.ArgoCD
	}
	if s.Given("openshift") {
		c.OpenShift = s.OpenShift
	}
	if s.Given("vm-rollout-strategy") {
		c.VMRolloutStrategy = s.VMRolloutStrategy
	}
	if s.Given("workload-update-methods") {
		c.WorkloadUpdateMethods = append([]string{}, s.WorkloadUpdateMethods...)
	}
	if s.Given("live-migratable") {
		c.LiveMigratable = &s.LiveMigratable
	}
	if len(s.FeatureGates) > 0 {
		c.FeatureGates = s.withGates(c.FeatureGates)
	}
	return c
}

// withGates returns the target's gates with those of the settings over them.
func (s *Settings) withGates(target map[string]bool) map[string]bool {
	out := maps.Clone(target)
	if out == nil {
		out = map[string]bool{}
	}
	for name, on := range s.FeatureGates {
		out[name], _ = strconv.ParseBool(on)
	}
	return out
}
