// Package labels defines the keys of labels and annotations under vmrender.io/:
// the contract between rendered objects and the Jobs in the cluster. Objects in
// clusters have these keys, and the Jobs of an older release read them, so a key
// never changes after its release.
package labels

// The keys on VirtualMachines that control the Jobs. Package render writes them,
// package rollout reads them.
const (
	// Rollout is a label of the VirtualMachines that a rollout restarts: the name of
	// the part of the fleet, by which `vmrender rollout --id` selects them.
	Rollout = "vmrender.io/rollout"
	// MaxUnavailable is an annotation: the maximum number of VirtualMachines of a
	// rollout that may be unavailable at a time, or a percentage such as "25%".
	// Defaults to 1.
	MaxUnavailable = "vmrender.io/max-unavailable"
	// KeepOld is an annotation: the number of outdated root disks of the
	// VirtualMachine that a rollout keeps. Defaults to 0.
	KeepOld = "vmrender.io/keep-old"
	// Content is an annotation of VirtualMachines with snapshots before changes: a
	// hash of everything that is rendered for the VirtualMachine.
	Content = "vmrender.io/content"
)

// The keys on other objects that the Jobs read or write.
const (
	// Disk is a label of the DataVolumes of a VirtualMachine in a rollout: the name
	// of the disk. Package render writes it on root disks, with the value
	// [RootDisk]; a rollout deletes no DataVolume without it.
	Disk = "vmrender.io/disk"
	// SnapshotOf is a label of the VirtualMachineSnapshots that package rollout
	// takes: the name of the VirtualMachine. Only people read it.
	SnapshotOf = "vmrender.io/snapshot-of"
)

// RootDisk is the value of [Disk] for a root disk.
const RootDisk = "root"

// The keys that package render writes and no Job reads.
const (
	// Pool is a label of the VirtualMachines of a VirtualMachinePool: its name. The
	// pool selects by it.
	Pool = "vmrender.io/pool"
	// Lifecycle is an annotation of VirtualMachines: "pet" or "cattle". It is for
	// people, like the two below.
	Lifecycle = "vmrender.io/lifecycle"
	// OnChange is an annotation of VirtualMachines: "in-place" or "recreate".
	OnChange = "vmrender.io/on-change"
	// Strategy is an annotation of the VirtualMachines of cattle: the strategy, such as "rollout".
	Strategy = "vmrender.io/strategy"
)

// The keys on Applications.
const (
	// Fleet is a label of the Applications and ApplicationSets that package delivery
	// creates: the name of the fleet.
	Fleet = "vmrender.io/fleet"
	// Directory is a label of the Applications of an ApplicationSet: the first name
	// of their path below that of the ApplicationSet. Its steps select by it.
	Directory = "vmrender.io/directory"
	// Impact is an annotation of the Applications of layers: "low", "medium" or
	// "high". It is for people.
	Impact = "vmrender.io/impact"
)

// The annotations of charts (in Chart.yaml), which package layers reads.
const (
	// ChartNamespace is the namespace of the objects that do not set one.
	ChartNamespace = "vmrender.io/namespace"
)
