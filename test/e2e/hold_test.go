package e2e_test

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/test/e2e/argo"
	"github.com/vmrender/vmrender/test/e2e/kubevirt"
)

// heldFleet holds what needs a restart.
const heldFleet = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: site}
target:
  openshift: true
  argocd: "3.2"
  healthChecks: true
  applyOutOfSyncOnly: true
  liveMigratable: true
  image: registry.example.com/vmrender:1.0
defaults: {os: rhel9, flavor: small}
policy: {hold: restart}
`

// declared returns the memory of db and the zone of web in the cluster.
func (s *scenario) declared() []any {
	s.Helper()
	return []any{
		s.field(kubevirt.VirtualMachines, "db", "spec", "template", "spec", "domain", "memory", "guest"),
		s.field(kubevirt.VirtualMachines, "web", "spec", "template", "spec", "nodeSelector", "zone"),
	}
}

// holds runs `vmrender hold` against the last commit, and returns what it prints.
func (s *scenario) holds() string {
	s.Helper()
	stdout, stderr, err := s.run("hold", s.repository.Dir, "--from", "HEAD", "--namespace", s.name)
	require.NoError(s, err, stderr)
	return stdout
}

// isHeld reports whether the cluster has a VM as one that is held.
func (s *scenario) isHeld(machine string) bool {
	s.Helper()
	_, ok := s.object(kubevirt.VirtualMachines, machine).GetAnnotations()["vmrender.io/held"]
	return ok
}

// Of a commit with a live change and one that needs a restart, the live one is applied, and the other VM stays as it
// was, while its Application is Synced. A revert leaves nothing of it. When the change is approved, it is applied, and
// waits for its restart as any other.
func TestHold(t *testing.T) {
	t.Parallel()
	s := newScenario(t, "hold")
	const before = "vms:\n  db: {memory: 4Gi}\n  web: {memory: 4Gi}\n"
	const after = "vms:\n  db: {memory: 2Gi}\n  web: {memory: 4Gi, nodeSelector: {zone: b}}\n"
	s.write("fleet.yaml", heldFleet)
	s.write("vms.yaml", before)
	s.wait(argo.Synced(s.push("A fleet")))
	instances := s.instances()

	s.write("vms.yaml", after)
	require.Contains(t, s.holds(), "held  hold/db  restart: memory: ")
	s.wait(argo.Synced(s.push("Less memory for db, and another zone for web")))
	require.Equal(t, []any{"4Gi", "b"}, s.declared())
	require.True(t, s.isHeld("db"))
	require.False(t, s.isHeld("web"))
	require.False(t, s.asksForRestart("db"))
	require.Contains(t, s.advice(), "held: restart; approve: ")

	s.write("vms.yaml", before)
	require.Contains(t, s.holds(), "released  hold.db: ")
	s.wait(argo.Synced(s.push("Take it back")))
	require.Equal(t, []any{"4Gi", nil}, s.declared())
	require.False(t, s.isHeld("db"))

	s.write("vms.yaml", after)
	line := regexp.MustCompile(`approve: \S+`).FindString(s.holds())
	s.wait(argo.Synced(s.push("Once more")))
	require.True(t, s.isHeld("db"))
	require.Equal(t, []any{"4Gi", "b"}, s.declared())
	require.Equal(t, instances, s.instances())

	s.replace("vms.yaml", "db: {", "db: {"+line+", ")
	require.Contains(t, s.holds(), "released  hold.db: its change is approved")
	s.wait(argo.Synced(s.push("Approve it")))
	require.Equal(t, []any{"2Gi", "b"}, s.declared())
	require.False(t, s.isHeld("db"))
	s.eventually("RestartRequired", func() bool { return s.asksForRestart("db") })
	require.Equal(t, instances, s.instances())
	_, err := os.Stat(s.repository.Path(".held/hold.db.yaml"))
	require.ErrorIs(t, err, os.ErrNotExist)
	s.stands(map[string]string{"db": "restart"})
}
