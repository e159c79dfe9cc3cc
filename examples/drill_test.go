package examples

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/drill"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

// drilled returns the losses of the example, as "VM kind", if Git has further files and directories.
func drilled(t *testing.T, more ...string) []string {
	t.Helper()
	c := render.NewCollector()
	_, diags := inventory.Visit("drill/fleet", fleet.Options{}, c.Visit)
	git := read(t, c.Rendered(diags))
	require.Empty(t, diags.Sorted())
	of := func(path string) []manifest.Object {
		objects, err := manifest.Reader{}.ReadFiles(filepath.Join("drill", path))
		require.NoError(t, err)
		return objects
	}
	live := slices.Concat(git, of("cluster.yaml"))
	for _, path := range more {
		git = append(git, of(path)...)
	}
	d := drill.New(drill.Input{Git: git, Live: live, Common: catalog.Installed})
	require.False(t, d.IsApproximate())
	out := []string{}
	for _, r := range d.VMs {
		for _, l := range r.Losses {
			out = append(out, r.ID.Name+" "+l.Kind.String())
		}
	}
	return out
}

// TestDrill proves the claims of examples/drill: each file closes the gaps that it is for, and all of them together
// leave only the VM that is not in Git.
func TestDrill(t *testing.T) {
	legacy := []string{"legacy not-in-git", "legacy disk"}
	for name, c := range map[string]struct{ more, want []string }{
		"nothing": {nil, []string{
			"db disk", "db disk", "db network", "db secret", "erp disk", "erp state", "erp image", "wiki disk",
		}},
		"a Schedule": {[]string{"oadp/oadp.yaml", "oadp/schedule.yaml"}, []string{"wiki disk", "db network", "db secret"}},
		"a Backup":   {[]string{"oadp/oadp.yaml", "oadp/backup.yaml"}, []string{"wiki disk", "db network", "db secret"}},
		"Ramen": {[]string{"ramen/drpolicy.yaml", "ramen/wiki.yaml"}, []string{
			"db disk", "db disk", "db network", "db secret", "erp disk", "erp state", "erp image",
		}},
		"csi-addons": {[]string{"ramen/volumereplication.yaml"}, []string{
			"db disk", "db disk", "db network", "db secret", "erp disk", "erp state", "erp image",
		}},
		"a network": {[]string{"shared/network.yaml"}, []string{
			"db disk", "db disk", "db secret", "erp disk", "erp state", "erp image", "wiki disk",
		}},
		"all": {[]string{"oadp", "ramen", "shared"}, nil},
	} {
		require.Equal(t, slices.Concat(legacy, c.want), drilled(t, c.more...), name)
	}
}

// TestDrillObjects checks that all objects of the example are in files that its README lists.
func TestDrillObjects(t *testing.T) {
	readme, err := os.ReadFile("drill/README.md")
	require.NoError(t, err)
	entries, err := os.ReadDir("drill")
	require.NoError(t, err)
	for _, e := range entries {
		if e.Name() != "README.md" {
			require.Contains(t, string(readme), "]("+e.Name()+")")
		}
	}
}
