package gate_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/world"
	apiservercel "k8s.io/apiserver/pkg/apis/cel"

	"github.com/vmrender/vmrender/test/impact/gate"
	"github.com/vmrender/vmrender/test/impact/judge/edits"
)

// clusters are the settings of the cluster, for both the gate and the plan.
var clusters = map[string]cluster.Settings{
	"KubeVirt's defaults":       {},
	"HyperConverged's defaults": {OpenShift: true},
	"staged":                    {VMRolloutStrategy: "Stage"},
	"evicting":                  {WorkloadUpdateMethods: []string{"Evict"}, EvictionStrategy: "None"},
	"both methods":              {WorkloadUpdateMethods: []string{"LiveMigrate", "Evict"}},
	"evacuating":                {WorkloadUpdateMethods: []string{"Evict"}, EvictionStrategy: "LiveMigrate"},
	"immovable":                 {OpenShift: true, LiveMigratable: new(bool)},
	"plugged by request":        {OpenShift: true, FeatureGates: map[string]bool{"HotplugVolumes": true}},
	"fixed networks":            {OpenShift: true, FeatureGates: map[string]bool{"LiveUpdateNADRef": false}},
}

// asked compiles the policy for a cluster, with the parameters.
func asked(t testing.TB, c cluster.Settings, approve, most string) *gate.Gate {
	t.Helper()
	g, err := gate.New(gate.Params{Approve: []string{approve}, MaxImpact: []string{most}, KubeVirt: c.ForGate()})
	require.NoError(t, err)
	return g
}

// says returns the policy's verdict on a change.
func says(t testing.TB, g *gate.Gate, was, now edits.Object) gate.Verdict {
	t.Helper()
	v, err := g.Ask(was, now)
	require.NoError(t, err)
	return v
}

// worst returns the highest level of the changes, in two digits.
func worst(v gate.Verdict) string {
	out := "00"
	for _, c := range v.Changes {
		out = max(out, c[:2])
	}
	return out
}

// planned returns the highest level among the VM's own causes, in two digits, except for refusals of
// the cluster, and for VMs that never start: the policy does not contain the rules of admission.
func planned(t testing.TB, c cluster.Settings, was, now edits.Object) (string, []string) {
	t.Helper()
	old, err := manifest.New(was)
	require.NoError(t, err)
	edited, err := manifest.New(now)
	require.NoError(t, err)
	p := plan.New([]manifest.Object{old}, []manifest.Object{edited}, plan.Options{Cluster: c})
	level, causes := impact.None, []string{}
	for _, cause := range p.VMs[0].Causes {
		isOfCluster := cause.Level == impact.Refused || cause.Code == "replaced" || cause.Code == "never-starts"
		if cause.Level >= impact.Live && !isOfCluster {
			level = max(level, cause.Level)
			causes = append(causes, fmt.Sprintf("%s %s (%s)", cause.Level, cause.Path, cause.Code))
		}
	}
	return fmt.Sprintf("%02d", level), causes
}

// stopped returns a stopped copy of the VM.
func stopped(o edits.Object) edits.Object {
	o = edits.Clone(o)
	spec := o["spec"].(edits.Object)
	delete(spec, "running")
	spec["runStrategy"] = "Halted"
	return o
}

// checkLevels fails if the gate rates a change milder than a plan does.
func checkLevels(t testing.TB, g *gate.Gate, c cluster.Settings, was, now edits.Object) {
	t.Helper()
	level, causes := planned(t, c, was, now)
	v := says(t, g, was, now)
	if worst(v) < level {
		t.Errorf("a plan says %s: %s; the gate says %q", level, strings.Join(causes, "; "), v.Changes)
	}
}

// The gate rates no edit of the table milder than a plan does, whether the VM runs or
// not. The same is true of every third edit in a cluster with other settings.
func TestGateIsNeverMilder(t *testing.T) {
	all, err := edits.All()
	require.NoError(t, err)
	require.Greater(t, len(all), 300)
	for name, cluster := range clusters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := asked(t, cluster, "live", "")
			isDefault := strings.HasSuffix(name, "defaults")
			for i, e := range all {
				if !isDefault && i%3 != 0 {
					continue
				}
				t.Run(e.Base+" "+e.Text, func(t *testing.T) {
					checkLevels(t, g, cluster, e.Old, e.New)
					if isDefault {
						checkLevels(t, g, cluster, stopped(e.Old), stopped(e.New))
					}
				})
			}
		})
	}
}

// The gate does not rate up to five edits together milder than a plan does.
func TestGateIsNeverMilderTogether(t *testing.T) {
	all, err := edits.All()
	require.NoError(t, err)
	for name, cluster := range clusters {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := asked(t, cluster, "live", "")
			for seed := range uint64(50) {
				r := rand.New(rand.NewPCG(seed, 1))
				first := all[r.IntN(len(all))]
				changed, texts := first.New, []string{first.Text}
				for range r.IntN(25) {
					e := all[r.IntN(len(all))]
					if next, err := edits.Apply(changed, e.Text); err == nil && e.Base == first.Base {
						changed, texts = next, append(texts, e.Text)
					}
				}
				t.Run(fmt.Sprintf("%d: %s: %s", seed, first.Base, strings.Join(texts, " ; ")), func(t *testing.T) {
					checkLevels(t, g, cluster, first.Old, changed)
				})
			}
		})
	}
}

// pool returns a pool of VMs.
func pool(o edits.Object, replicas int64) edits.Object {
	metadata := o["metadata"].(edits.Object)
	return edits.Object{
		"apiVersion": "pool.kubevirt.io/v1beta1", "kind": "VirtualMachinePool",
		"metadata": edits.Object{"name": metadata["name"], "namespace": metadata["namespace"]},
		"spec":     edits.Object{"replicas": replicas, "virtualMachineTemplate": edits.Object{"spec": o["spec"]}},
	}
}

// The gate does not rate changes of pools with such VMs milder, and neither when the pools grow or shrink.
func TestGateOfPoolsIsNeverMilder(t *testing.T) {
	all, err := edits.All()
	require.NoError(t, err)
	for _, name := range []string{"HyperConverged's defaults", "evicting"} {
		g := asked(t, clusters[name], "live", "")
		for _, e := range all {
			t.Run(name+" "+e.Base+" "+e.Text, func(t *testing.T) {
				checkLevels(t, g, clusters[name], pool(e.Old, 3), pool(e.New, 3))
			})
		}
		for _, replicas := range []int64{2, 4} {
			checkLevels(t, g, clusters[name], pool(all[0].Old, 3), pool(all[0].Old, replicas))
			checkLevels(t, g, clusters[name], pool(all[0].Old, 3), pool(all[0].New, replicas))
		}
	}
}

// migratable returns the VM with an instance that reports that it can live-migrate.
func migratable(o edits.Object) edits.Object {
	o = edits.Clone(o)
	o["status"] = edits.Object{"conditions": []any{edits.Object{"type": "LiveMigratable", "status": "True"}}}
	return o
}

// For a VM that can live-migrate, the gate is exactly as strict as a plan. It may be
// stricter only if the cluster refuses the edit anyway, or if an edit only spells a
// quantity differently.
func TestGateIsAsStrict(t *testing.T) {
	all, err := edits.All()
	require.NoError(t, err)
	yes := true
	cluster := cluster.Settings{OpenShift: true, LiveMigratable: &yes}
	g := asked(t, cluster, "live", "")
	for _, e := range all {
		if world.Pinned(e.Old) != "" {
			continue // it never migrates, whatever its status says here
		}
		t.Run(e.Base+" "+e.Text, func(t *testing.T) {
			level, causes := planned(t, cluster, e.Old, e.New)
			v := says(t, g, migratable(e.Old), migratable(e.New))
			if worst(v) < level || worst(v) > level && !excepted(t, cluster, e) {
				t.Errorf("a plan says %s: %s; the gate says %q", level, strings.Join(causes, "; "), v.Changes)
			}
		})
	}
}

// excepted reports whether the cluster refuses an edit, or a plan sees no change in it.
func excepted(t *testing.T, c cluster.Settings, e edits.Edit) bool {
	t.Helper()
	old, err := manifest.New(e.Old)
	require.NoError(t, err)
	edited, err := manifest.New(e.New)
	require.NoError(t, err)
	v := plan.New([]manifest.Object{old}, []manifest.Object{edited}, plan.Options{Cluster: c}).VMs[0]
	refuses := func(c impact.Cause) bool { return c.Level == impact.Refused }
	return len(v.Causes) == 0 || slices.ContainsFunc(v.Causes, refuses)
}

// For a VM with more disks and NICs than KubeVirt's VMs have slots for, all of
// which change, the evaluation costs less than a tenth of the API server's
// limit.
func TestGateIsCheap(t *testing.T) {
	bases, err := edits.Bases()
	require.NoError(t, err)
	was := edits.Clone(bases["linux"])
	for i := range 40 {
		for list, entry := range map[string]string{
			"~.volumes": "{name: %[1]s, dataVolume: {name: %[1]s, hotpluggable: true}}", "~~.devices.disks": "{name: %s, disk: {bus: scsi}}",
			"~.networks": "{name: %[1]s, multus: {networkName: %[1]s}}", "~~.devices.interfaces": "{name: %s, bridge: {}}",
		} {
			was, err = edits.Apply(was, list+"[+] = "+fmt.Sprintf(entry, fmt.Sprintf("entry%d", i)))
			require.NoError(t, err)
		}
	}
	now := edits.Clone(was)
	for i := range 40 {
		now, err = edits.Apply(now, fmt.Sprintf("~.networks[entry%[1]d].multus.networkName = other%[1]d ; ~~.devices.interfaces[entry%[1]d].state = down ; "+
			"~~.devices.disks[entry%[1]d].disk.bus = virtio ; ~.volumes[entry%[1]d].dataVolume.name = other%[1]d", i))
		require.NoError(t, err)
	}
	v := says(t, asked(t, cluster.Settings{OpenShift: true}, "live", ""), was, now)
	require.Len(t, v.Changes, 4*40)
	require.Less(t, v.Cost, int64(apiservercel.RuntimeCELCostBudget/10))
}

// A deletion is refused if Argo CD or Flux is to keep the VM, and not if its removal is approved.
func TestDeletions(t *testing.T) {
	const argo, flux = "argocd.argoproj.io/sync-options", "kustomize.toolkit.fluxcd.io/prune"
	g := asked(t, cluster.Settings{}, "delete", "")
	for _, test := range []struct {
		key, value string
		refused    bool
	}{
		{argo, "Prune=false,Delete=confirm", true},
		{argo, "Prune=true", false},
		{flux, "disabled", true},
		{flux, "enabled", false},
	} {
		v := says(t, g, edits.Object{
			"apiVersion": "kubevirt.io/v1", "kind": "VirtualMachine",
			"metadata": edits.Object{"name": "a", "namespace": "b", "annotations": edits.Object{test.key: test.value}},
			"spec":     edits.Object{"runStrategy": "Always"},
		}, nil)
		require.Equal(t, test.refused, v.Refused != "", "%s: %s", test.key, test.value)
	}
}
