package values

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
)

// RootDisk is the key of the boot disk under `disks`.
const RootDisk = "root"

// VM is one virtual machine as a user writes it, or as much of it as one level
// of inheritance sets. Nothing is required but `os`, on whatever level.
type VM struct {
	// Operating system: a name in the catalogue. Decides image, firmware, buses, NIC model, Hyper-V features, clock, inputs, grace period, minimum cpu and memory.
	OS string `json:"os,omitempty"`
	// Size: a name in the catalogue, expanded into `cpu` and `memory` where it is written.
	Flavor string `json:"flavor,omitempty"`
	// Virtual CPUs: a number, or the long form.
	CPU *CPU `json:"cpu,omitempty"`
	// Guest memory: a quantity such as `16Gi`, or the long form.
	Memory *Memory `json:"memory,omitempty"`
	// KubeVirt instance type, by name (cluster-wide) or in the long form; then `cpu`, `memory` and `flavor` must be unset.
	Instancetype *Matcher `json:"instancetype,omitempty"`
	// KubeVirt preference, by name (cluster-wide) or in the long form; what it owns is not rendered.
	Preference *Matcher `json:"preference,omitempty"`

	// Disks by name; a quantity is short for `{size: QUANTITY}`. `root` is the boot disk and takes source and size from the operating system.
	Disks map[string]*Disk `json:"disks,omitempty"`
	// NICs; a name is short for `{network: NAME}`. `pod` is the pod network. Without the key a VM has one NIC on the pod network.
	NICs []NIC `json:"nics,omitempty"`

	// First-boot configuration of Linux guests.
	CloudInit *CloudInit `json:"cloudInit,omitempty"`
	// Answer file of Windows guests.
	Sysprep *Sysprep `json:"sysprep,omitempty"`

	// Firmware: `bios`, `efi`, `secureboot`, or the long form.
	Firmware *Firmware `json:"firmware,omitempty"`
	// Virtual TPM: true, false, or the long form.
	TPM *TPM `json:"tpm,omitempty"`
	// GPUs, by device name.
	GPUs []Device `json:"gpus,omitempty"`
	// Host devices, by device name.
	HostDevices []Device `json:"hostDevices,omitempty"`

	// Machine type, such as `pc-q35-rhel9.6.0`; the cluster's default where unset.
	MachineType string `json:"machineType,omitempty"`
	// CPU architecture; amd64 where unset.
	Arch string `json:"arch,omitempty" enum:"amd64,arm64,s390x"`
	// Host name of the guest; the VM's name where unset. A template.
	Hostname string `json:"hostname,omitempty"`
	// Labels of the VirtualMachine and of its pods. Values are templates.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the VirtualMachine. Values are templates.
	Annotations map[string]string `json:"annotations,omitempty"`
	// What the machine is for: server, desktop or highperformance.
	Workload string `json:"workload,omitempty"`
	// Namespace; the Application's (or `--namespace`) where unset.
	Namespace string `json:"namespace,omitempty"`

	// When the machine runs.
	RunStrategy string `json:"runStrategy,omitempty" enum:"Always,Halted,Manual,RerunOnFailure,Once"`
	// What happens to the machine when its node is drained; the cluster's default where unset.
	EvictionStrategy string `json:"evictionStrategy,omitempty" enum:"LiveMigrate,LiveMigrateIfPossible,None,External"`
	// Node labels that the machine needs.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// Kubernetes' tolerations.
	Tolerations *source.Node `json:"tolerations,omitempty" ref:"tolerations"`
	// Kubernetes' affinity.
	Affinity *source.Node `json:"affinity,omitempty" ref:"affinity"`
	// Kubernetes' topology spread constraints.
	TopologySpreadConstraints *source.Node `json:"topologySpreadConstraints,omitempty" ref:"topologySpreadConstraints"`
	// Priority class of the machine's pod.
	PriorityClassName string `json:"priorityClassName,omitempty"`
	// Seconds the guest is given to shut down.
	TerminationGracePeriodSeconds *int64 `json:"terminationGracePeriodSeconds,omitempty" minimum:"0"`
	// KubeVirt's readiness probe.
	ReadinessProbe *source.Node `json:"readinessProbe,omitempty" ref:"readinessProbe"`
	// KubeVirt's liveness probe.
	LivenessProbe *source.Node `json:"livenessProbe,omitempty" ref:"livenessProbe"`
	// KubeVirt's access credentials, beside those that `cloudInit` makes.
	AccessCredentials *source.Node `json:"accessCredentials,omitempty" ref:"accessCredentials"`

	// Services by name, one Kubernetes Service each; a port number is short for `{port: NUMBER}`.
	Services map[string]*Service `json:"services,omitempty"`

	// What happens after a change: `pet` (updated in place, the default), `cattle` (recreated), or the long form.
	Lifecycle *Lifecycle `json:"lifecycle,omitempty"`
	// Sync wave; one more than the highest of `dependsOn` where unset, else 0.
	Wave *int `json:"wave,omitempty"`
	// VMs that must be up first, by name or `namespace/name`.
	DependsOn []string `json:"dependsOn,omitempty"`
	// Makes this many VMs, named `<name>-0` and on; `{{ .ordinal }}` is the number in templates.
	Replicas *int `json:"replicas,omitempty" minimum:"0" maximum:"10000"`
	// Free values for templates, as `{{ .vars.NAME }}`.
	Vars map[string]*source.Node `json:"vars,omitempty"`

	// A merge patch (RFC 7386) on the VirtualMachine, last: null removes, lists replace.
	Overrides *source.Node `json:"overrides,omitempty" ref:"VirtualMachine"`
	// RFC 6902 operations on the VirtualMachine, after `overrides`.
	Patches []patch.Operation `json:"patches,omitempty"`
}

// CPU is the long form of `cpu`. The number of virtual CPUs is sockets × cores × threads.
type CPU struct {
	// Sockets: the only part that KubeVirt can plug while the machine runs.
	Sockets uint32 `json:"sockets,omitempty" minimum:"1"`
	// Cores per socket.
	Cores uint32 `json:"cores,omitempty" minimum:"1"`
	// Threads per core.
	Threads uint32 `json:"threads,omitempty" minimum:"1"`
	// Model, such as `host-model`, `host-passthrough` or `Cascadelake-Server`.
	Model string `json:"model,omitempty"`
	// Sockets that can be plugged up to.
	MaxSockets uint32 `json:"maxSockets,omitempty" minimum:"1"`
	// Dedicated physical CPUs.
	Dedicated *bool `json:"dedicated,omitempty"`
	// A dedicated physical CPU for the emulator thread.
	IsolateEmulator *bool `json:"isolateEmulator,omitempty"`
	// Pass the host's NUMA topology through; needs `dedicated` and hugepages.
	NUMA *bool `json:"numa,omitempty"`
	// Real-time scheduling; needs `dedicated`.
	Realtime *bool `json:"realtime,omitempty"`
	// CPU features.
	Features []CPUFeature `json:"features,omitempty"`

	// VCPUs is the short form: a number of virtual CPUs whose topology the operating system chooses.
	VCPUs uint32 `json:"-" source:"short" minimum:"1"`
}

// CPUFeature is one CPU feature; a name is short for `{name: NAME}`.
type CPUFeature struct {
	// Name of the feature, such as `vmx`.
	Name string `json:"name" required:"true"`
	// What the host must offer; require where unset.
	Policy string `json:"policy,omitempty" enum:"force,require,optional,disable,forbid"`
}

// Memory is the long form of `memory`.
type Memory struct {
	// What the guest sees, a quantity such as `16Gi`.
	Guest string `json:"guest,omitempty" format:"quantity"`
	// What can be plugged up to while it runs.
	Max string `json:"max,omitempty" format:"quantity"`
	// Page size of hugepages, such as `2Mi` or `1Gi`.
	Hugepages string `json:"hugepages,omitempty" format:"quantity"`
}

// Matcher names an instance type or a preference.
type Matcher struct {
	// Name of the object.
	Name string `json:"name" required:"true"`
	// Kind of the object; the cluster-wide kind where unset.
	Kind string `json:"kind,omitempty"`
}

// Disk is the long form of an entry of `disks`.
type Disk struct {
	// Size, a quantity such as `120Gi`.
	Size string `json:"size,omitempty" format:"quantity"`
	// Content: `blank`, or the long form.
	Source *Source `json:"source,omitempty"`
	// Storage class: a name in the catalogue, or of the cluster's class.
	StorageClass string `json:"storageClass,omitempty"`
	// Access mode of the claim.
	AccessMode string `json:"accessMode,omitempty" enum:"ReadWriteOnce,ReadWriteMany,ReadOnlyMany,ReadWriteOncePod"`
	// Volume mode of the claim.
	VolumeMode string `json:"volumeMode,omitempty" enum:"Block,Filesystem"`
	// Bus; the operating system's where unset.
	Bus string `json:"bus,omitempty" enum:"virtio,sata,scsi,usb"`
	// What the guest sees.
	Type string `json:"type,omitempty" enum:"disk,cdrom,lun"`
	// Place in the boot order, from 1.
	BootOrder *uint `json:"bootOrder,omitempty" minimum:"1"`
	// Cache mode.
	Cache string `json:"cache,omitempty" enum:"none,writethrough,writeback"`
	// Input and output mode.
	IO string `json:"io,omitempty" enum:"native,threads,io_uring,default"`
	// Serial number the guest sees.
	Serial string `json:"serial,omitempty"`
	// The guest cannot write to it.
	ReadOnly *bool `json:"readOnly,omitempty"`
	// Several machines may use it at once.
	Shareable *bool `json:"shareable,omitempty"`
	// It can be added and removed while the machine runs.
	Hotpluggable *bool `json:"hotpluggable,omitempty"`
	// Allocate all space at once.
	Preallocation *bool `json:"preallocation,omitempty"`
	// The disk survives its VM. Follows the lifecycle where unset.
	Keep *bool `json:"keep,omitempty"`
	// Grow the claim to this size after it was made.
	ExpandTo string `json:"expandTo,omitempty" format:"quantity"`
	// A CD-ROM drive without its medium.
	Ejected *bool `json:"ejected,omitempty"`
}

// Source is where a disk's content comes from: the short form `blank`, or exactly one source.
type Source catalog.Source

// NIC is the long form of an entry of `nics`.
type NIC struct {
	// Network: `pod`, a name in the catalogue, or `namespace/nad`.
	Network string `json:"network,omitempty"`
	// Name of the NIC; the network's where unset.
	Name string `json:"name,omitempty"`
	// How it is bound: bridge, masquerade, sriov, or the name of a network binding plugin.
	Binding string `json:"binding,omitempty"`
	// Model; the operating system's where unset.
	Model string `json:"model,omitempty"`
	// MAC address, such as `02:a1:b2:00:00:01`. A template.
	MAC string `json:"mac,omitempty"`
	// Static address with prefix length, such as `10.0.0.5/24`: writes cloud-init network data. A template.
	IP string `json:"ip,omitempty"`
	// Default gateway.
	Gateway string `json:"gateway,omitempty" format:"ip"`
	// Name servers.
	DNS []string `json:"dns,omitempty"`
	// Further routes.
	Routes []Route `json:"routes,omitempty"`
	// Ports that the pod network forwards; all where unset.
	Ports []Port `json:"ports,omitempty"`
	// Place in the boot order, from 1.
	BootOrder *uint `json:"bootOrder,omitempty" minimum:"1"`
	// Link state; `absent` unplugs the NIC.
	State string `json:"state,omitempty" enum:"up,down,absent"`
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
	// Protocol; TCP where unset.
	Protocol string `json:"protocol,omitempty" enum:"TCP,UDP"`
}

// CloudInit is first-boot configuration. String values are templates.
type CloudInit struct {
	// User to set up; the operating system's where unset.
	User string `json:"user,omitempty"`
	// Password of the user, in clear text: prefer `passwordSecret`.
	Password string `json:"password,omitempty" source:"secret"`
	// Secret whose keys are user names and whose values are passwords; set by the guest agent.
	PasswordSecret string `json:"passwordSecret,omitempty"`
	// Authorized SSH keys of the user.
	SSHKeys []string `json:"sshKeys,omitempty"`
	// Secret with authorized SSH keys.
	SSHKeySecret string `json:"sshKeySecret,omitempty"`
	// Host name; the VM's where unset.
	Hostname string `json:"hostname,omitempty"`
	// Packages to install.
	Packages []string `json:"packages,omitempty"`
	// Commands to run: strings, or lists of arguments.
	RunCmd []Command `json:"runcmd,omitempty"`
	// The whole user data, instead of the keys above.
	UserData string `json:"userData,omitempty" source:"secret"`
	// The whole network data, instead of what static addresses write.
	NetworkData string `json:"networkData,omitempty"`
	// Secret that holds the whole user data under `userdata`.
	Secret string `json:"secret,omitempty"`
	// Where user data is kept: in the VirtualMachine, or in a Secret of its own.
	Store string `json:"store,omitempty" enum:"inline,secret"`
	// Data source that the guest reads.
	Datasource string `json:"datasource,omitempty" enum:"noCloud,configDrive"`
}

// Command is one command of `runcmd`: a string for the shell, or a list of arguments.
type Command struct {
	Shell string
	Args  []string
}

// Sysprep names the Windows answer file: exactly one of the two.
type Sysprep struct {
	// Secret with `autounattend.xml` or `unattend.xml`. A template.
	Secret string `json:"secret,omitempty"`
	// ConfigMap with `autounattend.xml` or `unattend.xml`. A template.
	ConfigMap string `json:"configMap,omitempty"`
}

// Firmware is the long form of `firmware`.
type Firmware struct {
	// Kind of firmware.
	Type string `json:"type,omitempty" enum:"bios,efi,secureboot"`
	// Keep EFI variables across restarts.
	Persistent *bool `json:"persistent,omitempty"`
	// UUID of the machine; derived from its name where unset.
	UUID string `json:"uuid,omitempty"`
	// Serial number of the machine; derived from its name where unset.
	Serial string `json:"serial,omitempty"`
}

// TPM is the long form of `tpm`.
type TPM struct {
	// Keep the TPM's state across restarts.
	Persistent *bool `json:"persistent,omitempty"`

	// Enabled is the short form.
	Enabled *bool `json:"-" source:"short"`
}

// Device is one device of the host; a device name is short for `{device: NAME}`.
type Device struct {
	// Name inside the machine; `gpu0`, `hostdevice0` and so on where unset.
	Name string `json:"name,omitempty"`
	// Resource name that the cluster permits, such as `nvidia.com/GA102GL_A10`.
	Device string `json:"device" required:"true"`
}

// Service is the long form of an entry of `services`.
type Service struct {
	// Port of the Service.
	Port int32 `json:"port" required:"true" minimum:"1" maximum:"65535"`
	// Port of the guest; the same where unset.
	TargetPort int32 `json:"targetPort,omitempty" minimum:"1" maximum:"65535"`
	// Protocol; TCP where unset.
	Protocol string `json:"protocol,omitempty" enum:"TCP,UDP,SCTP"`
	// Type of the Service; ClusterIP where unset.
	Type string `json:"type,omitempty" enum:"ClusterIP,NodePort,LoadBalancer"`
	// Labels of the Service.
	Labels map[string]string `json:"labels,omitempty"`
	// Annotations of the Service.
	Annotations map[string]string `json:"annotations,omitempty"`
}

// Lifecycle is the long form of `lifecycle`. [lifecycle.md](lifecycle.md) says what each choice does.
type Lifecycle struct {
	// pet: updated in place; cattle: recreated.
	Type string `json:"type,omitempty" enum:"pet,cattle"`
	// How cattle are recreated; rollout where unset.
	Strategy Strategy `json:"strategy,omitempty" enum:"rollout,replace,blue-green,pool"`
	// Cattle that may be down at once, with the strategies rollout and pool: a number or a percentage; 1 where unset.
	MaxUnavailable *IntOrPercent `json:"maxUnavailable,omitempty"`
	// Root disks of earlier revisions that a rollout keeps; 1 where unset.
	KeepOld *int `json:"keepOld,omitempty" minimum:"0"`
	// Disks survive their VM, as DataVolumes of their own: true for pets, false for cattle, where unset. Root disks of cattle are made anew all the same, but with `strategy: replace`.
	KeepDisks *bool `json:"keepDisks,omitempty"`
	// Refuse deletion on the cluster (OpenShift's delete-protection label); not with the strategies that delete VMs.
	Protect *bool `json:"protect,omitempty"`
	// Take a snapshot of a pet before a change.
	SnapshotBefore *bool `json:"snapshotBefore,omitempty"`
	// Run an Ansible job after a change of a pet.
	Ansible *Ansible `json:"ansible,omitempty"`
}

// Ansible is a job that runs after a change: a job template of Ansible
// Automation Platform, or, where there is none, an image that runs a playbook.
type Ansible struct {
	// Job template of Ansible Automation Platform, which must ask for variables on launch.
	Template string `json:"template,omitempty"`
	// Container image with ansible-runner, and with the playbook and its inventory beneath /runner.
	Image string `json:"image,omitempty"`
	// Playbook beneath the image's /runner/project.
	Playbook string `json:"playbook,omitempty"`
	// Secret in the VM's namespace: with `template` one with the platform's `host` and `token`; with `image` what ansible-runner reads from /runner/env, such as `ssh_key`.
	Secret string `json:"secret,omitempty"`
	// Extra variables, beside `vm_name` and `vm_namespace`.
	ExtraVars map[string]*source.Node `json:"extraVars,omitempty"`
}

// IntOrPercent is a number from 1 or a percentage such as `25%`.
type IntOrPercent struct {
	Int     int
	Percent bool
}

// String is the number or the percentage as Kubernetes writes it.
func (v IntOrPercent) String() string {
	if v.Percent {
		return strconv.Itoa(v.Int) + "%"
	}
	return strconv.Itoa(v.Int)
}

// Key returns the key under which users write a field of these structs, or "" if it is not written.
func Key(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	if name == "-" {
		return ""
	}
	return name
}

// Count returns the number of virtual CPUs.
func (c *CPU) Count() uint64 { return uint64(c.Sockets) * uint64(c.Cores) * uint64(c.Threads) }

// WritesUserData reports whether user data is written from the other keys,
// because it is not given as a whole.
func (c *CloudInit) WritesUserData() bool { return c.UserData == "" && c.Secret == "" }
