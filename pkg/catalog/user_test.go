package catalog

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/source"
)

// load returns the set for a fleet.yaml that contains only `catalog`, given without that
// key, and its problems.
func load(t *testing.T, text string) (*Set, []string) {
	t.Helper()
	var diags source.Diagnostics
	text = "catalog:\n  " + strings.ReplaceAll(strings.TrimSpace(text), "\n", "\n  ") + "\n"
	docs := source.Parse(&source.File{Name: "f", Data: []byte(text)}, &diags)
	require.Empty(t, texts(&diags))
	require.Len(t, docs, 1)
	s := New(docs[0].Get("catalog"), &diags)
	return s, texts(&diags)
}

func loadSound(t *testing.T, text string) *Set {
	t.Helper()
	s, problems := load(t, text)
	require.Empty(t, problems)
	return s
}

func TestEntryBuiltFromAnother(t *testing.T) {
	s := loadSound(t, `
os:
  server2019: {from: windows2019, image: {dataSource: os-images/server2019}, rootSize: 50Gi}
  grandchild: {from: server2019, user: admin}`)
	os := s.OS("grandchild")
	require.Equal(t, "grandchild", os.Label, "a label is not inherited")
	require.Equal(t, "windows", os.Family)
	require.Equal(t, "50Gi", os.RootSize)
	require.Equal(t, "admin", os.User)
	require.Equal(t, "dataSource os-images/server2019", os.Image.String())
	require.Equal(t, "secureboot", os.Defaults.Get("firmware", "type").Text)
	require.Equal(t, "sata", os.DiskBus)
	require.Equal(t, 2, int(os.Node.Get("image").Line)-1, "values keep their place")
}

func TestEntryExtendsTheBuiltInOfItsName(t *testing.T) {
	for name, text := range map[string]string{
		"without from":     "os: {windows2019: {rootSize: 80Gi}}",
		"from its own":     "os: {windows2019: {from: windows2019, rootSize: 80Gi}}",
		"as an own string": "os: {windows2019: {rootSize: \"80Gi\"}}",
	} {
		t.Run(name, func(t *testing.T) {
			s := loadSound(t, text)
			os := s.OS("windows2019")
			require.Equal(t, "80Gi", os.RootSize)
			require.Equal(t, "windows2k19", os.Label)
			require.Equal(t, "dataSource openshift-virtualization-os-images/win2k19", os.Image.String())
			require.Equal(t, "60Gi", s.OS("windows2016").RootSize)
		})
	}
}

func TestOwnEntryInThePlaceOfABuiltInOne(t *testing.T) {
	s := loadSound(t, "os: {rhel7: {from: rhel9}, linux: {rootSize: 5Gi}}")
	require.Equal(t, "dataSource openshift-virtualization-os-images/rhel9", s.OS("rhel7").Image.String())
	require.Equal(t, "5Gi", s.OS("linux").RootSize)
	require.Equal(t, "30Gi", s.OS("rhel9").RootSize, "built-in entries are built from built-in ones")
}

func TestNullRemovesABuiltInEntry(t *testing.T) {
	s := loadSound(t, "os: {rhel7: null}\nflavors: {tiny: null}")
	require.Nil(t, s.OS("rhel7"))
	require.Nil(t, s.Flavor("tiny"))
	require.NotContains(t, s.Names("os"), "rhel7")
	require.NotContains(t, s.Names("flavors"), "tiny")
}

func TestSourceReplacesTheInheritedOne(t *testing.T) {
	s := loadSound(t, `
os:
  mine: {from: rhel9, image: {registry: "docker://registry.example.com/rhel:9", version: "1"}}
  next: {from: mine, image: {version: "2"}}
  none: {from: mine, image: null}`)
	require.Equal(t, Source{Registry: "docker://registry.example.com/rhel:9", Version: "1"}, *s.OS("mine").Image)
	require.Equal(t, Source{Registry: "docker://registry.example.com/rhel:9", Version: "2"}, *s.OS("next").Image)
	require.Nil(t, s.OS("none").Image)
	require.Equal(t, source.Null, s.OS("mine").Node.Get("image", "dataSource").Kind)
}

func TestTraitsReplaceAndDefaultsMerge(t *testing.T) {
	s := loadSound(t, `
os:
  fast:
    from: windows2022
    traits: [acpi, secureboot, virtio, grace-windows]
    defaults: {firmware: {persistent: false}, evictionStrategy: None}
    overrides: {spec: {template: {spec: {domain: {ioThreadsPolicy: auto}}}}}`)
	os := s.OS("fast")
	require.Equal(t, []string{"virtio", "sata", "virtio"}, []string{os.DiskBus, os.CDROMBus, os.NICModel})
	require.False(t, os.Multiqueue)
	require.JSONEq(t, `{
		"firmware": {"type": "secureboot", "persistent": false},
		"terminationGracePeriodSeconds": 3600, "evictionStrategy": "None"}`,
		string(source.AppendJSON(nil, os.Defaults)))
	require.Nil(t, os.Spec.Get("domain", "features", "hyperv"))
	require.Equal(t, "auto", os.Overrides.Get("spec", "template", "spec", "domain", "ioThreadsPolicy").Text)
}

func TestLaterTraitsWin(t *testing.T) {
	s := loadSound(t, "os: {mine: {from: windows, traits: [sata, e1000e, virtio, bios, efi]}}")
	require.Equal(t, []string{"virtio", "virtio"}, []string{s.OS("mine").DiskBus, s.OS("mine").NICModel})
	require.Equal(t, "efi", s.OS("mine").Defaults.Get("firmware", "type").Text)
}

func TestOtherEntries(t *testing.T) {
	s := loadSound(t, `
flavors:
  db: {cpu: 8, memory: 32Gi}
  u1.medium: {memory: 5Gi}
networks:
  vlan2003: {nad: default/vlan2003, vlan: 2003, cidr: 10.0.3.0/24, gateway: 10.0.3.1, dns: [10.0.3.2, "fd00::2"]}
  pod: {model: e1000e}
images:
  golden: {http: "https://images.example.com/golden.qcow2", version: "2026.1", secret: images}
storageClasses:
  ceph: {name: ocs-storagecluster-ceph-rbd-virtualization, accessMode: ReadWriteMany, volumeMode: Block}`)
	require.JSONEq(t, `{"cpu": 8, "memory": "32Gi"}`, string(source.AppendJSON(nil, s.Flavor("db"))))
	require.JSONEq(t, `{"cpu": 1, "memory": "5Gi"}`, string(source.AppendJSON(nil, s.Flavor("u1.medium"))))
	require.Nil(t, s.Flavor("dbx"))
	require.Equal(t, &Network{
		NAD: "default/vlan2003", VLAN: 2003, CIDR: "10.0.3.0/24", Gateway: "10.0.3.1", DNS: []string{"10.0.3.2", "fd00::2"},
	}, s.Network("vlan2003"))
	require.Equal(t, &Network{Pod: true, Model: "e1000e"}, s.Network("pod"))
	require.Nil(t, s.Network("vlan2004"))
	require.Equal(t, "2026.1", s.Image("golden").Version)
	require.Nil(t, s.Image("iron"))
	require.Equal(t, "Block", s.StorageClass("ceph").VolumeMode)
	require.Nil(t, s.StorageClass("gluster"))
	require.Equal(t, []string{"pod", "vlan2003"}, s.Names("networks"))
	require.Equal(t, []string{"golden"}, s.Names("images"))
	require.Equal(t, "https://images.example.com/golden.qcow2", s.Node("images", "golden").Get("http").Text)
	require.Equal(t, "linux", s.Node("os", "rhel9").Get("family").Text)
	require.Nil(t, s.Node("os", "rhel99"))
	require.Empty(t, s.Names("unheard-of"))
}

// Entries that are merged before they become a catalog, as in overlays, are normalized
// first.
func TestNormalizedCatalogsMerge(t *testing.T) {
	doc := func(text string) *source.Node {
		var diags source.Diagnostics
		n := source.Parse(&source.File{Name: "f", Data: []byte(text)}, &diags)[0]
		require.Empty(t, texts(&diags))
		return n
	}
	base := doc("os: {mine: {from: rhel9, image: {registry: \"docker://a/b\"}}}\n" +
		"images: {x: {http: \"https://a/b\", version: \"1\"}}\n")
	over := doc("os: {mine: {image: {pvc: a/b}}}\nimages: {x: {pvc: c/d}}\n")
	var diags source.Diagnostics
	s := New(source.Merge(Normalize(base), Normalize(over)), &diags)
	require.Empty(t, texts(&diags))
	require.Equal(t, "pvc a/b", s.OS("mine").Image.String())
	require.Equal(t, &Source{PVC: "c/d"}, s.Image("x"))
	require.Nil(t, Normalize(nil))
}

func TestSamePointerFromManyGoroutines(t *testing.T) {
	s := builtins(t)
	got := make([]*ResolvedOS, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = s.OS("windows11") })
	}
	wg.Wait()
	for _, os := range got {
		require.Same(t, s.OS("windows11"), os)
	}
	require.Nil(t, s.OS("windows12"))
}
