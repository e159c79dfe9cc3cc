// Package catalog holds what is known about operating systems and sizes: data
// files compiled into the program, which a fleet may extend or override. It
// knows facts, never a user's files.
package catalog

import "github.com/vmrender/vmrender/pkg/source"

// Catalog is everything a virtual machine can name. A fleet's own entries
// merge over the built-in ones, key by key.
type Catalog struct {
	// Operating systems, by name.
	OS map[string]*OS `json:"os,omitempty"`
	// Sizes, by name: `cpu` and `memory` in the forms of the VM keys.
	Flavors map[string]*Flavor `json:"flavors,omitempty"`
	// Networks that NICs name. `pod` is built in: the pod network.
	Networks map[string]*Network `json:"networks,omitempty"`
	// Disk sources that disks name with `source: {image: NAME}`.
	Images map[string]*Source `json:"images,omitempty"`
	// Storage classes under a short name, with the modes that fit them.
	StorageClasses map[string]*StorageClass `json:"storageClasses,omitempty"`
}

// OS is what one operating system needs of its virtual machine.
type OS struct {
	// The entry that this one is built from. Maps merge, `traits` replaces.
	From string `json:"from,omitempty"`
	// Name of the operating system in the annotation `vm.kubevirt.io/os`; the entry's own name where unset. It is not inherited through `from`.
	Label string `json:"label,omitempty"`
	// What the guest is.
	Family string `json:"family,omitempty" enum:"linux,windows"`
	// Named pieces that make up the virtual hardware; `vmrender catalog traits` lists them. The list replaces the inherited one.
	Traits []string `json:"traits,omitempty"`
	// Where the root disk's content comes from.
	Image *Source `json:"image,omitempty"`
	// Size of the root disk, a quantity such as `30Gi`.
	RootSize string `json:"rootSize,omitempty" format:"quantity"`
	// The least that the operating system runs with.
	Minimum *Minimum `json:"minimum,omitempty"`
	// The user that cloud-init sets up.
	User string `json:"user,omitempty"`
	// What the machine is for, as the annotation `vm.kubevirt.io/workload` says it: server, desktop or highperformance.
	Workload string `json:"workload,omitempty"`
	// VM keys that every VM of this operating system inherits, below the fleet's own defaults.
	Defaults *source.Node `json:"defaults,omitempty" ref:"VM"`
	// A merge patch (RFC 7386) on the VirtualMachine, applied before the VM's own.
	Overrides *source.Node `json:"overrides,omitempty" ref:"VirtualMachine"`
}

// Minimum is the smallest machine an operating system runs on.
type Minimum struct {
	// Virtual CPUs.
	CPU int `json:"cpu,omitempty" minimum:"0"`
	// Guest memory, a quantity such as `1536Mi`.
	Memory string `json:"memory,omitempty" format:"quantity"`
}

// Flavor is a size: the VM keys `cpu` and `memory` in any of their forms.
type Flavor struct {
	// Virtual CPUs, as the VM key `cpu`.
	CPU *source.Node `json:"cpu,omitempty" ref:"CPU"`
	// Memory, as the VM key `memory`.
	Memory *source.Node `json:"memory,omitempty" ref:"Memory"`
}

// Network is what a NIC can be attached to.
type Network struct {
	// The NetworkAttachmentDefinition, as `namespace/name`.
	NAD string `json:"nad,omitempty"`
	// True for a variant of the pod network.
	Pod bool `json:"pod,omitempty"`
	// How NICs are bound to it: bridge (default), masquerade (pod network), sriov, or the name of a network binding plugin.
	Binding string `json:"binding,omitempty"`
	// NIC model for this network where it is not the operating system's, such as `virtio`.
	Model string `json:"model,omitempty" enum:"virtio,e1000,e1000e,igb,ne2k_pci,pcnet,rtl8139"`
	// The VLAN it carries; for people, it changes nothing that is rendered.
	VLAN int `json:"vlan,omitempty" minimum:"1" maximum:"4094"`
	// Default gateway of NICs with an `ip`.
	Gateway string `json:"gateway,omitempty" format:"ip"`
	// Name servers of NICs with an `ip`.
	DNS []string `json:"dns,omitempty" format:"ip"`
	// The subnet; a NIC's `ip` must lie in it.
	CIDR string `json:"cidr,omitempty" format:"cidr"`
}

// StorageClass names a class of the cluster with the modes that fit it.
type StorageClass struct {
	// Name of the StorageClass on the cluster.
	Name string `json:"name,omitempty"`
	// Access mode of claims; CDI chooses by the class's StorageProfile where it is unset.
	AccessMode string `json:"accessMode,omitempty" enum:"ReadWriteOnce,ReadWriteMany,ReadOnlyMany,ReadWriteOncePod"`
	// Volume mode of claims; CDI chooses by the class's StorageProfile where it is unset.
	VolumeMode string `json:"volumeMode,omitempty" enum:"Block,Filesystem"`
}

// Source is where a disk's content comes from: exactly one of the first group.
type Source struct {
	// DataSource to clone, as `namespace/name`.
	DataSource string `json:"dataSource,omitempty"`
	// Entry of the catalogue's `images`.
	Image string `json:"image,omitempty"`
	// Container image that holds a disk, imported through CDI, such as `docker://quay.io/containerdisks/fedora:42`.
	Registry string `json:"registry,omitempty"`
	// Disk image behind an http or https URL.
	HTTP string `json:"http,omitempty"`
	// Disk image in an S3 bucket.
	S3 string `json:"s3,omitempty"`
	// Disk image in a Google Cloud Storage bucket.
	GCS string `json:"gcs,omitempty"`
	// PersistentVolumeClaim to clone, as `namespace/name`.
	PVC string `json:"pvc,omitempty"`
	// VolumeSnapshot to clone, as `namespace/name`.
	Snapshot string `json:"snapshot,omitempty"`
	// Container image that is booted from directly; what the guest writes is lost when it stops.
	ContainerDisk string `json:"containerDisk,omitempty"`
	// Existing PersistentVolumeClaim of the VM's namespace, used as it is.
	Claim string `json:"claim,omitempty"`
	// Scratch disk, empty at every start.
	EmptyDisk bool `json:"emptyDisk,omitempty"`
	// A disk that is filled by an upload (`virtctl image-upload`).
	Upload bool `json:"upload,omitempty"`
	// An empty disk.
	Blank bool `json:"blank,omitempty"`

	// Secret with the credentials of registry, http, s3 or gcs.
	Secret string `json:"secret,omitempty"`
	// ConfigMap with the certificate authority of registry, http or s3.
	CertConfigMap string `json:"certConfigMap,omitempty"`
	// Version of the content, for cattle: a new one makes a new root disk.
	Version string `json:"version,omitempty"`
}

// Trait is a named piece of virtual hardware that operating systems are composed of.
type Trait struct {
	// What it is, in one line.
	Description string `json:"description,omitempty"`
	// Bus of disks.
	DiskBus string `json:"diskBus,omitempty"`
	// Bus of CD-ROMs.
	CDROMBus string `json:"cdromBus,omitempty"`
	// Model of NICs.
	NICModel string `json:"nicModel,omitempty"`
	// What the short form of `cpu` grows: sockets (default) or cores.
	Topology string `json:"topology,omitempty" enum:"sockets,cores"`
	// One queue per virtual CPU for virtio NICs, where there is more than one CPU.
	Multiqueue bool `json:"multiqueue,omitempty"`
	// VM keys.
	Defaults *source.Node `json:"defaults,omitempty"`
	// A piece of KubeVirt's VirtualMachineInstanceSpec, in its own words.
	Spec *source.Node `json:"spec,omitempty"`
}
