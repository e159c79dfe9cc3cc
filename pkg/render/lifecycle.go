package render

import (
	"cmp"
	"strconv"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/flux"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/outcome"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

const (
	// annotationDeleteAfterCompletion keeps CDI 1.61 and earlier (KubeVirt 1.4 and
	// earlier) from deleting a completed DataVolume, which Argo CD would recreate.
	annotationDeleteAfterCompletion = "cdi.kubevirt.io/storage.deleteAfterCompletion"

	// labelProtection makes an admission policy of OpenShift reject deletion
	// (kubevirt/ssp-operator, OpenShift 4.19 and later).
	labelProtection = "kubevirt.io/vm-delete-protection"
	protected       = "True"
)

// part is a group of objects that Argo CD treats in the same way.
type part uint8

const (
	dependent part = iota // Secrets and Services
	keptDisk
	petVM
	cattleVM
	replacedVM  // cattle with the strategy replace
	blueGreenVM // cattle with the strategy blue-green
	growth
	ansibleJob
	rolloutJob
	rolloutAccess
	snapshotJob
	snapshotAccess
	restoreJob
	restoreAccess
	windowJob
	windowAccess
	scheduleJob
	scheduleAccess
	powerJob
	powerAccess
	patchJob
	patchAccess
	migrationPlan
	migrationRun
	finishedPlan
	finishedRun
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
	dependent: {
		name: "Secrets and Services",
		why: "within a wave Argo CD always applies Secrets first; " +
			"a Secret stays if its VM stays, with the same options",
	},
	keptDisk: {
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
	growth: {
		name:  "PersistentVolumeClaim of a disk that grows",
		after: 1, options: "ServerSideApply=true,Prune=false,Delete=false", compare: extraneous,
		why: "the PVC must exist, and CDI owns all of it except its size",
	},
	// Not a hook: the sync waits for a hook, and Argo CD ignores newer commits meanwhile. A sync
	// ends when its last wave is applied (gitops-engine pkg/sync/sync_context.go,
	// argo-cd v3.2.11).
	ansibleJob: {
		name: "AnsibleJob, or the Job of an image and the Secret with its variables", after: lastWave,
		why: "when all else is healthy, once for each change of the VM; the sync does not wait for it",
	},
	// Argo CD looks at no newer commit while it waits for an object, and waits for all
	// objects except those of the last wave (gitops-engine pkg/sync/sync_context.go,
	// argo-cd v3.2.11). Objects with PruneLast are deleted in a wave of their own.
	rolloutJob: {
		name: "Job of a rollout",
		why: "the sync does not wait for it, so the next commit can end it; " +
			"its name contains the hash of what it rolls out",
	},
	rolloutAccess: {
		name: "ServiceAccount, Role and RoleBinding of a rollout",
		why:  "created before the Job, and deleted with the last VM that rolls out",
	},
	snapshotJob: {
		name: "Job of the snapshots", hook: "PreSync", cleanup: "BeforeHookCreation",
		why: "before anything else changes; the last run's log stays until the next",
	},
	snapshotAccess: {
		name:  "ServiceAccount, Role and RoleBinding of the snapshots",
		after: -1, hook: "PreSync", cleanup: "BeforeHookCreation,HookSucceeded",
		why: "created before the Job",
	},
	restoreJob: {
		name: "Job of restores", after: 1, hook: "PreSync", cleanup: "BeforeHookCreation",
		why: "after a snapshot of what is there, and before anything else changes; the last run's log stays until the next",
	},
	restoreAccess: {
		name:  "ServiceAccount, Role and RoleBinding of restores",
		after: -1, hook: "PreSync", cleanup: "BeforeHookCreation,HookSucceeded",
		why: "created before the Job",
	},
	windowJob: {
		name: "CronJob of a maintenance window",
		why:  "it acts in its window only; the sync does not wait for it",
	},
	windowAccess: {
		name: "ServiceAccount, Role and RoleBinding of a maintenance window",
		why:  "created before the CronJob, and deleted with the last VM of the window",
	},
	scheduleJob: {
		name: "CronJob of snapshots on a schedule",
		why:  "it acts on its schedule only; the sync does not wait for it",
	},
	scheduleAccess: {
		name: "ServiceAccount, Role and RoleBinding of snapshots on a schedule",
		why:  "created before the CronJob, and deleted with the last VM of the schedule",
	},
	powerJob: {
		name: "CronJobs that stop and start VMs",
		why:  "they act at their times only; the sync does not wait for them",
	},
	powerAccess: {
		name: "ServiceAccount, Role and RoleBinding of CronJobs that stop and start VMs",
		why:  "created before the CronJobs, and deleted with the last VM that has the same times",
	},
	patchJob: {
		name: "CronJob of Ansible on a schedule, and the ConfigMap with the job that it creates", after: lastWave,
		why: "it acts on its schedule only; the sync does not wait for it",
	},
	patchAccess: {
		name: "ServiceAccount, Role and RoleBinding of Ansible on a schedule",
		why:  "created before the CronJob, and deleted with the schedule",
	},
	migrationPlan: {
		name:  "Plan, NetworkMap, StorageMap and Hooks of a migration",
		after: -1, options: "Prune=false,Delete=false",
		why: "created before the Migration; without the Plan, forklift deletes the disks of VMs that are still moving",
	},
	migrationRun: {
		name: "Migration", options: "Prune=false,Delete=false",
		why: "without it, forklift cancels the running migrations",
	},
	finishedPlan: {
		name: "Plan, NetworkMap, StorageMap and Hooks of a migration of which all VMs are `done`", after: -1,
		why: "deleted when it is removed from Git; forklift keeps the disks that belong to a VirtualMachine",
	},
	finishedRun: {
		name: "Migration of which all VMs are `done`",
		why:  "deleted with its Plan",
	},
}

// syncAnnotations returns the annotations for Argo CD, or for Flux, on a part of the VM.
func (x *rendering) syncAnnotations(p part) map[string]string {
	return syncRules[p].annotations(x.Wave, x.Target)
}

func (r *syncRule) annotations(wave int, target values.Target) map[string]string {
	return mapOfPairs(r.pairs(make([]outcome.Pair, 0, mostPairs), wave, r.optionsFor(target), &target))
}

// mostPairs is the number of labels or annotations that an object has of the lifecycle, at most.
const mostPairs = 12

// mapOfPairs returns pairs as a map, or nil if there are none.
func mapOfPairs(pairs []outcome.Pair) map[string]string {
	if pairs == nil {
		return nil
	}
	m := make(map[string]string, max(len(pairs), 8)) // with room for the user's
	for i := range pairs {
		m[pairs[i].Key] = pairs[i].Value
	}
	return m
}

// pairs appends the annotations for Argo CD, or for Flux, on a part of a VM in a wave.
func (r *syncRule) pairs(to []outcome.Pair, wave int, options string, target *values.Target) []outcome.Pair {
	if target.ByFlux() {
		return r.fluxPairs(to, wave, options)
	}
	// Argo CD's default is 0.
	if in := wave + r.after; in != 0 {
		to = append(to, outcome.Pair{Key: argocd.SyncWaveAnnotation, Value: strconv.Itoa(in)})
	}
	to = pair(to, argocd.SyncOptionsAnnotation, options, r.loss)
	to = pair(to, argocd.CompareOptionsAnnotation, r.compare, "")
	to = pair(to, argocd.HookAnnotation, r.hook, "")
	return pair(to, argocd.HookDeletePolicyAnnotation, r.cleanup, "")
}

// pair appends a label or an annotation, unless the value is empty.
func pair(to []outcome.Pair, key, value, loss string) []outcome.Pair {
	if value == "" {
		return to
	}
	return append(to, outcome.Pair{Key: key, Value: value, Loss: loss})
}

// optionsFor returns the sync options. Confirmation came with Argo CD 2.14.
func (r *syncRule) optionsFor(target values.Target) string {
	if r.before != "" && versions.Before(target.ArgoCD, "2.14") {
		return r.before
	}
	return r.options
}

// removals maps what happens on removal from Git to the sync option.
var removals = map[values.Removal]string{
	values.Denied: "Prune=false", values.Approved: "Prune=true", values.Confirm: "Prune=confirm",
}

// vmOptions returns the sync options of the VirtualMachine. A pet without
// protection has none.
func (x *rendering) vmOptions() string {
	if x.options == "" {
		x.options = x.mergedOptions()
	}
	return x.options
}

func (x *rendering) mergedOptions() string {
	lc := &x.Lifecycle
	rule := &syncRules[vmParts[lc.Strategy]]
	if lc.Unprotected && !lc.Cattle() {
		return removals[lc.Removal]
	}
	removal, options := removals[cmp.Or(lc.Removal, rule.removal)], rule.optionsFor(x.Target)
	if removal == "" || options == "" {
		return removal + options
	}
	return removal + "," + options // which have no option in common
}

// set sets a key of a map, unless the value is empty.
func set(m map[string]string, key, value string) {
	if value != "" {
		m[key] = value
	}
}

// vmParts maps a strategy to the part that its VirtualMachines are.
var vmParts = map[values.Strategy]part{
	values.InPlace: petVM, values.Rollout: cattleVM, values.Pool: cattleVM,
	values.Replace: replacedVM, values.BlueGreen: blueGreenVM,
}

func (x *rendering) lifecycleAnnotations() map[string]string {
	a := mapOfPairs(x.lifecyclePairs(make([]outcome.Pair, 0, mostPairs)))
	if !x.Target.ByFlux() {
		set(a, argocd.SyncOptionsAnnotation, x.vmOptions())
	}
	return a
}

// lifecyclePairs appends the annotations of the lifecycle on the VirtualMachine, without the sync options, which users
// may add to.
func (x *rendering) lifecyclePairs(to []outcome.Pair) []outcome.Pair {
	lc := &x.Lifecycle
	to = syncRules[vmParts[lc.Strategy]].pairs(to, x.Wave, x.lifecycleOptions(), &x.Target)
	if !lc.Cattle() {
		if lc.RestoreFrom != nil {
			to = pair(to, labels.Restore, lc.RestoreFrom.String(), "")
		}
		return pair(to, labels.Lifecycle, labels.Pet, "")
	}
	to = pair(to, labels.Lifecycle, labels.Cattle, "")
	if lc.Strategy.Traits().NamedByContent {
		to = pair(to, labels.Strategy, string(lc.Strategy), "")
	}
	if lc.Strategy.Traits().Job {
		to = x.rolloutPairs(to)
	}
	return to
}

// rolloutAnnotations returns the annotations that control a rollout.
func (x *rendering) rolloutAnnotations() map[string]string { return mapOfPairs(x.rolloutPairs(nil)) }

func (x *rendering) rolloutPairs(to []outcome.Pair) []outcome.Pair {
	lc := &x.Lifecycle
	to = pair(to, labels.MaxUnavailable, lc.MaxUnavailable.String(), "")
	to = pair(to, labels.KeepOld, strconv.Itoa(lc.KeepOld), "")
	to = pair(to, labels.Entry, x.Entry, "")
	if lc.ProgressDeadlineSeconds > 0 {
		to = pair(to, labels.ProgressDeadline, strconv.Itoa(lc.ProgressDeadlineSeconds), "")
	}
	return to
}

// secretAnnotations returns the annotations of the Secret with cloud-init data, which
// stays if the VM stays: without it the VM can neither restart nor migrate.
func (x *rendering) secretAnnotations() map[string]string {
	options := ""
	for o := range argocd.SyncOptions(x.vmOptions()) {
		if text := o.String(); text == "Prune=false" || text == "Delete=false" {
			options = mergeOptions(options, text)
		}
	}
	if x.Target.ByFlux() {
		return mapOfPairs(syncRules[dependent].fluxPairs(nil, x.Wave, options))
	}
	a := x.syncAnnotations(dependent)
	set(a, argocd.SyncOptionsAnnotation, mergeOptions(a[argocd.SyncOptionsAnnotation], options))
	return a
}

// diskAnnotations returns the annotations of DataVolumes that survive their VM.
func (x *rendering) diskAnnotations() map[string]string {
	a := x.syncAnnotations(keptDisk)
	if versions.Before(x.Target.KubeVirt, "1.5") {
		a[annotationDeleteAfterCompletion] = "false"
	}
	return a
}

// diskLabels returns the labels of a DataVolume that the VM owns, or nil.
func (x *rendering) diskLabels(d *machine.Disk) map[string]string {
	return mapOfPairs(x.diskPairs(nil, d))
}

// diskPairs appends the labels of a DataVolume that the VM owns: a rollout selects root
// disks by theirs, and nothing selects the others.
func (x *rendering) diskPairs(to []outcome.Pair, d *machine.Disk) []outcome.Pair {
	if d.Name == values.RootDisk && x.Lifecycle.Strategy.Traits().ContentNamedRoot {
		return pair(to, labels.Disk, labels.RootDisk, "")
	}
	return to
}

// lifecycleLabels returns the labels that the lifecycle adds to the VirtualMachine;
// nil for most pets.
func (x *rendering) lifecycleLabels() map[string]string {
	return mapOfPairs(x.labelPairs(nil))
}

func (x *rendering) labelPairs(to []outcome.Pair) []outcome.Pair {
	if x.Lifecycle.Protect {
		to = pair(to, labelProtection, protected,
			"`protect: true` sets the label, which must not be changed; use `protect: false` instead")
	}
	if x.Lifecycle.Strategy.Traits().Job {
		to = pair(to, labels.Rollout, x.Part, "")
	}
	return to
}
