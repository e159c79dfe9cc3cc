package adopt_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/adopt"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/render"
)

// web is a VirtualMachine, as a template with its name and the text of some fields.
const web = `
apiVersion: kubevirt.io/v1
kind: VirtualMachine
metadata: {name: %[1]s, namespace: shop}
spec:
  runStrategy: Always
  dataVolumeTemplates:
  - metadata: {name: boot-%[1]s}
    spec: {source: {registry: {url: "docker://example.org/web:1"}}, storage: {resources: {requests: {storage: 20Gi}}}}
  template:
    spec:
      architecture: amd64
      domain:
        cpu: {sockets: 2, cores: 1, threads: 1}
        memory: {guest: %[2]s}
        devices:
          disks: [{name: rootdisk, disk: {bus: virtio}}]
          interfaces: [{name: lan, bridge: {}, model: virtio}]
      networks: [{name: lan, multus: {networkName: net/lan}}]
      volumes: [{name: rootdisk, dataVolume: {name: boot-%[1]s}}]
`

func parse(t *testing.T, texts ...string) []manifest.Object {
	t.Helper()
	objects, err := manifest.Read(strings.NewReader(strings.Join(texts, "\n---\n")))
	require.NoError(t, err)
	return objects
}

func machines(t *testing.T, memory ...string) []manifest.Object {
	t.Helper()
	texts := make([]string, len(memory))
	for i, m := range memory {
		texts[i] = fmt.Sprintf(web, fmt.Sprintf("web-%d", i), m)
	}
	return parse(t, texts...)
}

// importAs returns the files of an import by path. All of its VMs must be exact.
func importAs(t *testing.T, objects []manifest.Object, opts adopt.Options) map[string]string {
	t.Helper()
	r, err := adopt.Import(objects, opts)
	require.NoError(t, err)
	out := map[string]string{}
	for _, m := range r.Machines {
		require.True(t, m.Exact(), m.Differences)
	}
	for _, f := range r.Files {
		out[f.Path] = string(f.Text)
	}
	return out
}

// If requested, VMs that differ only in their numbers become replicas, and the names of
// their disks become a template.
func TestReplicas(t *testing.T) {
	same := machines(t, "4Gi", "4Gi", "4Gi")
	require.NotContains(t, importAs(t, same, adopt.Options{})["shop.yaml"], "replicas")
	folded := importAs(t, same, adopt.Options{Replicas: true})["shop.yaml"]
	require.Contains(t, folded, "  web:\n")
	require.Contains(t, folded, "replicas: 3")
	require.Contains(t, folded, `claimName: "boot-{{ .vm.name }}"`)
	require.NotContains(t, folded, "web-1")
	require.NotContains(t, importAs(t, machines(t, "4Gi", "8Gi"), adopt.Options{Replicas: true})["shop.yaml"], "replicas")
	require.NotContains(t, importAs(t, same[1:], adopt.Options{Replicas: true})["shop.yaml"], "replicas")
}

// Labels with the names of the VMs move to the level whose VMs all have theirs, and labels of pods only have a key.
func TestNames(t *testing.T) {
	labelled := func(name, label string) string {
		return strings.Replace(fmt.Sprintf(web, name, "4Gi"), "  template:\n",
			"  template:\n    metadata: {labels: {kubevirt.io/domain: "+label+", mesh: \"on\"}}\n", 1)
	}
	files := importAs(t, parse(t, labelled("a", "a"), labelled("b", "b")), adopt.Options{})
	require.Contains(t, files["fleet.yaml"], `podLabels: {kubevirt.io/domain: "{{ .vm.name }}"}`)
	require.Contains(t, files["shop.yaml"], "defaults:\n  cpu: 2\n  memory: 4Gi\n")
	require.Contains(t, files["shop.yaml"], `podLabels: {mesh: "on"}`)
	require.NotContains(t, files["shop.yaml"], "domain")

	elsewhere := strings.Replace(labelled("c", "b"), "namespace: shop", "namespace: other", 1)
	files = importAs(t, parse(t, labelled("a", "a"), labelled("b", "b"), elsewhere), adopt.Options{})
	require.Contains(t, files["fleet.yaml"], `podLabels: {mesh: "on"}`)
	require.Contains(t, files["shop.yaml"], `podLabels: {kubevirt.io/domain: "{{ .vm.name }}"}`)
	require.Contains(t, files["other.yaml"], "podLabels: {kubevirt.io/domain: b}")
}

// Volumes that no key expresses do not make an override of the other disks.
func TestVolumesOfKubeVirt(t *testing.T) {
	for name, want := range map[string]string{
		"33-host-disk.yaml": "source: {volume: {hostDisk: {path: /var/vm/swap.img, ",
		"34-ephemeral.yaml": "root: {source: {volume: {ephemeral: ",
		"80-cirros.yaml":    `cloudInit: {userData: Hi.\n, store: base64}`,
	} {
		r, err := adopt.Import(read(t, filepath.Join(corpus, name)), adopt.Options{})
		require.NoError(t, err)
		requireExact(t, r)
		text := string(r.Files[len(r.Files)-1].Text)
		require.Contains(t, text, want)
		require.NotContains(t, text, "overrides")
		require.NotContains(t, text, "patches")
	}
}

// The other objects in the cluster show the VLANs of the networks and the version of
// KubeVirt.
func TestSurroundings(t *testing.T) {
	objects := append(machines(t, "4Gi"), parse(t, `
apiVersion: k8s.cni.cncf.io/v1
kind: NetworkAttachmentDefinition
metadata: {name: lan, namespace: net}
spec: {config: '{"cniVersion": "0.3.1", "plugins": [{"type": "cnv-bridge", "bridge": "br1", "vlan": 2003}]}'}
---
apiVersion: kubevirt.io/v1
kind: KubeVirt
metadata: {name: kubevirt, namespace: kubevirt}
status: {observedKubeVirtVersion: v1.6.3}
`)...)
	header := importAs(t, objects, adopt.Options{Name: "site"})["fleet.yaml"]
	require.Contains(t, header, "target: {kubevirt: \"1.6\"}")
	require.Contains(t, header, "lan: {nad: net/lan, vlan: 2003}")
}

// The mapping of an import is read back as the choice that it contains, with the user's
// changes.
func TestMapping(t *testing.T) {
	objects := machines(t, "4Gi", "8Gi", "16Gi")
	r, err := adopt.Import(objects, adopt.Options{})
	require.NoError(t, err)
	text := strings.Replace(string(r.Mapping()), "shop/web-1: {file: shop.yaml, os: linux}",
		"shop/web-1: {file: front/web.yaml, os: rhel9}", 1)
	text = strings.Replace(text, "shop/web-2", "#", 1)
	mapping, diags := adopt.ReadMapping("map.yaml", []byte(text), adopt.Names(objects, adopt.Options{}))
	require.False(t, diags.HasErrors(), diags.Sorted())
	files := importAs(t, objects, adopt.Options{Mapping: mapping})
	require.Contains(t, files["front/web.yaml"], "os: rhel9")
	require.Contains(t, files["shop.yaml"], "web-0")
	require.NotContains(t, files["shop.yaml"], "web-2")
}

func TestMappingProblems(t *testing.T) {
	_, diags := adopt.ReadMapping("map.yaml", []byte(`machines:
  web: {os: rhel9}
  shop/a: {file: ../x.yaml}
  shop/b: {file: fleet.yaml}
  shop/c: {file: x.txt, so: rhel9}
`), []string{"shop/a", "shop/b", "shop/c"})
	var found []string
	for _, d := range diags.Sorted() {
		found = append(found, d.String())
	}
	require.Equal(t, []string{
		`map.yaml:2:3: machines.web: invalid VM "web"; expected namespace/name`,
		`map.yaml:3:18: machines.shop/a.file: "../x.yaml" is not a path below the fleet's root; ` +
			`expected a path such as "prod/db.yaml"`,
		`map.yaml:4:18: machines.shop/b.file: "fleet.yaml" has no entries; expected a path such as "prod/db.yaml"`,
		`map.yaml:5:18: machines.shop/c.file: "x.txt" is not a YAML file; expected a path such as "prod/db.yaml"`,
		`map.yaml:5:25: machines.shop/c.so: unknown key "so"; accepted: file, os`,
	}, found)
}

// Each of the VMs that were copied with their identity keeps it. VMs that are added later
// get their own.
func TestCopiedIdentity(t *testing.T) {
	objects := machines(t, "4Gi", "8Gi", "16Gi")
	for i, o := range objects {
		vm := o.Tree()
		manifest.Map(vm, "spec", "template", "spec", "domain")["firmware"] = manifest.Tree{
			"uuid": "5d307ca9-b3ef-428c-8861-06e72d69f223", "serial": "abc",
		}
		made, err := manifest.New(vm)
		require.NoError(t, err)
		objects[i] = made
	}
	files := importAs(t, objects, adopt.Options{})
	require.NotContains(t, files["fleet.yaml"], "5d307ca9")
	require.Equal(t, 3, strings.Count(files["shop.yaml"], "5d307ca9"))
}

// Redundant fields that the templates of all root disks have go into the catalog. They do
// not affect later VMs, whose disks are separate DataVolumes.
func TestKindOfTemplates(t *testing.T) {
	console := strings.Replace(web, "  - metadata: {name: boot-%[1]s}",
		"  - apiVersion: cdi.kubevirt.io/v1beta1\n    kind: DataVolume\n    metadata: {name: boot-%[1]s}", 1)
	objects := parse(t, fmt.Sprintf(console, "web-0", "4Gi"), fmt.Sprintf(console, "web-1", "8Gi"))
	files := importAs(t, objects, adopt.Options{})
	require.Contains(t, files["fleet.yaml"], "dataVolume: {apiVersion: cdi.kubevirt.io/v1beta1, kind: DataVolume}")
	require.NotContains(t, files["shop.yaml"], "apiVersion")

	dir := t.TempDir()
	files["new.yaml"] = `
namespace: shop
defaults: {os: linux-adopted, flavor: small}
vms:
  new: {disks: {root: {size: 5Gi, source: blank}}}
  old: {disks: {root: {source: {claim: old}}}}
`
	for name, text := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
	}
	c := render.NewCollector()
	_, diags := inventory.Visit(dir, fleet.Options{Limit: dir}, c.Visit)
	require.Len(t, c.Rendered(diags), 4)
	require.False(t, diags.HasErrors(), diags.Sorted())
}
