// Package machine has the type of a decided VM, [Machine], in which nothing is optional: package resolve makes it of an
// entry of a fleet, package validation checks it, and other packages read it.
package machine

import (
	"maps"
	"slices"
	"strings"

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

// Given is what the values of an adopted VM say of its size. What they leave out is not rendered.
type Given struct {
	CPU    values.CPU
	Memory values.Memory
}

// Kind returns the kind with its group, in the form of `policy.objects`: "apps/Deployment", or "Pod" of the core group.
func (o *Object) Kind() string {
	group, _, found := strings.Cut(o.Manifest.Get("apiVersion").Str(), "/")
	kind := o.Manifest.Get("kind").Str()
	if !found {
		return kind
	}
	return group + "/" + kind
}
