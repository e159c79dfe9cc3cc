package resolve_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/internal/fleettest"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// inSite resolves one VM "it" with the given keys, in a fleet with a catalog.
func inSite(t *testing.T, keys string) (*machine.Machine, []string) {
	t.Helper()
	replaces := strconv.FormatBool(strings.Contains(keys, "replace"))
	dir := fleettest.Unpack(t, txtar.Parse([]byte(`-- fleet.yaml --
apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
target: {image: registry.example.com/vmrender:1, applyOutOfSyncOnly: `+replaces+`}
catalog:
  os:
    sata: {from: linux, traits: [sata, e1000e], image: {http: https://x/y}, user: me, minimum: {cpu: 2, memory: 1Gi}}
    win: {from: windows, image: {http: https://x/y}, minimum: {cpu: 1, memory: 1Gi}}
    cores: {from: linux, traits: [virtio, cpu-cores], image: {http: https://x/y}}
  flavors: {pair: {cpu: {cores: 2, dedicated: true}, memory: {guest: 2Gi, hugepages: 2Mi}}}
  networks:
    lan: {nad: default/lan-nad, gateway: 10.0.0.1, dns: [10.0.0.2], cidr: 10.0.0.0/24}
    plain: {nad: default/plain, gateway: 10.2.0.1}
    fast: {nad: default/fast, binding: sriov}
    wifi: {nad: default/wifi, model: e1000}
    pod2: {pod: true, binding: bridge}
  images: {golden: {http: https://golden, version: v1, secret: s}}
  storageClasses: {ceph: {name: ceph-rbd, accessMode: ReadWriteMany, volumeMode: Block}}
defaults: {namespace: ns, os: linux, cpu: 2, memory: 4Gi, disks: {root: {size: 20Gi, source: {http: https://x/y}}}}
placement: {nodeSelector: {zone: a}, tolerations: [{key: fleet}]}
-- vms.yaml --
vms:
  it: {`+keys+"}\n")))
	f, diags := inventory.Load(dir, fleet.Options{})
	if len(f.Machines) == 0 {
		return nil, fleettest.Problems(diags, dir)
	}
	return f.Machines[0], fleettest.Problems(diags, dir)
}

var kinds = map[machine.DiskKind]string{
	machine.DiskDataVolume: "datavolume", machine.DiskClaim: "claim", machine.DiskContainerDisk: "container",
	machine.DiskEmpty: "empty", machine.DiskEjected: "ejected",
}

var tpms = map[machine.TPMMode]string{machine.TPMVolatile: "volatile", machine.TPMPersistent: "persistent"}

func TestDisks(t *testing.T) {
	last := func(m *machine.Machine) string {
		d := m.Disks[len(m.Disks)-1]
		return fields("volume", d.Volume, "kind", kinds[d.Kind], "claim", d.Claim, "size", d.Size,
			"class", d.StorageClass, "access", d.AccessMode,
			"mode", d.VolumeMode, "bus", d.Bus, "type", d.Type, "keep", d.Keep)
	}
	resolve(t, last, []row{
		{"default-root", ``, "volume=rootdisk kind=datavolume claim=it size=20Gi bus=virtio type=disk keep=true"},
		{
			"root-size", `disks: {root: 30Gi}`,
			"volume=rootdisk kind=datavolume claim=it size=30Gi bus=virtio type=disk keep=true",
		},
		{
			"data", `disks: {data: 5Gi}`,
			"volume=data kind=datavolume claim=it-data size=5Gi bus=virtio type=disk keep=true",
		},
		{"bus-of-os", `os: sata`, "volume=rootdisk kind=datavolume claim=it size=20Gi bus=sata type=disk keep=true"},
		{
			"own-bus", `os: sata, disks: {data: {size: 5Gi, bus: scsi}}`,
			"volume=data kind=datavolume claim=it-data size=5Gi bus=scsi type=disk keep=true",
		},
		{
			"storage-class", `disks: {data: {size: 5Gi, storageClass: ceph}}`,
			"volume=data kind=datavolume claim=it-data size=5Gi class=ceph-rbd access=ReadWriteMany mode=Block " +
				"bus=virtio type=disk keep=true",
		},
		{
			"own-volume-mode", `disks: {data: {size: 5Gi, storageClass: ceph, volumeMode: Filesystem}}`,
			"volume=data kind=datavolume claim=it-data size=5Gi class=ceph-rbd access=ReadWriteMany mode=Filesystem " +
				"bus=virtio type=disk keep=true",
		},
		{
			"hotpluggable", `disks: {data: {size: 5Gi, hotpluggable: true}}`,
			"volume=data kind=datavolume claim=it-data size=5Gi bus=scsi type=disk keep=true",
		},
		{
			"hotpluggable-own-bus", `disks: {data: {size: 5Gi, hotpluggable: true, bus: virtio}}`,
			"volume=data kind=datavolume claim=it-data size=5Gi bus=virtio type=disk keep=true",
		},
		{
			"hotpluggable-bus-of-os", `os: sata, disks: {data: {size: 5Gi, hotpluggable: true}}`,
			"volume=data kind=datavolume claim=it-data size=5Gi bus=scsi type=disk keep=true",
		},
		{
			"all-hotpluggable", `hotpluggable: true, disks: {data: 5Gi}`,
			"volume=data kind=datavolume claim=it-data size=5Gi bus=virtio type=disk keep=true",
		},
		{
			"cdrom", `disks: {cd: {type: cdrom, size: 5Gi, source: {http: https://iso}}}`,
			"volume=cd kind=datavolume claim=it-cd size=5Gi bus=sata type=cdrom keep=true",
		},
		{
			"ejected-cdrom", `disks: {cd: {type: cdrom, ejected: true}}`,
			"volume=cd kind=ejected bus=sata type=cdrom keep=true",
		},
		{
			"claim", `disks: {x: {source: {claim: old}}}`,
			"volume=x kind=claim claim=old bus=virtio type=disk keep=true",
		},
		{
			"container-disk", `disks: {x: {source: {containerDisk: quay.io/x/y}}}`,
			"volume=x kind=container bus=virtio type=disk keep=true",
		},
		{
			"empty-disk", `disks: {x: {size: 1Gi, source: {emptyDisk: true}}}`,
			"volume=x kind=empty size=1Gi bus=virtio type=disk keep=true",
		},
		{
			"image", `disks: {x: {size: 1Gi, source: {image: golden}}}`,
			"volume=x kind=datavolume claim=it-x size=1Gi bus=virtio type=disk keep=true",
		},
		{
			"preference", `preference: p, instancetype: i, cpu: null, memory: null, disks: {x: 1Gi}`,
			"volume=x kind=datavolume claim=it-x size=1Gi type=disk keep=true",
		},
		{
			"cattle-data", `lifecycle: cattle, disks: {data: 5Gi}`,
			"volume=data kind=datavolume claim=it-data size=5Gi bus=virtio type=disk",
		},
		{
			"cattle-root", `lifecycle: {type: cattle, keepDisks: true}`,
			"volume=rootdisk kind=datavolume claim=it-root-ca101c98 size=20Gi bus=virtio type=disk",
		},
		{
			"replaced-root", `lifecycle: {type: cattle, strategy: replace}`,
			"volume=rootdisk kind=datavolume claim=it size=20Gi bus=virtio type=disk",
		},
		{
			"owned-root", `lifecycle: {keepDisks: false}`,
			"volume=rootdisk kind=datavolume claim=it size=20Gi bus=virtio type=disk",
		},
		{
			"one-kept", `lifecycle: {keepDisks: false}, disks: {data: {size: 5Gi, keep: true}}`,
			"volume=data kind=datavolume claim=it-data size=5Gi bus=virtio type=disk keep=true",
		},
		{
			"one-owned", `disks: {data: {size: 5Gi, keep: false}}`,
			"volume=data kind=datavolume claim=it-data size=5Gi bus=virtio type=disk",
		},
		{
			"growing-to-its-size", `disks: {data: {size: 5Gi, expandTo: 5Gi}}`,
			"volume=data kind=datavolume claim=it-data size=5Gi bus=virtio type=disk keep=true",
		},
		{
			"clone-without-size-of-snapshot", `disks: {x: {source: {snapshot: ns/s}}}`,
			"volume=x kind=datavolume claim=it-x bus=virtio type=disk keep=true",
		},
		{
			"clone-without-size-of-claim", `disks: {x: {source: {pvc: ns/p}}}`,
			"volume=x kind=datavolume claim=it-x bus=virtio type=disk keep=true",
		},
		{
			"clone-without-size-of-data-source", `disks: {x: {source: {dataSource: ns/d}}}`,
			"volume=x kind=datavolume claim=it-x bus=virtio type=disk keep=true",
		},
	})
	refuse(t, []row{
		{
			"unknown-storage-class", `disks: {data: {size: 5Gi, storageClass: cehp}}`,
			`vms.yaml:2:48: vms.it.disks.data.storageClass: unknown storage class "cehp"; did you mean "ceph"?`,
		},
		{
			"lun-without-claim", `disks: {data: {type: lun, source: {containerDisk: "registry.example.org/x:1"}}}`,
			"vms.it.disks.data.type: a LUN has a claim, and the source has none; use `type: disk`, or another source",
		},
		{"ejected-disk", `disks: {cd: {ejected: true}}`, "only a CD-ROM can be ejected"},
		{
			"unknown-image", `disks: {x: {size: 1Gi, source: {image: gloden}}}`,
			`unknown image "gloden"; did you mean "golden"?`,
		},
		{"download-without-size", `disks: {x: {source: {http: https://x/y}}}`, `vms.it.disks.x.size: missing size`},
		{"blank-without-size", `disks: {x: {}}`, `vms.it.disks.x.size: missing size`},
	})
}

// TestCloneSize proves that the operating system's size applies only to its own image. A clone of anything else has its
// source's size unless the user sets one.
func TestCloneSize(t *testing.T) {
	const catalog = "catalog: {os: {own: {from: linux, image: {dataSource: images/own}, rootSize: 25Gi}}, " +
		"images: {golden: {pvc: images/golden}}}\n"
	for disks, want := range map[string]string{
		"":                                         "25Gi",
		"root: {source: {dataSource: ns/d}}":       "",
		"root: {source: {pvc: ns/p}}":              "",
		"root: {source: {snapshot: ns/s}}":         "",
		"root: {source: {image: golden}}":          "",
		"root: {source: {http: https://x/y}}":      "25Gi",
		"root: {source: {registry: docker://x/y}}": "25Gi",
		"root: {size: 40Gi, source: {pvc: ns/p}}":  "40Gi",
		"root: 40Gi":                               "40Gi",
	} {
		dir := fleettest.Unpack(t, txtar.Parse([]byte("-- fleet.yaml --\napiVersion: vmrender.io/v1alpha1\nkind: Fleet\n"+
			"metadata: {name: f}\ntarget: {image: i}\ndefaults: {namespace: ns, os: own, flavor: small}\n"+catalog+
			"-- vms.yaml --\nvms: {a: {disks: {"+disks+"}}}\n")))
		f, diags := inventory.Load(dir, fleet.Options{})
		require.Empty(t, fleettest.Problems(diags, dir), disks)
		require.Equal(t, want, f.Machines[0].Disks[0].Size, disks)
	}
}

func TestCatalogImage(t *testing.T) {
	m, problems := inSite(t, "disks: {root: {source: {http: null, image: golden, version: v2}}}")
	require.Empty(t, problems)
	src := m.Disks[0].Source
	require.Equal(t, []string{"https://golden", "v2", "s"}, []string{src.HTTP, src.Version, src.Secret})
}

// TestDiskOrder proves that the root disk is first and the others are in the written order.
func TestDiskOrder(t *testing.T) {
	m, problems := inSite(t, "disks: {z: 1Gi, root: {bootOrder: 1}, gone: 5Gi, a: 1Gi}")
	require.Empty(t, problems)
	var names []string
	for _, d := range m.Disks {
		names = append(names, d.Name)
	}
	require.Equal(t, []string{"root", "z", "gone", "a"}, names)
}

func TestNICs(t *testing.T) {
	show := func(m *machine.Machine) string {
		var out []string
		for _, n := range m.NICs {
			out = append(out, fields("name", n.Name, "pod", n.Pod, "nad", n.NAD, "binding", n.Binding,
				"model", n.Model, "mac", n.MAC,
				"ip", n.IP, "gateway", n.Gateway, "dns", n.DNS, "routes", n.Routes))
		}
		return strings.Join(out, "; ")
	}
	resolve(t, show, []row{
		{"default", ``, "name=default pod=true binding=masquerade model=virtio"},
		{"none", `nics: []`, ""},
		{"pod", `nics: [pod]`, "name=default pod=true binding=masquerade model=virtio"},
		{"model-of-os", `os: sata`, "name=default pod=true binding=masquerade model=e1000e"},
		{"pod-binding", `nics: [pod2]`, "name=default pod=true binding=bridge model=virtio"},
		{
			"same-network-thrice", `nics: [lan, lan, lan]`,
			"name=lan nad=default/lan-nad binding=bridge model=virtio; " +
				"name=lan-2 nad=default/lan-nad binding=bridge model=virtio; " +
				"name=lan-3 nad=default/lan-nad binding=bridge model=virtio",
		},
		{
			"own-name", `nics: [lan, {network: lan, name: x}]`,
			"name=lan nad=default/lan-nad binding=bridge model=virtio; name=x nad=default/lan-nad binding=bridge model=virtio",
		},
		{
			"same-name-of-nads", `nics: [a/net, b/net]`,
			"name=net nad=a/net binding=bridge model=virtio; name=net-2 nad=b/net binding=bridge model=virtio",
		},
		{
			"binding-and-model-of-network", `nics: [fast, wifi]`,
			"name=fast nad=default/fast binding=sriov; name=wifi nad=default/wifi binding=bridge model=e1000",
		},
		{
			"own-binding-and-model", `nics: [{network: wifi, model: rtl8139, binding: passt}]`,
			"name=wifi nad=default/wifi binding=passt model=rtl8139",
		},
		{
			"preference", `preference: p, instancetype: i, cpu: null, memory: null, nics: [lan, wifi]`,
			"name=lan nad=default/lan-nad binding=bridge; name=wifi nad=default/wifi binding=bridge model=e1000",
		},
		{
			"static", `nics: [{network: lan, ip: 10.0.0.5/24}]`,
			"name=lan nad=default/lan-nad binding=bridge model=virtio ip=10.0.0.5/24 gateway=10.0.0.1 dns=[10.0.0.2]",
		},
		{
			"own-gateway-and-dns", `nics: [{network: lan, ip: 10.0.0.5/24, gateway: 10.0.0.9, dns: [1.1.1.1]}]`,
			"name=lan nad=default/lan-nad binding=bridge model=virtio ip=10.0.0.5/24 gateway=10.0.0.9 dns=[1.1.1.1]",
		},
		{
			"mac", `nics: [{network: lan, mac: 02-A1-B2-00-00-0F}]`,
			"name=lan nad=default/lan-nad binding=bridge model=virtio mac=02:a1:b2:00:00:0f",
		},
		{
			"ipv6", `nics: [{network: fast, ip: 'fd00::5/64', gateway: 'fd00::1'}]`,
			"name=fast nad=default/fast binding=sriov ip=fd00::5/64 gateway=fd00::1",
		},
		{
			"point-to-point", `nics: [{network: fast, ip: 10.1.0.0/31}]`,
			"name=fast nad=default/fast binding=sriov ip=10.1.0.0/31",
		},
		{
			"gateway-without-dns", `nics: [{network: plain, ip: 10.2.0.5/24}]`,
			"name=plain nad=default/plain binding=bridge model=virtio ip=10.2.0.5/24 gateway=10.2.0.1",
		},
		{
			"dns-without-gateway", `nics: [{network: fast, ip: 10.1.0.5/24, dns: [10.1.0.2]}]`,
			"name=fast nad=default/fast binding=sriov ip=10.1.0.5/24 dns=[10.1.0.2]",
		},
		{
			"routes", `nics: [{network: fast, ip: 10.1.0.5/24, routes: [{to: 10.9.0.0/16, via: 10.1.0.9}]}]`,
			"name=fast nad=default/fast binding=sriov ip=10.1.0.5/24 routes=[{10.9.0.0/16 10.1.0.9}]",
		},
	})
	refuse(t, []row{
		{"two-pods", `nics: [pod, pod2]`, "vms.yaml:2:20: vms.it.nics[1]: second NIC on the pod network"},
		{"taken-name", `nics: [{network: fast, name: lan-2}, lan, lan]`, `duplicate NIC name "lan-2"`},
		{"same-name", `nics: [lan, {network: fast, name: lan}]`, `duplicate NIC name "lan"`},
		{"broadcast", `nics: [{network: fast, ip: 10.1.0.255/24}]`, "broadcast address"},
		{"network-address", `nics: [{network: fast, ip: 10.1.0.0/24}]`, "address of the network"},
		{"whole-internet", `nics: [{network: fast, ip: 0.0.0.0/0}]`, "address of the network"},
		{"outside-cidr", `nics: [{network: lan, ip: 10.0.1.5/24}]`, "outside 10.0.0.0/24"},
		{
			"gateway-outside-subnet", `nics: [{network: fast, ip: 10.1.0.5/24, gateway: 10.2.0.1}]`,
			"outside the subnet 10.1.0.0/24",
		},
		{
			"next-hop", `nics: [{network: fast, ip: 10.1.0.5/24, routes: [{to: default, via: x}]}]`,
			`vms.yaml:2:76: vms.it.nics[0].routes[0].via: invalid address "x"`,
		},
		{"routes-without-ip", `nics: [{network: fast, routes: [{to: default, via: 10.0.0.1}]}]`, "need an address under"},
		{"multicast-mac", `nics: [{network: pod, mac: "03:00:00:00:00:01"}]`, `as in "02:00:00:00:00:01"`},
		{"short-mac", `nics: [{network: pod, mac: "02:00:00:00:00"}]`, "invalid MAC address"},
		{
			"masquerade-elsewhere", `nics: [{network: fast, binding: masquerade}]`,
			"masquerade is for the pod network only",
		},
		{"sriov-on-pod", `nics: [{network: pod, binding: sriov}]`, "sriov is not for the pod network"},
		{"absent-pod", `nics: [{network: pod, state: absent}]`, "only bridge NICs can be unplugged"},
		{"network-name", `nics: [{network: Bad/net}]`, `invalid network "Bad/net"`},
		{"no-network", `nics: [{name: x}]`, "missing network; set `network: pod`, or another network"},
		{"network-as-name", `nics: [{name: lan}]`, "missing network; did you mean `network: lan`?"},
		{"ip-on-pod", `nics: [{network: pod, ip: 10.0.2.2/24}]`, "the cluster assigns the address"},
		{"ip-on-pod-of-catalog", `nics: [{network: pod2, ip: 10.0.2.2/24}]`, "the cluster assigns the address"},
		{
			"prefix-length", `nics: [{network: lan, ip: 10.0.0.5/16}]`,
			`vms.yaml:2:34: vms.it.nics[0].ip: "10.0.0.5/16" has another prefix length than 10.0.0.0/24 of the network ` +
				`"lan"; expected "10.0.0.5/24"`,
		},
		{"unknown-network", `nics: [lann]`, `unknown network "lann"; did you mean "lan"?`},
	})
}

// TestRoutesLackKeys proves that a route that lacks keys is reported at its position.
func TestRoutesLackKeys(t *testing.T) {
	_, problems := inSite(t, "nics: [{network: fast, ip: 10.1.0.5/24, routes: [{}]}]")
	require.NotEmpty(t, problems)
	for _, p := range problems {
		require.Regexp(t, `^vms\.yaml:2:5\d: vms\.it\.nics\[0\]\.routes\[0\]`, p)
	}
}

func TestSizing(t *testing.T) {
	show := func(m *machine.Machine) string {
		return fields("flavor", m.Flavor, "sockets", m.CPU.Sockets, "cores", m.CPU.Cores, "threads", m.CPU.Threads,
			"memory", m.Memory.Guest)
	}
	resolve(t, show, []row{
		{"default", ``, "flavor=custom sockets=2 cores=1 threads=1 memory=4Gi"},
		{"cores-of-os", `os: cores`, "flavor=custom sockets=1 cores=2 threads=1 memory=4Gi"},
		{"threads", `cpu: {threads: 2}`, "flavor=custom sockets=1 cores=1 threads=2 memory=4Gi"},
		{"model", `cpu: {model: host-passthrough}`, "flavor=custom sockets=2 cores=1 threads=1 memory=4Gi"},
		{"flavor", `flavor: small`, "flavor=small sockets=1 cores=1 threads=1 memory=2Gi"},
		{"dedicated-flavor", `flavor: pair`, "flavor=pair sockets=1 cores=2 threads=1 memory=2Gi"},
		{"flavor-and-memory", `flavor: small, memory: 3Gi`, "flavor=small sockets=1 cores=1 threads=1 memory=3Gi"},
		{"own-size-and-flavor", `flavor: small, cpu: 3, memory: 3Gi`, "flavor=small sockets=3 cores=1 threads=1 memory=3Gi"},
		{
			"own-parts-and-flavor", `flavor: small, cpu: {model: x}, memory: 3Gi`,
			"flavor=small sockets=1 cores=1 threads=1 memory=3Gi",
		},
		{"least-memory", `memory: 1Mi`, "flavor=custom sockets=2 cores=1 threads=1 memory=1Mi"},
		{"max-sockets", `cpu: {sockets: 4, maxSockets: 8}`, "flavor=custom sockets=4 cores=1 threads=1 memory=4Gi"},
		{"instancetype", `instancetype: u1.small, cpu: null, memory: null`, "flavor=u1.small"},
	})
	refuse(t, []row{
		{"max-below-sockets", `cpu: {sockets: 4, maxSockets: 2}`, "2 is below the 4 sockets"},
		{"realtime-without-dedicated", `cpu: {realtime: true}`, "requires `dedicated: true`"},
		{"numa-without-hugepages", `cpu: {dedicated: true, numa: true}`, "requires `memory.hugepages`"},
		{"max-below-memory", `memory: {max: 2Gi}`, `"2Gi" is below the guest's "4Gi"`},
		{
			"little-memory-that-grows", `memory: {guest: 512Mi, max: 2Gi}`,
			`memory of less than 1Gi cannot grow, and the guest's at`,
		},
		{
			"growth-by-blocks", `memory: {guest: 2Gi, max: 5000M}`,
			`memory grows in blocks of 2Mi, and "5000M" or the guest's "2Gi" is not a multiple of that`,
		},
		{"growth-by-huge-pages", `memory: {guest: 2Gi, max: 5122Mi, hugepages: 1Gi}`, "memory grows in blocks of 1Gi, and"},
		{
			"growth-in-real-time",
			`cpu: {dedicated: true, realtime: true, numa: false}, memory: {guest: 2Gi, max: 4Gi, hugepages: 2Mi}`,
			"memory cannot grow with `cpu.realtime` at",
		},
		{"hugepages-do-not-fit", `memory: {hugepages: 3Mi}`, "not a multiple"},
		{"little-memory", `memory: 1Ki`, "too little"},
		{"extreme-exponent", `memory: 1e-2147483648`, `invalid quantity "1e-2147483648"`},
		{"long-number", `memory: ` + strings.Repeat("9", 5000), "invalid quantity"},
	})
	warn(t, []row{
		{
			"cpu-below-minimum", `os: sata, cpu: 1`,
			"vms.it.cpu: 1 vCPU are below the minimum of sata; expected at least 2, or another `catalog.os.sata.minimum.cpu`",
		},
		{
			"memory-below-minimum", `os: sata, memory: 512Mi`,
			`vms.it.memory: "512Mi" is below the minimum of sata; expected at least "1Gi", ` +
				"or another `catalog.os.sata.minimum.memory`",
		},
	})
}

func TestGuest(t *testing.T) {
	show := func(m *machine.Machine) string {
		c := m.CloudInit
		if c == nil {
			return "none"
		}
		return fields("user", c.User, "datasource", c.Datasource, "inSecret", c.InSecret, "secret", c.SecretName,
			"bus", c.Bus,
			"password", c.Password, "userData", c.UserData, "sshKeys", c.SSHKeys, "runcmd", c.RunCmd)
	}
	resolve(t, show, []row{
		{"none", ``, "none"},
		{"defaults", `cloudInit: {}`, "datasource=noCloud inSecret=true secret=it-cloudinit bus=virtio"},
		{
			"user-and-bus-of-os", `os: sata, cloudInit: {}`,
			"user=me datasource=noCloud inSecret=true secret=it-cloudinit bus=sata",
		},
		{"secret", `os: sata, cloudInit: {secret: s}`, "datasource=noCloud inSecret=true secret=it-cloudinit bus=sata"},
		{
			"user-data", `os: sata, cloudInit: {userData: "#cloud-config"}`,
			"datasource=noCloud inSecret=true secret=it-cloudinit bus=sata userData=#cloud-config",
		},
		{
			"static-address", `os: sata, nics: [{network: fast, ip: 10.1.0.5/24}]`,
			"user=me datasource=noCloud inSecret=true secret=it-cloudinit bus=sata",
		},
		{
			"inline", `cloudInit: {user: a, datasource: configDrive, store: inline}`,
			"user=a datasource=configDrive secret=it-cloudinit bus=virtio",
		},
		{
			"cattle", `lifecycle: cattle, cloudInit: {user: a}`, "user=a datasource=noCloud secret=it-cloudinit bus=virtio",
		},
		{
			"cattle-in-secret", `lifecycle: cattle, cloudInit: {user: a, store: secret}`,
			"user=a datasource=noCloud inSecret=true secret=it-cloudinit bus=virtio",
		},
		{
			"templates", `cloudInit: {sshKeys: ["{{ .vm.name }}"], runcmd: [a, [b, "{{ .vm.os }}"]]}`,
			"datasource=noCloud inSecret=true secret=it-cloudinit bus=virtio sshKeys=[it] runcmd=[{a []} { [b linux]}]",
		},
		{
			"config-drive-on-windows", `os: win, cloudInit: {datasource: configDrive}`,
			"datasource=configDrive inSecret=true secret=it-cloudinit bus=sata",
		},
		{
			"password-of-vars", `vars: {p: x}, cloudInit: {password: "{{ .vars.p }}"}`,
			"datasource=noCloud inSecret=true secret=it-cloudinit bus=virtio password=x",
		},
	})
	refuse(t, []row{
		{"user-data-and-secret", `cloudInit: {userData: x, secret: s}`, "must not be mixed with `secret`"},
		{"user-data-and-packages", `cloudInit: {userData: x, packages: [vim]}`, "must not be mixed with `userData`"},
		{"secret-and-user", `cloudInit: {secret: s, user: x}`, "must not be mixed with `secret`"},
		{
			"network-data-and-ip", `cloudInit: {networkData: x}, nics: [{network: fast, ip: 10.1.0.5/24}]`,
			"must not be mixed with `ip` on NICs",
		},
		{"cloud-init-on-windows", `os: win, cloudInit: {}`, "vms.it.cloudInit: Windows reads no cloud-init"},
		{
			"no-cloud-on-windows", `os: win, cloudInit: {datasource: noCloud}`,
			"vms.it.cloudInit: Windows reads no cloud-init",
		},
		{
			"ip-on-windows", `os: win, nics: [pod, {network: fast, ip: 10.1.0.5/24}]`,
			"vms.it.nics[1].ip: Windows reads no cloud-init; use `sysprep` instead",
		},
		{
			"sysprep-on-linux", `sysprep: {secret: a}`, "vms.it.sysprep: Linux reads no answer file; use `cloudInit`",
		},
		{"sysprep-of-nothing", `os: win, sysprep: {}`, "expected exactly one of secret and configMap"},
		{"sysprep-of-two", `os: win, sysprep: {secret: a, configMap: b}`, "expected exactly one of secret and configMap"},
	})
	warn(t, []row{
		{"password", `cloudInit: {password: x}`, "vms.it.cloudInit.password: a password in clear text"},
		{
			"user-data-with-password", `cloudInit: {userData: "#cloud-config\npassword: x"}`,
			"vms.it.cloudInit.userData: a password in clear text",
		},
	})
	m, problems := inSite(t, `os: win, sysprep: {secret: "{{ .vm.name }}-answers"}`)
	require.Empty(t, problems)
	require.Equal(t, &machine.Sysprep{Sysprep: values.Sysprep{Secret: "it-answers"}, Bus: "sata"}, m.Sysprep)
}

func TestHardware(t *testing.T) {
	show := func(m *machine.Machine) string {
		return fields("firmware", m.Firmware.Type, "persistent", m.Firmware.Persistent, "tpm", tpms[m.TPM],
			"gpus", m.GPUs, "devices", m.HostDevices)
	}
	resolve(t, show, []row{
		{"bios", `firmware: bios`, "firmware=bios"},
		{"persistent-bios", `firmware: {type: bios, persistent: true}`, "firmware=bios"},
		{"persistent-efi", `firmware: {type: efi, persistent: true}`, "firmware=efi persistent=true"},
		{"tpm", `firmware: bios, tpm: true`, "firmware=bios tpm=volatile"},
		{"persistent-tpm", `firmware: bios, tpm: {persistent: true}`, "firmware=bios tpm=persistent"},
		{"volatile-tpm", `firmware: bios, tpm: {persistent: false}`, "firmware=bios tpm=volatile"},
		{"no-tpm", `firmware: bios, tpm: false`, "firmware=bios"},
		{
			"devices", `firmware: bios, gpus: [x/a, {name: g, device: x/b}], hostDevices: [x/c]`,
			"firmware=bios gpus=[{gpu0 x/a} {g x/b}] devices=[{hostdevice0 x/c}]",
		},
	})
	refuse(t, []row{
		{"device-name-taken", `gpus: [{name: gpu1, device: x/a}, x/b]`, `duplicate name "gpu1"`},
		{"gpu-without-device", `gpus: [{name: x}]`, "missing"},
		{"uuid", `firmware: {uuid: x}`, `invalid UUID "x"`},
	})
}

func TestLifecycleAndPlacement(t *testing.T) {
	show := func(m *machine.Machine) string {
		lc := m.Lifecycle
		return fields("cattle", lc.Cattle(), "strategy", lc.Strategy, "keepDisks", lc.KeepDisks, "protect", lc.Protect,
			"selector", m.NodeSelector, "tolerations", len(m.Tolerations))
	}
	resolve(t, show, []row{
		{"pet", ``, "keepDisks=true selector=map[zone:a] tolerations=1"},
		{"cattle", `lifecycle: cattle`, "cattle=true strategy=rollout selector=map[zone:a] tolerations=1"},
		{
			"replace", `lifecycle: {type: cattle, strategy: replace}`,
			"cattle=true strategy=replace selector=map[zone:a] tolerations=1",
		},
		{"protect", `lifecycle: {protect: true}`, "keepDisks=true protect=true selector=map[zone:a] tolerations=1"},
		{"selector", `nodeSelector: {disk: ssd}`, "keepDisks=true selector=map[disk:ssd zone:a] tolerations=1"},
		{"same-selector", `nodeSelector: {zone: a}`, "keepDisks=true selector=map[zone:a] tolerations=1"},
		{"tolerations", `tolerations: [{key: x}]`, "keepDisks=true selector=map[zone:a] tolerations=2"},
	})
	refuse(t, []row{
		{
			"strategy-of-pet", `lifecycle: {type: pet, strategy: replace}`,
			`vms.it.lifecycle.strategy: "strategy" is for cattle`,
		},
		{"more-than-all", `lifecycle: {type: cattle, maxUnavailable: 101%}`, `invalid value "101%"`},
		{
			"other-selector", `nodeSelector: {zone: b}`,
			`vms.yaml:2:29: vms.it.nodeSelector.zone: "b" is not where the fleet's placement puts VMs; accepted: "a"`,
		},
	})
}

func TestServices(t *testing.T) {
	m, problems := inSite(t, "services: {web: 80, ssh: {port: 2222, targetPort: 22, type: NodePort}}")
	require.Empty(t, problems)
	require.Equal(t, []machine.Service{
		{
			Name: "it-web", Key: "web", Type: "ClusterIP",
			Ports: []values.ServicePort{{Name: "web", Port: 80, Protocol: "TCP"}},
		},
		{
			Name: "it-ssh", Key: "ssh", Type: "NodePort",
			Ports: []values.ServicePort{{Name: "ssh", Port: 2222, TargetPort: 22, Protocol: "TCP"}},
		},
	}, m.Services)
}

func TestNames(t *testing.T) {
	long := strings.Repeat("a", 60)
	for values, want := range map[string]string{
		"vms: {A: {}}\n":                                          `invalid name "A"`,
		"vms: {a-: {}}\n":                                         `invalid name "a-"`,
		"vms: {" + long + "aaaa: {}}\n":                           "has 64 characters; at most 63 are accepted",
		"vms: {" + long + ": {disks: {data: 1Gi}}}\n":             "shorten the name of the VM",
		"vms: {" + long + ": {services: {http: 80}}}\n":           "shorten the name of the VM",
		"vms: {\"1e-30\": {services: {http: 80}}}\n":              `starts with a letter, and "1e-30-http" does not; rename`,
		"vms: {" + long + ": {cloudInit: {}}}\n":                  "shorten the name of the VM",
		"vms: {a: {disks: {rootdisk: 1Gi}}}\n":                    "is the volume of the root disk",
		"vms: {a: {disks: {B: 1Gi}}}\n":                           `invalid name "B"`,
		"vms: {a: {hostname: a.b}}\n":                             `invalid name "a.b"`,
		"vms: {a: {namespace: Bad}}\n":                            `invalid name "Bad"`,
		"vms: {a: {labels: {x y: z}}}\n":                          `invalid label key "x y"`,
		"vms: {a: {labels: {example.com/x: 'a b'}}}\n":            `invalid label value "a b"`,
		"vms: {a: {disks: {root: null}}}\n":                       "there is nothing else to boot from",
		"vms: {a: {disks: {root: {size: 5Gi, expandTo: 1Gi}}}}\n": "a disk can only grow",
	} {
		_, problems := fleettest.Load(t, values)
		require.Len(t, problems, 1, values)
		require.Contains(t, problems[0], want)
	}
	for _, values := range []string{
		"vms: {a: {labels: {example.com/x: '', a.b/c: A_b.c, plain: x}}}\n",
		"vms: {a: {disks: {root: null}, nics: [{network: pod, bootOrder: 1}]}}\n",
		"vms: {a: {disks: {root: null, iso: {type: cdrom, source: {claim: iso}}}}}\n",
		"vms: {a: {disks: {root: null}, overrides: {spec: {template: {spec: " +
			"{domain: {firmware: {kernelBoot: {kernelArgs: a}}}}}}}}}\n",
	} {
		_, problems := fleettest.Load(t, values)
		require.Empty(t, problems, values)
	}
}
