package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// largeVM is one numbered VM of a large file.
const largeVM = `  vm-%06d:
    os: rhel9
    cpu: 4
    memory: 16Gi
    disks: {root: {size: 60Gi, storageClass: ceph}, data0: {size: 120Gi, storageClass: ceph}}
    nics: [pod, default/vlan2003]
    labels: {team: payments, tier: web, app.kubernetes.io/part-of: shop, app.kubernetes.io/version: "1.2"}
    annotations: {example.com/owner: payments, example.com/contact: "#payments"}
    lifecycle: {type: cattle, strategy: rollout}
    cloudInit:
      user: carol
      packages: [qemu-guest-agent]
      sshKeys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEOM3NO+yGKqroXy]
`

// One file may contain all VMs of an Application whose manifests Argo CD accepts. Their trees need more memory than a
// render has, so they must never all exist at the same time.
func TestLargeFileFits(t *testing.T) {
	// Memory is what counts here: how much CPU time a render needs depends on what else runs.
	bin, dir := build(t, "-tags=valgrind", "."), t.TempDir()
	write(t, dir, "fleet.yaml", text{start: header})
	f, err := os.Create(filepath.Join(dir, "vms.yaml"))
	require.NoError(t, err)
	w := bufio.NewWriter(f)
	_, _ = w.WriteString("vms:\n") // Flush returns the error of every write
	for i := range 40_000 {
		_, _ = fmt.Fprintf(w, largeVM, i)
	}
	require.NoError(t, w.Flush())
	require.NoError(t, f.Close())

	cmd := exec.CommandContext(t.Context(), filepath.Join(bin, "vmrender-cmp"), "generate")
	cmd.Dir = dir
	cmd.Env = []string{
		"ARGOCD_APP_NAMESPACE=prod", "ARGOCD_APP_SOURCE_PATH=.", "VMRENDER_IMAGE=registry.example.com/vmrender:1",
	}
	manifests, err := os.Create(filepath.Join(t.TempDir(), "manifests"))
	require.NoError(t, err)
	cmd.Stdout, cmd.Stderr = manifests, os.Stderr
	require.NoError(t, cmd.Run())
	info, err := manifests.Stat()
	require.NoError(t, err)
	require.Greater(t, info.Size(), int64(mostOutput)*9/10, "the VMs are too few to show that many fit")
	require.NoError(t, manifests.Close())
}
