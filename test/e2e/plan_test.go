package e2e_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// planned is a fleet with a VM for each level of a sync.
const planned = `vms:
  none: {}
  metadata: {}
  left: {}
  live: {}
  migrate: {memory: 4Gi, disks: {root: {accessMode: ReadWriteMany}}}
  staged: {}
  restart: {cpu: {cores: 2}, memory: 4Gi}
  power: {}
  recreate: {memory: 4Gi, lifecycle: {type: cattle, strategy: replace}}
  delete: {lifecycle: {removal: approved}}
  data-loss: {disks: {data: 10Gi}, lifecycle: cattle}
`

// changedPlan is the fleet after one commit; missing VMs are removed.
const changedPlan = `vms:
  none: {}
  create: {}
  metadata: {annotations: {team: a}}
  live: {nodeSelector: {kubernetes.io/os: linux}}
  migrate: {memory: 6Gi, disks: {root: {accessMode: ReadWriteMany}}}
  staged: {overrides: {spec: {template: {metadata: {annotations: {team: a}}}}}}
  restart: {cpu: {cores: 4}, memory: 4Gi}
  power: {runStrategy: Halted}
  recreate: {memory: 6Gi, lifecycle: {type: cattle, strategy: replace}}
`

// A sync has the effect that the plan of the commit shows. There is one VM for
// each level, named after the level.
func TestPlan(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "planned", planned)
	s.hasMemory("migrate", "4Gi")
	machines, instances, disks, before := s.machines(), s.instances(), s.disks(), s.moment()

	s.write("vms.yaml", changedPlan)
	plan := s.verdicts()
	revision := s.push("One change of every kind")
	levels := s.plan("HEAD~")
	for name, level := range levels {
		require.Equal(t, name, level, "the VM's name is its level")
	}
	require.Len(t, levels, 11, "all but the one that does not change: %v", levels)
	s.wait(leftOver(revision, "left"))

	s.hasMemory("migrate", "6Gi")
	s.eventually("RestartRequired", func() bool { return s.asksForRestart("restart") })
	s.eventually("placed", func() bool {
		return s.field(kubevirt.Instances, "live", "spec", "nodeSelector", "kubernetes.io/os") == "linux"
	})
	s.eventually("stopped", func() bool { return s.instances()["power"] == "" })
	s.eventually("deleted with its data", func() bool { return s.machines()["data-loss"] == "" && s.disks()["data-loss-data"] == "" })
	s.eventually("deleted", func() bool { return s.machines()["delete"] == "" })
	s.eventually("recreated", func() bool {
		return s.instances()["recreate"] != "" && s.instances()["recreate"] != instances["recreate"]
	})

	for _, name := range []string{"none", "metadata", "left", "live", "migrate", "staged", "restart"} {
		require.Equal(t, machines[name], s.machines()[name], name)
		require.Equal(t, instances[name], s.instances()[name], "%s runs on", name)
		if name != "restart" {
			require.False(t, s.asksForRestart(name), name)
		}
	}
	require.Equal(t, "a", s.field(kubevirt.VirtualMachines, "metadata", "metadata", "annotations", "team"))
	require.Equal(t, "a", s.field(kubevirt.VirtualMachines, "staged", "spec", "template", "metadata", "annotations", "team"))
	require.Nil(t, s.field(kubevirt.Instances, "staged", "metadata", "annotations", "team"), "not before the next start")
	require.Equal(t, machines["power"], s.machines()["power"])
	require.NotEqual(t, machines["recreate"], s.machines()["recreate"])
	require.NotEmpty(t, s.machines()["create"])
	require.Equal(t, disks["delete"], s.disks()["delete"], "its disk is kept")
	require.Equal(t, disks["left"], s.disks()["left"])

	s.requireNotMilder(plan, before)
	stands := s.status()
	require.Equal(t, "restart: waits for a restart: cpu", stands["restart"])
	require.Equal(t, "staged: takes effect at the next start: template.metadata.annotations.team", stands["staged"])
	require.Contains(t, stands["left"], "left-over: is in the cluster, but not in Git, but the Application ")
	for _, name := range []string{"none", "metadata", "live", "power"} {
		require.NotContains(t, stands, name)
	}
}

// A plan shows the changes that the cluster will refuse.
func TestPlanRefused(t *testing.T) {
	t.Parallel()
	s := newLifecycle(t, "planned-refusal", "vms:\n  db: {disks: {data: 20Gi}}\n")
	s.replace("vms.yaml", "20Gi", "10Gi")
	s.push("A smaller disk")
	require.Equal(t, map[string]string{"db": "refused"}, s.plan("HEAD~"))
	s.wait(syncFailed)
	s.stands(map[string]string{"db": "not-synced: DataVolume db-data is not synced yet: disks"})
}

// plan returns the levels of the VMs in the commits since a revision, by name.
func (s *scenario) plan(from string) map[string]string {
	s.Helper()
	out := map[string]string{}
	for name, v := range s.planned("--from", from, "--to", "HEAD") {
		out[name] = v.Level.String()
	}
	return out
}
