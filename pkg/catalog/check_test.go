package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

const exactlyOne = "exactly one of dataSource, image, registry, http, s3, gcs, pvc, snapshot, containerDisk, claim, " +
	"dataVolume, emptyDisk, upload, blank, " +
	"configMap, serviceAccount, downwardMetrics, cloudInit, sysprep, volume, vddk, imageio or dataSourceRef; "

func TestProblems(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"nothing", "os: {}", nil},
		{
			"unknown from", "os: {mine: {from: rhel99}}",
			[]string{`f:2:21: catalog.os.mine.from: unknown operating system "rhel99"; did you mean "rhel9"?`},
		},
		{
			"removed from", "os: {mine: {from: rhel7}, rhel7: null}",
			[]string{`f:2:21: catalog.os.mine.from: unknown operating system "rhel7"; did you mean "rhel8"?`},
		},
		{
			"from an own entry that is wrong is wrong once", "os: {a: {from: rhel99}, b: {from: a}}",
			[]string{`f:2:18: catalog.os.a.from: unknown operating system "rhel99"; did you mean "rhel9"?`},
		},
		{
			"from itself", "os: {mine: {from: mine}}",
			[]string{
				`f:2:21: catalog.os.mine.from: "mine" is built from itself; ` +
					`only a built-in entry can be extended under its own name`,
			},
		},
		{
			"cycle, reported once", "os: {a: {from: b}, b: {from: c}, c: {from: a}, into: {from: b}}",
			[]string{
				"f:2:18: catalog.os.a.from: cycle a -> b -> c -> a; an entry must lead to a built-in one, or to one without `from`",
			},
		},
		{
			"cycle through a built-in name", "os: {rhel9: {from: mine}, mine: {from: rhel9}}",
			[]string{
				"f:2:22: catalog.os.rhel9.from: cycle rhel9 -> mine -> rhel9; " +
					"an entry must lead to a built-in one, or to one without `from`",
			},
		},
		{
			"unknown trait", "os: {mine: {from: linux, traits: [acpi, secureboots, virtio]}}",
			[]string{`f:2:43: catalog.os.mine.traits[1]: unknown trait "secureboots"; did you mean "secureboot"?`},
		},
		{
			"bad family", "os: {mine: {from: linux, family: linus}}",
			[]string{`f:2:36: catalog.os.mine.family: unknown value "linus"; did you mean "linux"?`},
		},
		{
			"no base", "os: {mine: {rootSize: 5Gi}}",
			[]string{
				"f:2:8: catalog.os.mine: no family; " +
					"build the entry from another one, such as `from: linux`, or give it family and traits",
			},
		},
		{
			"no bus", "os: {mine: {family: linux, traits: [acpi]}}",
			[]string{"f:2:8: catalog.os.mine: no trait gives disks a bus; add virtio or sata to the traits"},
		},
		{
			"no model", "os: {mine: {from: windows, traits: [sata]}}",
			[]string{"f:2:8: catalog.os.mine: no trait gives NICs a model; add virtio or e1000e to the traits"},
		},
		{
			"quantities", "os: {mine: {from: linux, rootSize: 30GB, minimum: {cpu: -1, memory: lots}}}",
			[]string{
				`f:2:38: catalog.os.mine.rootSize: invalid quantity "30GB"; did you mean "30Gi"?`,
				`f:2:59: catalog.os.mine.minimum.cpu: -1 is out of range; accepted: 0 to 4096`,
				`f:2:71: catalog.os.mine.minimum.memory: invalid quantity; expected a quantity such as "16Gi"`,
			},
		},
		{
			"free forms", "os: {mine: {from: linux, defaults: [a], overrides: text}}",
			[]string{
				"f:2:38: catalog.os.mine.defaults: wrong type; expected a map of keys",
				"f:2:54: catalog.os.mine.overrides: wrong type; expected a map of keys",
			},
		},
		{
			"unknown key", "os: {mine: {from: linux, rotSize: 5Gi}}",
			[]string{`f:2:28: catalog.os.mine.rotSize: unknown key "rotSize"; did you mean "rootSize"?`},
		},
		{
			"wrong types", "os: {mine: 5, yours: {from: [linux], image: x}}\nflavors: []",
			[]string{
				"f:2:14: catalog.os.mine: wrong type: got the number 5, expected a map",
				"f:2:17: catalog.os.yours: no family; " +
					"build the entry from another one, such as `from: linux`, or give it family and traits",
				"f:2:31: catalog.os.yours.from: wrong type: got a list, expected a string",
				`f:2:47: catalog.os.yours.image: wrong type: got a string, expected a map; did you mean {image: "x"}?`,
				"f:3:12: catalog.flavors: wrong type: got a list, expected a map",
			},
		},
		{
			"two sources", "os: {mine: {from: linux, image: {registry: \"docker://a/b\", dataSource: a/b}}}",
			[]string{"f:2:62: catalog.os.mine.image: " + exactlyOne + "found dataSource and registry"},
		},
		{
			"no source", "os: {mine: {from: linux, image: {version: \"2\"}}}\nimages: {x: {version: \"2\"}, z: {blank: false}}",
			[]string{
				"f:2:28: catalog.os.mine.image: " + exactlyOne + "found none",
				"f:3:12: catalog.images.x: " + exactlyOne + "found none",
				"f:3:31: catalog.images.z: " + exactlyOne + "found none",
			},
		},
		{
			"bad sources", "os: {mine: {from: linux, image: {image: golden}}}\nimages:\n  a: {registry: \"quay.io/a/b\"}\n" +
				"  b: {image: a}\n  goldn: {pvc: x, secret: s}",
			[]string{
				`f:2:43: catalog.os.mine.image.image: unknown image "golden"; did you mean "goldn"?`,
				`f:4:19: catalog.images.a.registry: invalid registry address "quay.io/a/b"; did you mean "docker://quay.io/a/b"?`,
				"f:5:16: catalog.images.b.image: an image cannot name another image; give it that one's source",
				`f:6:18: catalog.images.goldn.pvc: invalid pvc "x"; expected namespace/name`,
				"f:6:29: catalog.images.goldn.secret: secret is used by nothing here; " +
					"it goes with registry, http, s3, gcs or containerDisk",
			},
		},
		{
			"flavors", "flavors: {a: {}, b: {cpu: 0}, c: {cpu: many, memory: 16}, d: {memory: 16gb}, -e: {cpu: 1}, " +
				"small: {cpu: 2}, g: {cpu: true, memory: [a]}, h: {memory: 5368709120}, i: {memory: 1.5}}",
			[]string{
				"f:2:13: catalog.flavors.a: no size; expected cpu, memory or both",
				`f:2:29: catalog.flavors.b.cpu: invalid cpu; expected a number of virtual CPUs up to 4096, or a map`,
				`f:2:42: catalog.flavors.c.cpu: invalid cpu; expected a number of virtual CPUs up to 4096, or a map`,
				`f:2:56: catalog.flavors.c.memory: "16" is a number of bytes; did you mean "16Gi"?`,
				`f:2:73: catalog.flavors.d.memory: invalid quantity "16gb"; did you mean "16Gi"?`,
				`f:2:80: catalog.flavors.-e: invalid name "-e"; ` +
					`expected letters, digits, "-", "_" and ".", starting and ending with a letter or digit`,
				"f:2:120: catalog.flavors.g.cpu: invalid cpu; expected a number of virtual CPUs up to 4096, or a map",
				"f:2:134: catalog.flavors.g.memory: wrong type; expected a quantity such as \"16Gi\", or a map",
			},
		},
		{
			"networks", `
networks:
  both: {nad: a/b, pod: true}
  neither: {vlan: 5}
  form: {nad: VLAN_5}
  a/b: {nad: a/b}
  masq: {nad: a/b, binding: masquerade}
  pod: {binding: sriov}
  model: {nad: a/b, model: virt}
  sriov: {nad: a/b, binding: sriov, model: virtio}
  vlan: {nad: a/b, vlan: 4095}
  cidr: {nad: a/b, cidr: 10.0.0.5/24, gateway: 10.0.0.1}
  gw: {nad: a/b, cidr: 10.0.0.0/24, gateway: 10.0.1.1}
  bad: {nad: a/b, cidr: 10.0.0.0, gateway: here, dns: [10.0.0.2, there]}`,
			[]string{
				"f:3:5: catalog.networks.both: exactly one of nad and pod; found both",
				"f:4:5: catalog.networks.neither: exactly one of nad and pod; found neither",
				`f:5:17: catalog.networks.form.nad: invalid network "VLAN_5"; expected namespace/name, ` +
					`or the name of one in the namespace of each VM`,
				`f:6:5: catalog.networks.a/b: invalid name "a/b"; a name with a slash is that of a NetworkAttachmentDefinition`,
				"f:7:31: catalog.networks.masq.binding: masquerade is for the pod network only; " +
					"accepted: bridge, sriov, or a network binding plugin",
				"f:8:20: catalog.networks.pod.binding: sriov is not for the pod network; " +
					"accepted: masquerade, bridge, or a network binding plugin",
				`f:9:30: catalog.networks.model.model: unknown value "virt"; did you mean "virtio"?`,
				"f:10:46: catalog.networks.sriov.model: an sriov NIC is a device of the host; leave its model out",
				"f:11:28: catalog.networks.vlan.vlan: 4095 is out of range; accepted: 1 to 4094",
				`f:12:28: catalog.networks.cidr.cidr: "10.0.0.5/24" is an address in a subnet; did you mean "10.0.0.0/24"?`,
				`f:13:48: catalog.networks.gw.gateway: gateway "10.0.1.1" is outside the subnet 10.0.0.0/24; ` +
					`expected an address in it`,
				`f:14:27: catalog.networks.bad.cidr: invalid subnet "10.0.0.0"; expected a subnet such as "10.0.0.0/24"`,
				`f:14:46: catalog.networks.bad.gateway: invalid address "here"; expected an address such as "10.0.0.1"`,
				`f:14:68: catalog.networks.bad.dns[1]: invalid address "there"; expected an address such as "10.0.0.1"`,
			},
		},
		{
			"storage classes", "storageClasses:\n  a: {accessMode: RWX}\n  b: {name: Ceph, volumeMode: Block}\n" +
				"  c: {name: c, volumeMode: block}",
			[]string{
				"f:3:5: catalog.storageClasses.a: no name; expected the `name` of the cluster's StorageClass",
				`f:3:21: catalog.storageClasses.a.accessMode: unknown value "RWX"; ` +
					`accepted: ReadOnlyMany, ReadWriteMany, ReadWriteOnce, ReadWriteOncePod`,
				`f:4:15: catalog.storageClasses.b.name: invalid name "Ceph"; ` +
					`expected a name of lower case letters, digits, "-" and "."`,
				`f:5:30: catalog.storageClasses.c.volumeMode: unknown value "block"; did you mean "Block"?`,
			},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, got := load(t, c.text)
			require.Equal(t, c.want, got)
		})
	}
}

// A set with errors can still be used. Otherwise, consequences of an error would hide it.
func TestBrokenSetIsUsable(t *testing.T) {
	s, problems := load(t,
		"os: {a: {from: b}, b: {from: a}, c: {from: rhel99, traits: [x]}, d: 5}\nnetworks: {net: x}\nflavors: {f: x}")
	require.NotEmpty(t, problems)
	require.NotNil(t, s.OS("a"))
	require.NotNil(t, s.OS("c"))
	require.Nil(t, s.OS("d"))
	require.Nil(t, s.Network("net"))
	require.Nil(t, s.Flavor("f"))
	require.NotEmpty(t, s.ListOS())
	require.NotEmpty(t, s.ListFlavors())
}
