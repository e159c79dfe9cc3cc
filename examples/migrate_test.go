package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/render"
)

// moving returns a copy of the example with other contents in some files.
func moving(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS("migrate")))
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600))
	}
	return dir
}

// moved renders a fleet that has no errors.
func moved(t *testing.T, dir string, overlays ...string) []manifest.Object {
	t.Helper()
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{Overlays: overlays}, c.Visit)
	objects := read(t, c.Rendered(diags))
	require.False(t, diags.HasErrors(), "%v", diags.Sorted())
	return objects
}

// names returns the objects as Kind/name.
func names(objects []manifest.Object) []string {
	var out []string
	for _, o := range objects {
		out = append(out, o.Kind+"/"+o.Name)
	}
	return out
}

// TestMigrate goes through a wave. It contains only a Plan, a Migration, and the VMs as VirtualMachines, which the
// last commit takes over.
func TestMigrate(t *testing.T) {
	text, err := os.ReadFile("migrate/wave-1.yaml")
	require.NoError(t, err)
	wave := func(more string) []manifest.Object {
		const line = "warm: true"
		require.Contains(t, string(text), line)
		return moved(t, filepath.Join(moving(t, map[string]string{
			"wave-1.yaml": strings.Replace(string(text), line, line+more, 1),
		}), "wave-1.yaml"))
	}
	planned, started, done := wave(""), wave(", run: 1"), wave(", run: 1, done: true")
	require.Equal(t, []string{"NetworkMap/wave-1", "StorageMap/wave-1", "Hook/wave-1-post", "Plan/wave-1"}, names(planned))
	require.Equal(t, append(names(planned), "Migration/wave-1-1"), names(started))
	require.Equal(t, append([]string{
		"VirtualMachine/db01", "VirtualMachine/web01", "VirtualMachine/web02",
	}, names(started)...), names(done))
	require.Equal(t, names(done)[:3], names(wave(", done: true")))
	for _, v := range plan.New(started, done, plan.Options{}).VMs {
		require.Equal(t, impact.Code("taken-over"), v.Causes[0].Code, v.ID.Name)
	}
}

// TestRehearsal proves that the rehearsal does not touch the wave: it has other namespaces, networks and VMs, and no
// hooks, which would change other systems.
func TestRehearsal(t *testing.T) {
	objects := moved(t, "migrate/wave-1.yaml", "migrate/env/rehearsal.yaml")
	require.Contains(t, names(objects), "Migration/wave-1-1")
	for _, o := range objects {
		require.Equal(t, "shop-rehearsal", o.Namespace)
		require.NotEqual(t, "Hook", o.Kind)
		require.NotRegexp(t, `shop/front|"id":"vm-|default`, string(o.JSON))
	}
}

// Every file that docs/how-to/migrate.md shows is valid as a file of the example.
func TestMigratePage(t *testing.T) {
	page, err := os.ReadFile("../docs/how-to/migrate.md")
	require.NoError(t, err)
	blocks := regexp.MustCompile("(?ms)^( *)```yaml\n *# (\\S+)\n(.*?)```").FindAllStringSubmatch(string(page), -1)
	require.GreaterOrEqual(t, len(blocks), 5)
	for _, b := range blocks {
		name, text := b[2], strings.ReplaceAll("\n"+b[3], "\n"+b[1], "\n")
		if !strings.Contains(text, "vms:") && strings.HasPrefix(name, "wave") {
			example, err := os.ReadFile(filepath.Join("migrate", name))
			require.NoError(t, err)
			_, vms, _ := strings.Cut(string(example), "\nvms:")
			text += "\nvms:" + vms
		}
		dir := moving(t, map[string]string{name: text})
		moved(t, dir)
		moved(t, filepath.Join(dir, "wave-1.yaml"), filepath.Join(dir, "env", "rehearsal.yaml"))
	}
}
