// Package machine has the type of a decided VM, [Machine], in which nothing is optional: package resolve makes it of an
// entry of a fleet, package validation checks it, and other packages read it.
package machine

import (
	"maps"
	"net/netip"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/approval"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/patch"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// Machine is one resolved VM: inheritance merged, names looked up, templates
// expanded, defaults filled in. Empty fields are omitted from the manifests.
type Machine struct {
	Fleet string // name of the fleet
	// Part is a name for what is rendered together: the name of the fleet, and a hash of the path below its
	// root, of the selected VMs and of the Application's name. It is unique among Applications.
	Part      string
	Name      string // of the VirtualMachine, with its ordinal
	Entry     string // name of the entry if the VM is one of its replicas, or ""
	Namespace string
	Target    values.Target // cluster that the manifests will run on
	Pos       source.Pos
	Path      string // of the VM in its file, such as "vms.web01"
	// Sibling is true for a replica that is not selected, although the fleet has a gate: it is only there for what the
	// other replicas of its entry become, and must not be written.
	Sibling bool
	// Broken is true if there are errors in the VM. It must not be rendered; only values that are kept as
	// written can be checked.
	Broken bool

	// Written is the entry that the VM is resolved from, which other replicas share; nil for an example of the reference.
	Written *fleet.Entry

	// Adopted is true if the VM was made elsewhere, and gets only what its values say.
	Adopted bool

	OS       *catalog.ResolvedOS
	Workload string
	Sizing

	Disks []Disk // root first, unless it is removed; then in the order written
	NICs  []NIC  // nil if KubeVirt attaches one to the pod network by itself: to an adopted VM without the key

	Filesystems []Filesystem // sorted by name

	CloudInit *CloudInit // nil if there is no cloud-init
	Sysprep   *Sysprep   // nil if there is no answer file

	Hardware

	MachineType string
	Arch        string
	Metadata

	RunStrategy string
	// Running is the older form of RunStrategy, if the VM has it instead; or nil.
	Running                       *bool
	EvictionStrategy              string
	NodeSelector                  map[string]string // the placement's merged over the VM's
	PriorityClassName             string
	TerminationGracePeriodSeconds *int64

	// Parts of the Kubernetes and KubeVirt APIs, as written, or nil if unset.
	Tolerations               []*source.Node // lists: the placement's, then the VM's
	Affinity                  *source.Node
	TopologySpreadConstraints *source.Node
	ReadinessProbe            *source.Node
	LivenessProbe             *source.Node
	AccessCredentials         *source.Node

	Services  []Service // in the order written
	Objects   []Object  // in the order written
	Lifecycle Lifecycle
	Gate      *Gate      // nil if no change of the VM is gated
	Migration *Migration // nil if the VM does not come from vSphere
	Wave      int        // sync wave of the VM and the objects that belong to it
	DependsOn []Dependency

	Overrides []*source.Node // merge patches: the operating system's, then the VM's
	Patches   []patch.Operation
	PatchPos  source.Pos // of the key `patches`
}

// Metadata contains the host name, labels and annotations of a VM.
type Metadata struct {
	Hostname    string
	Labels      map[string]string // of the VirtualMachine and its template
	Annotations map[string]string // of the VirtualMachine
	PodLabels   map[string]string // of the template only; they win over the labels of both

	PodAnnotations map[string]string // of the template
	// Backup is true if KubeVirt tracks the changed blocks of the disks.
	Backup bool
	// Plain is true if the VM and its pods do not get the labels and annotations that consoles show.
	Plain bool
}

// OfPods returns the labels that the user gives the pods of a VM, not to be changed.
func (m *Metadata) OfPods() map[string]string {
	if len(m.PodLabels) == 0 {
		return m.Labels
	}
	out := make(map[string]string, len(m.Labels)+len(m.PodLabels))
	maps.Copy(out, m.Labels)
	maps.Copy(out, m.PodLabels)
	return out
}

// Sizing is cpu and memory, or the instance type that sets both.
type Sizing struct {
	Flavor       string          // name of the flavor or instance type; "custom" if there is none
	Instancetype *values.Matcher // nil if cpu and memory are set
	Preference   *values.Matcher // nil if the catalog's traits set the hardware
	// Volumes that KubeVirt infers the instance type and the preference from; empty if they have names.
	InstancetypeVolume, PreferenceVolume string
	CPU                                  values.CPU    // zero next to an instance type
	Memory                               values.Memory // zero next to an instance type
	Resources                            values.Resources
	// Given is the part of CPU and Memory that is rendered, for adopted VMs; nil if all of it is.
	Given *Given
}

// Rendered returns what is rendered of the size.
func (s *Sizing) Rendered() Given {
	if s.Given != nil {
		return *s.Given
	}
	return Given{s.CPU, s.Memory}
}

// Hardware is firmware and devices.
type Hardware struct {
	Firmware    Firmware
	TPM         TPMMode
	GPUs        []values.Device
	HostDevices []values.Device
}

// DiskKind is the kind of volume that provides a disk's content.
type DiskKind uint8

// The kinds of disks.
const (
	DiskDataVolume    DiskKind = iota // a PVC of the VM that CDI fills
	DiskClaim                         // an existing PersistentVolumeClaim, or that of an existing DataVolume
	DiskContainerDisk                 // a container image
	DiskEmpty                         // scratch space
	DiskEjected                       // a CD-ROM drive without a medium
	DiskFiles                         // files that Kubernetes or KubeVirt provides: a ConfigMap, Secret, …
	DiskGuestData                     // the data of cloud-init, or the answer file
	DiskVolume                        // a volume in the form of KubeVirt
)

// Disk is one disk with all values resolved.
type Disk struct {
	Name   string // key under `disks`
	Volume string // name of disk and volume: "rootdisk" for root, unless it is given
	Kind   DiskKind
	// Claim is the name of the DataVolume, with the number of its revision, or of what exists.
	Claim  string
	Source catalog.Source // `image` already looked up
	Size   string         // quantity; empty if the source determines it
	// StorageClass is the name in the cluster, or empty for its default.
	StorageClass  string
	AccessMode    string
	VolumeMode    string
	Bus           string // empty with a preference
	Type          string // disk, cdrom or lun
	BootOrder     *uint
	Cache         string
	IO            string
	Serial        string
	ReadOnly      bool
	Shareable     bool
	Hotpluggable  bool
	Preallocation *bool
	// PVC is true if the DataVolume has CDI's `pvc`, which is in its patch, instead of `storage`. Size, class and modes
	// are then those of the patch.
	PVC bool
	// Keep is true if the DataVolume is a separate object that survives the VM. Otherwise the VM owns it.
	Keep     bool
	ExpandTo string // quantity; empty if the disk keeps its size
	// Revision is the number of the claim, or 0 if it is not set. A number above 1 is part of the claim's name.
	Revision uint
	Migrated bool // a migration from vSphere fills the claim
	// Labels are the user's labels of the DataVolume, for its claim: those of the VM, and over them its own.
	Labels map[string]string
	Pos    source.Pos

	Overrides  *source.Node // merge patch on KubeVirt's disk, or nil
	DataVolume *source.Node // merge patch on the DataVolume, or nil
}

// KeyPath returns the path of a key of the disk, such as "disks.root.size". Without a key it is that of the disk.
func (d *Disk) KeyPath(key string) string {
	if key == "" {
		return "disks." + d.Name
	}
	return "disks." + d.Name + "." + key
}

// Filesystem is a directory of the cluster that the guest mounts. Exactly one key of the value is set.
type Filesystem struct {
	Name string // of the tag, and of the volume
	values.Filesystem
}

// NIC is one NIC with all values resolved: Network is "pod" if it was not set, Name, Binding and Model are what they
// are by default, Model empty with a preference and for bindings without a model.
type NIC struct {
	values.NIC
	Pod        bool    // attached to the pod network
	Unnumbered bool    // the guest gives it no address: neither IP nor one from DHCP
	NAD        string  // otherwise attached to this NetworkAttachmentDefinition, namespace/name
	Routes     []Route // with `default` resolved
	Pos        source.Pos

	Written *source.Node // as the user wrote it; nil for the default NIC
}

// Route is one static route; [values.Route] with `default` resolved to a prefix.
type Route struct {
	To  netip.Prefix
	Via netip.Addr
}

// CloudInit is cloud-init with templates expanded. Either UserData is set, or
// the keys that generate it, never both.
type CloudInit struct {
	values.CloudInit
	// InSecret is true if user and network data are in a Secret: those of a pet, and others if `store` says so.
	// Otherwise they are inline, unless they are too long.
	InSecret   bool
	SecretName string // name of that Secret
}

// Sysprep is the answer file of a Windows guest.
type Sysprep struct {
	values.Sysprep
	Bus string // of its CD-ROM; empty with a preference
}

// Firmware is the firmware with all values resolved.
type Firmware struct {
	Type       string // bios, efi, secureboot; empty if a preference sets it
	Persistent bool
	UUID       string
	Serial     string
}

// TPMMode specifies whether a VM has a TPM.
type TPMMode uint8

// The modes of a TPM.
const (
	TPMNone TPMMode = iota
	TPMVolatile
	TPMPersistent
)

// Service is one Service with all values resolved.
type Service struct {
	Name        string // of the Service: <vm>-<key>, or <entry>-<key> for all replicas
	Key         string // under `services`
	Group       bool   // whether it selects all replicas of the entry
	Ports       []values.ServicePort
	Type        string
	Labels      map[string]string
	Annotations map[string]string
	Overrides   *source.Node // merge patch; nil if there is none
}

// Object is a further object of the VM, as written, with templates expanded.
type Object struct {
	Key      string // under `objects`
	Name     string
	Manifest *source.Node // a map with apiVersion and kind
}

// Lifecycle specifies what happens after a change, with all values resolved.
type Lifecycle struct {
	Strategy       values.Strategy // [values.InPlace] for pets
	KeepDisks      bool
	Removal        values.Removal // empty for the default
	Unprotected    bool           // whether nothing protects the VM from deletion, or checks that it is protected
	Protect        bool
	SnapshotBefore bool         // of pets
	Ansible        *Ansible     // of pets; nil if there is no job
	Maintenance    *Maintenance // of pets; nil if there is none
	Snapshots      *Snapshots   // of pets, on a schedule; nil if there are none
	Power          *Power       // of pets; nil if only users start and stop the VM
	// RestoreFrom is a restore of a pet, with the token only if there is one; nil if there is none.
	RestoreFrom    *approval.Restore
	MaxUnavailable values.IntOrPercent
	// ProgressDeadlineSeconds limits each step of a rollout; 0 if it is not set.
	ProgressDeadlineSeconds int
	KeepOld                 int   // number of root disks of earlier revisions to keep
	Replicas                int32 // of a pool

	// Parts of KubeVirt's pool, as written, or nil if unset.
	ScaleInStrategy, Autohealing, UpdateStrategy *source.Node
}

// Ansible is a job that runs after a change: a job template of Ansible
// Automation Platform, or an image with a playbook.
type Ansible struct {
	Template        string
	Image, Playbook string
	Secret          string
	ExtraVars       map[string]any // values as in JSON
	Schedule        *Times         // nil if it runs after changes only
}

// Patches reports whether a CronJob of Ansible belongs to the VM.
func (lc *Lifecycle) Patches() bool { return lc.Ansible != nil && lc.Ansible.Schedule != nil }

// Cattle reports whether the VM is recreated instead of updated in place.
func (lc *Lifecycle) Cattle() bool { return !lc.Strategy.Traits().Pet }

// Restores reports whether the VM is restored from a snapshot.
func (lc *Lifecycle) Restores() bool { return lc.RestoreFrom != nil && lc.RestoreFrom.Token != "" }

// Hooks reports whether a Job with vmrender's own image belongs to the VM.
func (lc *Lifecycle) Hooks() bool {
	return lc.Strategy.Traits().Job || lc.SnapshotBefore || lc.Maintenance != nil || lc.Snapshots != nil ||
		lc.Power != nil || lc.Restores()
}

// AnnotationPos returns the position of an annotation of the VirtualMachine,
// or of the VM if a file does not set it.
func (m *Machine) AnnotationPos(key string) source.Pos {
	if m.Written == nil {
		return m.Pos
	}
	if f := m.Written.Keys.Get("annotations").Field(key); f != nil && f.Value.Line > 0 {
		return f.Pos()
	}
	return m.Pos
}

// ServicePos returns the position of the value under a path of keys below `services`, or of the VM if no file sets it.
func (m *Machine) ServicePos(keys ...string) source.Pos {
	if m.Written == nil {
		return m.Pos
	}
	if n := m.Written.Keys.Get("services").Get(keys...); n != nil && n.Line > 0 {
		return n.Pos()
	}
	return m.Pos
}

// KeyPos returns the position of the value under keys, or of the VM if it is not set.
func (m *Machine) KeyPos(keys ...string) source.Pos {
	if m.Written == nil {
		return m.Pos
	}
	return m.Written.At(keys...)
}

// Errorf reports a problem at pos, under a path below the VM's, unless it follows from a problem that was already
// reported.
func (m *Machine) Errorf(diags *source.Diagnostics, pos source.Pos, id rule.ID, path, format string, args ...any) {
	if m.Written == nil {
		diags.Errorf(pos, id, m.Path+"."+path, format, args...)
		return
	}
	m.Written.Errorf(diags, pos, id, path, format, args...)
}

// CopiesVolumes reports whether KubeVirt copies the disks of the VM to new claims while it runs: those of pets with
// revisions.
func (m *Machine) CopiesVolumes() bool {
	return !m.Lifecycle.Cattle() && slices.ContainsFunc(m.Disks, func(d Disk) bool { return d.Revision > 0 })
}

// Dependency is one VM that another depends on.
type Dependency struct {
	Namespace, Name string
	Pos             source.Pos
}

// IsConfigured reports whether network data says which address the guest gives the NIC, or that it gives it none.
func (n *NIC) IsConfigured() bool { return n.IP != "" || n.Unnumbered }

// At returns the position of a key of the NIC, or of the NIC if it is not set.
func (n *NIC) At(key string) source.Pos {
	if v := n.Written.Get(key); v != nil {
		return v.Pos()
	}
	return n.Pos
}

// nicPaths are the paths of the first NICs, which most VMs do not exceed.
var nicPaths = [...]string{"nics[0]", "nics[1]", "nics[2]", "nics[3]"}

// NICPath returns the path of the i-th NIC below the VM's, such as "nics[0]".
func NICPath(i int) string {
	if i < len(nicPaths) {
		return nicPaths[i]
	}
	return source.IndexPath("nics", i)
}

// Given is what the values of an adopted VM say of its size. What they leave out is not rendered.
type Given struct {
	CPU    values.CPU
	Memory values.Memory
}

// Writes reports whether the guest can write to a disk.
func (d *Disk) Writes() bool { return !d.ReadOnly && d.Type != "cdrom" }

// Kind returns the kind with its group, in the form of `policy.objects`: "apps/Deployment", or "Pod" of the core group.
func (o *Object) Kind() string {
	group, _, found := strings.Cut(o.Manifest.Get("apiVersion").Str(), "/")
	kind := o.Manifest.Get("kind").Str()
	if !found {
		return kind
	}
	return group + "/" + kind
}

// The volumes with the guest's data, unless a disk with the data has another name.
const (
	CloudInitVolume = "cloudinitdisk"
	SysprepVolume   = "sysprep"
)
