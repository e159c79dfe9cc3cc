package inventory_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
)

// BenchmarkLoad reads and resolves a fleet of 1,000 small files.
func BenchmarkLoad(b *testing.B) {
	dir := b.TempDir()
	write := func(name, text string) {
		require.NoError(b, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	write("fleet.yaml", `apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: bench}
catalog:
  networks: {lan: {nad: default/lan}}
  storageClasses: {ceph: {name: ceph-rbd}}
defaults:
  namespace: vms
  labels: {team: "{{ .vars.team }}"}
  nics: [pod, lan]
  disks: {root: {storageClass: ceph}}
`)
	const files = 1000
	for i := range files {
		write(fmt.Sprintf("vm%04d.yaml", i), fmt.Sprintf(`vms:
  vm%04d:
    os: rhel9
    cpu: %d
    memory: 8Gi
    disks:
      root: 40Gi
      data: {size: %dGi, storageClass: ceph}
    vars: {team: team%d}
    cloudInit:
      user: admin
      sshKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA%04d]
`, i, 1+i%8, 10+i%50, i%7, i))
	}
	b.ReportAllocs()
	for b.Loop() {
		f, diags := inventory.Load(dir, fleet.Options{})
		require.Zero(b, diags.Len())
		require.Len(b, f.Machines, files)
	}
}
