package plan_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/pairs"
	"github.com/vmrender/vmrender/pkg/plan"
)

// Settings that a KubeVirt object has override those given as options.
func TestReadCluster(t *testing.T) {
	given := cluster.Settings{KubeVirt: "1.6", ArgoCD: "3.2", VMRolloutStrategy: "LiveUpdate", FeatureGates: map[string]bool{"C": true}}
	got, said := cluster.ReadSettings(given, read(t, "settings"))
	require.Equal(t, cluster.Settings{
		KubeVirt: "1.8.4", ArgoCD: "3.2", OpenShift: true, VMRolloutStrategy: "Stage", WorkloadUpdateMethods: []string{"Evict"},
		FeatureGates: map[string]bool{"A": true, "B": false},
	}, got)
	require.Equal(t, []string{"HyperConverged", "kubevirt 1.8.4", "vmRolloutStrategy Stage", "workloadUpdateMethods [Evict]"}, said)

	same, said := cluster.ReadSettings(given, nil)
	require.Equal(t, given, same)
	require.Empty(t, said)
}

// KubeVirt 1.4 makes live changes only with a feature gate. A VM in the launcher of an older version may not migrate.
func TestReadsOlderCluster(t *testing.T) {
	kubevirt := func(gates ...any) []manifest.Object {
		return encode(t, []object{{
			"apiVersion": "kubevirt.io/v1", "kind": "KubeVirt", "metadata": object{"name": "k", "namespace": "k"},
			"spec": object{"configuration": object{
				"vmRolloutStrategy": "LiveUpdate", "developerConfiguration": object{"featureGates": gates},
			}},
			"status": object{"observedKubeVirtVersion": "v1.4.1"},
		}})
	}
	got, _ := cluster.ReadSettings(cluster.Settings{}, kubevirt("Other"))
	require.Equal(t, "Stage", got.VMRolloutStrategy)
	got, _ = cluster.ReadSettings(cluster.Settings{}, kubevirt("VMLiveUpdateFeatures"))
	require.Equal(t, "LiveUpdate", got.VMRolloutStrategy)
}

// A VM in the launcher of an older KubeVirt may fail to live-migrate.
func TestOutdatedLauncher(t *testing.T) {
	for label, unsure := range map[string]bool{"kubevirt.io/outdatedLauncherImage": true, "other": false} {
		w := newWorld(t)
		w.instance["status"].(object)["conditions"] = []any{object{"type": "LiveMigratable", "status": "True"}}
		at(w.instance, "metadata").(object)["labels"] = object{label: ""}
		old := encode(t, w.git)
		set("6Gi", memory)(w.git)
		p := plan.New(old, encode(t, w.git), plan.Options{Cluster: w.cluster, Live: encode(t, w.state())})
		v := verdictOf(t, p)
		require.Equal(t, impact.Migrate, v.Level, "%+v", v.Causes)
		require.Equal(t, unsure, v.Approximate, label)
	}
}

// The age of an export is that of its newest time in the past. A Lease is renewed all the
// time, and the times in a spec are in the future.
func TestExported(t *testing.T) {
	require.Equal(t, "2026-11-22T04:05:06Z", cluster.Exported(read(t, "settings")))
	require.Empty(t, cluster.Exported(encode(t, load(t, "pet"))))
}

// Without a former revision, the old side is the state that Argo CD last applied. The
// plan shows what Git has dropped since, but not what others have added.
func TestFromCluster(t *testing.T) {
	wanted := encode(t, load(t, "absent"))
	for name, unrecorded := range map[string]int{"applied-client": 0, "applied-server": 0, "applied-not": 1} {
		t.Run(name, func(t *testing.T) {
			live := read(t, name)
			old, n := pairs.FromCluster(live, wanted)
			require.Equal(t, unrecorded, n)
			p := plan.New(old, wanted, plan.Options{Cluster: openshift, Live: live})
			v := verdictOf(t, p)
			if unrecorded > 0 {
				require.Equal(t, impact.None, v.Level, "%+v", v.Causes)
				return
			}
			require.Equal(t, impact.Restart, v.Level, "%+v", v.Causes)
			require.Len(t, v.Causes, 1)
			require.Equal(t, "spec.template.spec.hostname", v.Causes[0].Path)
		})
	}
}

// A VM that is new in Git but exists in the cluster is taken over. If another Application
// tracks it, that is a warning. If nothing else changes, it is adopted.
func TestTakenOver(t *testing.T) {
	for name, tc := range map[string]struct {
		state func([]object)
		code  impact.Code
		level impact.Level
	}{
		"the same":     {nothing, plan.CodeAdopted, impact.None},
		"tracked":      {tracked, "taken-over", impact.Metadata},
		"another name": {set("other", "metadata.labels.app"), "taken-over", impact.Metadata},
		"no label":     {set(object{}, "metadata.labels"), plan.CodeAdopted, impact.None},
	} {
		t.Run(name, func(t *testing.T) {
			state := load(t, "absent")
			tc.state(state)
			v := verdictOf(t, plan.New(nil, encode(t, load(t, "absent")), plan.Options{Live: encode(t, state)}))
			require.Equal(t, tc.level, v.Level, "%+v", v.Causes)
			require.True(t, slices.ContainsFunc(v.Causes, func(c impact.Cause) bool { return c.Code == tc.code }), "%+v", v.Causes)
			require.Equal(t, tc.level == impact.None, v.Adopted)
			require.Equal(t, name == "tracked", v.Causes[0].Warning)
		})
	}
}

// A new rollout also restarts the VMs that an earlier one has left behind, except those
// at which it stopped.
func TestLeftBehind(t *testing.T) {
	for name, restarted := range map[string][]string{"behind": {"db"}, "behind-stopped": nil} {
		base := load(t, "rollout")
		changed := load(t, "rollout")
		setIn(changed[1], splitPath("metadata.labels.team"), "x")
		p := plan.New(encode(t, base), encode(t, changed), plan.Options{Cluster: openshift, Live: read(t, name)})
		var vms []string
		for _, j := range p.Jobs {
			vms = append(vms, j.VMs...)
		}
		require.Equal(t, restarted, vms, name)
	}
}

// An existing Job for Ansible does not run again.
func TestAnsibleAgain(t *testing.T) {
	job := func() []object {
		return []object{{
			"apiVersion": "tower.ansible.com/v1alpha1", "kind": "AnsibleJob",
			"metadata": object{"name": "db-ansible-1", "namespace": "prod", "labels": object{"app": "db"}, "creationTimestamp": "2026-11-22T01:00:00Z"},
		}}
	}
	require.NotContains(t, told(plan.New(nil, encode(t, job()), plan.Options{})), "does not run again")
	said := told(plan.New(nil, encode(t, job()), plan.Options{Live: append(encode(t, job()), read(t, "settings")...)}))
	require.Contains(t, said, "does not run again: a Job of that name, for this revision, was created 3 hours before the export")
}

// Disks that a sync fills are counted with their sizes. Empty disks and disks that exist
// in the cluster are not counted.
func TestImports(t *testing.T) {
	wanted := encode(t, append(load(t, "cattle"), load(t, "pet")...))
	require.Contains(t, plan.New(nil, wanted, plan.Options{}).Notes, "2 disks are filled from images or other disks: 50Gi")
	require.Contains(t, plan.New(nil, wanted, plan.Options{Live: read(t, "rollout")}).Notes, "one disk is filled from an image or another disk: 30Gi")
	require.Empty(t, plan.New(wanted, wanted, plan.Options{}).Notes)
}

// Next to the cluster alone, an object is new only if the cluster shows others of its kind in its namespace: not all
// kinds are in every export. What it has is not new.
func TestUnseenKinds(t *testing.T) {
	job := func(name string) object {
		return object{
			"apiVersion": "batch/v1", "kind": "CronJob", "metadata": object{"name": name, "namespace": "prod"},
			"spec": object{"schedule": "0 2 * * *"},
		}
	}
	wanted := encode(t, []object{job("power"), job("snapshots")})
	plans := func(applied bool, state ...object) map[string]bool {
		live := encode(t, append(state, load(t, "pet")...))
		var old []manifest.Object
		if applied {
			old, _ = pairs.FromCluster(live, wanted)
		}
		found := map[string]bool{}
		for _, v := range plan.New(old, wanted, plan.Options{Live: live, Applied: applied}).Objects {
			require.Equal(t, impact.Create, v.Level)
			found[v.ID.Name] = v.Approximate
		}
		return found
	}
	require.Equal(t, map[string]bool{"power": true, "snapshots": true}, plans(true))
	require.Equal(t, map[string]bool{"snapshots": false}, plans(true, job("power")))
	require.Equal(t, map[string]bool{"power": false, "snapshots": false}, plans(false), "new in Git")
}
