// Package machine decides: from an entry of a fleet and what its site sets, it
// makes a [Machine] in which nothing is optional. Each part of a machine (disks,
// nics, sizing, guest, lifecycle …) is a function of a draft. What only the
// whole fleet shows (duplicates, waves, hooks) is checked when all are decided.
package machine

import (
	"net/netip"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Machine is one virtual machine with everything decided: inheritance merged,
// names looked up, templates expanded, defaults filled in. What is still empty
// is meant to be absent from the manifests.
type Machine struct {
	Fleet string // name of the fleet
	// Part names what is rendered together: the fleet, and a hash of the path
	// beneath its root and of the VMs that are selected. No two Applications of a
	// fleet have the same.
	Part      string
	Name      string // of the VirtualMachine, with its ordinal
	Namespace string
	Target    values.Target // what the manifests will run on
	Pos       source.Pos
	Path      string // of the VM in its file, such as "vms.web01"
	// Broken says that there are errors in the machine. Nothing may be rendered of
	// it; only what is kept as written can be checked.
	Broken bool

	wide facts // for the checks across the fleet

	OS       *catalog.ResolvedOS
	Workload string
	Sizing

	Disks []Disk // root first, then in the order written
	NICs  []NIC

	CloudInit *CloudInit      // nil without cloud-init
	Sysprep   *values.Sysprep // nil without an answer file

	Hardware

	MachineType string
	Arch        string
	Metadata

	RunStrategy                   string
	EvictionStrategy              string
	NodeSelector                  map[string]string // placement's over the VM's
	PriorityClassName             string
	TerminationGracePeriodSeconds *int64

	// Kubernetes' and KubeVirt's own forms, as written; nil where unset.
	Tolerations               []*source.Node // lists: placement's, then the VM's
	Affinity                  *source.Node
	TopologySpreadConstraints *source.Node
	ReadinessProbe            *source.Node
	LivenessProbe             *source.Node
	AccessCredentials         *source.Node

	Services  []Service // in the order written
	Lifecycle Lifecycle
	Wave      int // sync wave of the VM and all that is its
	DependsOn []Dependency

	Overrides []*source.Node // merge patches: the operating system's, then the VM's
	Patches   []patch.Operation
	PatchPos  source.Pos // of the key `patches`
}

// Metadata is how a machine is known.
type Metadata struct {
	Hostname    string
	Labels      map[string]string // of the VirtualMachine and its template
	Annotations map[string]string // of the VirtualMachine
}

// Sizing is cpu and memory, or the instance type that sets both.
type Sizing struct {
	Flavor       string          // name of the flavor or instance type; "custom" if there is none
	Instancetype *values.Matcher // nil for expanded machines
	Preference   *values.Matcher // nil if the catalog's traits decide the hardware
	CPU          values.CPU      // zero next to an instance type
	Memory       values.Memory   // zero next to an instance type
}

// Hardware is firmware and devices.
type Hardware struct {
	Firmware    Firmware
	TPM         TPMMode
	GPUs        []values.Device
	HostDevices []values.Device
}

// DiskKind is how a machine gets at a disk's content.
type DiskKind uint8

// The kinds of disks.
const (
	DiskDataVolume    DiskKind = iota // CDI fills a claim of the machine's own
	DiskClaim                         // an existing PersistentVolumeClaim
	DiskContainerDisk                 // a container image
	DiskEmpty                         // scratch space
	DiskEjected                       // a CD-ROM drive without a medium
)

// Disk is one disk with everything decided.
type Disk struct {
	Name   string // key under `disks`
	Volume string // name of disk and volume: "rootdisk" for root
	Kind   DiskKind
	// Claim is the name of the DataVolume or of the existing claim.
	Claim  string
	Source catalog.Source // `image` already looked up
	Size   string         // quantity; empty where the source decides
	// StorageClass is the name on the cluster; empty for the cluster's default.
	StorageClass  string
	AccessMode    string
	VolumeMode    string
	Bus           string // empty beside a preference
	Type          string // disk, cdrom or lun
	BootOrder     *uint
	Cache         string
	IO            string
	Serial        string
	ReadOnly      bool
	Shareable     bool
	Hotpluggable  bool
	Preallocation *bool
	// Keep says that the DataVolume is an object of its own that survives the VM; else the VM owns it.
	Keep     bool
	ExpandTo string // quantity; empty where the disk keeps its size
	Pos      source.Pos
}

// NIC is one NIC with everything decided.
type NIC struct {
	Name      string
	Pod       bool   // attached to the pod network
	NAD       string // else to this NetworkAttachmentDefinition, namespace/name
	Binding   string // bridge, masquerade, sriov, or a binding plugin's name
	Model     string // empty beside a preference, and for bindings without a model
	MAC       string
	IP        string // with prefix length
	Gateway   string
	DNS       []string
	Routes    []Route
	Ports     []values.Port
	BootOrder *uint
	State     string
	Pos       source.Pos

	node *source.Node // as written; nil for the NIC that every VM has
}

// Route is one static route; [values.Route] with `default` resolved to a prefix.
type Route struct {
	To  netip.Prefix
	Via netip.Addr
}

// CloudInit is cloud-init with templates expanded. UserData is given
// whole, or the keys that make it are set; never both.
type CloudInit struct {
	values.CloudInit
	// SecretName is the Secret to render user and network data into; empty for inline data.
	InSecret   bool
	SecretName string
	Bus        string // of the cloud-init disk; empty beside a preference
}

// Firmware is the firmware with everything decided.
type Firmware struct {
	Type       string // bios, efi, secureboot; empty where the preference decides
	Persistent bool
	UUID       string
	Serial     string
}

// TPMMode is whether a machine has a TPM.
type TPMMode uint8

// The modes of a TPM.
const (
	TPMNone TPMMode = iota
	TPMVolatile
	TPMPersistent
)

// Service is one Service with everything decided.
type Service struct {
	Name        string // of the Service: <vm>-<key>
	PortName    string // key under `services`
	Port        int32
	TargetPort  int32
	Protocol    string
	Type        string
	Labels      map[string]string
	Annotations map[string]string
}

// Lifecycle is what happens after a change, with everything decided.
type Lifecycle struct {
	Strategy       values.Strategy // [values.InPlace] for pets
	KeepDisks      bool
	Protect        bool
	SnapshotBefore bool     // of pets
	Ansible        *Ansible // of pets; nil without a job
	MaxUnavailable values.IntOrPercent
	KeepOld        int   // root disks of earlier revisions that are kept
	Replicas       int32 // of a pool
}

// Ansible is a job that runs after a change: a job template of Ansible
// Automation Platform, or an image with a playbook.
type Ansible struct {
	Template        string
	Image, Playbook string
	Secret          string
	ExtraVars       map[string]any // values as JSON has them
}

// Cattle reports whether the machine is recreated instead of updated in place.
func (lc *Lifecycle) Cattle() bool { return lc.Strategy != values.InPlace }

// Hooks reports whether a Job of vmrender's own image belongs to the machine.
func (lc *Lifecycle) Hooks() bool { return lc.Strategy.Traits().Job || lc.SnapshotBefore }

// AnnotationPos returns where the annotation of the VirtualMachine was written,
// or the machine's position for one that was not.
func (m *Machine) AnnotationPos(key string) source.Pos {
	if f := m.wide.annotations.Field(key); f != nil && f.Value.Line > 0 {
		return f.Pos()
	}
	return m.Pos
}

// Dependency is one VM that another depends on.
type Dependency struct {
	Namespace, Name string
	Pos             source.Pos
}
