package compare_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/compare"
	"github.com/vmrender/vmrender/pkg/values"
)

func TestSettingsOverTheTarget(t *testing.T) {
	target := &values.Target{
		KubeVirt: "1.5", ArgoCD: "3.0", VMRolloutStrategy: "Stage", WorkloadUpdateMethods: []string{"Evict"},
		FeatureGates: map[string]bool{"A": true, "B": true}, LiveMigratable: new(true),
	}
	of := func(target *values.Target, s compare.Settings) cluster.Settings { return s.Cluster(target) }
	none := compare.Settings{Given: given()}
	require.Equal(t, cluster.Settings{OpenShift: true}, of(nil, none), "the newest OpenShift Virtualization")
	require.Equal(t, cluster.Settings{
		KubeVirt: "1.5", ArgoCD: "3.0", OpenShift: true, VMRolloutStrategy: "Stage",
		WorkloadUpdateMethods: []string{"Evict"}, FeatureGates: target.FeatureGates, LiveMigratable: new(true),
	}, of(target, none))

	all := compare.Settings{
		KubeVirt: "1.6", ArgoCD: "3.2", VMRolloutStrategy: "LiveUpdate",
		FeatureGates: map[string]string{"B": "false", "C": "true"},
		Given: given(
			"kubevirt", "argocd", "openshift", "vm-rollout-strategy", "workload-update-methods", "live-migratable",
		),
	}
	require.Equal(t, cluster.Settings{
		KubeVirt: "1.6", ArgoCD: "3.2", VMRolloutStrategy: "LiveUpdate",
		WorkloadUpdateMethods: []string{}, // none, which is not the target's
		FeatureGates:          map[string]bool{"A": true, "B": false, "C": true}, LiveMigratable: new(false),
	}, of(target, all))
	require.Equal(t, map[string]bool{"A": true, "B": true}, target.FeatureGates, "the target is not changed")
}

func TestSettingsReportAllProblems(t *testing.T) {
	s := compare.Settings{
		KubeVirt: "new", ArgoCD: "3.2", VMRolloutStrategy: "Staged", WorkloadUpdateMethods: []string{"Evict", "Evit"},
		FeatureGates: map[string]string{"A": "true", "B": "on"},
	}
	require.EqualError(t, s.Check(), `invalid --feature-gates B=on; expected true or false
invalid --kubevirt "new"; expected a version such as "1.6"
unknown --vm-rollout-strategy "Staged"; did you mean "Stage"?
unknown --workload-update-methods "Evit"; did you mean "Evict"?`)
	require.NoError(t, (&compare.Settings{}).Check())
}
