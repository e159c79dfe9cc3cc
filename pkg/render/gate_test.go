package render_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

const (
	open  = "{}"
	gated = "{approve: restart, maxImpact: delete}"
)

// manifests renders the VMs of a fleet with a policy as YAML.
func manifests(t *testing.T, policy, vms string, o fleet.Options) string {
	t.Helper()
	dir := t.TempDir()
	header := fmt.Sprintf(`{apiVersion: vmrender.io/v1alpha1, kind: Fleet, metadata: {name: f}, target: {image: i},
		defaults: {namespace: ns, os: fedora, flavor: small}, policy: %s, vms: %s}`, policy, vms)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(header), 0o600))
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, o, c.Visit)
	rendered := c.Rendered(diags)
	require.False(t, diags.HasErrors(), diags.Sorted())
	var out bytes.Buffer
	w := manifest.NewWriter(&out, manifest.YAML)
	require.NoError(t, render.Write(w, rendered...))
	require.NoError(t, w.Close())
	return out.String()
}

var becomes = regexp.MustCompile(`(?m)^ {4}vmrender\.io/becomes: "?([0-9a-f]{32})"?$`)

// becomesOf returns the distinct hashes in manifests.
func becomesOf(t *testing.T, text string) []string {
	t.Helper()
	require.NotContains(t, text, "?")
	var out []string
	for _, m := range becomes.FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// The annotations of the gate are only in the manifests of a fleet with a gate. Nothing
// else differs from a fleet without one.
func TestGateAddsAnnotationsOnly(t *testing.T) {
	const plain = "{pet: {}, cattle: {replicas: 2, lifecycle: {type: cattle, removal: denied}}," +
		"pool: {replicas: 2, lifecycle: {type: cattle, strategy: pool, removal: denied}}, " +
		"shot: {lifecycle: {snapshotBefore: true}}}"
	const token = "none-5e6f7a8b5e6f7a8b5e6f7a8b5e6f7a8b"
	const used = "{pet: {approve: {data: " + token + ", delete: " + token + ", restart: " + token + "}, stage: true}, " +
		"cattle: {approve: " + token + ", replicas: 2, lifecycle: {type: cattle, removal: denied}}," +
		"pool: {replicas: 2, lifecycle: {type: cattle, strategy: pool, removal: denied}}, " +
		"shot: {approve: " + token + ", lifecycle: {snapshotBefore: true}}}"
	without := manifests(t, open, plain, fleet.Options{})
	require.Equal(t, without, manifests(t, open, used, fleet.Options{}))
	with := manifests(t, gated, used, fleet.Options{})
	require.Equal(t, 5, strings.Count(with, "vmrender.io/approve-from: restart\n"), "once for each VM and pool")
	require.Contains(t, with, "    vmrender.io/approved: restart="+token+",delete="+token+",data="+token+"\n")
	require.Contains(t, with, `    vmrender.io/stage: "true"`)
	lines := regexp.MustCompile(`(?m)^ {4}vmrender\.io/(approve-from|max-impact|becomes|approved|stage): .*\n`)
	require.Equal(t, without, lines.ReplaceAllString(with, ""))
	ceiling := manifests(t, "{maxImpact: restart}", "{pet: {}}", fleet.Options{})
	require.Contains(t, ceiling, "vmrender.io/max-impact: restart\n")
	require.NotContains(t, ceiling, "approve-from")
}

// The hash depends only on the content of an entry's VMs.
func TestBecomes(t *testing.T) {
	base := becomesOf(t, manifests(t, gated, "{it: {replicas: 3}}", fleet.Options{}))
	require.Len(t, base, 1, "replicas need one approval")
	for _, test := range []struct {
		name, vms string
		same      bool
		selected  []string
	}{
		{name: "an approval", vms: "{it: {replicas: 3, approve: none-5e6f7a8b5e6f7a8b5e6f7a8b5e6f7a8b}}", same: true},
		{name: "an annotation", vms: "{it: {replicas: 3, annotations: {team: a}}}", same: true},
		{name: "another wave", vms: "{it: {replicas: 3, wave: 2}}", same: true},
		{name: "the first step of a removal", vms: "{it: {replicas: 3, lifecycle: {removal: approved}}}", same: true},
		{name: "a Service", vms: "{it: {replicas: 3, services: {ssh: 22}}}", same: true},
		{name: "one that is selected", vms: "{it: {replicas: 3}}", selected: []string{"it-1"}, same: true},
		{name: "another VM", vms: "{it: {replicas: 3, memory: 3Gi}}"},
		{name: "fewer", vms: "{it: {replicas: 2}}"},
		{name: "a label, which pods get", vms: "{it: {replicas: 3, labels: {team: a}}}"},
		{name: "an override", vms: "{it: {replicas: 3, overrides: {spec: {template: {spec: {evictionStrategy: None}}}}}}"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := becomesOf(t, manifests(t, gated, test.vms, fleet.Options{VMs: test.selected}))
			require.Len(t, got, 1)
			require.Equal(t, test.same, got[0] == base[0])
		})
	}
}

// The hash does not depend on how the work is divided.
func TestBecomesOfMany(t *testing.T) {
	const many = "{it: {replicas: 700}, that: {}, waits: {dependsOn: [that]}}"
	text := manifests(t, gated, many, fleet.Options{Jobs: 4})
	require.Len(t, becomesOf(t, text), 3)
	require.Len(t, becomes.FindAllString(text, -1), 702)
	require.Equal(t, text, manifests(t, gated, many, fleet.Options{Jobs: 1}))
}

// Only the selected replica is written.
func TestGateWritesSelectedOnly(t *testing.T) {
	text := manifests(t, gated, "{it: {replicas: 3}, other: {}}", fleet.Options{VMs: []string{"it-1"}})
	require.Equal(t, 1, strings.Count(text, "kind: VirtualMachine\n"))
	require.Contains(t, text, "name: it-1\n")
}

// In a fleet that requires approvals, a VM that is no longer in Git stays unless its
// entry specifies otherwise, even without the lifecycle's own protection.
func TestGateKeepsWhatIsRemoved(t *testing.T) {
	for _, test := range []struct{ vm, want string }{
		{"{}", "Prune=false,Delete=confirm"},
		{"{lifecycle: {protection: none}}", "Prune=false"},
		{"{lifecycle: cattle}", "Prune=false"},
		{"{lifecycle: {type: cattle, strategy: pool}, replicas: 2}", "Prune=false"},
		{"{lifecycle: {type: cattle, removal: approved}}", "Prune=true"},
		{"{lifecycle: {removal: approved}}", "Prune=true,Delete=confirm"},
	} {
		text := manifests(t, gated, "{it: "+test.vm+"}", fleet.Options{})
		require.Contains(t, text, "\n    argocd.argoproj.io/sync-options: "+test.want+"\n",
			test.vm)
	}
	ceiling := manifests(t, "{maxImpact: restart}", "{it: {lifecycle: cattle}}", fleet.Options{})
	require.NotContains(t, ceiling, "Prune=false")
}
