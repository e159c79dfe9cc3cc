package fleet

import (
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
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
	Target    Target // what the manifests will run on
	Pos       source.Pos
	Path      string // of the VM in its file, such as "vms.web01"
	// Broken says that there are errors in the machine. Nothing may be rendered of
	// it; only what is kept as written can be checked.
	Broken bool

	group string // name of the VM that this is a replica of; else its own
	wave  *givenWave

	annotations *source.Node // as written
	identities  []address    // the firmware's, written by hand
	stopped     *source.Pos  // of the run strategy that leaves the machine off; else nil

	OS           *catalog.ResolvedOS
	Flavor       string // name of the flavor or instance type; "custom" where there is none
	Workload     string
	Instancetype *Matcher // nil for expanded machines
	Preference   *Matcher // nil where the catalogue's traits decide the hardware

	CPU    CPU    // zero beside an instance type
	Memory Memory // zero beside an instance type

	Disks []MachineDisk // root first, then in the order written
	NICs  []MachineNIC

	CloudInit *MachineCloudInit // nil without cloud-init
	Sysprep   *Sysprep          // nil without an answer file

	Firmware    MachineFirmware
	TPM         TPMMode
	GPUs        []Device
	HostDevices []Device

	MachineType string
	Arch        string
	Hostname    string
	Labels      map[string]string // of the VirtualMachine and its template
	Annotations map[string]string // of the VirtualMachine

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

	Services  []MachineService // in the order written
	Lifecycle MachineLifecycle
	Wave      int // sync wave of the VM and all that is its
	DependsOn []Dependency

	Overrides []*source.Node // merge patches: the operating system's, then the VM's
	Patches   []Patch
	PatchPos  source.Pos // of the key `patches`
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

// MachineDisk is one disk with everything decided.
type MachineDisk struct {
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

// MachineNIC is one NIC with everything decided.
type MachineNIC struct {
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
	Ports     []Port
	BootOrder *uint
	State     string
	Pos       source.Pos

	node *source.Node // as written; nil for the NIC that every VM has
}

// MachineCloudInit is cloud-init with templates expanded. UserData is given
// whole, or the keys that make it are set; never both.
type MachineCloudInit struct {
	CloudInit
	// SecretName is the Secret to render user and network data into; empty for inline data.
	InSecret   bool
	SecretName string
	Bus        string // of the cloud-init disk; empty beside a preference
}

// MachineFirmware is the firmware with everything decided.
type MachineFirmware struct {
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

// MachineService is one Service with everything decided.
type MachineService struct {
	Name        string // of the Service: <vm>-<key>
	PortName    string // key under `services`
	Port        int32
	TargetPort  int32
	Protocol    string
	Type        string
	Labels      map[string]string
	Annotations map[string]string
}

// MachineLifecycle is what happens after a change, with everything decided.
type MachineLifecycle struct {
	Cattle         bool
	Strategy       string // of cattle: one of the constants, such as Rollout
	KeepDisks      bool
	Protect        bool
	SnapshotBefore bool            // of pets
	Ansible        *MachineAnsible // of pets; nil without a job
	MaxUnavailable IntOrPercent
	KeepOld        int   // root disks of earlier revisions that are kept
	Replicas       int32 // of a pool
}

// MachineAnsible is a job that runs after a change: a job template of Ansible
// Automation Platform, or an image with a playbook.
type MachineAnsible struct {
	Template        string
	Image, Playbook string
	Secret          string
	ExtraVars       map[string]any // values as JSON has them
}

// Hooks tells whether a Job of vmrender's own image belongs to the machine.
func (lc *MachineLifecycle) Hooks() bool { return lc.Strategy == Rollout || lc.SnapshotBefore }

// givenWave is a wave as written.
type givenWave struct {
	number int
	pos    source.Pos
}

// AnnotationPos is where the annotation of the VirtualMachine was written; the
// machine's place for one that was not.
func (m *Machine) AnnotationPos(key string) source.Pos {
	if f := m.annotations.Field(key); f != nil && f.Value.Line > 0 {
		return f.Pos()
	}
	return m.Pos
}

// Dependency is one VM that another depends on.
type Dependency struct {
	Namespace, Name string
	Pos             source.Pos
}
