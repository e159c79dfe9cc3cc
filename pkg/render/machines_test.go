package render

import (
	"net/netip"
	"testing"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// goldenMachines returns the VMs whose objects are in testdata.
func goldenMachines() map[string]func(testing.TB) *machine.Machine {
	return map[string]func(testing.TB) *machine.Machine{
		"acp-rhel9":      acpRHEL9,
		"acp-windows10":  acpWindows10,
		"acp-server2019": acpServer2019,
		"minimal":        linuxMachine,
		"instancetype":   instancetypeMachine,
		"cattle":         cattleMachine,
		"replace":        replacedMachine,
		"blue-green":     blueGreenMachine,
		"pool":           poolMachine,
		"ansible-job":    ansibleMachine,
		"playbook":       playbookMachine,
		"everything":     everythingMachine,
		"disks":          disksMachine,
		"secret":         secretMachine,
		"config-drive":   configDriveMachine,
		"windows11":      windows11Machine,
		"overrides":      overridesMachine,
	}
}

func linuxOS(t testing.TB) *catalog.ResolvedOS {
	return &catalog.ResolvedOS{
		Name: "rhel9", DiskBus: "virtio", CDROMBus: "sata", NICModel: "virtio", Multiqueue: true,
		Spec: tree(t, "traits.yaml", "domain: {features: {acpi: {}}, devices: {rng: {}}}\n"),
	}
}

func windowsOS(t testing.TB, name, label string) *catalog.ResolvedOS {
	return &catalog.ResolvedOS{
		Name: name, OS: catalog.OS{Label: label}, DiskBus: "sata", CDROMBus: "sata", NICModel: "e1000e",
		Spec: tree(t, "traits.yaml", `domain:
  clock: {utc: {}, timer: {hpet: {present: false}, hyperv: {}, pit: {tickPolicy: delay}, rtc: {tickPolicy: catchup}}}
  features:
    acpi: {}
    apic: {}
    hyperv:
      {frequencies: {}, ipi: {}, reenlightenment: {}, relaxed: {}, reset: {}, runtime: {}, spinlocks: {spinlocks: 8191},
       synic: {}, synictimer: {direct: {}}, tlbflush: {}, vapic: {}, vpindex: {}}
  devices: {inputs: [{bus: usb, name: tablet, type: tablet}]}
`),
	}
}

// linuxMachine returns a VM with only the required fields.
func linuxMachine(t testing.TB) *machine.Machine {
	return &machine.Machine{
		Fleet: "site-a", Part: "site-a-01234567", Name: "web01", Namespace: "default",
		Path: "vms.web01", Pos: source.Pos{File: "vms.yaml", Line: 2, Col: 3},
		OS: linuxOS(t), Workload: "server",
		Sizing: machine.Sizing{
			Flavor: "small", CPU: values.CPU{Sockets: 1, Cores: 1, Threads: 1}, Memory: values.Memory{Guest: "2Gi"},
		},
		Disks: []machine.Disk{rootDisk("web01", "openshift-virtualization-os-images/rhel9", "30Gi")},
		NICs:  []machine.NIC{podNIC("virtio")},
		Arch:  "amd64", RunStrategy: "Always",
	}
}

func rootDisk(claim, dataSource, size string) machine.Disk {
	return machine.Disk{
		Name: "root", Volume: "rootdisk", Claim: claim, Source: catalog.Source{DataSource: dataSource},
		Size: size, Bus: "virtio", Type: "disk", Keep: true,
	}
}

func podNIC(model string) machine.NIC {
	return machine.NIC{NIC: values.NIC{Name: "default", Binding: "masquerade", Model: model}, Pod: true}
}

func vlanNIC(name, mac, ip string) machine.NIC {
	return machine.NIC{
		NIC: values.NIC{Name: name, Binding: "bridge", Model: "virtio", MAC: mac, IP: ip}, NAD: "default/" + name,
	}
}

func identified(m *machine.Machine, name string) *machine.Machine {
	m.Name, m.Path = name, "vms."+name
	m.Disks[0].Claim = name
	m.Firmware.UUID, m.Firmware.Serial = "1f4a3a0c-5a0e-5d0b-8f43-0a7ad7c5c6a1", "4d0e4c5e-7a5c-5b8e-9b1a-6f1de8f0a9b2"
	m.TerminationGracePeriodSeconds = new(int64(180))
	return m
}

// These are the three VMs of the ACP pattern (RedHatEdge patterns, virtualization-acp).

func acpRHEL9(t testing.TB) *machine.Machine {
	m := identified(linuxMachine(t), "example-rhel9")
	m.Flavor, m.CPU.Sockets, m.Memory.Guest = "custom", 4, "16Gi"
	m.Firmware.Type = "secureboot"
	m.CloudInit = &machine.CloudInit{
		CloudInit:  values.CloudInit{User: "cloud-user", PasswordSecret: "rhel-root", Datasource: "noCloud", Bus: "virtio"},
		SecretName: m.Name + "-cloudinit",
	}
	return m
}

func acpWindows10(t testing.TB) *machine.Machine {
	m := identified(linuxMachine(t), "example-windows10")
	m.OS = windowsOS(t, "windows10", "windows10")
	m.Flavor, m.Workload, m.CPU.Cores, m.Memory.Guest = "custom", "desktop", 4, "8Gi"
	m.Firmware.Type = "secureboot"
	m.TerminationGracePeriodSeconds = new(int64(3600))
	m.Disks = []machine.Disk{rootDisk(m.Name, "openshift-virtualization-os-images/windows10", "60Gi")}
	m.Disks[0].Bus = "sata"
	pod := podNIC("e1000e")
	pod.Ports = []values.Port{{Name: "rdp", Port: 3389, Protocol: "TCP"}}
	m.NICs = []machine.NIC{pod, vlanNIC("vlan2003", "", "")}
	return m
}

func acpServer2019(t testing.TB) *machine.Machine {
	m := acpWindows10(t)
	m.Name, m.Path = "example-server2019", "vms.example-server2019"
	m.OS = windowsOS(t, "server2019", "server2019")
	m.Flavor, m.Workload, m.CPU.Cores, m.CPU.Sockets, m.Memory.Guest = "db", "server", 1, 8, "32Gi"
	m.Disks[0].Claim, m.Disks[0].Source.DataSource = m.Name, "openshift-virtualization-os-images/server2019"
	m.Disks = append(m.Disks, machine.Disk{
		Name: "data0", Volume: "data0", Claim: m.Name + "-data0", Source: catalog.Source{Blank: true}, Size: "120Gi",
		Bus: "virtio", Type: "disk", Keep: true,
		StorageClass: "ocs-storagecluster-ceph-rbd-virtualization", AccessMode: "ReadWriteMany", VolumeMode: "Block",
	})
	return m
}

func windows11Machine(t testing.TB) *machine.Machine {
	m := acpWindows10(t)
	m.Name, m.Path = "desk01", "vms.desk01"
	m.OS = windowsOS(t, "windows11", "windows11")
	m.Firmware.Persistent = true
	m.TPM = machine.TPMPersistent
	m.Disks[0].Claim = m.Name
	m.Sysprep = &machine.Sysprep{Sysprep: values.Sysprep{ConfigMap: "desk-answers"}, Bus: "sata"}
	return m
}

func instancetypeMachine(t testing.TB) *machine.Machine {
	m := linuxMachine(t)
	m.Flavor, m.CPU, m.Memory = "u1.medium", values.CPU{}, values.Memory{}
	m.Instancetype = &values.Matcher{Name: "u1.medium"}
	m.Preference = &values.Matcher{Name: "rhel.9", Kind: "VirtualMachinePreference"}
	m.Disks[0].Bus, m.NICs[0].Model = "", ""
	m.Firmware = machine.Firmware{Type: "bios"}
	m.CloudInit = &machine.CloudInit{
		CloudInit:  values.CloudInit{User: "cloud-user", Datasource: "noCloud"},
		SecretName: "web01-cloudinit",
	}
	m.Sysprep = &machine.Sysprep{Sysprep: values.Sysprep{Secret: "answers"}}
	m.TPM = machine.TPMVolatile
	return m
}

func cattleMachine(t testing.TB) *machine.Machine {
	m := linuxMachine(t)
	m.Lifecycle = rolloutLifecycle()
	m.Disks[0].Keep, m.Disks[0].Claim = false, "web01-root-0a1b2c3d"
	m.Disks = append(m.Disks, machine.Disk{
		Name: "cache", Volume: "cache", Claim: "web01-cache", Source: catalog.Source{Blank: true},
		Size: "10Gi", ExpandTo: "20Gi", Bus: "scsi", Type: "disk", Hotpluggable: true,
	})
	m.Wave = 2
	return m
}

func rolloutLifecycle() machine.Lifecycle {
	return machine.Lifecycle{
		Strategy: values.Rollout, MaxUnavailable: values.IntOrPercent{Int: 25, Percent: true}, KeepOld: 1,
	}
}

// ownedDisks moves the root disk to the VM's dataVolumeTemplates and adds a data disk
// there.
func ownedDisks(m *machine.Machine) {
	m.Disks[0].Keep = false
	m.Disks = append(m.Disks, machine.Disk{
		Name: "data", Volume: "data", Claim: "web01-data", Source: catalog.Source{Blank: true}, Size: "10Gi",
		Bus: "virtio", Type: "disk",
	})
}

func replacedMachine(t testing.TB) *machine.Machine {
	m := linuxMachine(t)
	m.Lifecycle = machine.Lifecycle{Strategy: values.Replace}
	ownedDisks(m)
	return m
}

func blueGreenMachine(t testing.TB) *machine.Machine {
	m := secretMachine(t)
	m.NICs = m.NICs[:1]
	m.Lifecycle = machine.Lifecycle{Strategy: values.BlueGreen}
	m.Services = []machine.Service{{
		Name: "web01-http", Key: "http", Type: "ClusterIP",
		Ports: []values.ServicePort{{Name: "http", Port: 80, Protocol: "TCP"}},
	}}
	ownedDisks(m)
	return m
}

func poolMachine(t testing.TB) *machine.Machine {
	m := linuxMachine(t)
	m.Lifecycle = machine.Lifecycle{Strategy: values.Pool, Replicas: 3, MaxUnavailable: values.IntOrPercent{Int: 1}}
	m.Labels = map[string]string{"tier": "edge"}
	m.Services = []machine.Service{{
		Name: "web01-http", Key: "http", Type: "ClusterIP",
		Ports: []values.ServicePort{{Name: "http", Port: 80, Protocol: "TCP"}},
	}}
	ownedDisks(m)
	return m
}

func ansibleMachine(t testing.TB) *machine.Machine {
	m := linuxMachine(t)
	m.Lifecycle = machine.Lifecycle{
		KeepDisks: true, SnapshotBefore: true, Protect: true,
		Ansible: &machine.Ansible{
			Template: "patch-rhel", Secret: "aap",
			ExtraVars: map[string]any{"reboot": true, "groups": []any{"web", 2}},
		},
	}
	return m
}

func playbookMachine(t testing.TB) *machine.Machine {
	m := linuxMachine(t)
	m.Lifecycle = machine.Lifecycle{KeepDisks: true, Ansible: &machine.Ansible{
		Image: "registry.example.com/ee:1", Playbook: "patch.yml", Secret: "guest-ssh",
		ExtraVars: map[string]any{"motd": "it's"},
	}}
	return m
}

func secretMachine(t testing.TB) *machine.Machine {
	m := linuxMachine(t)
	m.NICs = append(m.NICs, vlanNIC("vlan20", "", "10.0.20.5/24"))
	m.CloudInit = &machine.CloudInit{
		CloudInit: values.CloudInit{
			User: "cloud-user", Password: "yes", SSHKeys: []string{"ssh-ed25519 AAAA me@example.com"},
			Hostname: "web01.example.com",
			Packages: []string{"httpd", "3.10"}, SSHKeySecret: "keys", Datasource: "noCloud",
			Bus: "virtio",
			RunCmd: []values.Command{
				{Shell: "systemctl enable --now httpd"}, {Args: []string{"sh", "-c", "echo 'a: b' > /etc/motd"}},
			},
		},
		InSecret: true, SecretName: "web01-cloudinit",
	}
	return m
}

func configDriveMachine(t testing.TB) *machine.Machine {
	m := linuxMachine(t)
	m.NICs[0].MAC = "02:a1:b2:00:00:01"
	vlan := vlanNIC("vlan20", "02:a1:b2:00:00:02", "10.0.20.5/24")
	vlan.Gateway, vlan.DNS = "10.0.20.1", []string{"10.0.0.53", "10.0.1.53"}
	vlan.Routes = []machine.Route{{To: netip.MustParsePrefix("10.20.0.0/16"), Via: netip.MustParseAddr("10.0.20.254")}}
	m.NICs = append(m.NICs, vlan, vlanNIC("vlan30", "02:a1:b2:00:00:03", "fd00::5/64"))
	m.CloudInit = &machine.CloudInit{
		CloudInit:  values.CloudInit{User: "cloud-user", SSHKeySecret: "keys", Datasource: "configDrive", Bus: "virtio"},
		SecretName: "web01-cloudinit",
	}
	return m
}

func disksMachine(t testing.TB) *machine.Machine {
	m := linuxMachine(t)
	m.Memory.Max = "8Gi"
	m.Disks[0].ExpandTo = "60Gi"
	source := func(name string, s catalog.Source) machine.Disk {
		return machine.Disk{
			Name: name, Volume: name, Claim: "web01-" + name, Source: s, Size: "10Gi",
			Bus: "virtio", Type: "disk", Keep: true,
		}
	}
	m.Disks = append(m.Disks,
		source("registry", catalog.Source{
			Registry: "docker://quay.io/containerdisks/fedora:42", Secret: "pull", CertConfigMap: "ca",
		}),
		source("http", catalog.Source{HTTP: "https://images.example.com/a.qcow2", Secret: "basic"}),
		source("s3", catalog.Source{S3: "s3://bucket/a.img", Secret: "s3"}),
		source("gcs", catalog.Source{GCS: "gs://bucket/a.img"}),
		source("clone", catalog.Source{PVC: "images/golden"}),
		source("snap", catalog.Source{Snapshot: "images/golden-1"}),
		source("upload", catalog.Source{Upload: true}),
	)
	m.Disks[5].Size = "" // the source's size
	m.Disks[6].Preallocation = new(true)
	m.Disks = append(m.Disks,
		machine.Disk{
			Name: "live", Volume: "live", Kind: machine.DiskContainerDisk,
			Source: catalog.Source{ContainerDisk: "quay.io/containerdisks/fedora:42", Secret: "pull"},
			Bus:    "virtio", Type: "disk",
		},
		machine.Disk{
			Name: "scratch", Volume: "scratch", Kind: machine.DiskEmpty,
			Source: catalog.Source{EmptyDisk: true}, Size: "5Gi", Bus: "virtio", Type: "disk",
		},
		machine.Disk{
			Name: "shared", Volume: "shared", Kind: machine.DiskClaim, Claim: "shared-claim",
			Bus: "scsi", Type: "lun", Shareable: true, ReadOnly: true,
		},
		machine.Disk{
			Name: "plugged", Volume: "plugged", Kind: machine.DiskClaim, Claim: "plugged-claim",
			Bus: "scsi", Type: "disk", Hotpluggable: true, Serial: "D0", Cache: "none", IO: "native",
		},
		machine.Disk{
			Name: "iso", Volume: "iso", Kind: machine.DiskClaim, Claim: "iso", Source: catalog.Source{DataVolume: "iso"},
			Bus: "sata", Type: "cdrom", ReadOnly: true, BootOrder: new(uint(2)),
		},
		machine.Disk{Name: "tray", Volume: "tray", Kind: machine.DiskEjected, Bus: "sata", Type: "cdrom"},
	)
	m.Disks[0].BootOrder = new(uint(1))
	return m
}

// everythingMachine returns a VM with the fields that no other one sets.
func everythingMachine(t testing.TB) *machine.Machine {
	m := identified(linuxMachine(t), "rt01")
	m.Flavor = "custom"
	m.CPU = values.CPU{
		Sockets: 2, Cores: 2, Threads: 2, MaxSockets: 4, Model: "host-passthrough",
		Dedicated: new(true), IsolateEmulator: new(true),
		NUMA: new(true), Realtime: new(true), Features: []values.CPUFeature{{Name: "vmx"}, {Name: "svm", Policy: "disable"}},
	}
	m.Memory = values.Memory{Guest: "8Gi", Hugepages: "1Gi"}
	m.Firmware.Type = "efi"
	m.TPM = machine.TPMVolatile
	m.GPUs = []values.Device{{Name: "gpu0", Device: "nvidia.com/GA102GL_A10"}}
	m.HostDevices = []values.Device{{Name: "hostdevice0", Device: "intel.com/qat"}}
	m.NICs = []machine.NIC{
		podNIC("virtio"),
		{NIC: values.NIC{
			Name: "fast", Binding: "sriov", MAC: "02:a1:b2:00:00:09", BootOrder: new(uint(3)),
		}, NAD: "net/sriov"},
		{NIC: values.NIC{Name: "l2", Binding: "l2bridge", Model: "virtio", State: "down"}, NAD: "net/l2"},
	}
	m.MachineType, m.Hostname = "pc-q35-rhel9.6.0", "rt"
	m.Labels, m.Annotations = map[string]string{"tier": "edge"}, map[string]string{"example.com/owner": "ops"}
	m.RunStrategy, m.EvictionStrategy, m.PriorityClassName = "RerunOnFailure", "LiveMigrateIfPossible", "vms"
	m.NodeSelector = map[string]string{"node-role.kubernetes.io/worker-rt": ""}
	m.Tolerations = []*source.Node{
		tree(t, "fleet.yaml", "- {key: vms, operator: Exists}"),
		tree(t, "vms.yaml", "- {key: rt, value: 'true', effect: NoSchedule}"),
	}
	m.Affinity = tree(t, "vms.yaml", "nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: "+
		"[{weight: 1, preference: {matchExpressions: [{key: a, operator: Exists}]}}]}")
	m.TopologySpreadConstraints = tree(t, "vms.yaml",
		"- {maxSkew: 1, topologyKey: zone, whenUnsatisfiable: DoNotSchedule}")
	m.ReadinessProbe = tree(t, "vms.yaml", "{tcpSocket: {port: 22}, initialDelaySeconds: 30}")
	m.LivenessProbe = tree(t, "vms.yaml", "guestAgentPing: {}")
	m.AccessCredentials = tree(t, "vms.yaml", "- sshPublicKey: "+
		"{source: {secret: {secretName: admins}}, propagationMethod: {qemuGuestAgent: {users: [root]}}}")
	m.CloudInit = &machine.CloudInit{
		CloudInit:  values.CloudInit{Secret: "whole", PasswordSecret: "pw", Datasource: "noCloud", Bus: "virtio"},
		SecretName: "rt01-cloudinit",
	}
	m.Services = []machine.Service{
		{
			Name: "rt01-ssh", Key: "ssh", Type: "NodePort",
			Ports:  []values.ServicePort{{Name: "ssh", Port: 2222, TargetPort: 22, Protocol: "TCP"}},
			Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"},
		},
		{
			Name: "rt01-web", Key: "web", Type: "ClusterIP",
			Ports: []values.ServicePort{{Name: "web", Port: 80, Protocol: "TCP"}},
		},
	}
	m.Lifecycle.Protect = true
	return m
}

func overridesMachine(t testing.TB) *machine.Machine {
	m := acpRHEL9(t)
	m.Overrides = []*source.Node{
		tree(t, "catalog.yaml", "spec: {template: {spec: {domain: {ioThreadsPolicy: auto, devices: {rng: null}}}}}"),
		tree(t, "vms.yaml", `
metadata: {annotations: {note: manually}}
spec:
  template:
    spec:
      domain:
        ioThreadsPolicy: shared
        resources: {requests: {memory: 17Gi}}
`),
	}
	m.Patches = operations(t, `
- {op: test, path: /spec/runStrategy, value: Always}
- {op: add, path: /spec/template/spec/domain/devices/disks/0/dedicatedIOThread, value: true}
- {op: remove, path: /spec/template/metadata/annotations/vm.kubevirt.io~1flavor}
`)
	return m
}
