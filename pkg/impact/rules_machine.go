package impact

import (
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/flux"
	"github.com/vmrender/vmrender/pkg/labels"
)

// Sources of the rules.
const (
	sourceRestart  = "KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, syncRestartRequired"
	sourceCPU      = "KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, handleCPUChangeRequest"
	sourceMemory   = "KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, handleMemoryHotplugRequest"
	sourceUpdater  = "KubeVirt v1.8.4, pkg/virt-controller/watch/workload-updater/workload-updater.go"
	sourcePlace    = "KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, handleAffinityChangeRequest"
	sourceSync     = "KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, syncDynamicAnnotationsAndLabelsToVMI"
	sourcePower    = "KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, syncRunStrategy"
	sourceAdmitter = "KubeVirt v1.8.4, pkg/virt-api/webhooks/validating-webhook/admitters/vms-admitter.go"
	sourceDefaults = "KubeVirt v1.8.4, pkg/defaults/defaults.go, SetVirtualMachineDefaults"
	sourceState    = "KubeVirt v1.8.4, pkg/storage/backend-storage/backend-storage.go, CreatePVCForVMI"
	sourceOptions  = "Argo CD v3.2.11, gitops-engine/pkg/sync/sync_context.go"
)

// Texts that several rules have in common.
const (
	AtNextStart   = "at the next start"
	AtRestart     = "at the next restart"
	AdviceRestart = "plan a restart (virtctl restart), or take the change in a maintenance window"
	adviceMigrate = "the VM needs a node with room for a second pod while it migrates"
)

// annotationPower is the path of the times at which a VM is stopped and started.
const annotationPower = `metadata.annotations."` + labels.Power + `"`

// rulesMetadata are the rules of labels, annotations and sync options.
var rulesMetadata = []Rule{
	{
		Path: `metadata.annotations."` + argocd.SyncOptionsAnnotation + `"`, If: gainsReplace, Level: Metadata, Code: "replace-on-sync",
		Reason:  "from the next change on, Argo CD deletes and recreates the VM instead of updating it; Argo CD also reads this option from the live object, so it still applies to the sync that removes it",
		Advice:  "set it only for VMs whose disks may be deleted (lifecycle: {type: cattle, strategy: replace})",
		Warning: true, Key: "lifecycle", Source: sourceOptions,
	},
	{
		Path: `metadata.annotations."` + argocd.SyncOptionsAnnotation + `"`, If: losesProtection, Level: Metadata, Code: "unprotected",
		Reason:  "Argo CD will delete it when it is no longer in Git, or with its Application",
		Advice:  "with lifecycle: {removal: approved} this is the first of the two commits of a removal",
		Warning: true, Key: "lifecycle", Source: sourceOptions,
	},
	{
		Path: `metadata.annotations."` + flux.PruneAnnotation + `"`, If: losesProtection, Level: Metadata, Code: "unprotected",
		Reason:  "Flux will delete it when it is no longer in Git, or with its Kustomization",
		Advice:  "with lifecycle: {removal: approved} this is the first of the two commits of a removal",
		Warning: true, Key: "lifecycle", Source: sourceFlux,
	},
	{
		Path: `metadata.labels."kubevirt.io/vm-delete-protection"`, If: removed, Level: Metadata, Code: "unprotected",
		Reason: "the cluster no longer refuses to delete the VM", Warning: true, Key: "lifecycle.protect",
		Source: "ssp-operator v0.22, ValidatingAdmissionPolicy kubevirt-vm-deletion-protection",
	},
	{
		Path: `metadata.annotations."vmrender.io/keep-old"`, If: dropsOldDisks, Level: DataLoss, Code: "old-disks-deleted",
		Reason: "the Job of the rollout deletes the old root disks beyond this number, which are the way back",
		Advice: "keep the number until the way back is not needed", Key: "lifecycle", Warning: true, Source: "vmrender, pkg/rollout/disks.go, cleanUp", Assumes: OldDisks,
	},
	{
		Path: `metadata.annotations."` + labels.Restore + `"`, If: restores, Level: DataLoss, Code: CodeRestored,
		Reason: "a Job stops the VM and puts the disks of a snapshot in place of its own: what was written since is lost",
		When:   "before the sync changes anything", Key: "restoreFrom", Source: "vmrender, pkg/rollout/restore.go",
	},
	{
		Path: `metadata.annotations."` + labels.Restore + `"`, Level: Metadata, Code: CodeRestoreNoted,
		Reason: "without a token, nothing is restored", Key: "restoreFrom", Source: "vmrender, pkg/rollout/restore.go",
	},
	{Path: `metadata.annotations."vmrender.io/content"`, Level: None, Code: "content", Reason: "it only records that something else changes", Source: sourceRestart},
	{
		Path: "metadata.labels." + labels.BlockTracking, From: "1.7", Level: Staged, Code: "block-tracking",
		Reason: "where changedBlockTrackingLabelSelectors of KubeVirt select it, the blocks of the VM's disks are tracked from the next start on, or no longer: incremental backups need it",
		Advice: "restart the VM before its next incremental backup", When: AtNextStart, Key: "backup",
		Source: "KubeVirt v1.8.4, pkg/storage/cbt/cbt.go", Assumes: Selected,
	},
	{
		Path: annotationPower, If: scheduled, Level: Power, Code: "scheduled", When: "at its times",
		Reason: "a CronJob stops or starts it at these times; the sync itself does neither",
		Advice: "RerunOnFailure starts it again if it fails, as with its node, but not if its guest shuts down, as in a drain without live migration",
		Key:    "power", Source: sourcePower,
	},
	{
		Path: annotationPower, Level: Metadata, Code: "scheduled",
		Reason: "no CronJob stops or starts it any longer; with run strategy Manual, it stays off if it is", Key: "power", Source: sourcePower,
	},
	{
		Path: `metadata.annotations."` + labels.Patch + `"`, If: scheduled, Level: Metadata, Code: "patched",
		Reason: "a CronJob runs Ansible in the guest at these times, which may restart it; the sync itself does not",
		Key:    "lifecycle.ansible.schedule", Source: "vmrender, pkg/rollout/patch.go",
	},
	{
		Path: `metadata.annotations."` + labels.Patch + `"`, Level: Metadata, Code: "patched",
		Reason: "no CronJob runs Ansible in the guest any longer", Key: "lifecycle.ansible.schedule",
		Source: "vmrender, pkg/rollout/patch.go",
	},
	{Path: "metadata.labels.*.**", Level: Metadata, Code: "metadata", Reason: "it has no effect on the running VM", Key: "labels", Source: sourceRestart},
	{Path: "metadata.annotations.*.**", Level: Metadata, Code: "metadata", Reason: "it has no effect on the running VM", Key: "annotations", Source: sourceRestart},
	{Path: "metadata.*.**", Level: Metadata, Code: "metadata", Reason: "it has no effect on the running VM", Source: sourceRestart},
	{
		Path: `spec.template.metadata.annotations."descheduler.alpha.kubernetes.io/evict"`, From: "1.6", Level: Live, Code: "synced-annotation",
		Reason: "KubeVirt copies it to the running instance and its pod", Source: sourceSync,
	},
	{
		Path: `spec.template.metadata.annotations."descheduler.alpha.kubernetes.io/prefer-no-eviction"`, From: "1.6.1", Level: Live, Code: "synced-annotation",
		Reason: "KubeVirt copies it to the running instance and its pod", Source: sourceSync,
	},
	informs(`labels."kubevirt.io/size"`), informs(`annotations."vm.kubevirt.io/flavor"`),
	informs(`annotations."vm.kubevirt.io/os"`), informs(`annotations."vm.kubevirt.io/workload"`),
	{
		Path: "spec.template.metadata.*.*.**", Level: Staged, Code: "template-metadata",
		Reason: "KubeVirt neither copies the labels and annotations of pods to the running instance nor requests a restart",
		Advice: "restart the VM if its pod needs them now; what only the VirtualMachine needs can be there alone (`annotations`, `overrides`)", When: AtNextStart, Source: sourceSync,
	},
}

// informs returns the rule of a label or an annotation of pods which only consoles and metrics read.
func informs(key string) Rule {
	return Rule{
		Path: "spec.template.metadata." + key, Level: Metadata, Code: "informs",
		Reason: "it only tells consoles and metrics what the VM is; the running pod keeps the old text until the next start",
		Source: "kubevirt/common-templates, templates; KubeVirt v1.8.4, pkg/monitoring/metrics/virt-controller/vmistats_collector.go",
	}
}

// rulesPower are the rules of the run strategy; see [runStrategy].
var rulesPower = []Rule{
	{Path: "spec.runStrategy", If: both(turns("Halted"), stopped), Level: Metadata, Code: "power-same", Reason: "it is stopped already", Key: "runStrategy", Source: sourcePower},
	{
		Path: "spec.runStrategy", If: turns("Halted"), Level: Power, Code: codeStops,
		Reason: "KubeVirt shuts the guest down", When: "immediately", Key: "runStrategy", Source: sourcePower, Assumes: Powered,
	},
	{Path: "spec.runStrategy", If: turns("Manual"), Level: Metadata, Code: "power-same", Reason: "it stays as it is, running or stopped, until you start or stop it", Key: "runStrategy", Source: sourcePower},
	{Path: "spec.runStrategy", If: both(turns("Always", "RerunOnFailure", "Once"), running), Level: Metadata, Code: "power-same", Reason: "it keeps running; the new strategy takes effect when the guest shuts down", Key: "runStrategy", Source: sourcePower},
	{Path: "spec.runStrategy", If: staysEnded, Level: Metadata, Code: "power-same", Reason: "KubeVirt does not start a VM again whose guest has shut down", Advice: "start it (virtctl start)", Key: "runStrategy", Source: sourcePower},
	{
		Path: "spec.runStrategy", If: turns("Always", "RerunOnFailure", "Once"), Level: Power, Code: "starts",
		Reason: "KubeVirt starts the VM if it is stopped", When: "immediately", Key: "runStrategy", Source: sourcePower, Assumes: Powered,
	},
	{
		Path: "spec.runStrategy", If: both(turns("WaitAsReceiver"), stopped, gateOn("DecentralizedLiveMigration")), Level: Power, Code: "starts",
		Reason: "KubeVirt starts a VM that waits for another to migrate into it", When: "immediately", Key: "runStrategy", Source: sourcePower,
	},
	{
		Path: "spec.runStrategy", If: turns("WaitAsReceiver"), Level: Refused, Code: "invalid",
		Reason: "KubeVirt refuses it without feature gate DecentralizedLiveMigration, and no VM that runs can wait for another",
		Advice: "stop the VM first", Key: "runStrategy", Source: sourcePower,
	},
	{Path: "spec.runStrategy", Level: Refused, Code: "invalid", Reason: "KubeVirt does not know the run strategy", Key: "runStrategy", Source: sourceAdmitter},
	{
		Path: "spec.updateVolumesStrategy", If: both(unknownStrategy, stopped, not(staging, "vmRolloutStrategy is LiveUpdate")), From: "1.6.3", Level: Staged, Code: "invalid",
		Reason: "KubeVirt accepts an unknown strategy, and fails at every change of the VM after its next start", When: AtNextStart, Key: "overrides", Source: sourceMigration,
	},
	{
		Path: "spec.updateVolumesStrategy", If: both(unknownStrategy, not(staging, "vmRolloutStrategy is LiveUpdate")), From: "1.6.3", Level: Refused, Code: "invalid",
		Reason: "KubeVirt accepts an unknown strategy, and then fails at every later change of the VM", Key: "overrides", Source: sourceMigration,
	},
	{Path: "spec.updateVolumesStrategy", Level: Metadata, Code: "metadata", Reason: "it only determines how later changes of volumes are made", Source: sourceRestart},
}

// rulesProcessors are the rules of processors.
var rulesProcessors = []Rule{
	{
		Path: "spec.template.spec.domain.cpu.sockets", If: aboveMaxSockets, Level: Refused, Code: "above-maximum",
		Reason: "KubeVirt refuses more sockets than maxSockets", Advice: "raise cpu.maxSockets in an earlier change, which needs a restart", Key: "cpu", Source: sourceAdmitter,
	},
	{
		Path: "spec.template.spec.domain.cpu.sockets", If: firstCPU, Level: Restart, Code: waitsCode,
		Reason: "the VM was started without a number of processors", Advice: AdviceRestart, When: AtRestart, Key: "cpu", Source: sourceRestart, Compared: true,
	},
	{
		Path: "spec.template.spec.domain.cpu.sockets", If: staging, Level: Restart, Code: waitsCode,
		Reason: "the cluster's vmRolloutStrategy is Stage", Advice: AdviceRestart, When: AtRestart, Key: "cpu", Source: sourceRestart, Compared: true,
	},
	{
		Path: "spec.template.spec.domain.cpu.sockets", If: lessSockets, Level: Restart, Code: "cannot-shrink",
		Reason: "processors cannot be unplugged", Advice: AdviceRestart, When: AtRestart, Key: "cpu", Source: sourceCPU,
	},
	{
		Path: "spec.template.spec.domain.cpu.sockets", If: both(moreSockets, isARM), From: "1.5.2", Level: Restart, Code: "no-hotplug",
		Reason: "processors cannot be plugged on arm64", Advice: AdviceRestart, When: AtRestart, Key: "cpu", Source: sourceCPU,
	},
	{
		Path: "spec.template.spec.domain.cpu.sockets", If: both(moreSockets, aboveComputedSockets), Level: Restart, Code: "above-maximum",
		Reason: "only four times the sockets of the last start can be plugged", Advice: "set cpu.maxSockets to make room for later changes; " + AdviceRestart,
		When: AtRestart, Key: "cpu", Source: sourceCPU,
	},
	{
		Path: "spec.template.spec.domain.cpu.sockets", If: both(moreSockets, evicts), Level: Power, Code: "evicted",
		Reason: "the VM cannot live-migrate, and the cluster's workloadUpdateMethods has Evict: KubeVirt shuts it down", When: "immediately", Key: "cpu", Source: sourceUpdater, Handled: true,
	},
	{
		Path: "spec.template.spec.domain.cpu.sockets", If: both(moreSockets, cannotMigrate), Level: Staged, Code: "never-migrates",
		Reason: "the processors are plugged by a live migration, which this VM cannot do, and no condition reports it",
		Advice: AdviceRestart, When: AtRestart, Key: "cpu", Source: sourceUpdater, Handled: true,
	},
	{
		Path: "spec.template.spec.domain.cpu.sockets", If: both(moreSockets, not(migrates, "workloadUpdateMethods has no LiveMigrate")), Level: Staged, Code: "never-migrates",
		Reason: "the processors are plugged by a live migration, which the cluster's workloadUpdateMethods does not enable",
		Advice: "migrate the VM (virtctl migrate)", When: "at the next migration or start", Key: "cpu", Source: sourceUpdater, Handled: true,
	},
	{
		Path: "spec.template.spec.domain.cpu.sockets", If: moreSockets, Level: Migrate, Code: "plugged",
		Reason: "KubeVirt plugs the processors by a live migration", Advice: adviceMigrate, Key: "cpu", Source: sourceCPU, Handled: true, Assumes: Room,
	},
	{
		Path: "spec.template.spec.domain.cpu.cores", If: raised, Level: Restart, Code: waitsCode, Reason: "of the processors, only sockets can change while the VM runs",
		Advice: "raise cpu.sockets instead, which `cpu: NUMBER` does; or plan a restart (virtctl restart)", When: AtRestart, Key: "cpu", Source: sourceRestart, Compared: true,
	},
	{Path: "spec.template.spec.domain.cpu.*.**", Level: Restart, Code: waitsCode, Reason: "of the processors, only sockets can change while the VM runs", Advice: AdviceRestart, When: AtRestart, Key: "cpu", Source: sourceRestart, Compared: true},
}

// rulesMemory are the rules of memory.
var rulesMemory = []Rule{
	{
		Path: "spec.template.spec.domain.memory.guest", If: both(aboveMaxGuest, not(staging, "vmRolloutStrategy is LiveUpdate")), Level: Refused, Code: "above-maximum",
		Reason: "KubeVirt refuses more memory than maxGuest", Advice: "raise memory.max in an earlier change, which needs a restart", Key: "memory", Source: sourceAdmitter,
	},
	{
		Path: "spec.template.spec.domain.memory.guest", If: staging, Level: Restart, Code: waitsCode,
		Reason: "the cluster's vmRolloutStrategy is Stage", Advice: AdviceRestart, When: AtRestart, Key: "memory", Source: sourceRestart, Compared: true,
	},
	{
		Path: "spec.template.spec.domain.memory.guest", If: noGuest, Level: Restart, Code: waitsCode,
		Reason: "the size of the memory can change while the VM runs, but cannot be removed", Advice: AdviceRestart, When: AtRestart, Key: "memory", Source: sourceRestart, Compared: true,
	},
	{
		Path: "spec.template.spec.domain.memory.guest", If: sameGuest, Level: Metadata, Code: "memory-same",
		Reason: "the VM has what it requests already", Key: "memory", Source: "KubeVirt v1.8.4, pkg/defaults/defaults.go, setGuestMemory",
	},
	{
		Path: "spec.template.spec.domain.memory.guest", If: lessGuest, Level: Restart, Code: "cannot-shrink",
		Reason: "memory below that of the last start cannot be unplugged", Advice: AdviceRestart, When: AtRestart, Key: "memory", Source: sourceMemory,
	},
	{
		Path: "spec.template.spec.domain.memory.guest", If: cannotMigrate, Level: Restart, Code: "cannot-migrate",
		Reason: "memory is plugged by a live migration, which this VM cannot do", Advice: AdviceRestart, When: AtRestart, Key: "memory", Source: sourceMemory,
	},
	{
		Path: "spec.template.spec.domain.memory.guest", If: not(isAMD, "architecture is not amd64"), Level: Restart, Code: "no-hotplug",
		Reason: "memory can be plugged on amd64 only", Advice: AdviceRestart, When: AtRestart, Key: "memory", Source: sourceMemory,
	},
	{
		Path: "spec.template.spec.domain.memory.guest", If: fixedMemory, Level: Restart, Code: "no-hotplug",
		Reason: "the memory of this VM cannot be plugged: it is below 1Gi, not a multiple of 2Mi, or the VM uses NUMA, realtime or launchSecurity",
		Advice: AdviceRestart, When: AtRestart, Key: "memory", Source: "KubeVirt v1.8.4, pkg/liveupdate/memory/memory.go",
	},
	{
		Path: "spec.template.spec.domain.memory.guest", If: aboveComputedGuest, Level: Restart, Code: "above-maximum",
		Reason: "only four times the memory of the last start can be plugged", Advice: "set memory.max to make room for later changes; " + AdviceRestart,
		When: AtRestart, Key: "memory", Source: sourceMemory,
	},
	{
		Path: "spec.template.spec.domain.memory.guest", If: both(otherGuest, evicts), Level: Power, Code: "evicted",
		Reason: "the cluster's workloadUpdateMethods has Evict and not LiveMigrate: KubeVirt shuts the VM down", When: "immediately", Key: "memory", Source: sourceUpdater, Handled: true,
	},
	{
		Path: "spec.template.spec.domain.memory.guest", If: both(otherGuest, not(migrates, "workloadUpdateMethods has no LiveMigrate")), Level: Staged, Code: "never-migrates",
		Reason: "the memory is plugged by a live migration, which the cluster's workloadUpdateMethods does not enable",
		Advice: "migrate the VM (virtctl migrate)", When: "at the next migration or start", Key: "memory", Source: sourceUpdater, Handled: true,
	},
	{
		Path: "spec.template.spec.domain.memory.guest", If: otherGuest, Level: Migrate, Code: "plugged",
		Reason: "KubeVirt plugs the memory by a live migration", Advice: adviceMigrate, Key: "memory", Source: sourceMemory, Handled: true, Assumes: Room,
	},
	{Path: "spec.template.spec.domain.memory.*.**", Level: Restart, Code: waitsCode, Reason: "of the memory, only guest can change while the VM runs", Advice: AdviceRestart, When: AtRestart, Key: "memory", Source: sourceRestart, Compared: true},
}

// rulesPlacement are the rules of scheduling.
var rulesPlacement = []Rule{
	placement("nodeSelector"), placement("affinity"), placement("tolerations"),
	staged("nodeSelector"), staged("affinity"), staged("tolerations"),
}

func placement(field string) Rule {
	return Rule{
		Path: "spec.template.spec." + field + ".**", If: not(staging, "vmRolloutStrategy is LiveUpdate"), Level: Live, Code: "placement",
		Reason: "the VM stays on its node; it takes effect at the next migration or start", When: "at the next migration or start",
		Key: field, Source: sourcePlace, Handled: true,
	}
}

func staged(field string) Rule {
	return Rule{
		Path: "spec.template.spec." + field + ".**", If: staging, Level: Restart, Code: waitsCode,
		Reason: "the cluster's vmRolloutStrategy is Stage", Advice: AdviceRestart, When: AtRestart, Key: field, Source: sourceRestart, Compared: true,
	}
}

// deletedState returns the rule of a device whose state is given up as the last one of the VM: KubeVirt 1.7 and later
// delete the claim at the next start.
func deletedState(path string, loses Condition, key, reason string) Rule {
	return Rule{
		Path: path, If: both(loses, losesAllState), From: "1.7", Level: DataLoss, Code: "state-deleted", Key: key, Warning: true,
		When: AtRestart, Compared: true,
		Reason: "KubeVirt deletes the claim persistent-state-for-NAME: " + reason,
		Advice: "go back before the restart", Source: "KubeVirt v1.7.0, pkg/virt-controller/watch/vmi/storage.go, handleBackendStorage",
	}
}

// otherState returns the rule of a device whose state is given up. KubeVirt keeps the claim with the old one, before 1.7
// or for the state that still persists.
func otherState(path string, loses Condition, key, reason string) Rule {
	return Rule{
		Path: path, If: loses, Level: Recreate, Code: "other-state", Reason: reason, Key: key, Warning: true, When: AtRestart, Compared: true,
		Advice: "go back before the restart; the old state stays in the claim persistent-state-for-NAME until the VM is deleted", Source: sourceState,
	}
}

// What a guest loses with the state of its TPM or firmware.
const (
	losesKeys = "the guest gets another TPM without the keys of this one: disks that are bound to it, by BitLocker or LUKS, open only " +
		"with their recovery keys"
	losesVariables = "the guest gets the firmware without its boot entries and Secure Boot keys"
)

// The codes of a restore, and of one without a token.
const (
	CodeRestored     Code = "restored"
	CodeRestoreNoted Code = "restore-noted"
)

// codeStops is the code of a change that shuts the guest down.
const codeStops Code = "stops"

// waitsCode is the code of changes that KubeVirt holds back until a restart.
const waitsCode Code = "restart-required"

// rulesRest catch what no other rule does: what is not listed needs a restart.
var rulesRest = []Rule{
	deletedState("spec.template.spec.domain.devices.tpm.**", losesTPM, "tpm", losesKeys),
	deletedState("spec.template.spec.domain.firmware.bootloader.**", losesEFI, "firmware", losesVariables),
	otherState("spec.template.spec.domain.devices.tpm.**", losesTPM, "tpm", losesKeys),
	otherState("spec.template.spec.domain.firmware.bootloader.**", losesEFI, "firmware", losesVariables),
	{Path: "spec.template.spec.domain.firmware.uuid", Level: Restart, Code: "identity", Reason: "the guest sees another system: cloud-init runs its first-boot modules again, and Windows requires activation", Advice: "keep the UUID (identity, firmware.uuid)", When: AtRestart, Key: "firmware", Source: "KubeVirt v1.8.4, pkg/cloud-init/cloud-init.go", Compared: true},
	{Path: "spec.template.spec.domain.firmware.serial", Level: Restart, Code: "identity", Reason: "the guest sees another serial number", Advice: "keep the serial number (identity, firmware.serial)", When: AtRestart, Key: "firmware", Source: sourceRestart, Compared: true},
	{Path: "spec.template.spec.domain.machine.type", If: filledIn, Level: Restart, Code: "hardware", Reason: "KubeVirt sets the cluster's machine type if there is none: if it is another one, the guest sees other hardware", Advice: "keep the machine type", When: AtRestart, Key: "machineType", Source: sourceDefaults, Compared: true, Assumes: Defaults},
	{Path: "spec.template.spec.domain.machine.type", Level: Restart, Code: "hardware", Reason: "the guest sees other hardware; a type that the cluster does not have is refused", Advice: AdviceRestart, When: AtRestart, Key: "machineType", Source: sourceRestart, Compared: true},
	{Path: "spec.template.spec.architecture", If: filledIn, Level: Metadata, Code: "architecture", Reason: "KubeVirt sets the cluster's architecture if there is none: nothing happens if it is the same", Key: "arch", Source: sourceDefaults, Assumes: Defaults},
	{Path: "spec.template.spec.architecture", If: misfits, Level: Refused, Code: "architecture", Reason: "KubeVirt refuses an architecture that the machine type does not fit", Advice: "change machineType with it", Key: "arch", Source: sourceAdmitter},
	{Path: "spec.template.spec.architecture", Level: Restart, Code: "architecture", Reason: "the guest must be built for the other architecture; KubeVirt rejects what that architecture does not have", Advice: AdviceRestart, When: AtRestart, Key: "arch", Source: sourceAdmitter, Compared: true, Assumes: Fits},
	{Path: "spec.template.spec.domain.resources", If: isEmpty, Level: None, Code: "empty", Reason: "an empty one is the same as none", Source: sourceRestart},
	{Path: "spec.template.spec.domain.features.acpi", If: both(isEmpty, hasFeatures), Level: None, Code: "empty", Reason: "an empty one is the same as none", Source: sourceRestart},
	{Path: "spec.template.spec.domain.devices.*.**", Level: Restart, Code: waitsCode, Reason: "the device cannot change while the VM runs", Advice: AdviceRestart, When: AtRestart, Key: "*", Source: sourceRestart, Compared: true},
	{Path: "spec.template.spec.domain.*.**", Level: Restart, Code: waitsCode, Reason: "it cannot change while the VM runs", Advice: AdviceRestart, When: AtRestart, Key: "*", Source: sourceRestart, Compared: true},
	{Path: "spec.template.spec.*.**", Level: Restart, Code: waitsCode, Reason: "it cannot change while the VM runs", Advice: AdviceRestart, When: AtRestart, Key: "*", Source: sourceRestart, Compared: true},
	{Path: "spec.instancetype.**", Level: Restart, Code: codeInstancetype, Reason: "more sockets or memory take effect by a live migration; all other differences between the instance types need a restart", Advice: AdviceRestart, When: AtRestart, Key: "instancetype", Source: sourceRestart, Compared: true, Assumes: Types},
	{Path: "spec.preference.**", Level: Restart, Code: "preference", Reason: "what differs between the preferences needs a restart", Advice: AdviceRestart, When: AtRestart, Key: "preference", Source: sourceRestart, Compared: true, Assumes: Types},
	{Path: "spec.*.**", Level: Metadata, Code: "metadata", Reason: "no running VM sees it", Source: sourceRestart},
	{Path: "*.**", Level: Metadata, Code: "metadata", Reason: "no running VM sees it", Source: sourceRestart},
}
