// Package labels defines the keys of labels and annotations under vmrender.io/:
// the contract between rendered objects and the Jobs in the cluster. Objects in
// clusters have these keys, and the Jobs of an older release read them, so a key
// never changes after its release.
package labels

import "strings"

// IsReserved reports whether only vmrender sets a label or annotation.
func IsReserved(key string) bool { return strings.HasPrefix(key, "vmrender.io/") }

// ManagedBy is Kubernetes' label of what manages an object: [Manager] on all that is
// rendered, and on all that Jobs create.
const (
	ManagedBy = "app.kubernetes.io/managed-by"
	Manager   = "vmrender"
)

// App is a label of all that is rendered: the name of the VM, which users select by. `labels` of the VM can replace it
// on the VirtualMachine.
const App = "app"

// BlockTracking is KubeVirt's label of VMs whose changed blocks are tracked, for incremental backups (v1.8.4,
// pkg/storage/cbt/cbt.go, CBTLabel).
const BlockTracking = "changedBlockTracking"

// Protection is a label of VMs: with the value [Protected], an admission policy of OpenShift rejects their deletion
// (kubevirt/ssp-operator, OpenShift 4.19 and later).
const (
	Protection = "kubevirt.io/vm-delete-protection"
	Protected  = "True"
)

// The keys on VirtualMachines that control the Jobs. Package render writes them,
// package rollout reads them.
const (
	// Rollout is a label of the VirtualMachines that a rollout restarts: the name of
	// the part of the fleet, by which `vmrender rollout --id` selects them.
	Rollout = "vmrender.io/rollout"
	// MaxUnavailable is an annotation: the maximum number of VirtualMachines with the
	// same [Entry] and the same maximum that may be unavailable at a time, or a
	// percentage of them such as "25%". Defaults to 1.
	MaxUnavailable = "vmrender.io/max-unavailable"
	// Group is a label of the pods of VMs rendered for `replicas`: the name of their entry. Services and users select
	// by it.
	Group = "vmrender.io/group"
	// Entry is an annotation of VirtualMachines rendered for `replicas`: the name of their
	// entry in the values files. VirtualMachines without it are counted together.
	Entry = "vmrender.io/entry"
	// ProgressDeadline is an annotation: the number of seconds after which a step of
	// a rollout has failed for the VirtualMachine. The default depends on how long its
	// guest may take to stop.
	ProgressDeadline = "vmrender.io/progress-deadline-seconds"
	// KeepOld is an annotation: the number of outdated root disks of the
	// VirtualMachine that a rollout keeps. Defaults to 0.
	KeepOld = "vmrender.io/keep-old"
	// Content is an annotation of VirtualMachines with snapshots before changes: a
	// hash of everything that is rendered for the VirtualMachine, except [OnChange] and a
	// wave of 0, which follow from the rest. On VirtualMachines of a rollout, it is a hash
	// of their spec and of the annotations above.
	Content = "vmrender.io/content"
	// Maintenance is an annotation of pets: the weekly window in which they are restarted for changes that wait for
	// it, such as "Sun 02:00-04:00 Europe/Berlin". It is for users, plans and status; the CronJob of the window lists
	// its VMs.
	Maintenance = "vmrender.io/maintenance"
	// Snapshots is an annotation of pets: when snapshots of them are taken, and how many are kept, such as
	// "daily 01:30 Europe/Berlin, keep 7". It is for users and status; the CronJob of the schedule lists its VMs.
	Snapshots = "vmrender.io/snapshots"
	// Power is an annotation of pets: when they are stopped and started, such as
	// "off daily 19:00 UTC, on Mon-Fri 07:00 UTC". It is for users, plans and status; the CronJobs list their VMs.
	Power = "vmrender.io/power"
	// Patch is an annotation of pets: when Ansible patches them, such as "Sun 03:00 UTC". It is for users, plans and
	// status; each pet has a CronJob of its own.
	Patch = "vmrender.io/patch"
	// Restore is an annotation of pets: the snapshot that the VirtualMachine is restored from, or was, as SNAPSHOT@TOKEN.
	// A VirtualMachine that has the value is not restored again. Without a token it restores nothing.
	Restore = "vmrender.io/restore"
	// Wave is an annotation of all objects of a fleet that Flux delivers: the number of the wave, which is the directory
	// of the object. The number of the objects that come after all waves is above those that users can set.
	Wave = "vmrender.io/wave"
	// Catalog is an annotation of VirtualMachineTemplates, and of the VMs that are created from them: the fleet and the
	// operating system of its catalog, such as "site/rhel9". These VMs are not in Git.
	Catalog = "vmrender.io/catalog"
	// Lifecycle is an annotation: [Pet] or [Cattle]. A rollout restarts no pets.
	Lifecycle = "vmrender.io/lifecycle"
)

// The values of [Lifecycle].
const (
	Pet    = "pet"
	Cattle = "cattle"
)

// RolloutSuffix and the name of a part of the fleet, the value of [Rollout], form the
// name of the ServiceAccount of a rollout, and that of its Lease.
const RolloutSuffix = "-rollout"

// The annotations of the Leases of runs. Package rollout writes and reads them.
const (
	// Stopped lists the VirtualMachines at which a rollout has stopped, with their
	// [Content]: "web-0=1a2b3c4d web-1=1a2b3c4d".
	Stopped = "vmrender.io/stopped"
	// Ran lists the root disks from which each VirtualMachine ran at the end of a
	// rollout, the last one first: "web-0=web-0-root-1a2b3c4d,web-0-root-99aabbcc".
	Ran = "vmrender.io/ran"
	// Powered lists the VirtualMachines that were to be stopped or started on a schedule, with what the last run made
	// of each: "app=stopped db=was-stopped". It is on the Lease of these runs.
	Powered = "vmrender.io/powered"
)

// The keys on other objects that the Jobs read or write.
const (
	// Disk is a label of the DataVolumes of a VirtualMachine in a rollout: the name
	// of the disk. Package render writes it on root disks, with the value
	// [RootDisk]; a rollout deletes no DataVolume without it.
	Disk = "vmrender.io/disk"
	// SnapshotOf is a label of the VirtualMachineSnapshots that package rollout
	// takes: the name of the VirtualMachine.
	SnapshotOf = "vmrender.io/snapshot-of"
	// Change is an annotation of the VirtualMachineSnapshots that package rollout
	// takes: the change of the VirtualMachine that it was taken before.
	Change = "vmrender.io/change"
	// Started is an annotation of the VirtualMachineRestores that package rollout creates: "true" if the
	// VirtualMachine ran before, and nothing but a request starts it again.
	Started = "vmrender.io/started"
	// Schedule is a label of the VirtualMachineSnapshots that package rollout takes on a schedule: the name of the
	// part of the fleet that the schedule is of. Package rollout deletes none without it.
	Schedule = "vmrender.io/schedule"
	// PatchOf is a label of the jobs of Ansible that package rollout creates on a schedule: the name of the
	// VirtualMachine.
	PatchOf = "vmrender.io/patch-of"
	// PatchRun is a label of the same jobs: the UID of the Job that has created it, or another text of its run.
	PatchRun = "vmrender.io/patch-run"
)

// RootDisk is the value of [Disk] for a root disk.
const RootDisk = "root"

// The keys that package render writes and no Job reads.
const (
	// Pool is a label of the VirtualMachines of a VirtualMachinePool: its name. The
	// pool selects by it.
	Pool = "vmrender.io/pool"
	// Version is an annotation of the disks of a VirtualMachine whose strategy deletes it
	// when it changes: the `version` of the disk's content.
	Version = "vmrender.io/version"
	// UserData is an annotation of the root disk of a VirtualMachinePool: a hash of the
	// data for cloud-init.
	UserData = "vmrender.io/user-data"
	// Strategy is an annotation of VirtualMachines that are named by their content:
	// [BlueGreen]. Plans find the successor of a VM by it.
	Strategy = "vmrender.io/strategy"
	// OnChange is an annotation of all VirtualMachines and VirtualMachinePools: [InPlace]
	// or [Recreate]. It is for users, and for the tools of the platform.
	OnChange = "vmrender.io/on-change"
)

// The values of [OnChange].
const (
	// InPlace is that of pets: a change updates the VM, which keeps its disks.
	InPlace = "in-place"
	// Recreate is that of cattle: a change may replace the VM or its root disk by a new one.
	Recreate = "recreate"
)

// BlueGreen is the value of [Strategy].
const BlueGreen = "blue-green"

// The annotations of the gate, on VirtualMachines and VirtualMachinePools of a fleet that
// asks for approvals. Package render writes them; plans and the admission policies of the
// cluster compare those of the object that is there with those of the one that comes.
const (
	// ApproveFrom is the level of impact, such as "restart", from which a change needs an
	// approval.
	ApproveFrom = "vmrender.io/approve-from"
	// MaxImpact is the highest level that a change may have, approved or not.
	MaxImpact = "vmrender.io/max-impact"
	// Becomes is a digest, 32 hexadecimal digits, of what the VMs of the same entry are.
	Becomes = "vmrender.io/becomes"
	// Approved lists the approvals, sorted by risk: "restart=FROM-TO,data=FROM-TO". FROM
	// and TO are values of [Becomes], FROM is [NoBecomes] if the object has none.
	Approved = "vmrender.io/approved"
	// Stage is "true" for a VM that is left as it is until its next start.
	Stage = "vmrender.io/stage"
	// Held is on a VM that stays as it was: the level of the change that waits, and the approvals that release it, such as
	// "restart restart=FROM-TO".
	Held = "vmrender.io/held"
	// BreakGlass allows changes of an object in the cluster to pass the policies: a reason, and
	// until when. An administrator sets it, and nothing renders it.
	BreakGlass = "vmrender.io/break-glass"
)

// NoLevel is the value of [ApproveFrom] of a VM whose changes need no approval.
const NoLevel = "none"

// NoBecomes stands for the [Becomes] of an object without it, in [Approved].
const NoBecomes = "none"

// The keys on Applications.
const (
	// Fleet is a label of the Applications and ApplicationSets that package delivery
	// creates: the name of the fleet.
	Fleet = "vmrender.io/fleet"
	// Directory is a label of the Applications of an ApplicationSet: the first name
	// of their path below that of the ApplicationSet. Its steps select by it.
	Directory = "vmrender.io/directory"
	// Impact is an annotation of the Applications of layers: "low", "medium" or
	// "high". It is for users.
	Impact = "vmrender.io/impact"
	// OnFailure is an annotation of the Applications of layers: "continue" if later waves do not wait for one that has
	// failed. Argo CD's health check of Applications reads it.
	OnFailure = "vmrender.io/on-failure"
	// Delivery is an annotation of objects of layers: "argocd" for one that no policy
	// contains, because policies do by themselves what it is for.
	Delivery = "vmrender.io/delivery"
)

// The keys on objects of layers.
const (
	// MachineConfig and a number above 0 is an annotation of MachineConfigPools: a
	// MachineConfig that a layer of the platform applies to the pool. Argo CD's health
	// check of the pool waits for it.
	MachineConfig = "vmrender.io/machine-config-"
	// NodePool is an annotation of Nodes: the labels and taints, as JSON, that the pools of the layer node-pools
	// have set.
	NodePool = "vmrender.io/node-pool"
)

// The annotations of charts (in Chart.yaml), which package layers reads.
const (
	// ChartNamespace is the namespace of the objects that do not set one.
	ChartNamespace = "vmrender.io/namespace"
)
