package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/source"
)

// leastShapes is the minimum number of kinds of VMs in the fleet of shapes.
const leastShapes = 30

// Real VMs of every kind need no JSON patch with the index of a list item, which breaks as soon as a level
// above adds an item. A comment describes every VM.
func TestShapes(t *testing.T) {
	f, diags := inventory.Load("shapes", fleet.Options{})
	require.Empty(t, diags.Sorted())
	shapes := map[source.Pos]bool{}
	for _, m := range f.Machines {
		require.Empty(t, m.Patches, "%s", m.Name)
		shapes[m.Pos] = true
	}
	require.GreaterOrEqual(t, len(shapes), leastShapes)
	entry := regexp.MustCompile(`(?m)(^.*\n)^  [a-z0-9-]+:(?: .*)?$`)
	for name, text := range shapeFiles(t) {
		require.NotContains(t, text, "patches", name)
		for _, m := range entry.FindAllStringSubmatch(vmsOf(text), -1) {
			require.Regexp(t, `^  # `, m[1], "%s: a comment above each machine: %s", name, m[0])
		}
	}
}

// shapeFiles returns the texts of the values files by name.
func shapeFiles(t *testing.T) map[string]string {
	t.Helper()
	names, err := filepath.Glob("shapes/*.yaml")
	require.NoError(t, err)
	texts := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(name)
		require.NoError(t, err)
		if filepath.Base(name) != "fleet.yaml" {
			texts[name] = string(text)
		}
	}
	return texts
}

// vmsOf returns the part of a file that starts at its VMs.
func vmsOf(text string) string {
	_, vms, _ := strings.Cut(text, "\nvms:\n")
	return vms
}
