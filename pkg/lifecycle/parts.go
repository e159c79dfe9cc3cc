package lifecycle

import (
	"github.com/vmrender/vmrender/pkg/flux"
	"github.com/vmrender/vmrender/pkg/values"
)

// Part is a group of objects that Argo CD, or Flux, treats in the same way.
type Part uint8

// The parts. Those of VirtualMachines follow from the strategy: see [OfVM].
const (
	Dependent Part = iota // Secrets, Services and objects that users write
	KeptDisk              // DataVolumes that survive their VM
	petVM
	cattleVM
	replacedVM  // cattle with the strategy replace
	blueGreenVM // cattle with the strategy blue-green
	Growth      // claims of disks that grow
	AnsibleJob  // what runs after a change of a VM

	// Jobs and CronJobs of vmrender, and the permissions of each.

	RolloutJob
	RolloutAccess
	SnapshotJob
	SnapshotAccess
	RestoreJob
	RestoreAccess
	WindowJob
	WindowAccess
	ScheduleJob
	ScheduleAccess
	PowerJob
	PowerAccess
	PatchJob
	PatchAccess

	// A Plan for VMs that come from vSphere with what it refers to, and its runs. It is finished when all are done.

	MigrationPlan
	MigrationRun
	FinishedPlan
	FinishedRun
)

// syncRule specifies when Argo CD applies a part, and how it deletes it.
type syncRule struct {
	name    string         // in the documentation
	after   int            // waves after the VM's own; the wave itself for objects of no single VM
	options string         // sync options
	before  string         // sync options if Argo CD does not support confirmation
	removal values.Removal // default; its sync option comes before the others
	compare string         // compare options
	hook    string         // phase of a hook; empty for objects that are not hooks
	cleanup string         // when Argo CD deletes the hook
	loss    string         // what the sync options are for, and what to set instead
	why     string
}

// extraneous keeps objects that survive their VM from leaving the Application
// OutOfSync indefinitely (argo-cd controller/state.go, v3.2.11).
const extraneous = "IgnoreExtraneous"

// lastWave is the wave of Jobs that run when all else is healthy, after all waves that
// users can set and that follow from dependencies. It is the same in every sync, so that
// no commit changes it, and an old Job is deleted in the wave of the new one.
const lastWave = flux.LastWave

// syncRules lists the sync rule of each part.
//
// Argo CD reads Prune, Delete and PruneLast from the live object, so they are set
// from the first sync. Hooks run in full syncs only: self-heal skips them.
var syncRules = [...]syncRule{
	Dependent: {
		name: "Secrets and Services",
		why: "within a wave Argo CD always applies Secrets first; " +
			"a Secret stays if its VM stays, with the same options",
	},
	KeptDisk: {
		name: "separate DataVolumes", options: "Prune=false,Delete=false", compare: extraneous,
		loss: "must be \"Prune=false,Delete=false\", which keeps the disk; remove what changes it, " +
			"or set `keep: false` of the disk if it is to be deleted with its VM",
		why: "a disk whose storage class waits for its first consumer is not filled before the VM starts: " +
			"disk and VM share a wave",
	},
	petVM: {
		name: "VirtualMachine of a pet", options: "Delete=confirm", before: "Delete=false", removal: values.Denied,
		why: "`removal` sets `Prune`; Argo CD before 2.14 does not support confirmation, and then keeps the VM",
	},
	cattleVM: {name: "VirtualMachine of cattle, VirtualMachinePool", why: "deleted when it is removed from Git"},
	replacedVM: {
		name: "VirtualMachine with `strategy: replace`", options: "Force=true,Replace=true",
		why: "Argo CD deletes and recreates it",
	},
	blueGreenVM: {
		name: "VirtualMachine with `strategy: blue-green`", options: "PruneLast=true",
		why: "the old VM is deleted when the new one is healthy",
	},
	Growth: {
		name:  "PersistentVolumeClaim of a disk that grows",
		after: 1, options: "ServerSideApply=true,Prune=false,Delete=false", compare: extraneous,
		why: "the PVC must exist, and CDI owns all of it except its size",
	},
	// Not a hook: the sync waits for a hook, and Argo CD ignores newer commits meanwhile. A sync
	// ends when its last wave is applied (gitops-engine pkg/sync/sync_context.go,
	// argo-cd v3.2.11).
	AnsibleJob: {
		name: "AnsibleJob, or the Job of an image and the Secret with its variables", after: lastWave,
		why: "when all else is healthy, once for each change of the VM; the sync does not wait for it",
	},
	// Argo CD looks at no newer commit while it waits for an object, and waits for all
	// objects except those of the last wave (gitops-engine pkg/sync/sync_context.go,
	// argo-cd v3.2.11). Objects with PruneLast are deleted in a wave of their own.
	RolloutJob: {
		name: "Job of a rollout",
		why: "the sync does not wait for it, so the next commit can end it; " +
			"its name contains the hash of what it rolls out",
	},
	RolloutAccess: {
		name: "ServiceAccount, Role and RoleBinding of a rollout",
		why:  "created before the Job, and deleted with the last VM that rolls out",
	},
	SnapshotJob: {
		name: "Job of the snapshots", hook: "PreSync", cleanup: "BeforeHookCreation",
		why: "before anything else changes; the last run's log stays until the next",
	},
	SnapshotAccess: {
		name:  "ServiceAccount, Role and RoleBinding of the snapshots",
		after: -1, hook: "PreSync", cleanup: "BeforeHookCreation,HookSucceeded",
		why: "created before the Job",
	},
	RestoreJob: {
		name: "Job of restores", after: 1, hook: "PreSync", cleanup: "BeforeHookCreation",
		why: "after a snapshot of what is there, and before anything else changes; the last run's log stays until the next",
	},
	RestoreAccess: {
		name:  "ServiceAccount, Role and RoleBinding of restores",
		after: -1, hook: "PreSync", cleanup: "BeforeHookCreation,HookSucceeded",
		why: "created before the Job",
	},
	WindowJob: {
		name: "CronJob of a maintenance window",
		why:  "it acts in its window only; the sync does not wait for it",
	},
	WindowAccess: {
		name: "ServiceAccount, Role and RoleBinding of a maintenance window",
		why:  "created before the CronJob, and deleted with the last VM of the window",
	},
	ScheduleJob: {
		name: "CronJob of snapshots on a schedule",
		why:  "it acts on its schedule only; the sync does not wait for it",
	},
	ScheduleAccess: {
		name: "ServiceAccount, Role and RoleBinding of snapshots on a schedule",
		why:  "created before the CronJob, and deleted with the last VM of the schedule",
	},
	PowerJob: {
		name: "CronJobs that stop and start VMs",
		why:  "they act at their times only; the sync does not wait for them",
	},
	PowerAccess: {
		name: "ServiceAccount, Role and RoleBinding of CronJobs that stop and start VMs",
		why:  "created before the CronJobs, and deleted with the last VM that has the same times",
	},
	PatchJob: {
		name: "CronJob of Ansible on a schedule, and the ConfigMap with the job that it creates", after: lastWave,
		why: "it acts on its schedule only; the sync does not wait for it",
	},
	PatchAccess: {
		name: "ServiceAccount, Role and RoleBinding of Ansible on a schedule",
		why:  "created before the CronJob, and deleted with the schedule",
	},
	MigrationPlan: {
		name:  "Plan, NetworkMap, StorageMap and Hooks of a migration",
		after: -1, options: "Prune=false,Delete=false",
		why: "created before the Migration; without the Plan, forklift deletes the disks of VMs that are still moving",
	},
	MigrationRun: {
		name: "Migration", options: "Prune=false,Delete=false",
		why: "without it, forklift cancels the running migrations",
	},
	FinishedPlan: {
		name: "Plan, NetworkMap, StorageMap and Hooks of a migration of which all VMs are `done`", after: -1,
		why: "deleted when it is removed from Git; forklift keeps the disks that belong to a VirtualMachine",
	},
	FinishedRun: {
		name: "Migration of which all VMs are `done`",
		why:  "deleted with its Plan",
	},
}
