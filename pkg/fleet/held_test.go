package fleet_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/source"
)

// heldFleet writes a fleet with a file that holds prod/db in a directory below it, and returns its directory.
func heldFleet(t *testing.T, below string) string {
	t.Helper()
	dir := t.TempDir()
	f := held.File{
		Namespace: "prod", Name: "db", Level: "restart",
		Approvals: []held.Approval{{Risk: "restart", Token: "none-5e6f7a8b5e6f7a8b5e6f7a8b5e6f7a8b"}},
	}
	text, err := f.Encode([][]byte{[]byte(
		`{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"db","namespace":"prod"}}`)})
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Join(dir, below), 0o750))
	for name, data := range map[string]string{
		"fleet.yaml":                         "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: f}\n",
		"prod.yaml":                          "environment: blue\n",
		"escape.yaml":                        "environment: ../../x\n",
		filepath.Join(below, "prod.db.yaml"): string(text), filepath.Join(below, "README.md"): "text",
	} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600))
	}
	return dir
}

func open(dir string, o fleet.Options) (*fleet.Fleet, *source.Diagnostics) {
	var diags source.Diagnostics
	return fleet.Open(dir, o, &diags), &diags
}

// Each environment has the files of its own directory, and nothing else is read.
func TestHeldFiles(t *testing.T) {
	for name, c := range map[string]struct {
		below, overlay string
		want           bool
	}{
		"no overlay":                {".held", "", true},
		"an environment":            {".held/blue", "prod.yaml", true},
		"without the environment":   {".held/blue", "", false},
		"of another environment":    {".held/green", "prod.yaml", false},
		"in a directory for values": {"held", "", false},
		"outside":                   {"x", "escape.yaml", false},
	} {
		dir := heldFleet(t, c.below)
		o := fleet.Options{}
		if c.overlay != "" {
			o.Overlays = []string{filepath.Join(dir, c.overlay)}
		}
		f, diags := open(dir, o)
		require.Equal(t, c.want, f.HeldFile("prod", "db") != nil, "%s: %v", name, diags.Sorted())
		require.Equal(t, c.want, f.Holds(), name)
		require.Nil(t, f.HeldFile("prod", "web"))
		o.Unheld = true
		f, _ = open(dir, o)
		require.Nil(t, f.HeldFile("prod", "db"))
		require.True(t, f.Holds(), "digests are needed to find out")
	}
}

// Links and what is no directory are refused, so that nothing outside of the fleet is read.
func TestHeldLinks(t *testing.T) {
	for name, make := range map[string]func(dir string) error{
		"a directory": func(dir string) error { return os.Symlink(filepath.Join(dir, "x"), filepath.Join(dir, ".held")) },
		"a file": func(dir string) error {
			if err := os.Mkdir(filepath.Join(dir, ".held"), 0o750); err != nil {
				return err
			}
			return os.Symlink(filepath.Join(dir, "x/prod.db.yaml"), filepath.Join(dir, ".held/prod.db.yaml"))
		},
		"no directory": func(dir string) error { return os.WriteFile(filepath.Join(dir, ".held"), nil, 0o600) },
	} {
		dir := heldFleet(t, "x")
		require.NoError(t, make(dir))
		f, diags := open(dir, fleet.Options{})
		require.True(t, diags.HasErrors(), name)
		require.Nil(t, f.HeldFile("prod", "db"), name)
	}
}
