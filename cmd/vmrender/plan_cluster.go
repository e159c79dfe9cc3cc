package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// settingFlags are the settings of a cluster that predictions depend on. They count more
// than the fleet's target, and less than what the cluster itself reports.
type settingFlags struct {
	kubevirt, argocd, strategy string
	methods                    []string
	gates                      map[string]string
	openshift, migratable      bool

	flags interface{ Changed(name string) bool }
}

func (f *settingFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	f.flags = flags
	flags.StringVar(&f.kubevirt, "kubevirt", "",
		"`version` of KubeVirt, for example 1.6 (default target.kubevirt, or the newest)")
	flags.StringVar(&f.argocd, "argocd", "",
		"`version` of Argo CD, for example 3.2 (default target.argocd, or the newest)")
	flags.BoolVar(&f.openshift, "openshift", false,
		"whether the cluster is OpenShift (default target.openshift, or true)")
	flags.StringVar(&f.strategy, "vm-rollout-strategy", "",
		"vmRolloutStrategy of KubeVirt: LiveUpdate or Stage (default target.vmRolloutStrategy)")
	flags.StringSliceVar(&f.methods, "workload-update-methods", nil,
		"workloadUpdateMethods of KubeVirt: LiveMigrate, Evict, or an empty string for none "+
			"(default target.workloadUpdateMethods)")
	flags.StringToStringVar(&f.gates, "feature-gates", nil,
		"feature gates of KubeVirt that differ from the default, as `NAME=true` or NAME=false (repeatable)")
	flags.BoolVar(&f.migratable, "live-migratable", false,
		"whether VMs can live-migrate at all (default target.liveMigratable)")
	for _, name := range []string{"kubevirt", "argocd", "feature-gates"} {
		completeFlag(cmd, name, cobra.NoFileCompletions)
	}
	completeFlag(cmd, "vm-rollout-strategy", cobra.FixedCompletions(rolloutStrategies, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "workload-update-methods",
		cobra.FixedCompletions(values.WorkloadUpdateMethods, cobra.ShellCompDirectiveNoFileComp))
}

var rolloutStrategies = []string{"LiveUpdate", "Stage"}

// check returns an error for values that are not accepted.
func (f *settingFlags) check() error {
	var all []error
	for _, v := range []struct{ name, value string }{{"kubevirt", f.kubevirt}, {"argocd", f.argocd}} {
		if v.value != "" && !versions.Parse(v.value).IsKnown() {
			all = append(all, fmt.Errorf(`invalid --%s %q; expected a version such as "1.6"`, v.name, v.value))
		}
	}
	if f.strategy != "" && !slices.Contains(rolloutStrategies, f.strategy) {
		all = append(all, fmt.Errorf("unknown --vm-rollout-strategy %q; %s",
			f.strategy, suggest.DidYouMean(f.strategy, rolloutStrategies)))
	}
	for _, m := range f.methods {
		if !slices.Contains(values.WorkloadUpdateMethods, m) {
			all = append(all, fmt.Errorf("unknown --workload-update-methods %q; %s",
				m, suggest.DidYouMean(m, values.WorkloadUpdateMethods)))
		}
	}
	for name, on := range f.gates {
		if _, err := strconv.ParseBool(on); err != nil {
			all = append(all, fmt.Errorf("invalid --feature-gates %s=%s; expected true or false", name, on))
		}
	}
	slices.SortFunc(all, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(all...)
}

// cluster returns the settings: those of a fleet's target, if there is one, under those of
// the flags. Without either, the cluster is the newest OpenShift Virtualization.
func (f *settingFlags) cluster(t *values.Target) plan.Cluster {
	if t == nil {
		t = &values.Target{}
	}
	c := plan.Cluster{
		KubeVirt: t.KubeVirt, ArgoCD: t.ArgoCD, OpenShift: !t.Plain(), VMRolloutStrategy: t.VMRolloutStrategy,
		WorkloadUpdateMethods: t.WorkloadUpdateMethods, FeatureGates: t.FeatureGates, LiveMigratable: t.LiveMigratable,
	}
	given := f.flags.Changed
	if given("kubevirt") {
		c.KubeVirt = f.kubevirt
	}
	if given("argocd") {
		c.ArgoCD = f.argocd
	}
	if given("openshift") {
		c.OpenShift = f.openshift
	}
	if given("vm-rollout-strategy") {
		c.VMRolloutStrategy = f.strategy
	}
	if given("workload-update-methods") {
		c.WorkloadUpdateMethods = append([]string{}, f.methods...)
	}
	if given("live-migratable") {
		c.LiveMigratable = &f.migratable
	}
	if len(f.gates) > 0 {
		c.FeatureGates = f.withGates(c.FeatureGates)
	}
	return c
}

// withGates returns the target's gates with those of the flag over them.
func (f *settingFlags) withGates(target map[string]bool) map[string]bool {
	out := maps.Clone(target)
	if out == nil {
		out = map[string]bool{}
	}
	for name, on := range f.gates {
		out[name], _ = strconv.ParseBool(on)
	}
	return out
}

// targetsOf returns the versions that a cluster's settings name, in the words of the
// header.
func targetsOf(c *plan.Cluster) []string {
	var out []string
	for _, v := range []struct{ name, value string }{{"kubevirt", c.KubeVirt}, {"argocd", c.ArgoCD}} {
		if v.value != "" {
			out = append(out, v.name+" "+v.value)
		}
	}
	return out
}

// settings returns a cluster's settings, in the words of the header.
func settings(c *plan.Cluster) []string {
	var out []string
	if c.VMRolloutStrategy != "" {
		out = append(out, "vmRolloutStrategy "+c.VMRolloutStrategy)
	}
	if c.WorkloadUpdateMethods != nil {
		out = append(out, "workloadUpdateMethods ["+strings.Join(c.WorkloadUpdateMethods, ", ")+"]")
	}
	if c.LiveMigratable != nil {
		out = append(out, fmt.Sprintf("liveMigratable %t", *c.LiveMigratable))
	}
	for _, name := range slices.Sorted(maps.Keys(c.FeatureGates)) {
		out = append(out, fmt.Sprintf("featureGates.%s %t", name, c.FeatureGates[name]))
	}
	return out
}
