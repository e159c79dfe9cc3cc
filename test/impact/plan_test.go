package impact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/test/impact/cluster"
)

// planned is what a plan says of a case: by the manifests alone, and with what there
// is in the cluster.
func planned(t testing.TB, config cluster.Config, c trial, live []manifest.Object) map[string]plan.Verdict {
	t.Helper()
	from, err := manifest.New(c.Old)
	require.NoError(t, err)
	to, err := manifest.New(c.New)
	require.NoError(t, err)
	out := map[string]plan.Verdict{}
	for how, live := range map[string][]manifest.Object{"from Git": nil, "with the cluster": live} {
		p := plan.New([]manifest.Object{from}, []manifest.Object{to}, plan.Options{Cluster: settings(config), Live: live})
		require.Len(t, p.VMs, 1)
		if v := p.VMs[0]; live != nil || !v.Approximate && v.Stopped != c.running {
			out[how] = v
		}
	}
	return out
}

// settings are those of the cluster, as a plan takes them.
func settings(config cluster.Config) plan.Cluster {
	c := plan.Cluster{
		KubeVirt: "1.8.4", VMRolloutStrategy: string(config.Rollout), WorkloadUpdateMethods: []string{},
		FeatureGates: map[string]bool{}, LiveMigratable: &config.Migratable,
	}
	for _, method := range config.Methods {
		c.WorkloadUpdateMethods = append(c.WorkloadUpdateMethods, string(method))
	}
	for _, gate := range config.Gates {
		c.FeatureGates[gate] = true
	}
	return c
}

// level is that of the verdict, as a plan has it.
func level(t testing.TB, v *verdict) plan.Level {
	t.Helper()
	var l plan.Level
	require.NoError(t, l.UnmarshalText([]byte(v.Level())))
	return noticed(l)
}

// noticed is the level, where all that no machine notices is one.
func noticed(l plan.Level) plan.Level {
	if l < plan.Live {
		return plan.None
	}
	return l
}

// deliberate are the causes for which a plan says more than KubeVirt does.
var deliberate = []struct {
	code string
	than plan.Level
	why  string
}{
	{"new-disk", plan.Restart, "the restart is from an empty disk, which matters more"},
}

func isDeliberate(v plan.Verdict, than plan.Level) bool {
	for _, d := range deliberate {
		if d.than == than && slices.ContainsFunc(v.Causes, func(c plan.Cause) bool { return string(c.Code) == d.code && c.Level == v.Level }) {
			return true
		}
	}
	return false
}

// described is the level with what has led to it.
func described(v plan.Verdict) string {
	parts := []string{v.Level.String()}
	for _, c := range v.Causes {
		if c.Level == v.Level {
			parts = append(parts, string(c.Code)+" "+c.Path)
		}
	}
	return strings.Join(parts, "; ")
}

// A plan says of every edit what KubeVirt does with it, but for what stands in
// testdata/differences.txt.
func TestPlan(t *testing.T) {
	cases, all := verdicts(t)
	var lines []string
	for k, c := range cases {
		for i, config := range configs {
			if all[i][k] == nil || all[i][k].Invalid {
				continue // vmrender refuses to render it (test/admission)
			}
			lines = append(lines, differences(t, config.Config, config.name+": "+c.String(), c, all[i][k])...)
		}
	}
	slices.Sort(lines)
	same(t, "differences.txt", strings.Join(lines, ""))
}

// differences are those of a plan from what KubeVirt does, a line each.
func differences(t *testing.T, config cluster.Config, name string, c trial, verdict *verdict) []string {
	t.Helper()
	than := level(t, verdict)
	var out []string
	for how, v := range planned(t, config, c, verdict.live) {
		if noticed(v.Level) == than || isDeliberate(v, than) {
			continue
		}
		side := "harsher"
		if noticed(v.Level) < than {
			side = "milder"
		}
		out = append(out, fmt.Sprintf("%s: %s: a plan %s says %s; KubeVirt does: %s\n", side, name, how, described(v), verdict))
	}
	return out
}
