package impact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	pkgcluster "github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/test/impact/cluster"
)

// planned returns a plan's verdicts on a case: from the manifests alone, and with the
// content of the cluster.
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

// settings returns the settings of the cluster as a plan takes them.
func settings(config cluster.Config) pkgcluster.Settings {
	c := pkgcluster.Settings{
		KubeVirt: "1.8.4", VMRolloutStrategy: string(config.Rollout), WorkloadUpdateMethods: []string{},
		FeatureGates: map[string]bool{}, LiveMigratable: &config.Migratable, EvictionStrategy: string(config.Eviction),
	}
	for _, method := range config.Methods {
		c.WorkloadUpdateMethods = append(c.WorkloadUpdateMethods, string(method))
	}
	for _, gate := range slices.Concat(cluster.Always, config.Gates) {
		c.FeatureGates[gate] = true
	}
	return c
}

// level returns the level of the verdict as a plan reports it.
func level(t testing.TB, v *verdict) impact.Level {
	t.Helper()
	var l impact.Level
	require.NoError(t, l.UnmarshalText([]byte(v.Level())))
	return noticed(l)
}

// noticed returns the level, or none if no VM notices the change.
func noticed(l impact.Level) impact.Level {
	if l < impact.Live {
		return impact.None
	}
	return l
}

// meant lists the intended differences between a plan and KubeVirt, with reasons. Each
// applies to causes with a code, or to causes that declare an assumption.
var meant = []struct {
	code    impact.Code
	path    string // includes the paths below it; empty for any
	assumes impact.Assumption
	than    []impact.Level
	why     string
}{
	{code: "new-disk", than: []impact.Level{impact.Staged, impact.Restart}, why: "the start is from an empty disk, which matters more"},
	{code: "not-copied", than: []impact.Level{impact.Staged, impact.Restart}, why: "the start is from another disk, without the data, which matters more"},
	{code: "never-migrates", than: []impact.Level{impact.Staged, impact.Restart}, why: "the start is from another disk, without the data, which matters more"},
	{code: "evicted", path: instance + "volumes", than: []impact.Level{impact.Power, impact.Restart}, why: "the start is from another disk, without the data, which matters more"},
	{code: "other-disk", than: []impact.Level{impact.Staged, impact.Restart}, why: "the start is from another disk, without the data, which matters more"},
	{code: "other-state", than: []impact.Level{impact.Staged, impact.Restart}, why: "the guest finds no keys in its TPM or firmware, which matters more"},
	{code: "swapped-live", than: []impact.Level{impact.Live, impact.Staged}, why: "the guest finds another content, which matters more"},
	{code: "restart-required", path: domain + "cpu", than: started, why: "it may spell out what KubeVirt fills in at every start"},
	{code: "restart-required", path: domain + "memory.maxGuest", than: started, why: "it may spell out what KubeVirt fills in at every start"},
	{code: "restart-required", path: instance + "evictionStrategy", than: started, why: "it may spell out what KubeVirt fills in at every start"},
	{code: "cannot-shrink", path: domain + "cpu", than: started, why: "it may spell out what KubeVirt fills in at every start"},
	{
		code: "cannot-shrink", path: instance + "volumes", than: []impact.Level{impact.Migrate, impact.Staged},
		why: "the copy itself fails, on a node",
	},
	{code: "not-plugged", than: []impact.Level{impact.Live}, why: "the instance has the NIC, but its guest does not"},
	{assumes: impact.Types, why: "approximate: instance types and preferences are not among the manifests"},
	{assumes: impact.Defaults, why: "approximate: what KubeVirt fills in is the cluster's"},
	{assumes: impact.Fits, why: "approximate: what an architecture does not have is not among the rules"},
	{assumes: impact.Copied, why: "approximate: KubeVirt's controllers race, and the judge lets the worse one win"},
}

// The paths of the table, and the level at which a stopped VM starts as it would have.
const (
	instance = "spec.template.spec."
	domain   = instance + "domain."
)

var started = []impact.Level{impact.None}

// reason returns the reason why a plan's difference is intended, or "".
func reason(v plan.Verdict, than impact.Level) string {
	for _, m := range meant {
		for _, c := range v.Causes {
			byCode := m.code != "" && c.Code == m.code && strings.HasPrefix(c.Path, m.path) && slices.Contains(m.than, than)
			byDoubt := m.assumes != "" && c.Approximate == string(m.assumes) && v.Approximate
			if c.Level == v.Level && byCode || byDoubt {
				return m.why
			}
		}
	}
	return ""
}

// described returns the level with its causes.
func described(v plan.Verdict) string {
	parts := []string{v.Level.String()}
	for _, c := range v.Causes {
		if c.Level == v.Level {
			parts = append(parts, string(c.Code)+" "+c.Path)
		}
	}
	return strings.Join(parts, "; ")
}

// enough is the minimum number of cases to compare.
const enough = 2000

// A plan predicts the effect of every edit in KubeVirt, except for the
// differences in testdata/differences.txt, which have reasons. Every rule for
// VMs has a case.
func TestPlan(t *testing.T) {
	cases, all := verdicts(t)
	compared, hits := 0, reached{}
	var lines []string
	for k, c := range cases {
		for i, config := range configs {
			if all[i][k] == nil {
				continue
			}
			says := planned(t, config.Config, c, all[i][k].live)
			hits.add(says)
			if all[i][k].Invalid {
				continue // vmrender refuses to render it (test/admission)
			}
			compared++
			lines = append(lines, differences(t, config.name+": "+c.String(), says, all[i][k])...)
		}
	}
	slices.Sort(lines)
	same(t, "differences.txt", strings.Join(lines, ""))
	if *only == "" {
		require.GreaterOrEqual(t, compared, enough)
		checkReached(t, hits)
	}
}

// differences returns the differences between a plan and KubeVirt, one per line. One that
// is not intended is an error.
func differences(t testing.TB, name string, says map[string]plan.Verdict, verdict *verdict) []string {
	t.Helper()
	than := level(t, verdict)
	var out []string
	for how, v := range says {
		if noticed(v.Level) == than {
			continue
		}
		side := "harsher"
		if noticed(v.Level) < than {
			side = "milder"
		}
		line := fmt.Sprintf("%s: %s: a plan %s says %s; KubeVirt does: %s", side, name, how, described(v), verdict)
		if why := reason(v, than); why != "" {
			out = append(out, why+": "+line+"\n")
		} else {
			t.Error(line)
		}
	}
	return out
}
