package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/render"
)

// gated renders a fleet that has no errors and no warnings.
func gated(t *testing.T, dir string, overlays ...string) []manifest.Object {
	t.Helper()
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{Overlays: overlays}, c.Visit)
	objects := read(t, c.Rendered(diags))
	require.Empty(t, diags.Sorted())
	return objects
}

// changed returns a copy of the example in which a text in a file is replaced.
func changed(t *testing.T, file, old, now string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("gate")))
	path := filepath.Join(dir, file)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Contains(t, string(text), old)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), old, now, 1)), 0o600))
	return dir
}

// judged returns the gate of each VM that a change of the example affects.
func judged(t *testing.T, dir string, overlays ...string) map[string]*gate.Gate {
	t.Helper()
	out := map[string]*gate.Gate{}
	p := plan.New(gated(t, "gate", overlays...), gated(t, dir, overlays...), plan.Options{})
	for i := range p.VMs {
		if g := p.VMs[i].Gate; g != nil {
			out[p.VMs[i].ID.Name] = g
		}
	}
	return out
}

// TestGate proves the claims of examples/gate: a change needs its approval and passes with
// the line from the plan, and a further change does not.
func TestGate(t *testing.T) {
	more := judged(t, changed(t, "vms/db.yaml", "cores: 2}", "cores: 4}"))
	require.Len(t, more, 1)
	require.True(t, more["db01"].Blocked())
	line := more["db01"].Line()
	require.Regexp(t, `^approve: [0-9a-f]{32}-[0-9a-f]{32}$`, line)

	approved := judged(t, changed(t, "vms/db.yaml", "cores: 2}", "cores: 4}\n    "+line))
	require.False(t, approved["db01"].Blocked())
	require.Equal(t, gate.Given, approved["db01"].Approvals[0].State)

	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("gate")))
	text := "vms: {db01: {cpu: {cores: 8}, memory: 8Gi, disks: {data: 100Gi}, " + line + "}, report01: {flavor: small}}"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vms/db.yaml"), []byte(text), 0o600))
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{}, c.Visit)
	further := plan.New(gated(t, "gate"), read(t, c.Rendered(diags)), plan.Options{})
	require.Equal(t, gate.Stale, further.VMs[0].Gate.Approvals[0].State)
	require.Len(t, diags.Sorted(), 1, "validate warns of it")
}

// TestGateOfEnvironment proves that the overlay of the example requires approvals earlier,
// and that a change that waits for a restart is only reported.
func TestGateOfEnvironment(t *testing.T) {
	staged := judged(t, changed(t, "vms/db.yaml", "stage: true", "stage: true\n    machineType: pc-q35-rhel9.6.0"))
	require.Equal(t, []string{"machineType"}, staged["report01"].Staged)
	require.False(t, staged["report01"].Blocked())

	larger := changed(t, "vms/db.yaml", "memory: 8Gi", "memory: 9Gi")
	require.False(t, judged(t, larger)["db01"].Blocked())
	require.True(t, judged(t, larger, "gate/.overlays/prod.yaml")["db01"].Blocked())
}

// TestGateOfCattle proves that one approval covers all replicas, and that cattle stays when
// its entry is removed.
func TestGateOfCattle(t *testing.T) {
	web := judged(t, changed(t, "vms/web.yaml", "flavor: small", "flavor: medium\n    tpm: true"))
	require.Len(t, web, 3)
	require.NotEmpty(t, web["web-0"].Line())
	require.Equal(t, web["web-0"].Line(), web["web-2"].Line())

	was := gated(t, "gate")
	var without []manifest.Object
	for _, o := range was {
		if !strings.HasPrefix(o.Name, "web-") {
			without = append(without, o)
		}
	}
	for _, v := range plan.New(was, without, plan.Options{}).VMs {
		require.Contains(t, []impact.Level{impact.None, impact.Left}, v.Level)
	}
}
