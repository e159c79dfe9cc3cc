package machine

import (
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

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

// Writes reports whether the guest can write to a disk.
func (d *Disk) Writes() bool { return !d.ReadOnly && d.Type != "cdrom" }

// The volumes with the guest's data, unless a disk with the data has another name.
const (
	CloudInitVolume = "cloudinitdisk"
	SysprepVolume   = "sysprep"
)
