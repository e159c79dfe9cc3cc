package values

import (
	"reflect"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// RootDisk is the key of the boot disk under `disks`.
const RootDisk = "root"

// VM contains the keys of a virtual machine, or those that one level of
// inheritance sets. Only `os` is required, on any level.
type VM struct {
	// Operating system: a name in the catalog. Sets image, firmware, buses, NIC model, Hyper-V features, clock,
	// inputs, grace period, and the minimum cpu and memory.
	OS string `json:"os,omitempty" names:"os"`
	// Size: a name in the catalog. Expands to `cpu` and `memory` at the level that sets it.
	Flavor string `json:"flavor,omitempty" names:"flavors"`
	// Virtual CPUs: a number, or the long form.
	CPU *CPU `json:"cpu,omitempty"`
	// Guest memory: a quantity such as `16Gi`, or the long form.
	Memory *Memory `json:"memory,omitempty"`
	// KubeVirt instance type, by name (cluster-wide) or in the long form. Excludes `cpu`, `memory` and
	// `flavor`.
	Instancetype *Matcher `json:"instancetype,omitempty"`
	// KubeVirt preference, by name (cluster-wide) or in the long form. Settings that a preference owns are not
	// rendered.
	Preference *Matcher `json:"preference,omitempty"`
	// Resources of the VM's pod, instead of those that KubeVirt computes from `cpu` and `memory`.
	Resources *Resources `json:"resources,omitempty"`

	// Disks by name; a quantity is short for `{size: QUANTITY}`. `root` is the boot disk, whose source and size
	// default to those of the operating system; `root: null` is a VM without disks of its own, which boots from the
	// network or from a kernel in `overrides`.
	Disks map[string]*Disk `json:"disks,omitempty" example:"{data: 20Gi}"`
	// CD-ROM with the virtio drivers for Windows: true for KubeVirt's image, or for that of OpenShift Virtualization on
	// OpenShift; or the name of another container image. An error for Linux, which has them.
	DriversDisk *DriversDisk `json:"driversDisk,omitempty"`
	// Directories of the cluster that the guest mounts with virtiofs, by the tag that it mounts: `mount -t virtiofs NAME
	// /mnt`. Windows needs the drivers and WinFsp.
	Filesystems map[string]*Filesystem `json:"filesystems,omitempty"`
	// NICs; a name is short for `{network: NAME}`. `pod` is the pod network. Defaults to one NIC on the pod
	// network.
	NICs []NIC `json:"nics,omitempty" example:"[pod, vlan2003]"`

	// First-boot configuration of Linux guests, and of Windows guests with cloudbase-init.
	CloudInit *CloudInit `json:"cloudInit,omitempty" example:"{user: admin, packages: [nginx]}"`
	// Answer file of Windows guests. An error for Linux.
	Sysprep *Sysprep `json:"sysprep,omitempty" example:"{secret: NAME}"`

	// Firmware: `bios`, `efi`, `secureboot`, or the long form.
	Firmware *Firmware `json:"firmware,omitempty"`
	// Virtual TPM: true, false, or the long form.
	TPM *TPM `json:"tpm,omitempty"`
	// GPUs, by device name.
	GPUs []Device `json:"gpus,omitempty" example:"[nvidia.com/GA102GL_A10]"`
	// Host devices, by device name.
	HostDevices []Device `json:"hostDevices,omitempty" example:"[example.com/device]"`

	// Machine type, such as `pc-q35-rhel9.6.0`. Defaults to that of the cluster.
	MachineType string `json:"machineType,omitempty"`
	// CPU architecture. Defaults to `target.arch` of fleet.yaml, then to amd64.
	Arch string `json:"arch,omitempty" enum:"amd64,arm64,s390x"`
	// Host name of the guest. Defaults to the name of the VM. A template.
	Hostname string `json:"hostname,omitempty"`
	// Labels of the VirtualMachine and its pods. Values are templates.
	Labels map[string]string `json:"labels,omitempty" example:"{tier: web}"`
	// Annotations of the VirtualMachine. Values are templates.
	Annotations map[string]string `json:"annotations,omitempty" example:"{team: web}"`
	// Annotations of the VM's pods, where service meshes, networks, the descheduler and backup tools look for theirs.
	// Values are templates.
	PodAnnotations map[string]string `json:"podAnnotations,omitempty"`
	// Workload type: server, desktop or highperformance.
	Workload string `json:"workload,omitempty"`
	// Namespace. Defaults to that of the Application (or `--namespace`).
	Namespace string `json:"namespace,omitempty"`

	// Run strategy. Defaults to Always. `WaitAsReceiver` is a VM that another cluster migrates into.
	RunStrategy string `json:"runStrategy,omitempty" enum:"Always,Halted,Manual,RerunOnFailure,Once,WaitAsReceiver"`
	// Eviction strategy for drains of the node. Defaults to that of the cluster.
	EvictionStrategy string `json:"evictionStrategy,omitempty" enum:"LiveMigrate,LiveMigrateIfPossible,None,External"`
	// Node labels that the VM requires.
	NodeSelector map[string]string `json:"nodeSelector,omitempty" keys:"label" example:"{zone: a}"`
	// Kubernetes tolerations.
	Tolerations *source.Node `json:"tolerations,omitempty" ref:"tolerations"`
	// Kubernetes affinity.
	Affinity *source.Node `json:"affinity,omitempty" ref:"affinity"`
	// Kubernetes topology spread constraints.
	TopologySpreadConstraints *source.Node `json:"topologySpreadConstraints,omitempty" ref:"topologySpreadConstraints"`
	// Priority class of the VM's pod.
	PriorityClassName string `json:"priorityClassName,omitempty" format:"name"`
	// Seconds that the guest has to shut down.
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds,omitempty" minimum:"0"`
	// KubeVirt readiness probe.
	ReadinessProbe *source.Node `json:"readinessProbe,omitempty" ref:"readinessProbe"`
	// KubeVirt liveness probe.
	LivenessProbe *source.Node `json:"livenessProbe,omitempty" ref:"livenessProbe"`
	// KubeVirt access credentials, in addition to those of `cloudInit`.
	AccessCredentials *source.Node `json:"accessCredentials,omitempty" ref:"accessCredentials"`

	// Services by name, one Kubernetes Service each; a port number is short for `{port: NUMBER}`.
	Services map[string]*Service `json:"services,omitempty" example:"{http: 80}"`
	// Further namespaced objects by name, as Kubernetes manifests: a Route, an Ingress, an ExternalSecret, a
	// NetworkPolicy. They are in the VM's namespace and wave, and go with it; each of `replicas` has its own, and a pool
	// has one. Strings are templates. `metadata.name` defaults to `<vm>-<name>`. What has keys of its own
	// (VirtualMachine, DataVolume, PersistentVolumeClaim, Service …) and cluster-wide kinds are errors, and so are
	// workloads and permissions (Deployment, Job, Pod, Role, RoleBinding, ServiceAccount …) unless `policy.objects` of
	// fleet.yaml names them. Levels merge by key.
	Objects map[string]*source.Node `json:"objects,omitempty" ref:"manifest" source:"secret"`

	// Reaction to changes: `pet` (updated in place, the default), `cattle` (recreated), or the long form.
	Lifecycle *Lifecycle `json:"lifecycle,omitempty"`
	// Approval of a change, under `policy.approve`: the token that `vmrender plan` prints for the risk of a restart, or
	// the long form for each risk. See [gate.md](gate.md).
	Approve *Approve `json:"approve,omitempty"`
	// Whether a change that needs a restart is applied without `approve: {restart: TOKEN}`, and left for the next start
	// of the VM, whenever that is. For pets.
	Stage *bool `json:"stage,omitempty"`
	// Sync wave. Defaults to one more than the highest wave of `dependsOn`, or to 0.
	Wave *int `json:"wave,omitempty" minimum:"-1000000" maximum:"1000000"`
	// VMs that must be up before this one, by name or `namespace/name`.
	DependsOn []string `json:"dependsOn,omitempty" example:"[db]"`
	// Number of VMs to create, named `<name>-0` and so on. In templates, `{{ .ordinal }}` is the number of the
	// VM.
	Replicas *int `json:"replicas,omitempty" minimum:"0" maximum:"10000"`
	// Arbitrary values for templates, as `{{ .vars.NAME }}`.
	Vars map[string]*source.Node `json:"vars,omitempty" example:"{stage: prod}"`

	// Merge patch (RFC 7386), applied to the rendered VirtualMachine: null removes a key, lists are replaced.
	Overrides *source.Node `json:"overrides,omitempty" ref:"VirtualMachine"`
	// RFC 6902 operations, applied to the VirtualMachine after `overrides`.
	Patches []patch.Operation `json:"patches,omitempty" example:"[{op: remove, path: /spec/template/spec/hostname}]"`
}

// CPU is the long form of `cpu`. The number of virtual CPUs is sockets × cores × threads.
type CPU struct {
	// Sockets, the only part of the topology that KubeVirt can hotplug.
	Sockets uint32 `json:"sockets,omitempty" minimum:"1"`
	// Cores per socket.
	Cores uint32 `json:"cores,omitempty" minimum:"1"`
	// Threads per core.
	Threads uint32 `json:"threads,omitempty" minimum:"1"`
	// Model, such as `host-model`, `host-passthrough` or `Cascadelake-Server`.
	Model string `json:"model,omitempty"`
	// Maximum number of sockets for hotplug.
	MaxSockets uint32 `json:"maxSockets,omitempty" minimum:"1"`
	// Whether to use dedicated physical CPUs.
	Dedicated *bool `json:"dedicated,omitempty"`
	// Whether the emulator thread gets a dedicated physical CPU.
	IsolateEmulator *bool `json:"isolateEmulator,omitempty"`
	// Whether to pass the NUMA topology of the host through; needs `dedicated` and hugepages.
	NUMA *bool `json:"numa,omitempty"`
	// Enables real-time scheduling; needs `dedicated`.
	Realtime *bool `json:"realtime,omitempty"`
	// CPU features.
	Features []CPUFeature `json:"features,omitempty"`

	// VCPUs is the short form: a number of virtual CPUs whose topology depends on the operating system.
	VCPUs uint32 `json:"-" source:"short" minimum:"1"`
}

// CPUFeature is one CPU feature; a name is short for `{name: NAME}`.
type CPUFeature struct {
	// Name of the feature, such as `vmx`.
	Name string `json:"name" required:"true"`
	// Requirement on the host. Defaults to require.
	Policy string `json:"policy,omitempty" enum:"force,require,optional,disable,forbid"`
}

// Memory is the long form of `memory`.
type Memory struct {
	// Guest memory, for example `16Gi`.
	Guest string `json:"guest,omitempty" format:"quantity"`
	// Maximum memory for hotplug.
	Max string `json:"max,omitempty" format:"quantity"`
	// Page size of hugepages, such as `2Mi` or `1Gi`.
	Hugepages string `json:"hugepages,omitempty" format:"quantity"`
}

// Matcher names an instance type or a preference, or the disk whose image names it.
type Matcher struct {
	// Name of the object. Required without `inferFrom`.
	Name string `json:"name,omitempty"`
	// Kind of the object. Defaults to the cluster-wide kind.
	Kind string `json:"kind,omitempty"`
	// Disk, such as `root`, whose labels name the object: those of its DataVolume, PVC or DataSource, as the images of
	// OpenShift Virtualization have them. KubeVirt replaces it by the name when it creates the VM, which Argo CD must not
	// revert: `vmrender app` writes an Application that does not.
	InferFrom string `json:"inferFrom,omitempty"`
}

// Resources are the resources of a VM's pod.
type Resources struct {
	// What the node reserves for the pod, by resource: `cpu`, `memory`, `ephemeral-storage`, or a device such as
	// `devices.kubevirt.io/kvm`. Less memory than the guest's overcommits the node.
	Requests map[string]Amount `json:"requests,omitempty"`
	// What the pod may use at most, by resource. `memory` must not be less than the guest's.
	Limits map[string]Amount `json:"limits,omitempty"`
	// Whether the node reserves nothing for what KubeVirt itself needs next to the guest.
	OvercommitGuestOverhead *bool `json:"overcommitGuestOverhead,omitempty"`
}

// Amount is an amount of any resource, such as `500m`, 2 or `4Gi`.
type Amount string

// Disk is the long form of an entry of `disks`.
type Disk struct {
	// Size, a quantity such as `120Gi`. Defaults to the source's for clones: `dataSource`, `pvc`, `snapshot`.
	Size string `json:"size,omitempty" format:"quantity"`
	// Content: `blank`, or the long form.
	Source *Source `json:"source,omitempty"`
	// Storage class: a name in the catalog, or the name of a class in the cluster.
	StorageClass string `json:"storageClass,omitempty" names:"storageClasses"`
	// Access mode of the PVC.
	AccessMode string `json:"accessMode,omitempty" enum:"ReadWriteOnce,ReadWriteMany,ReadOnlyMany,ReadWriteOncePod"`
	// Volume mode of the PVC.
	VolumeMode string `json:"volumeMode,omitempty" enum:"Block,Filesystem"`
	// Bus. Defaults to that of the operating system.
	Bus string `json:"bus,omitempty" enum:"virtio,sata,scsi,usb"`
	// Device type that the guest sees.
	Type string `json:"type,omitempty" enum:"disk,cdrom,lun"`
	// Position in the boot order, from 1.
	BootOrder *uint `json:"bootOrder,omitempty" minimum:"1"`
	// Cache mode.
	Cache string `json:"cache,omitempty" enum:"none,writethrough,writeback"`
	// I/O mode.
	IO string `json:"io,omitempty" enum:"native,threads"`
	// Serial number that the guest sees.
	Serial string `json:"serial,omitempty"`
	// Whether the disk is read-only for the guest.
	ReadOnly *bool `json:"readOnly,omitempty"`
	// Whether several VMs can write to the disk at the same time. Each of them sets it.
	Shareable *bool `json:"shareable,omitempty"`
	// Whether the disk can be added and removed while the VM runs.
	Hotpluggable *bool `json:"hotpluggable,omitempty"`
	// Whether to allocate all space when the disk is created.
	Preallocation *bool `json:"preallocation,omitempty"`
	// Whether the disk survives its VM. The default depends on the lifecycle.
	Keep *bool `json:"keep,omitempty"`
	// Size that the PVC grows to after it was created.
	ExpandTo string `json:"expandTo,omitempty" format:"quantity"`
	// Whether the CD-ROM drive is without its medium.
	Ejected *bool `json:"ejected,omitempty"`
	// Number of the claim with the disk's content, from 1. Another number is another claim: with a new storage class,
	// access mode, volume mode or source next to it, KubeVirt copies the disk of a running pet to the new claim, and the
	// old claim stays. See [storage-migration.md](storage-migration.md).
	Revision *uint `json:"revision,omitempty" minimum:"1"`

	// Merge patch (RFC 7386) on KubeVirt's disk, for what has no key here: `{errorPolicy: ignore}`. Levels merge by key.
	Overrides *source.Node `json:"overrides,omitempty" ref:"Disk"`
	// Merge patch on the DataVolume of the disk, such as `{metadata: {annotations: {KEY: VALUE}}}`; its `spec` counts
	// when the disk is created. Name and namespace, and what is set for Argo CD, stay. Levels merge by key.
	DataVolume *source.Node `json:"dataVolume,omitempty" ref:"DataVolume"`
}

// DriversDisk is `driversDisk`: a boolean, or the image of the disk.
type DriversDisk struct {
	Enabled bool
	Image   string // empty for the default
}

// DecodeNode reads a boolean or the name of an image.
func (d *DriversDisk) DecodeNode(n *source.Node, path string, diags *source.Diagnostics) {
	switch n.Kind {
	case source.Bool:
		d.Enabled = strings.EqualFold(n.Text, "true")
	case source.String:
		d.Enabled, d.Image = true, n.Text
	default:
		diags.Errorf(n.Pos(), rule.WrongType, path, "expected true, false, or the name of a container image")
	}
}

// Filesystem is one entry of `filesystems`: exactly one of the keys.
type Filesystem struct {
	// PersistentVolumeClaim in the VM's namespace. The guest can write to it. KubeVirt needs the feature gate
	// EnableVirtioFsStorageVolumes, and ReadWriteMany to migrate the VM.
	Claim string `json:"claim,omitempty" format:"name"`
	// ConfigMap. What changes in it, the guest sees. KubeVirt before 1.8 needs the feature gate
	// EnableVirtioFsConfigVolumes for it, and for the keys below.
	ConfigMap string `json:"configMap,omitempty" format:"name"`
	// Secret. What changes in it, the guest sees.
	Secret string `json:"secret,omitempty" format:"name"`
	// ServiceAccount, whose token the guest sees, also when it is renewed. One for each VM.
	ServiceAccount string `json:"serviceAccount,omitempty" format:"name"`
}

// Source is the source of a disk's content: the short form `blank`, or exactly
// one source.
type Source catalog.Source

// NIC is the long form of an entry of `nics`.
type NIC struct {
	// Network: `pod`, a name in the catalog, or `namespace/nad`. Required.
	Network string `json:"network" names:"networks"`
	// Name of the NIC. Defaults to that of the network, or `default` on the pod network.
	Name string `json:"name,omitempty"`
	// Binding: bridge, masquerade, sriov, or the name of a network binding plugin.
	Binding string `json:"binding,omitempty"`
	// Model. Defaults to that of the network, then to that of the operating system.
	Model string `json:"model,omitempty"`
	// MAC address, such as `02:a1:b2:00:00:01`. A template.
	MAC string `json:"mac,omitempty" format:"mac"`
	// Static address with the prefix length of its network, such as `10.0.0.5/24`. It sets cloud-init network data.
	// The pod network has none, and Windows needs `cloudInit.datasource: configDrive`. A template.
	IP string `json:"ip,omitempty" format:"address"`
	// Default gateway.
	Gateway string `json:"gateway,omitempty" format:"ip"`
	// Name servers.
	DNS []string `json:"dns,omitempty" format:"ip"`
	// Additional routes.
	Routes []Route `json:"routes,omitempty"`
	// Ports that the pod network forwards. Defaults to all.
	Ports []Port `json:"ports,omitempty"`
	// Position in the boot order, from 1.
	BootOrder *uint `json:"bootOrder,omitempty" minimum:"1"`
	// Link state; `absent` unplugs a bridge NIC.
	State string `json:"state,omitempty" enum:"up,down,absent"`
	// Merge patch (RFC 7386) on KubeVirt's interface, for what has no key here: `{acpiIndex: 1}`.
	Overrides *source.Node `json:"overrides,omitempty" ref:"Interface"`
}

// Route is one static route.
type Route struct {
	// Destination, such as `10.20.0.0/16`.
	To string `json:"to" required:"true" format:"cidr"`
	// Next hop.
	Via string `json:"via" required:"true" format:"ip"`
}

// Port is a port of a masquerade NIC; a number is short for `{port: NUMBER}`.
type Port struct {
	// Name of the port.
	Name string `json:"name,omitempty"`
	// Number of the port.
	Port int32 `json:"port" required:"true" minimum:"1" maximum:"65535"`
	// Protocol. Defaults to TCP.
	Protocol string `json:"protocol,omitempty" enum:"TCP,UDP"`
}

// CloudInit is the first-boot configuration of a Linux guest, or of a Windows guest with cloudbase-init, which needs
// `datasource: configDrive`. String values are templates.
type CloudInit struct {
	// User to set up. Defaults to that of the operating system.
	User string `json:"user,omitempty"`
	// Password of the user, in clear text: prefer `passwordSecret`.
	Password string `json:"password,omitempty" source:"secret"`
	// Secret with user names as keys and passwords as values, which the guest agent sets.
	PasswordSecret string `json:"passwordSecret,omitempty" format:"name"`
	// Authorized SSH keys of the user.
	SSHKeys []string `json:"sshKeys,omitempty" format:"sshKey"`
	// Secret with authorized SSH keys.
	SSHKeySecret string `json:"sshKeySecret,omitempty" format:"name"`
	// Host name. Defaults to the name of the VM.
	Hostname string `json:"hostname,omitempty"`
	// Packages to install.
	Packages []string `json:"packages,omitempty" example:"[nginx]"`
	// Commands to run: strings, or lists of arguments.
	RunCmd []Command `json:"runcmd,omitempty"`
	// Further cloud-config, such as `write_files`, `users` or `ssh_pwauth`, which merges into what the keys above write.
	// What has a key of its own here is an error. `chpasswd` merges by key; levels merge by key; lists replace. With
	// `users`, the user above exists only if the list has `default`.
	Extra *source.Node `json:"extra,omitempty" ref:"cloudConfig" source:"secret"`
	// Complete user data, instead of the keys above. It may contain templates. For a literal `{{`, as in the Jinja
	// of cloud-init, write `{{ "{{" }}`: `hostname: {{ "{{" }} v1.local_hostname }}`.
	UserData string `json:"userData,omitempty" source:"secret"`
	// Complete network data, instead of that for static addresses.
	NetworkData string `json:"networkData,omitempty"`
	// Secret with the complete network data under `networkdata`.
	NetworkDataSecret string `json:"networkDataSecret,omitempty" format:"name"`
	// Secret with the complete user data under `userdata`.
	Secret string `json:"secret,omitempty" format:"name"`
	// Location of user data: in the VirtualMachine (the default), or in a separate Secret.
	Store string `json:"store,omitempty" enum:"inline,secret"`
	// Data source that the guest reads. Defaults to noCloud, which Windows does not read.
	Datasource string `json:"datasource,omitempty" enum:"noCloud,configDrive"`
	// Bus of the disk with the data. Defaults to that of the operating system's disks.
	Bus string `json:"bus,omitempty" enum:"virtio,sata,scsi,usb"`
}

// Command is one command of `runcmd`: a string for the shell, or a list of arguments.
type Command struct {
	Shell string
	Args  []string
}

// Sysprep names the Windows answer file. Exactly one of the two keys must be
// set.
type Sysprep struct {
	// Secret with `autounattend.xml` or `unattend.xml`. A template.
	Secret string `json:"secret,omitempty" format:"name"`
	// ConfigMap with `autounattend.xml` or `unattend.xml`. A template.
	ConfigMap string `json:"configMap,omitempty" format:"name"`
}

// Firmware is the long form of `firmware`.
type Firmware struct {
	// Firmware type.
	Type string `json:"type,omitempty" enum:"bios,efi,secureboot"`
	// Whether to keep EFI variables across restarts.
	Persistent *bool `json:"persistent,omitempty"`
	// UUID of the VM. Defaults to one derived from its name.
	UUID string `json:"uuid,omitempty" format:"uuid"`
	// Serial number of the VM. Defaults to one derived from its name.
	Serial string `json:"serial,omitempty"`
}

// TPM is the long form of `tpm`.
type TPM struct {
	// Whether to keep the TPM state across restarts.
	Persistent *bool `json:"persistent,omitempty"`

	// Enabled is the short form.
	Enabled *bool `json:"-" source:"short"`
}

// Device is a host device; a device name is short for `{device: NAME}`.
type Device struct {
	// Name inside the VM. Defaults to `gpu0`, `hostdevice0` and so on.
	Name string `json:"name,omitempty"`
	// Resource name that the cluster permits, such as `nvidia.com/GA102GL_A10`.
	Device string `json:"device" required:"true" format:"resource"`
}

// Service is the long form of an entry of `services`.
type Service struct {
	// Port of the Service, whose name is that of the Service.
	Port int32 `json:"port,omitempty" minimum:"1" maximum:"65535"`
	// Ports of the Service, instead of `port` and the three keys after it. A number is short for `{port: NUMBER}`.
	Ports []ServicePort `json:"ports,omitempty"`
	// Port of the guest. Defaults to `port`.
	TargetPort int32 `json:"targetPort,omitempty" minimum:"1" maximum:"65535"`
	// Protocol. Defaults to TCP.
	Protocol string `json:"protocol,omitempty" enum:"TCP,UDP,SCTP"`
	// Port of every node, for `type: NodePort` and `LoadBalancer`. Defaults to one that the cluster chooses.
	NodePort int32 `json:"nodePort,omitempty" minimum:"1" maximum:"65535"`
	// Type of the Service. Defaults to ClusterIP.
	Type string `json:"type,omitempty" enum:"ClusterIP,NodePort,LoadBalancer"`
	// With `replicas`: a Service for each VM, or one for all of them, named `<entry>-<service>`, which belongs to the
	// first replica. A running VM without any such Service joins its first one at its next start. Defaults to vm.
	Scope string `json:"scope,omitempty" enum:"vm,group"`
	// Labels of the Service.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the Service.
	Annotations map[string]string `json:"annotations,omitempty"`
	// Merge patch (RFC 7386) on the Service, for what has no key here: `{spec: {clusterIP: None}}` for a headless one,
	// `{spec: {externalTrafficPolicy: Local}}`. Levels merge by key.
	Overrides *source.Node `json:"overrides,omitempty" ref:"Service"`
}

// ServicePort is a port of a Service; a number is short for `{port: NUMBER}`.
type ServicePort struct {
	// Name of the port. Defaults to protocol and number, such as `tcp-443`.
	Name string `json:"name,omitempty"`
	// Port of the Service.
	Port int32 `json:"port" required:"true" minimum:"1" maximum:"65535"`
	// Port of the guest. Defaults to `port`.
	TargetPort int32 `json:"targetPort,omitempty" minimum:"1" maximum:"65535"`
	// Protocol. Defaults to TCP.
	Protocol string `json:"protocol,omitempty" enum:"TCP,UDP,SCTP"`
	// Port of every node, for `type: NodePort` and `LoadBalancer`.
	NodePort int32 `json:"nodePort,omitempty" minimum:"1" maximum:"65535"`
}

// Approve is the long form of `approve`. No risk covers another. A token is FROM-TO: hashes of what the VM is and of
// what it becomes, so that it holds for one change.
type Approve struct {
	// Changes from `live` to `power`: what a running VM gets, up to a restart, or being started or stopped.
	Restart string `json:"restart,omitempty" format:"token"`
	// Changes of the levels `recreate` and `delete`. A VM that is removed from Git needs `lifecycle: {removal: approved}`
	// instead.
	Delete string `json:"delete,omitempty" format:"token"`
	// Changes of the level `data-loss`.
	Data string `json:"data,omitempty" format:"token"`
}

// Key returns the key that users write for a field of these structs, or "" if
// there is none.
func Key(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	return name
}

// Count returns the number of virtual CPUs.
func (c *CPU) Count() uint64 { return uint64(c.Sockets) * uint64(c.Cores) * uint64(c.Threads) }

// WritesUserData reports whether user data is generated from the other keys,
// because it is not given as a whole.
func (c *CloudInit) WritesUserData() bool { return c.UserData == "" && c.Secret == "" }
