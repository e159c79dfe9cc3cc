package adopt

import (
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// parse returns the tree of a YAML document.
func parse(t *testing.T, document string) tree {
	t.Helper()
	text, err := yaml.YAMLToJSON([]byte(document))
	require.NoError(t, err)
	out := manifest.Decode(text)
	require.NotNil(t, out, "not an object: %s", document)
	return out
}

func TestSpellings(t *testing.T) {
	for text, want := range map[string]string{
		"rhel7.9":                    "rhel7",
		"rhel.8.dpdk":                "rhel8",
		"rhel8.10":                   "rhel8",
		"rhel8_64Guest":              "rhel8",
		"rhel8-server-small-v0.11.3": "rhel8",
		"rhel9":                      "rhel9",
		"rhel.9.arm64":               "rhel9",
		"registry.redhat.io/rhel9/rhel-guest-image:9.4": "rhel9",
		"rhel-guest-image-9.4":                          "rhel9",
		"Red Hat Enterprise Linux 9.4 (Plow)":           "rhel9",
		"http://redhat.com/rhel/9.2":                    "rhel9",
		"rhel.10":                                       "rhel10",
		"rhel10.1":                                      "rhel10",
		"rhel6.10":                                      "linux",
		"redhat":                                        "linux",
		"centos-stream9":                                "centos-stream9",
		"centos.stream9.desktop":                        "centos-stream9",
		"centos 9":                                      "centos-stream9",
		"CentOS-Stream-GenericCloud-9-latest.x86_64.qcow2": "centos-stream9",
		"centos.stream10":    "centos-stream10",
		"centos7.0":          "linux",
		"centos.stream8":     "linux",
		"fedora":             "fedora",
		"fedora.s390x.secex": "fedora",
		"docker://quay.io/containerdisks/fedora:41":                                     "fedora",
		"http://fedoraproject.org/fedora/36":                                            "fedora",
		"ubuntu20.04":                                                                   "ubuntu20.04",
		"docker://quay.io/containerdisks/ubuntu:22.04@sha256:0a1b2c3d":                  "ubuntu22.04",
		"harvester-public/ubuntu-22":                                                    "ubuntu22.04",
		"ubuntu-22.04-server-cloudimg-amd64.img":                                        "ubuntu22.04",
		"https://cloud-images.ubuntu.com/noble/current/noble-server-cloudimg-amd64.img": "ubuntu24.04",
		"ubuntu":      "ubuntu24.04",
		"ubuntu18.04": "linux",
		"debian 12":   "debian12",
		"debian":      "debian13",
		"debian10":    "linux",
		"https://cloud.debian.org/images/cloud/bookworm/latest/disk.qcow2": "debian12",
		"opensuse.tumbleweed":            "opensuse-tumbleweed",
		"opensuse.leap":                  "opensuse-leap",
		"opensuse15.3":                   "opensuse-leap",
		"opensuse-leap 16.0":             "opensuse-leap",
		"opensuse":                       "opensuse-leap",
		"sles":                           "sles15",
		"sles15sp4":                      "sles15",
		"http://suse.com/sle/15.4":       "sles15",
		"sles12":                         "linux",
		"oraclelinux8":                   "oraclelinux8",
		"ol 8.9":                         "oraclelinux8",
		"Oracle Linux Server 9.3":        "oraclelinux9",
		"OL9U4_x86_64-kvm-b234.qcow2":    "oraclelinux9",
		"oraclelinux":                    "oraclelinux9",
		"windows.10.virtio":              "windows10",
		"win10":                          "windows10",
		"Windows 11 Pro":                 "windows11",
		"win2k16":                        "windows2016",
		"windows.2k19":                   "windows2019",
		"server2019-template":            "windows2019",
		"mswindows 2022":                 "windows2022",
		"windows2k22":                    "windows2022",
		"Windows Server 2025 Datacenter": "windows2025",
		"windows.7.virtio":               "windows",
		"windows.xp":                     "windows",
		"windows.2k12":                   "windows",
		"https://fedorapeople.org/groups/virt/virtio-win/virtio-win.iso": "windows",
		"cirros": "linux",
	} {
		got, ok := spelled(text)
		require.True(t, ok, text)
		require.Equal(t, want, got.entry, text)
	}
	for _, text := range []string{"", "database", "darwin", "legacy", "web01-root", "https://fedora.example.com/a.img"} {
		got, ok := spelled(text)
		require.False(t, ok, "%s is %s", text, got.entry)
	}
}

// TestEveryOSIsFound checks that the table and the catalog have the same entries: each is
// found by its own name.
func TestEveryOSIsFound(t *testing.T) {
	names := catalog.New(nil, nil).Names("os")
	for _, name := range names {
		vm := tree{"spec": tree{"preference": tree{"name": name}}}
		require.Equal(t, name, DetectOS(vm, Related{}).OS)
	}
	for _, s := range spellings {
		require.Contains(t, names, s.entry)
	}
}

// TestEveryPreferenceIsFound tests the names of common-instancetypes (7c1e305, README.md)
// except "legacy", which stands for any old system.
func TestEveryPreferenceIsFound(t *testing.T) {
	for _, name := range []string{
		"alpine", "centos.stream10", "centos.stream9", "cirros", "debian", "fedora", "linux", "linux.efi",
		"opensuse.leap", "oraclelinux", "rhel.7", "rhel.8", "rhel.9.realtime", "sles", "ubuntu", "windows.2k25.virtio",
	} {
		_, ok := spelled(name)
		require.True(t, ok, name)
	}
}

func TestDetectOS(t *testing.T) {
	tests := map[string]struct {
		vm, instance, disk string
		want               Guess
	}{
		"the template's annotation": {
			vm:   `{spec: {template: {metadata: {annotations: {vm.kubevirt.io/os: windows2k22}}}, preference: {name: rhel.9}}}`,
			want: Guess{"windows2022", "os from vm.kubevirt.io/os"},
		},
		"linux, as vmrender writes it": {
			vm:   `{spec: {template: {metadata: {annotations: {vm.kubevirt.io/os: linux}}}, preference: {name: rhel.9}}}`,
			want: Guess{"linux", "os from vm.kubevirt.io/os"},
		},
		"a migrated VM": {
			vm: `{metadata: {labels: {os.template.kubevirt.io/rhel8.1: "true"}},
			      spec: {template: {metadata: {annotations: {vm.kubevirt.io/os: ""}}}}}`,
			want: Guess{"rhel8", "os from the label os.template.kubevirt.io"},
		},
		"the template's name": {
			vm:   `{metadata: {labels: {vm.kubevirt.io/template: fedora-server-small}}}`,
			want: Guess{"fedora", "os from the template's name"},
		},
		"an old label": {
			vm:   `{metadata: {labels: {kubevirt.io/os: debian12}}}`,
			want: Guess{"debian12", "os from kubevirt.io/os"},
		},
		"a preference": {
			vm:   `{spec: {preference: {name: rhel.10.arm64}}}`,
			want: Guess{"rhel10", "os from the preference"},
		},
		"the preference of a claim": {
			vm:   `{}`,
			disk: `{metadata: {labels: {instancetype.kubevirt.io/default-preference: windows.11}}}`,
			want: Guess{"windows11", "os from the preference"},
		},
		"a DataSource": {
			vm:   `{spec: {dataVolumeTemplates: [{spec: {sourceRef: {kind: DataSource, name: centos-stream10}}}]}}`,
			want: Guess{"centos-stream10", "os from the DataSource of a disk"},
		},
		"the clone of a claim": {
			vm:   `{}`,
			disk: `{spec: {source: {pvc: {name: win2k19}}}}`,
			want: Guess{"windows2019", "os from the DataSource of a disk"},
		},
		"a label without a version, and an image with one": {
			vm: `{spec: {template: {metadata: {annotations: {vm.kubevirt.io/os: ubuntu}}},
			      dataVolumeTemplates: [{spec: {source: {registry: {url: "docker://quay.io/containerdisks/ubuntu:20.04"}}}}]}}`,
			want: Guess{"ubuntu20.04", "os from the image of a disk"},
		},
		"a label without a version, and an image of another system": {
			vm: `{spec: {template: {metadata: {annotations: {vm.kubevirt.io/os: ubuntu}},
			      spec: {volumes: [{containerDisk: {image: "quay.io/containerdisks/fedora:41"}}]}}}}`,
			want: Guess{"ubuntu24.04", "os from vm.kubevirt.io/os"},
		},
		"a container disk": {
			vm:   `{spec: {template: {spec: {volumes: [{containerDisk: {image: "quay.io/containerdisks/debian:12"}}]}}}}`,
			want: Guess{"debian12", "os from the image of a disk"},
		},
		"libosinfo": {
			vm:   `{metadata: {annotations: {"libosinfo.org/id": "http://microsoft.com/win/2k16"}}}`,
			want: Guess{"windows2016", "os from the name of libosinfo"},
		},
		"libosinfo's name in a key": {
			vm:   `{metadata: {annotations: {name.os.template.kubevirt.io/fedora36: Fedora 36}}}`,
			want: Guess{"fedora", "os from the name of libosinfo"},
		},
		"Harvester, and the guest agent": {
			vm:       `{metadata: {labels: {harvesterhci.io/os: linux}}}`,
			instance: `{status: {guestOSInfo: {id: sles, versionId: "15.5"}}}`,
			want:     Guess{"sles15", "os from the guest agent"},
		},
		"Harvester alone": {
			vm:   `{metadata: {labels: {harvesterhci.io/os: windows}}}`,
			want: Guess{"windows", "os from harvesterhci.io/os"},
		},
		"Harvester's image": {
			vm: `{metadata: {annotations: {harvesterhci.io/volumeClaimTemplates:
			      '[{"metadata": {"annotations": {"harvesterhci.io/imageId": "default/opensuse-leap-cloud"}}}]'}}}`,
			want: Guess{"opensuse-leap", "os from the image of Harvester"},
		},
		"the guest agent of Windows": {
			vm:       `{}`,
			instance: `{status: {guestOSInfo: {id: mswindows, versionId: "2022", prettyName: Windows Server 2022 Standard}}}`,
			want:     Guess{"windows2022", "os from the guest agent"},
		},
		"Hyper-V features": {
			vm:   `{spec: {template: {spec: {domain: {features: {hyperv: {relaxed: {}}}}}}}}`,
			want: Guess{"windows", "os from its Hyper-V features"},
		},
		"a Hyper-V clock, given by a preference": {
			vm:       `{}`,
			instance: `{spec: {domain: {clock: {timer: {hyperv: {}}}}}}`,
			want:     Guess{"windows", "os from its Hyper-V clock"},
		},
		"the devices that Windows brings drivers for": {
			vm: `{spec: {template: {spec: {domain: {devices: {disks: [{disk: {bus: sata}}],
			      interfaces: [{model: e1000e}]}}}}}}`,
			want: Guess{"windows", "os from its SATA disks and e1000e NICs"},
		},
		"an answer file": {
			vm:   `{spec: {template: {spec: {volumes: [{name: a, sysprep: {}}]}}}}`,
			want: Guess{"windows", "os from its answer file for Windows"},
		},
		"cloud-init, on the devices of Windows": {
			vm: `{spec: {template: {spec: {domain: {devices: {disks: [{disk: {bus: sata}}],
			      interfaces: [{model: e1000e}]}}, volumes: [{name: a, cloudInitNoCloud: {}}]}}}}`,
			want: Guess{"linux", "os from its data for cloud-init"},
		},
		"passed-through Hyper-V": {
			vm:   `{spec: {template: {spec: {domain: {features: {hypervPassthrough: {}}}}}}}`,
			want: Guess{"windows", "os from its Hyper-V features"},
		},
		"an inferred preference": {
			vm:   `{status: {preferenceRef: {name: fedora}}}`,
			want: Guess{"fedora", "os from the preference"},
		},
		"a disk of drivers, and the guest agent": {
			vm: `{spec: {template: {spec: {volumes: [
			      {containerDisk: {image: "registry.suse.com/suse/vmdp/vmdp:2.5.4.3"}}]}}}}`,
			instance: `{status: {guestOSInfo: {id: mswindows, versionId: "2025"}}}`,
			want:     Guess{"windows2025", "os from the guest agent"},
		},
		"nothing": {
			vm:   `{spec: {template: {spec: {domain: {devices: {tpm: {}, disks: [{disk: {bus: sata}}]}}}}}}`,
			want: Guess{"linux", "os from its devices, which are not those of Windows"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var related Related
			if test.instance != "" {
				related.Instance = parse(t, test.instance)
			}
			if test.disk != "" {
				related.Disks = []tree{parse(t, test.disk)}
			}
			require.Equal(t, test.want, DetectOS(parse(t, test.vm), related))
		})
	}
	reasons := map[string]bool{}
	for _, test := range tests {
		reasons[test.want.Reason] = true
	}
	for _, e := range evidences {
		require.True(t, reasons[e.reason()], "no test has a VM with %s", e.from)
	}
	for _, trace := range traces {
		require.True(t, reasons["os from "+trace.from], "no test has a VM with %s", trace.from)
	}
}
