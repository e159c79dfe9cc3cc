package main

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/docblocks"
)

// The terminal sessions in docs/how-to/update-images.md are true for the fleet.yaml on
// the page, with twelve VMs.
func TestImagesPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/how-to/update-images.md")
	require.NoError(t, err)
	t.Chdir(t.TempDir())
	require.NoError(t, os.Mkdir("site-a", 0o700))
	write := func(name, text string) { require.NoError(t, os.WriteFile(name, []byte(text), 0o600)) }
	write("cluster.yaml", `
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataSource
metadata: {name: rhel9, namespace: openshift-virtualization-os-images}
spec: {source: {pvc: {name: rhel9-e1f2a3b4c5d6, namespace: openshift-virtualization-os-images}}}
---
apiVersion: cdi.kubevirt.io/v1beta1
kind: DataImportCron
metadata: {name: rhel9-image-cron, namespace: openshift-virtualization-os-images}
spec: {managedDataSource: rhel9}
status: {currentImports: [{DataVolumeName: rhel9-e1f2a3b4c5d6, Digest: "sha256:e1f2a3b4c5d6"}]}
`)
	write("site-a/vms.yaml", "vms: {web: {os: rhel9, replicas: 12}}\n")
	checked := 0
	docblocks.Rewrite(string(page), func(b docblocks.Block) string {
		if settings, ok := strings.CutPrefix(b.Text, "# fleet.yaml\n"); ok {
			write("site-a/fleet.yaml", "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: site-a}\n"+
				"defaults: {namespace: prod, flavor: small}\n"+settings)
		}
		for _, c := range b.Commands() {
			if args, isOurs := strings.CutPrefix(c.Line(), "vmrender "); isOurs && c.Output != "" {
				status, stdout, stderr := run(strings.Fields(args)...)
				require.Equal(t, statusOK, status, stderr)
				require.Equal(t, c.Output, stdout)
				checked++
			}
		}
		return b.Text
	})
	require.Equal(t, 2, checked)
}
