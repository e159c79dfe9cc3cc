package values

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// RootDisk is the key of the boot disk under `disks`.
const RootDisk = "root"

// Disk is the long form of an entry of `disks`.
type Disk struct {
	// Size, a quantity such as `120Gi`. Defaults to the source's for clones: `dataSource`, `pvc`, `snapshot`.
	Size string `json:"size,omitempty" format:"quantity"`
	// Content: `blank`, or the long form.
	Source *Source `json:"source,omitempty"`
	// Name of the disk's DataVolume and PVC. Defaults to `<vm>` for root and `<vm>-<disk>` for others. Use it to keep
	// the name of an existing disk. A template. A different name is a different disk: the old one stays, with its data.
	// With a `revision` of 2 or higher, `-<revision>` is appended. Not for disks with several copies at a time: the
	// root disk of cattle that is named by its content, and disks of `blue-green` and `pool`.
	ClaimName string `json:"claimName,omitempty" format:"name"`
	// Name of the disk and its volume in the VirtualMachine, to keep the name of an existing disk. Defaults to the key,
	// and to `rootdisk` for root. A different name needs a restart. Not for the root disk of cattle, which rollouts
	// find by its name.
	Name string `json:"name,omitempty"`
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
	// Whether the disk can be added and removed while the VM runs. Its bus defaults to `scsi` then. Defaults to
	// `hotpluggable` of the VM, which keeps the bus.
	Hotpluggable *bool `json:"hotpluggable,omitempty"`
	// Whether to allocate all space when the disk is created.
	Preallocation *bool `json:"preallocation,omitempty"`
	// Whether the disk survives its VM. The default depends on the lifecycle.
	Keep *bool `json:"keep,omitempty"`
	// Size that the PVC grows to after it was created.
	ExpandTo string `json:"expandTo,omitempty" format:"quantity"`
	// Whether the CD-ROM drive is empty.
	Ejected *bool `json:"ejected,omitempty"`
	// Labels of the DataVolume, and of its claim, in addition to `diskLabels` of the VM. Values are templates.
	Labels map[string]string `json:"labels,omitempty" example:"{backup: gold}"`
	// Number of the PVC with the disk's content, from 1. A different number is a different PVC. With a new storage
	// class, access mode, volume mode or source next to it, KubeVirt copies the disk of a running pet to the new PVC,
	// and the old PVC stays. See [storage-migration.md](../how-to/storage-migration.md).
	Revision *uint `json:"revision,omitempty" minimum:"1"`

	// Merge patch (RFC 7386) on KubeVirt's disk, for fields without a key: `{errorPolicy: ignore}`. Levels merge by
	// key.
	Overrides *source.Node `json:"overrides,omitempty" ref:"Disk"`
	// Merge patch on the DataVolume of the disk, such as `{metadata: {annotations: {KEY: VALUE}}}`. Its `spec` takes
	// effect only when the disk is created. It cannot change name, namespace and the settings for Argo CD. Levels merge
	// by key. For a disk that was created with CDI's `pvc`, set `{spec: {pvc: {…}}}` with its size and
	// access mode, and none of `size`, `storageClass`, `accessMode` and `volumeMode`.
	DataVolume *source.Node `json:"dataVolume,omitempty" ref:"DataVolume"`
}

// DriversDisk is `driversDisk`: a boolean, or the image of the disk.
type DriversDisk struct {
	Enabled bool
	Image   string // empty for the default
}

// DecodeNode reads a boolean or the name of an image.
func (d *DriversDisk) DecodeNode(n *source.Node, path source.Path, diags *source.Diagnostics) {
	switch n.Kind {
	case source.Bool:
		d.Enabled = strings.EqualFold(n.Text, "true")
	case source.String:
		d.Enabled, d.Image = true, n.Text
	default:
		diags.Errorf(n.Pos(), rule.WrongType, path.String(), "expected true, false, or the name of a container image")
	}
}

// Filesystem is one entry of `filesystems`: exactly one of the keys.
type Filesystem struct {
	// PersistentVolumeClaim in the VM's namespace. The guest can write to it. KubeVirt needs the feature gate
	// EnableVirtioFsStorageVolumes, and ReadWriteMany to migrate the VM.
	Claim string `json:"claim,omitempty" format:"name"`
	// ConfigMap. The guest sees its changes. KubeVirt before 1.8 needs the feature gate EnableVirtioFsConfigVolumes for
	// this key and the keys below.
	ConfigMap string `json:"configMap,omitempty" format:"name"`
	// Secret. The guest sees its changes.
	Secret string `json:"secret,omitempty" format:"name"`
	// ServiceAccount, whose current token the guest sees. One for each VM.
	ServiceAccount string `json:"serviceAccount,omitempty" format:"name"`
}

// Source is the source of a disk's content: the short form `blank`, or exactly
// one source.
type Source catalog.Source

// Meant returns the source that a string was probably meant to be, as in YAML, or "".
func (s *Source) Meant(text string) string { return (*catalog.Source)(s).Meant(text) }
