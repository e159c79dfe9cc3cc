// Package catalog contains the built-in data about operating systems and sizes, which
// is compiled into the program, and merges a fleet's own entries over it. It does not
// read files.
package catalog

import "github.com/vmrender/vmrender/pkg/source"

// Catalog is everything that VMs can refer to by name. A fleet's own entries merge over
// the built-in ones, key by key.
type Catalog struct {
	// Operating systems, by name.
	OS map[string]*OS `json:"os,omitempty"`
	// Sizes, by name: `cpu` and `memory` in the forms of the VM keys.
	Flavors map[string]*Flavor `json:"flavors,omitempty"`
	// Networks of NICs, by name. `pod` is built in: the pod network.
	Networks map[string]*Network `json:"networks,omitempty"`
	// Disk sources, by name. Disks refer to them with `source: {image: NAME}`.
	Images map[string]*Source `json:"images,omitempty"`
	// Storage classes by a short name, with the modes that fit them.
	StorageClasses map[string]*StorageClass `json:"storageClasses,omitempty"`
}

// OS describes the VM that an operating system needs.
type OS struct {
	// Entry that this one is built from. Maps merge, `traits` replaces.
	From string `json:"from,omitempty" names:"os"`
	// Name of the operating system in the annotation `vm.kubevirt.io/os`. Defaults to
	// the name of the entry. It is not inherited through `from`.
	Label string `json:"label,omitempty"`
	// Family of the guest operating system.
	Family string `json:"family,omitempty" enum:"linux,windows"`
	// Traits that make up the virtual hardware; `vmrender catalog traits` lists them.
	// The list replaces the inherited one.
	Traits []string `json:"traits,omitempty" names:"traits"`
	// Source of the root disk's content.
	Image *Source `json:"image,omitempty"`
	// Whether the image contains the QEMU guest agent; unset if that is not known. With false, keys of a VM that need the
	// agent are warnings, unless its user data installs it.
	GuestAgent *bool `json:"guestAgent,omitempty"`
	// Size of the root disk, a quantity such as `30Gi`.
	RootSize string `json:"rootSize,omitempty" format:"quantity"`
	// Minimum size for the operating system.
	Minimum *Minimum `json:"minimum,omitempty"`
	// User that cloud-init sets up.
	User string `json:"user,omitempty"`
	// Purpose of the VM, as in the annotation `vm.kubevirt.io/workload`: server,
	// desktop or highperformance.
	Workload string `json:"workload,omitempty"`
	// VM keys that every VM of this operating system inherits, below the fleet's own defaults.
	Defaults *source.Node `json:"defaults,omitempty" ref:"VM"`
	// Merge patch (RFC 7386) for the VirtualMachine, applied before the VM's own.
	Overrides *source.Node `json:"overrides,omitempty" ref:"VirtualMachine"`
}

// Minimum is the smallest size that an operating system runs with.
type Minimum struct {
	// Virtual CPUs.
	CPU int `json:"cpu,omitempty" minimum:"0" maximum:"4096"`
	// Guest memory, a quantity such as `1536Mi`.
	Memory string `json:"memory,omitempty" format:"quantity"`
	// Whether it needs a TPM.
	TPM bool `json:"tpm,omitempty"`
}

// Flavor is a size: the VM keys `cpu` and `memory` in any of their forms.
type Flavor struct {
	// Virtual CPUs, as the VM key `cpu`.
	CPU *source.Node `json:"cpu,omitempty" ref:"CPU"`
	// Memory, as the VM key `memory`.
	Memory *source.Node `json:"memory,omitempty" ref:"Memory"`
}

// Network is a network that NICs can be attached to.
type Network struct {
	// NetworkAttachmentDefinition, as `namespace/name`, or the name alone of one in the namespace of each VM.
	NAD string `json:"nad,omitempty"`
	// Whether this is a variant of the pod network.
	Pod bool `json:"pod,omitempty"`
	// Binding of NICs: bridge (default), masquerade (pod network), sriov, or the name
	// of a network binding plugin.
	Binding string `json:"binding,omitempty"`
	// NIC model for this network, such as `virtio`. Defaults to that of the operating
	// system.
	Model string `json:"model,omitempty" enum:"virtio,e1000,e1000e,igb,ne2k_pci,pcnet,rtl8139"`
	// VLAN of the network. For information only: it does not change the output.
	VLAN int `json:"vlan,omitempty" minimum:"1" maximum:"4094"`
	// Default gateway of NICs with an `ip`.
	Gateway string `json:"gateway,omitempty" format:"ip"`
	// Name servers of NICs with an `ip`.
	DNS []string `json:"dns,omitempty" format:"ip"`
	// Subnet, which must contain the `ip` of every NIC.
	CIDR string `json:"cidr,omitempty" format:"cidr"`
	// Networks of vSphere whose NICs a migration attaches to this one: names, paths in the inventory, or managed object
	// IDs. See [migrate.md](../how-to/migrate.md).
	VSphere []string `json:"vsphere,omitempty"`
}

// StorageClass is a StorageClass of the cluster with the modes that fit it.
type StorageClass struct {
	// Name of the StorageClass on the cluster.
	Name string `json:"name,omitempty"`
	// Access mode of PVCs. Defaults to what CDI chooses by the StorageProfile of the
	// class.
	AccessMode string `json:"accessMode,omitempty" enum:"ReadWriteOnce,ReadWriteMany,ReadOnlyMany,ReadWriteOncePod"`
	// Volume mode of PVCs. Defaults to what CDI chooses by the StorageProfile of the
	// class.
	VolumeMode string `json:"volumeMode,omitempty" enum:"Block,Filesystem"`
	// Datastores of vSphere whose disks a migration copies to this class: names, paths in the inventory, or managed
	// object IDs.
	VSphere []string `json:"vsphere,omitempty"`
}

// Source is the source of a disk's content: exactly one key of the first group.
type Source struct {
	// DataSource to clone, as `namespace/name`.
	DataSource string `json:"dataSource,omitempty"`
	// Entry under `images` of the catalog.
	Image string `json:"image,omitempty" names:"images"`
	// Container image that contains a disk, imported by CDI, such as
	// `docker://quay.io/containerdisks/fedora:42`.
	Registry string `json:"registry,omitempty"`
	// Disk image at an http or https URL.
	HTTP string `json:"http,omitempty"`
	// Disk image in an S3 bucket.
	S3 string `json:"s3,omitempty"`
	// Disk image in a Google Cloud Storage bucket.
	GCS string `json:"gcs,omitempty"`
	// PersistentVolumeClaim to clone, as `namespace/name`.
	PVC string `json:"pvc,omitempty"`
	// VolumeSnapshot to clone, as `namespace/name`.
	Snapshot string `json:"snapshot,omitempty"`
	// Container image that the VM uses directly. What the guest writes is lost when the VM stops.
	ContainerDisk string `json:"containerDisk,omitempty"`
	// Existing PersistentVolumeClaim in the VM's namespace, used unchanged. Only one VM can write to it, unless the
	// disk is `shareable` in all of them.
	Claim string `json:"claim,omitempty"`
	// Existing DataVolume in the VM's namespace, used unchanged, like `claim`. The volume refers to the DataVolume
	// instead of its PVC, so KubeVirt waits until CDI has filled it.
	DataVolume string `json:"dataVolume,omitempty"`
	// Scratch disk, empty at every start.
	EmptyDisk bool `json:"emptyDisk,omitempty"`
	// Disk that is filled by an upload (`virtctl image-upload`).
	Upload bool `json:"upload,omitempty"`
	// Empty disk.
	Blank bool `json:"blank,omitempty"`
	// ConfigMap whose entries are files on the disk. The guest sees their content at the start of the VM.
	ConfigMap string `json:"configMap,omitempty"`
	// ServiceAccount whose token, namespace and certificate are files on the disk. One for each VM.
	ServiceAccount string `json:"serviceAccount,omitempty"`
	// Disk with metrics of the host and the VM, which `vm-dump-metrics` reads. KubeVirt needs the feature gate
	// DownwardMetrics. One for each VM.
	DownwardMetrics bool `json:"downwardMetrics,omitempty"`
	// Disk with the data of `cloudInit`, which determines the name, position and device of the data. Without such a
	// disk, the data is on the last disk, `cloudinitdisk`. One for each VM.
	CloudInit bool `json:"cloudInit,omitempty"`
	// Disk with the answer file of `sysprep`, in the same way: a CD-ROM unless `type` is set. Without such a disk, the
	// file is on the last disk, `sysprep`. One for each VM.
	Sysprep bool `json:"sysprep,omitempty"`
	// Volume of KubeVirt for which there is no key here, such as `hostDisk` or `ephemeral`.
	Volume *source.Node `json:"volume,omitempty" ref:"volume" example:"{hostDisk: {path: /var/vm/disk.img, type: Disk}}"`
	// Disk of a VM in VMware vSphere, imported by CDI.
	VDDK *source.Node `json:"vddk,omitempty" ref:"vddk"`
	// Disk of oVirt, imported by CDI.
	ImageIO *source.Node `json:"imageio,omitempty" ref:"imageio"`
	// Object that a volume populator, or the driver of the storage class, fills the disk from.
	DataSourceRef *source.Node `json:"dataSourceRef,omitempty" ref:"dataSourceRef"`

	// With registry, http, s3, gcs or containerDisk, or an image of those: Secret with the credentials. Alone, for a
	// disk: Secret whose entries are files on the disk.
	Secret string `json:"secret,omitempty"`
	// ConfigMap with the certificate authority of registry, http or s3.
	CertConfigMap string `json:"certConfigMap,omitempty"`
	// Version of the content, for cattle: a new version creates a new root disk, with every strategy. Except with
	// `rollout`, the VM is recreated with all disks of its own.
	Version string `json:"version,omitempty"`
	// Pull policy of the image of a containerDisk. Defaults to Always for the tag latest, and to IfNotPresent
	// otherwise.
	PullPolicy string `json:"pullPolicy,omitempty" enum:"Always,IfNotPresent,Never"`
	// Path of the disk in the image of a containerDisk. Defaults to the only file under `/disk`.
	Path string `json:"path,omitempty"`
	// Label of the file system with the files of a configMap or secret, such as `OEMDRV`, with which installers find
	// it.
	VolumeLabel string `json:"volumeLabel,omitempty"`
}

// Trait is a named piece of the virtual hardware of operating systems.
type Trait struct {
	// Description, in one line.
	Description string `json:"description,omitempty"`
	// Bus of disks.
	DiskBus string `json:"diskBus,omitempty"`
	// Bus of CD-ROMs.
	CDROMBus string `json:"cdromBus,omitempty"`
	// Model of NICs.
	NICModel string `json:"nicModel,omitempty"`
	// What the short form of `cpu` counts: sockets (default) or cores.
	Topology string `json:"topology,omitempty" enum:"sockets,cores"`
	// Whether virtio NICs have one queue per virtual CPU, if there is more than one
	// CPU.
	Multiqueue bool `json:"multiqueue,omitempty"`
	// VM keys.
	Defaults *source.Node `json:"defaults,omitempty"`
	// Part of a KubeVirt VirtualMachineInstanceSpec, with its keys.
	Spec *source.Node `json:"spec,omitempty"`
	// CPU architectures that have it. Defaults to all.
	Only []string `json:"only,omitempty"`
	// Differences on other CPU architectures than amd64, by architecture. They merge over the trait.
	Arch map[string]*source.Node `json:"arch,omitempty"`
}
