package images

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/source"
)

const linkedFleet = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: a}
catalog: {images: {one: {dataSource: images/a, version: "1"}}}
vms: {a: {os: fedora, flavor: small, disks: {root: {source: {image: one}}}}}
`

const linkedVMs = `vms: {b: {os: fedora, flavor: small, disks: {root: {source: {dataSource: images/a, version: "1"}}}}}
`

// behind returns the images of a new fleet in the working directory, all of which are
// outdated. One of its files is a link.
func behind(t *testing.T) []Image {
	t.Helper()
	t.Chdir(t.TempDir())
	require.NoError(t, os.MkdirAll("site/.real", 0o755))
	require.NoError(t, os.WriteFile("site/fleet.yaml", []byte(linkedFleet), 0o600))
	require.NoError(t, os.WriteFile("site/.real/vms.yaml", []byte(linkedVMs), 0o600))
	require.NoError(t, os.Symlink(".real/vms.yaml", "site/vms.yaml"))
	sources, diags := fleet.Sources("site", fleet.Options{})
	require.Empty(t, diags.Sorted())
	list := List(sources)
	require.Len(t, list, 2)
	for i := range list {
		list[i].Status, list[i].Current = Behind, "22"
	}
	return list
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(text)
}

// A link is kept, and its target is written.
func TestUpdateKeepsLinks(t *testing.T) {
	written, err := Update(behind(t), new(source.Diagnostics))
	require.NoError(t, err)
	require.Equal(t, []string{filepath.FromSlash("site/fleet.yaml"), filepath.FromSlash("site/vms.yaml")}, written)
	require.Contains(t, read(t, "site/fleet.yaml"), `version: "22"`)
	require.Contains(t, read(t, "site/.real/vms.yaml"), `version: "22"`)
	target, err := os.Readlink("site/vms.yaml")
	require.NoError(t, err)
	require.Equal(t, ".real/vms.yaml", target)
}

// If an editor saves a file while the command runs, that text is not overwritten and no
// other file is changed.
func TestUpdateOverwritesNoOtherChange(t *testing.T) {
	list := behind(t)
	saved := linkedVMs + "# saved meanwhile\n"
	require.NoError(t, os.WriteFile("site/vms.yaml", []byte(saved), 0o600))
	_, err := Update(list, new(source.Diagnostics))
	require.ErrorContains(t, err, "vms.yaml: changed since it was read; nothing is written")
	require.Equal(t, linkedFleet, read(t, "site/fleet.yaml"))
	require.Equal(t, saved, read(t, "site/.real/vms.yaml"))
	require.Equal(t, Behind, list[0].Status)
}
