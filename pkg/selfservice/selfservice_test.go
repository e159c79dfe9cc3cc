package selfservice_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/exports"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/flux"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
	"github.com/vmrender/vmrender/pkg/selfservice"
	"github.com/vmrender/vmrender/pkg/source"
)

const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIEmzkpvTL2c0nHVOVNTRwIUQHv1Fjb1CSSSSg2iTkAVu me"

// rendered returns the VM that the renderer writes for a file with one entry.
func rendered(t *testing.T, text string) manifest.Tree {
	t.Helper()
	c := render.NewCollector()
	_, diags := inventory.Visit("-", fleet.Options{Stdin: strings.NewReader(text)}, c.Visit)
	objects := render.Objects(c.Rendered(diags)...)
	require.False(t, diags.HasErrors(), diags.Sorted())
	require.Len(t, objects, 1)
	return objects[0].Tree()
}

// plain removes from a VM what only a VM in Git has, and the identity of its firmware.
func plain(vm manifest.Tree) manifest.Tree {
	meta := manifest.Map(vm, "metadata")
	delete(meta, "annotations")
	delete(meta, "namespace")
	delete(manifest.Map(meta, "labels"), "app.kubernetes.io/managed-by")
	domain := manifest.Map(vm, "spec", "template", "spec", "domain")
	firmware := manifest.Map(domain, "firmware")
	delete(firmware, "uuid")
	if delete(firmware, "serial"); len(firmware) == 0 {
		delete(domain, "firmware")
	}
	return vm
}

// TestTemplatesAreRendered checks that each template of the built-in catalog creates the VM that the renderer writes
// for an entry with the same values.
func TestTemplatesAreRendered(t *testing.T) {
	templates, diags := selfservice.Templates("", fleet.Options{})
	require.Empty(t, diags.Sorted())
	set := catalog.New(nil, new(source.Diagnostics))
	require.Len(t, templates, len(set.Names("os")))
	for _, template := range templates {
		os := set.OS(template.Name)
		params := map[string]string{"NAME": "web", "CPU": "3", "MEMORY": "6Gi", "DISK_SIZE": "70Gi"}
		entry := "namespace: a\nvms:\n  web:\n    os: " + os.Name + "\n    cpu: 3\n    memory: 6Gi\n"
		root := "keep: false, size: 70Gi"
		if os.Image == nil {
			params["SOURCE_NAMESPACE"], params["SOURCE_NAME"] = "golden", "image"
			root += ", source: {dataSource: golden/image}"
		}
		entry += "    disks: {root: {" + root + "}}\n"
		if os.Family == "linux" {
			params["SSH_KEY"] = key
			entry += "    cloudInit: {store: inline, sshKeys: [" + key + "]}\n"
		}
		made, problems := exports.Expand([]manifest.Object{template}, params)
		require.Empty(t, problems, os.Name)
		require.Len(t, made, 1)
		vm := made[0].Tree()
		require.Equal(t, "built-in/"+os.Name, manifest.Text(vm, "metadata", "annotations", "vmrender.io/catalog"))
		require.Equal(t, plain(rendered(t, entry)), plain(vm), os.Name)
		require.NotContains(t, string(template.JSON), "argocd")
		require.NotContains(t, string(template.JSON), "x0", "what stands for a parameter is replaced")
	}
}

// write writes the files of a fleet.
func write(t *testing.T, header string) string {
	t.Helper()
	dir := t.TempDir()
	text := "apiVersion: vmrender.io/v1alpha1\nkind: Fleet\nmetadata: {name: site}\n" + header
	require.NoError(t, os.WriteFile(filepath.Join(dir, "fleet.yaml"), []byte(text), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "vms.yaml"), []byte("vms: {broken: {os: nothing}}\n"), 0o600))
	return dir
}

// TestTemplatesOfAFleet checks that the catalog and the defaults of a fleet apply, but not its VMs, the parts of
// defaults that are other objects, and overlays for VMs.
func TestTemplatesOfAFleet(t *testing.T) {
	dir := write(t, `catalog: {os: {server: {from: rhel9, label: rhel9}}}
defaults:
  flavor: large
  lifecycle: {type: cattle, strategy: rollout}
  services: {ssh: {ports: [22]}}
  accessCredentials:
  - sshPublicKey: {source: {secret: {secretName: admins}}, propagationMethod: {qemuGuestAgent: {users: [root]}}}
  cloudInit: {store: inline, packages: [chrony]}
`)
	overlay := filepath.Join(t.TempDir(), "prod.yaml")
	require.NoError(t, os.WriteFile(overlay, []byte("vms: {other: {cpu: 2}}\n"), 0o600))
	templates, diags := selfservice.Templates(dir, fleet.Options{Overlays: []string{overlay}, Limit: dir})
	require.False(t, diags.HasErrors(), diags.Sorted())
	for _, template := range templates {
		if template.Name != "server" {
			continue
		}
		text := string(template.JSON)
		require.Contains(t, text, "- chrony")
		require.Contains(t, text, `"value":"8Gi"`, "the size of the fleet is the default")
		require.NotContains(t, text, "SSH_KEY", "the fleet defines who can log in")
		require.Contains(t, text, `"vmrender.io/catalog":"site/server"`)
		return
	}
	t.Fatal("no template of the entry of the fleet")
}

// TestTemplatesOfFlux checks that VMs that users create have no annotation for Flux, which would keep them.
func TestTemplatesOfFlux(t *testing.T) {
	templates, diags := selfservice.Templates(write(t, "target: {delivery: flux}\n"), fleet.Options{})
	require.False(t, diags.HasErrors(), diags.Sorted())
	require.NotEmpty(t, templates)
	for _, template := range templates {
		require.NotContains(t, string(template.JSON), flux.AnnotationPrefix)
	}
}

func TestTemplatesProblems(t *testing.T) {
	for want, header := range map[string]string{
		`catalog.os.centos-stream10: "${HOME}" is a placeholder of VirtualMachineTemplates, which they cannot escape; ` +
			`write the text without it, such as $HOME`: "defaults: {cloudInit: {store: inline, runcmd: ['ls ${HOME}']}}\n",
		`catalog.os.centos-stream10: the defaults render the DataVolume "NAME-data", and a template creates only a ` +
			"VirtualMachine; set `keep: false` for disks and `store: inline` for cloudInit in the defaults": //
		"defaults: {disks: {data: 5Gi}}\n",
		"defaults.memory": "defaults: {cpu: 1, memory: 1}\n",
	} {
		templates, diags := selfservice.Templates(write(t, header), fleet.Options{})
		require.Empty(t, templates)
		require.Contains(t, fmt.Sprint(diags.Sorted()), want)
	}
}
