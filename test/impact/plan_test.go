package impact_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/catalog"
	pkgcluster "github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/test/impact/judge/cluster"
)

// planned returns a plan's verdicts on a case: from the manifests alone, and with the
// content of the cluster.
func planned(t testing.TB, config pkgcluster.Settings, c trial, live []manifest.Object) map[string]plan.Verdict {
	t.Helper()
	from, err := manifest.New(c.Old)
	require.NoError(t, err)
	to, err := manifest.New(c.New)
	require.NoError(t, err)
	out := map[string]plan.Verdict{}
	for how, live := range map[string][]manifest.Object{"from Git": nil, "with the cluster": live} {
		p := plan.New([]manifest.Object{from}, []manifest.Object{to}, plan.Options{Cluster: config, Live: live, Types: catalog.Installed})
		require.Len(t, p.VMs, 1)
		if v := p.VMs[0]; live != nil || !v.Approximate && v.Stopped != c.Running {
			out[how] = v
		}
	}
	return out
}

// settings returns the settings of the cluster as a plan takes them, for a version of KubeVirt.
func settings(config cluster.Config, version string) pkgcluster.Settings {
	c := pkgcluster.Settings{
		KubeVirt: version, VMRolloutStrategy: string(config.Rollout), WorkloadUpdateMethods: []string{},
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

// level returns the level of the text of a verdict as a plan reports it.
func level(t testing.TB, verdict string) impact.Level {
	t.Helper()
	name, _, _ := strings.Cut(verdict, ";")
	var l impact.Level
	require.NoError(t, l.UnmarshalText([]byte(name)))
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
	{code: "state-deleted", than: []impact.Level{impact.Staged, impact.Restart, impact.None}, why: "a VM that has run has a claim with its state, and the judge's stopped ones have not run"},
	{code: "swapped-live", than: []impact.Level{impact.Live, impact.Staged, impact.Restart}, why: "the guest finds another content, which matters more"},
	{code: "restart-required", path: domain + "cpu", than: started, why: "it may spell out what KubeVirt fills in at every start"},
	{code: "restart-required", path: domain + "memory.maxGuest", than: started, why: "it may spell out what KubeVirt fills in at every start"},
	{code: "restart-required", path: instance + "evictionStrategy", than: started, why: "it may spell out what KubeVirt fills in at every start"},
	{code: "restart-required", path: domain + "resources", than: started, why: "it may spell out what KubeVirt fills in at every start"},
	{code: "cannot-shrink", path: domain + "cpu", than: started, why: "it may spell out what KubeVirt fills in at every start"},
	{
		code: "cannot-shrink", path: instance + "volumes", than: []impact.Level{impact.Migrate, impact.Staged},
		why: "the copy itself fails, on a node",
	},
	{code: "controller-crashes", than: []impact.Level{impact.None, impact.Staged}, why: "virt-controller crashes at the next start, which matters more"},
	{code: "refused", path: domain, than: []impact.Level{impact.None}, why: "the API server drops a field that the version does not have, and vmrender refuses it"},
	{code: "refused", path: domain + "memory.maxGuest", than: []impact.Level{impact.Staged, impact.Restart}, why: "vmrender refuses on arm64 what later versions refuse"},
	{code: "restart-required", path: domain + "memory.guest", than: started, why: "it may spell out what KubeVirt fills in at every start"},
	{code: "restart-required", path: domain + "devices.interfaces", than: started, why: "it may be a NIC that KubeVirt removes again"},
	{code: "invalid", path: instance + "volumes", than: []impact.Level{impact.Restart}, why: "KubeVirt comes to the refusal only after the restart that another change needs"},
	{code: "never-starts", path: "spec.updateVolumesStrategy", than: started, why: "vmrender refuses the unknown strategy for every version"},
	{code: "no-hotplug", path: domain + "memory.guest", than: []impact.Level{impact.Migrate}, why: "only some older patch releases plug memory on arm64"},
	{code: "never-migrates", path: domain + "devices.interfaces", than: []impact.Level{impact.Migrate}, why: "another change migrates the VM, and takes the NIC along"},
	{code: "not-plugged", than: []impact.Level{impact.Live}, why: "the instance has the NIC, but its guest does not"},
	{assumes: impact.Selected, why: "approximate: the judge's clusters select no VMs by a label"},
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

// A plan predicts the effect of every edit in KubeVirt, except for the
// differences in testdata/differences.txt, which have reasons. Every rule for
// VMs has a case.
func TestPlan(t *testing.T) {
	cases, all := verdicts(t)
	found := compared{version: newest}
	for k, c := range cases {
		for i := range configs {
			if all[i][k] != nil {
				found.add(t, i, c, all[i][k].live, all[i][k].String())
			}
		}
	}
	same(t, "differences.txt", found.text(nil))
	if *only == "" {
		found.check(t)
		checkReached(t, found.hits)
	}
}

// differences returns the differences between a plan and KubeVirt, one per line. One that
// is not intended is an error.
func differences(t testing.TB, name string, says map[string]plan.Verdict, verdict string) []string {
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
