package main

import (
	"github.com/spf13/cobra"

	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/values"
)

// registerSettings adds the flags with the settings of a cluster.
func registerSettings(cmd *cobra.Command, s *compare.Settings) {
	flags := cmd.Flags()
	s.Given = flags.Changed
	flags.StringVar(&s.KubeVirt, "kubevirt", "",
		"`version` of KubeVirt, for example 1.6 (default target.kubevirt, or the newest)")
	flags.StringVar(&s.ArgoCD, "argocd", "",
		"`version` of Argo CD, for example 3.2 (default target.argocd, or the newest)")
	flags.BoolVar(&s.OpenShift, "openshift", false,
		"whether the cluster is OpenShift (default target.openshift, or true)")
	flags.StringVar(&s.VMRolloutStrategy, "vm-rollout-strategy", "",
		"vmRolloutStrategy of KubeVirt: LiveUpdate or Stage (default target.vmRolloutStrategy)")
	flags.StringSliceVar(&s.WorkloadUpdateMethods, "workload-update-methods", nil,
		"workloadUpdateMethods of KubeVirt: LiveMigrate, Evict, or an empty string for none "+
			"(default target.workloadUpdateMethods)")
	flags.StringToStringVar(&s.FeatureGates, "feature-gates", nil,
		"feature gates of KubeVirt that differ from the default, as `NAME=true` or NAME=false (repeatable)")
	flags.BoolVar(&s.LiveMigratable, "live-migratable", false,
		"whether VMs can live-migrate at all (default target.liveMigratable)")
	for _, name := range []string{"kubevirt", "argocd", "feature-gates"} {
		completeFlag(cmd, name, cobra.NoFileCompletions)
	}
	completeFlag(cmd, "vm-rollout-strategy",
		cobra.FixedCompletions(compare.RolloutStrategies, cobra.ShellCompDirectiveNoFileComp))
	completeFlag(cmd, "workload-update-methods",
		cobra.FixedCompletions(values.WorkloadUpdateMethods, cobra.ShellCompDirectiveNoFileComp))
}
