package machine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// inSite resolves one VM "it" with the keys given, in a fleet with a catalogue.
func inSite(t *testing.T, keys string) (*machine.Machine, []string) {
	t.Helper()
	dir := unpack(t, txtar.Parse([]byte(`-- fleet.yaml --
apiVersion: vmrender.io/v1alpha1
kind: Fleet
metadata: {name: f}
target: {image: registry.example.com/vmrender:1, applyOutOfSyncOnly: true}
catalog:
  os:
    sata: {from: linux, traits: [sata, e1000e], image: {http: https://x/y}, user: me, minimum: {cpu: 2, memory: 1Gi}}
    cores: {from: linux, traits: [virtio, cpu-cores], image: {http: https://x/y}}
  flavors: {pair: {cpu: {cores: 2, dedicated: true}, memory: {guest: 2Gi, hugepages: 2Mi}}}
  networks:
    lan: {nad: default/lan-nad, gateway: 10.0.0.1, dns: [10.0.0.2], cidr: 10.0.0.0/24}
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
	f, diags := machine.Load(dir, fleet.Options{})
	if len(f.Machines) == 0 {
		return nil, relative(diags, dir)
	}
	return f.Machines[0], relative(diags, dir)
}

// each resolves VMs with the keys given, and wants what show says of each.
func each(t *testing.T, show func(*machine.Machine) string, tests map[string]string) {
	t.Helper()
	for keys, want := range tests {
		t.Run(keys, func(t *testing.T) {
			m, problems := inSite(t, keys)
			if strings.HasPrefix(want, "error: ") {
				require.Len(t, problems, 1)
				require.Contains(t, problems[0], strings.TrimPrefix(want, "error: "))
				return
			}
			require.Empty(t, problems)
			require.Equal(t, want, show(m))
		})
	}
}

var kinds = map[machine.DiskKind]string{
	machine.DiskDataVolume: "datavolume", machine.DiskClaim: "claim", machine.DiskContainerDisk: "container", machine.DiskEmpty: "empty", machine.DiskEjected: "ejected",
}

func TestDisks(t *testing.T) {
	last := func(m *machine.Machine) string {
		d := m.Disks[len(m.Disks)-1]
		return strings.Join(strings.Fields(fmt.Sprint(d.Volume, " ", kinds[d.Kind], " ", d.Claim, " ", d.Size, " ", d.StorageClass, " ", d.AccessMode, " ", d.VolumeMode,
			" ", d.Bus, " ", d.Type, " ", map[bool]string{true: "kept"}[d.Keep])), " ")
	}
	each(t, last, map[string]string{
		``:                    "rootdisk datavolume it 20Gi virtio disk kept",
		`disks: {root: 30Gi}`: "rootdisk datavolume it 30Gi virtio disk kept",
		`disks: {data: 5Gi}`:  "data datavolume it-data 5Gi virtio disk kept",
		`os: sata`:            "rootdisk datavolume it 20Gi sata disk kept",
		`os: sata, disks: {data: {size: 5Gi, bus: scsi}}`:                          "data datavolume it-data 5Gi scsi disk kept",
		`disks: {data: {size: 5Gi, storageClass: ceph}}`:                           "data datavolume it-data 5Gi ceph-rbd ReadWriteMany Block virtio disk kept",
		`disks: {data: {size: 5Gi, storageClass: ceph, volumeMode: Filesystem}}`:   "data datavolume it-data 5Gi ceph-rbd ReadWriteMany Filesystem virtio disk kept",
		`disks: {data: {size: 5Gi, storageClass: cehp}}`:                           `error: vms.yaml:2:48: vms.it.disks.data.storageClass: unknown storage class "cehp"; did you mean "ceph"?`,
		`disks: {data: {size: 5Gi, hotpluggable: true}}`:                           "data datavolume it-data 5Gi scsi disk kept",
		`disks: {data: {size: 5Gi, hotpluggable: true, bus: virtio}}`:              "data datavolume it-data 5Gi virtio disk kept",
		`os: sata, disks: {data: {size: 5Gi, hotpluggable: true}}`:                 "data datavolume it-data 5Gi scsi disk kept",
		`disks: {cd: {type: cdrom, size: 5Gi, source: {http: https://iso}}}`:       "cd datavolume it-cd 5Gi sata cdrom kept",
		`disks: {cd: {type: cdrom, ejected: true}}`:                                "cd ejected sata cdrom kept",
		`disks: {cd: {ejected: true}}`:                                             "error: only a CD-ROM can be ejected",
		`disks: {x: {source: {claim: old}}}`:                                       "x claim old virtio disk kept",
		`disks: {x: {source: {containerDisk: quay.io/x/y}}}`:                       "x container virtio disk kept",
		`disks: {x: {size: 1Gi, source: {emptyDisk: true}}}`:                       "x empty 1Gi virtio disk kept",
		`disks: {x: {size: 1Gi, source: {image: golden}}}`:                         "x datavolume it-x 1Gi virtio disk kept",
		`disks: {x: {size: 1Gi, source: {image: gloden}}}`:                         `error: unknown image "gloden"; did you mean "golden"?`,
		`preference: p, instancetype: i, cpu: null, memory: null, disks: {x: 1Gi}`: "x datavolume it-x 1Gi disk kept",

		`lifecycle: cattle, disks: {data: 5Gi}`:                                 "data datavolume it-data 5Gi virtio disk",
		`lifecycle: {type: cattle, keepDisks: true}`:                            "rootdisk datavolume it-root-ca101c98 20Gi virtio disk",
		`lifecycle: {type: cattle, strategy: replace}`:                          "rootdisk datavolume it 20Gi virtio disk",
		`lifecycle: {keepDisks: false}`:                                         "rootdisk datavolume it 20Gi virtio disk",
		`lifecycle: {keepDisks: false}, disks: {data: {size: 5Gi, keep: true}}`: "data datavolume it-data 5Gi virtio disk kept",
		`disks: {data: {size: 5Gi, keep: false}}`:                               "data datavolume it-data 5Gi virtio disk",
	})
}

func TestCatalogImage(t *testing.T) {
	m, problems := inSite(t, "disks: {root: {source: {http: null, image: golden, version: v2}}}")
	require.Empty(t, problems)
	src := m.Disks[0].Source
	require.Equal(t, []string{"https://golden", "v2", "s"}, []string{src.HTTP, src.Version, src.Secret})
}

// TestDiskOrder proves that the root disk is first and the others as written.
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
			out = append(out, strings.Join(strings.Fields(fmt.Sprint(n.Name, " ", n.NAD, " ", n.Binding, " ", n.Model, " ", n.MAC, " ", n.IP, " ", n.Gateway, " ", strings.Join(n.DNS, ","))), " "))
		}
		return strings.Join(out, "; ")
	}
	each(t, show, map[string]string{
		``:                                     "default masquerade virtio",
		`nics: []`:                             "",
		`nics: [pod]`:                          "default masquerade virtio",
		`os: sata`:                             "default masquerade e1000e",
		`nics: [pod2]`:                         "default bridge virtio",
		`nics: [pod, pod2]`:                    "error: vms.yaml:2:20: vms.it.nics[1]: second NIC on the pod network",
		`nics: [lan, lan, lan]`:                "lan default/lan-nad bridge virtio; lan-2 default/lan-nad bridge virtio; lan-3 default/lan-nad bridge virtio",
		`nics: [lan, {network: lan, name: x}]`: "lan default/lan-nad bridge virtio; x default/lan-nad bridge virtio",
		`nics: [{network: fast, name: lan-2}, lan, lan]`:                             `error: duplicate NIC name "lan-2"`,
		`nics: [lan, {network: fast, name: lan}]`:                                    `error: duplicate NIC name "lan"`,
		`nics: [a/net, b/net]`:                                                       "net a/net bridge virtio; net-2 b/net bridge virtio",
		`nics: [fast, wifi]`:                                                         "fast default/fast sriov; wifi default/wifi bridge e1000",
		`nics: [{network: wifi, model: rtl8139, binding: passt}]`:                    "wifi default/wifi passt rtl8139",
		`preference: p, instancetype: i, cpu: null, memory: null, nics: [lan, wifi]`: "lan default/lan-nad bridge; wifi default/wifi bridge e1000",
		`nics: [{network: lan, ip: 10.0.0.5/24}]`:                                    "lan default/lan-nad bridge virtio 10.0.0.5/24 10.0.0.1 10.0.0.2",
		`nics: [{network: lan, ip: 10.0.0.5/24, gateway: 10.0.0.9, dns: [1.1.1.1]}]`: "lan default/lan-nad bridge virtio 10.0.0.5/24 10.0.0.9 1.1.1.1",
		`nics: [{network: lan, mac: 02-A1-B2-00-00-0F}]`:                             "lan default/lan-nad bridge virtio 02:a1:b2:00:00:0f",
		`nics: [{network: fast, ip: 'fd00::5/64', gateway: 'fd00::1'}]`:              "fast default/fast sriov fd00::5/64 fd00::1",
		`nics: [{network: fast, ip: 10.1.0.0/31}]`:                                   "fast default/fast sriov 10.1.0.0/31",
		`nics: [{network: fast, ip: 10.1.0.255/24}]`:                                 "error: broadcast address",
		`nics: [{network: fast, ip: 10.1.0.0/24}]`:                                   "error: address of the network",
		`nics: [{network: fast, ip: 0.0.0.0/0}]`:                                     "error: address of the network",
		`nics: [{network: lan, ip: 10.0.1.5/24}]`:                                    "error: outside 10.0.0.0/24",
		`nics: [{network: fast, ip: 10.1.0.5/24, gateway: 10.2.0.1}]`:                "error: outside the subnet 10.1.0.0/24",
		`nics: [{network: fast, ip: 10.1.0.5/24, routes: [{to: default, via: x}]}]`:  `error: vms.yaml:2:76: vms.it.nics[0].routes[0].via: invalid next hop "x"`,
		`nics: [{network: fast, routes: [{to: default, via: 10.0.0.1}]}]`:            "error: need an `ip`",
		`nics: [{mac: "03:00:00:00:00:01"}]`:                                         `error: as in "02:00:00:00:00:01"`,
		`nics: [{mac: "02:00:00:00:00"}]`:                                            "error: invalid MAC address",
		`nics: [{network: fast, binding: masquerade}]`:                               "error: masquerade is for the pod network only",
		`nics: [{binding: sriov}]`:                                                   "error: sriov is not for the pod network",
		`nics: [{state: absent}]`:                                                    "error: only bridge and sriov NICs can be unplugged",
		`nics: [{network: Bad/net}]`:                                                 `error: invalid network "Bad/net"`,
		`nics: [lann]`:                                                               `error: unknown network "lann"; did you mean "lan"?`,
	})
}

// TestRoutesLackKeys proves that a route without its keys is reported where the route stands.
func TestRoutesLackKeys(t *testing.T) {
	_, problems := inSite(t, "nics: [{network: fast, ip: 10.1.0.5/24, routes: [{}]}]")
	require.NotEmpty(t, problems)
	for _, p := range problems {
		require.Regexp(t, `^vms\.yaml:2:5\d: vms\.it\.nics\[0\]\.routes\[0\]`, p)
	}
}

func TestSizing(t *testing.T) {
	show := func(m *machine.Machine) string {
		return fmt.Sprintf("%s %d/%d/%d %s", m.Flavor, m.CPU.Sockets, m.CPU.Cores, m.CPU.Threads, m.Memory.Guest)
	}
	each(t, show, map[string]string{
		``:                                                "custom 2/1/1 4Gi",
		`os: cores`:                                       "custom 1/2/1 4Gi",
		`cpu: {threads: 2}`:                               "custom 1/1/2 4Gi",
		`cpu: {model: host-passthrough}`:                  "custom 2/1/1 4Gi",
		`flavor: small`:                                   "small 1/1/1 2Gi",
		`flavor: pair`:                                    "pair 1/2/1 2Gi",
		`flavor: small, memory: 3Gi`:                      "small 1/1/1 3Gi",
		`cpu: {sockets: 4, maxSockets: 8}`:                "custom 4/1/1 4Gi",
		`cpu: {sockets: 4, maxSockets: 2}`:                "error: 2 is below the 4 sockets",
		`cpu: {realtime: true}`:                           "error: needs `dedicated: true` beside it",
		`cpu: {dedicated: true, numa: true}`:              "error: needs `memory.hugepages` beside it",
		`os: sata, cpu: 1`:                                "error: 1 vCPU are below the minimum of sata; expected at least 2",
		`os: sata, memory: 512Mi`:                         `error: "512Mi" is below the minimum of sata; expected at least "1Gi"`,
		`memory: {max: 2Gi}`:                              `error: "2Gi" is below the guest's "4Gi"`,
		`memory: {hugepages: 3Mi}`:                        "error: not a multiple",
		`memory: 1Ki`:                                     "error: too little",
		`memory: 1e-2147483648`:                           `error: invalid quantity "1e-2147483648"`,
		`memory: ` + strings.Repeat("9", 5000):            "error: invalid quantity",
		`instancetype: u1.small, cpu: null, memory: null`: "u1.small 0/0/0 ",
	})
}

func TestGuest(t *testing.T) {
	show := func(m *machine.Machine) string {
		c := m.CloudInit
		if c == nil {
			return "none"
		}
		return strings.Join(strings.Fields(fmt.Sprint(c.User, " ", c.Datasource, " ", c.InSecret, " ", c.SecretName, " ", c.Bus, " ", c.Password, c.UserData, c.SSHKeys, c.RunCmd)), " ")
	}
	each(t, show, map[string]string{
		``:                                 "none",
		`cloudInit: {}`:                    "noCloud false it-cloudinit virtio [] []",
		`os: sata, cloudInit: {}`:          "me noCloud false it-cloudinit sata [] []",
		`os: sata, cloudInit: {secret: s}`: "noCloud false it-cloudinit sata [] []",
		`os: sata, cloudInit: {userData: "#cloud-config"}`:                           "noCloud false it-cloudinit sata #cloud-config[] []",
		`os: sata, nics: [{network: fast, ip: 10.1.0.5/24}]`:                         "me noCloud false it-cloudinit sata [] []",
		`cloudInit: {user: a, datasource: configDrive, store: secret}`:               "a configDrive true it-cloudinit virtio [] []",
		`cloudInit: {sshKeys: ["{{ .vm.name }}"], runcmd: [a, [b, "{{ .vm.os }}"]]}`: "noCloud false it-cloudinit virtio [it] [{a []} { [b linux]}]",
		`vars: {p: x}, cloudInit: {password: "{{ .vars.p }}"}`:                       "noCloud false it-cloudinit virtio x[] []",
		`cloudInit: {userData: x, secret: s}`:                                        "error: must not be mixed with `secret`",
		`cloudInit: {userData: x, packages: [vim]}`:                                  "error: must not be mixed with `userData`",
		`cloudInit: {secret: s, user: x}`:                                            "error: must not be mixed with `secret`",
		`cloudInit: {networkData: x}, nics: [{network: fast, ip: 10.1.0.5/24}]`:      "error: must not be mixed with `ip` on NICs",
		`sysprep: {}`:                          "error: expected exactly one of secret and configMap",
		`sysprep: {secret: a, configMap: b}`:   "error: expected exactly one of secret and configMap",
		`cloudInit: {password: x}`:             "error: warning: vms.it.cloudInit.password: a password in clear text",
		`cloudInit: {userData: "password: x"}`: "error: warning: vms.it.cloudInit.userData: a password in clear text",
	})
	m, problems := inSite(t, `sysprep: {secret: "{{ .vm.name }}-answers"}`)
	require.Empty(t, problems)
	require.Equal(t, &values.Sysprep{Secret: "it-answers"}, m.Sysprep)
}

func TestHardware(t *testing.T) {
	show := func(m *machine.Machine) string {
		return fmt.Sprint(m.Firmware.Type, " ", m.Firmware.Persistent, " ", m.TPM, " ", m.GPUs, m.HostDevices)
	}
	each(t, show, map[string]string{
		`firmware: bios`: "bios false 0 [] []",
		`firmware: {type: bios, persistent: true}`:                          "bios false 0 [] []",
		`firmware: {type: efi, persistent: true}`:                           "efi true 0 [] []",
		`firmware: bios, tpm: true`:                                         "bios false 1 [] []",
		`firmware: bios, tpm: {persistent: true}`:                           "bios false 2 [] []",
		`firmware: bios, tpm: {persistent: false}`:                          "bios false 1 [] []",
		`firmware: bios, tpm: false`:                                        "bios false 0 [] []",
		`firmware: bios, gpus: [a, {name: g, device: b}], hostDevices: [c]`: "bios false 0 [{gpu0 a} {g b}] [{hostdevice0 c}]",
		`gpus: [{name: gpu1, device: a}, b]`:                                `error: duplicate name "gpu1"`,
		`gpus: [{name: x}]`:                                                 "error: missing",
		`firmware: {uuid: x}`:                                               `error: invalid UUID "x"`,
	})
}

func TestLifecycleAndPlacement(t *testing.T) {
	show := func(m *machine.Machine) string {
		lc := m.Lifecycle
		return fmt.Sprintf("cattle=%t/%s keep=%t protect=%t %v %d", lc.Cattle(), lc.Strategy, lc.KeepDisks, lc.Protect, m.NodeSelector, len(m.Tolerations))
	}
	each(t, show, map[string]string{
		``:                  "cattle=false/ keep=true protect=false map[zone:a] 1",
		`lifecycle: cattle`: "cattle=true/rollout keep=false protect=false map[zone:a] 1",
		`lifecycle: {type: cattle, strategy: replace}`:    "cattle=true/replace keep=false protect=false map[zone:a] 1",
		`lifecycle: {protect: true}`:                      "cattle=false/ keep=true protect=true map[zone:a] 1",
		`lifecycle: {type: pet, strategy: replace}`:       `error: vms.it.lifecycle.strategy: "strategy" is for cattle`,
		`lifecycle: {type: cattle, maxUnavailable: 101%}`: `error: invalid value "101%"`,
		`nodeSelector: {disk: ssd}`:                       "cattle=false/ keep=true protect=false map[disk:ssd zone:a] 1",
		`nodeSelector: {zone: a}`:                         "cattle=false/ keep=true protect=false map[zone:a] 1",
		`nodeSelector: {zone: b}`:                         `error: vms.yaml:2:29: vms.it.nodeSelector.zone: "b" is not where the fleet's placement puts VMs; accepted is "a"`,
		`tolerations: [{key: x}]`:                         "cattle=false/ keep=true protect=false map[zone:a] 2",
	})
}

func TestServices(t *testing.T) {
	m, problems := inSite(t, "services: {web: 80, ssh: {port: 2222, targetPort: 22, type: NodePort}}")
	require.Empty(t, problems)
	require.Equal(t, []machine.Service{
		{Name: "it-web", PortName: "web", Port: 80, Protocol: "TCP", Type: "ClusterIP"},
		{Name: "it-ssh", PortName: "ssh", Port: 2222, TargetPort: 22, Protocol: "TCP", Type: "NodePort"},
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
		"vms: {" + long + ": {cloudInit: {}}}\n":                  "shorten the name of the VM",
		"vms: {a: {disks: {rootdisk: 1Gi}}}\n":                    "is the volume of the root disk",
		"vms: {a: {disks: {B: 1Gi}}}\n":                           `invalid name "B"`,
		"vms: {a: {hostname: a.b}}\n":                             `invalid name "a.b"`,
		"vms: {a: {namespace: Bad}}\n":                            `invalid name "Bad"`,
		"vms: {a: {labels: {x y: z}}}\n":                          `invalid label key "x y"`,
		"vms: {a: {labels: {example.com/x: 'a b'}}}\n":            `invalid label value "a b"`,
		"vms: {a: {disks: {root: null}}}\n":                       "the disk is removed; a VM boots from it",
		"vms: {a: {disks: {root: {size: 5Gi, expandTo: 1Gi}}}}\n": "a disk can only grow",
	} {
		_, problems := load(t, values)
		require.Len(t, problems, 1, values)
		require.Contains(t, problems[0], want)
	}
	_, problems := load(t, "vms: {a: {labels: {example.com/x: '', a.b/c: A_b.c, plain: x}}}\n")
	require.Empty(t, problems)
}

func TestBefore(t *testing.T) {
	for version, want := range map[string]bool{"1.5": true, "v0.59.2": true, "1.6": false, "2.0": false, "1.10": false, "": false, "latest": false} {
		require.Equal(t, want, values.Before(version, 1, 6), version)
	}
}
