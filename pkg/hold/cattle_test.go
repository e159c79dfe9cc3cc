package hold_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/hold"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

const cattleFleet = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
target: {image: registry.example.com/vmrender:1.0}
defaults: {namespace: prod, os: fedora, memory: 4Gi}
policy: {hold: restart}
`

// writeFleet writes a fleet with a file of VMs, and returns its directory.
func writeFleet(t *testing.T, vms string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(cattleFleet), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vms.yaml"), []byte(vms), 0o600))
	return dir
}

// holdAll holds what changes between two fleets, and returns the objects of the second as an Application renders it.
func holdAll(t *testing.T, was, now string) []manifest.Object {
	t.Helper()
	from, diags := load(writeFleet(t, was), false)
	require.NotNil(t, from, diags.Sorted())
	dir := writeFleet(t, now)
	to, diags := load(dir, true)
	require.NotNil(t, to, diags.Sorted())
	in := hold.Input{Old: from.byVM, New: to.byVM, Released: planned(from, to, impact.Restart)}
	in.Planned = in.Released
	_, err := hold.Write(to.HeldDir(), &in, hold.Judge(&in), true)
	require.NoError(t, err)
	c := render.NewCollector()
	_, diags = inventory.Visit(dir, fleet.Options{Application: "app"}, c.Visit)
	rendered := c.Rendered(diags)
	require.Empty(t, diags.Sorted())
	return render.Objects(rendered...)
}

// textOf returns the manifest of the object of a kind whose name has a beginning.
func textOf(t *testing.T, objects []manifest.Object, kind, name string) string {
	t.Helper()
	for _, o := range objects {
		if o.Kind == kind && strings.HasPrefix(o.Name, name) {
			return string(o.JSON)
		}
	}
	require.Fail(t, "no "+kind+" "+name)
	return ""
}

func match(t *testing.T, text, pattern string) string {
	t.Helper()
	found := regexp.MustCompile(pattern).FindStringSubmatch(text)
	require.Len(t, found, 2, "%s in %s", pattern, text)
	return found[1]
}

// The rollout of an Application finds held cattle by its label, and as it is: it restarts nothing.
func TestHeldCattle(t *testing.T) {
	objects := holdAll(t,
		"vms:\n  a: {cpu: {cores: 2}, lifecycle: cattle}\n  b: {cpu: {cores: 2}, lifecycle: cattle}\n",
		"vms:\n  a: {cpu: {cores: 3}, lifecycle: cattle}\n  b: {cpu: {cores: 2}, lifecycle: cattle}\n")
	vm, job := textOf(t, objects, "VirtualMachine", "a"), textOf(t, objects, "Job", "f-")
	require.Contains(t, vm, `"vmrender.io/held":"restart restart=`)
	require.Contains(t, vm, `"cores":2`)
	require.Equal(t, match(t, job, `"--id","([^"]+)"`), match(t, vm, `"vmrender.io/rollout":"([^"]+)"`))
	require.Equal(t, match(t, job, `"a=([0-9a-f]+)"`), match(t, vm, `"vmrender.io/content":"([^"]+)"`))
	require.NotContains(t, textOf(t, objects, "VirtualMachine", "b"), "vmrender.io/held")
}

// The snapshot before a change is one of what is rendered, so that a held change takes none.
func TestHeldSnapshot(t *testing.T) {
	objects := holdAll(t,
		"vms:\n  a: {cpu: {cores: 2}, lifecycle: {snapshotBefore: true}}\n",
		"vms:\n  a: {cpu: {cores: 3}, lifecycle: {snapshotBefore: true}}\n")
	vm, job := textOf(t, objects, "VirtualMachine", "a"), textOf(t, objects, "Job", "f-")
	require.Contains(t, vm, `"vmrender.io/held":"restart restart=`)
	require.Equal(t, match(t, job, `"a=([0-9a-f]+)"`), match(t, vm, `"vmrender.io/content":"([^"]+)"`))
}

// A VM that becomes cattle by the change that is held takes part in no rollout.
func TestHeldPetBecomesCattle(t *testing.T) {
	objects := holdAll(t,
		"vms:\n  a: {cpu: {cores: 2}}\n  b: {cpu: {cores: 2}, lifecycle: cattle}\n",
		"vms:\n  a: {cpu: {cores: 3}, lifecycle: cattle}\n  b: {cpu: {cores: 2}, lifecycle: cattle}\n")
	vm, job := textOf(t, objects, "VirtualMachine", "a"), textOf(t, objects, "Job", "f-")
	require.Contains(t, vm, `"vmrender.io/held":"`)
	require.NotContains(t, vm, "vmrender.io/rollout")
	require.NotContains(t, job, `"a=`)
	require.Contains(t, job, `"b=`)
}
