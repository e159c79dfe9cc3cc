// Package fleettest writes the fleets of tests to directories, and reads them.
package fleettest

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
)

// Header is the fleet.yaml of a fleet without anything special. Its VMs need no values of their own.
const Header = `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
target: {image: registry.example.com/vmrender:1}
defaults: {namespace: ns, os: linux, flavor: small, disks: {root: {source: {dataSource: images/golden}}}}
`

// Unpack writes the files of an archive to a temporary directory, and returns its path.
func Unpack(t testing.TB, archive *txtar.Archive) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, txtar.Write(archive, dir))
	return dir
}

// Dir returns the directory of a fleet with the [Header] and the files of an archive, as text.
func Dir(t testing.TB, archive string) string {
	t.Helper()
	a := txtar.Parse([]byte(archive))
	a.Files = append([]txtar.File{{Name: "fleet.yaml", Data: []byte(Header)}}, a.Files...)
	return Unpack(t, a)
}

// Problems returns diagnostics as lines, with paths relative to a directory.
func Problems(diags *source.Diagnostics, dir string) []string {
	var out []string //nolint:prealloc // nil for no problems
	for _, d := range diags.Sorted() {
		out = append(out, strings.ReplaceAll(d.String(), dir+"/", ""))
	}
	return out
}

// Load returns the VMs of a fleet with the [Header] and the text of a file of VMs, in the order of the output, and the
// problems.
func Load(t testing.TB, vms string) ([]*machine.Machine, []string) {
	t.Helper()
	dir := Unpack(t, &txtar.Archive{Files: []txtar.File{
		{Name: "fleet.yaml", Data: []byte(Header)},
		{Name: "vms.yaml", Data: []byte(vms)},
	}})
	f, diags := inventory.Load(dir, fleet.Options{})
	return f.Machines, Problems(diags, dir)
}

// Names returns the VMs below a path of the fleet in a directory, as "namespace/name", and the problems.
func Names(t testing.TB, dir, path string, opts fleet.Options) (vms, problems []string) {
	t.Helper()
	f, diags := inventory.Load(path, opts)
	for _, m := range f.Machines {
		vms = append(vms, m.Namespace+"/"+m.Name)
	}
	return vms, Problems(diags, dir)
}
