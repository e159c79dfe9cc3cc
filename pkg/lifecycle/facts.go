package lifecycle

import (
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/outcome"
	"github.com/vmrender/vmrender/pkg/values"
)

// Facts that several policies have in common.
var (
	snapshotFact = Fact{
		On: OnChange, Given: "`snapshotBefore: true`", holds: takesSnapshots,
		Text: "Before anything changes, a Job takes the VirtualMachineSnapshot `VM-pre-HASH-VERSION`, " +
			"one for each change of the VM: not on the first installation, " +
			"and not in a sync that does not change the VM. " +
			"A sync that is retried within an hour uses the same snapshot, unless the VM has changed since. " +
			"Older snapshots stay. If the snapshot fails, or does not contain the root disk or a disk that is kept, " +
			"the sync ends before the change.",
	}
	windowFact = Fact{
		On: OnChange, Given: "`maintenance`", holds: hasWindow,
		Text: "If a change waits for a restart, the Job of its CronJob restarts the VM in the window, " +
			"one VM after the other, with `snapshotBefore: true` after another snapshot. " +
			"A VM that migrates, or whose disks are being copied, is left for the next window.",
	}
	restoreFact = Fact{
		On: OnChange, Given: "`restoreFrom`", holds: isRestored,
		Text: "Before anything changes, and after a snapshot if the VM has `snapshotBefore: true`, a Job restores the VM " +
			"from the snapshot, once for each token: KubeVirt stops it and replaces its claims under their names. " +
			"Then the sync applies what is in Git, and starts the VM. If the restore fails, the sync ends before the change.",
	}
	scheduleFact = Fact{
		On: OnRemoval, Given: "`snapshots`", holds: hasSchedule,
		Text: "No more snapshots of the VM are taken. Those that its schedule has taken stay until you delete them.",
	}
	powerFact = Fact{
		On: OnChange, Given: "`power`", holds: hasPower,
		Text: "While the VM is off on its schedule, a change waits for its next start, and no window restarts it. " +
			"Its run strategy stays RerunOnFailure or Manual, whether it runs or not, so that Argo CD finds no difference. " +
			"Without `power` and a run strategy of its own, it has Always again: KubeVirt starts it.",
	}
	userDataFact = Fact{
		On: OnChange, Given: "`cloudInit`", holds: hasCloudInit,
		Text: "A change of cloud-init's data changes the Secret with it, and nothing of the VirtualMachine: " +
			"cloud-init runs most of its modules, such as packages and commands, only on the first boot of an instance, " +
			"and a pet stays the same instance. VMs that are created from then on get the data. " +
			"Change guests that have booted in another way: `sshKeySecret`, `passwordSecret`, or Ansible. " +
			"With `store: inline`, the change requires a restart.",
	}
	renewedFact = Fact{
		On: OnChange, Given: "`cloudInit`", holds: hasCloudInit,
		Text: "A change of cloud-init's data, inline or in a Secret that vmrender writes, has the same effect: " +
			"cloud-init runs again with the new data. Changes inside a Secret of your own are not detected.",
	}
	ansibleFact = Fact{
		On: OnChange, Given: "`ansible`", holds: runsAnsible,
		Text: "When everything is healthy, in the last wave, the Ansible job `VM-ansible-HASH` runs: " +
			"once for each change of the VM, including one that restores earlier content, " +
			"and after the first installation. " +
			"The sync does not wait for it. " +
			"The Application is Progressing while it runs, and Degraded if it fails. " +
			"A retried sync does not run it again. A deleted job runs again. " +
			"The next change deletes the job, even if it still runs. " +
			"An Application that does not prune keeps the job, and then no job runs when earlier content is restored.",
	}
	growthFact = Fact{
		On: OnChange, Given: "`expandTo` on a disk", holds: hasGrowingDisk,
		Text: "One wave after the VM, its PVC requests the new size. " +
			"The DataVolume does not change, and the guest must grow its file system.",
	}
	keptDiskFact = Fact{
		On: OnChange, Given: "disks that are kept", holds: hasKeptDisk,
		Text: "CDI rejects a different source, size or storage class of a disk: a DataVolume cannot be changed. " +
			"The sync fails and names the disk; other objects in its wave are applied, and later waves are not.",
	}
	revisionFact = Fact{
		On: OnChange, Given: "disks that CDI fills", holds: hasClaim,
		Text: "A different storage class, access mode or volume mode requires a new `revision` of the disk " +
			"in the same commit: a disk `VM-DISK-REVISION`, to which KubeVirt copies the data " +
			"by a live migration, while the VM runs. " +
			"The old disk stays until you delete it. " +
			"Nothing is copied while the VM is stopped: it then starts from the new disk, without its data.",
	}
	releaseFact = Fact{
		On: OnChange, Given: "disks that are kept", holds: hasKeptDisk,
		Text: "A disk that was not kept before still belongs to the VM: KubeVirt never releases it, " +
			"and Kubernetes deletes it with the VM, until its `ownerReferences` are removed. " +
			"If the health checks of this project are installed, the DataVolume and its Application " +
			"are Degraded until then, with the command in the message. " +
			"The policy `keptDisks`, which the installation of the plugin contains, rejects that deletion, " +
			"and a VM that Argo CD deletes is stopped, but stays until the disk is released.",
	}
	petRootFact = Fact{
		On: OnChange, Given: "a root disk that is kept", holds: hasKeptRoot,
		Text: "Cattle that becomes a pet boots a new root disk from its image at its next start, " +
			"because the root disk of cattle, `VM-root-HASH`, is deleted with the VM. To keep its content, " +
			"make it the source of the new one in the same commit, with the VM stopped: " +
			"`source: {pvc: NAMESPACE/VM-root-HASH}`.",
	}
	ownedDataFact = Fact{
		On: OnChange, Given: "data disks that are not kept", holds: hasOwnedDataDisk,
		Text: "A different source, size or storage class of a data disk has no effect: " +
			"KubeVirt finds the disk by its name. Rename the disk.",
	}
	protectFact = Fact{
		Given: "`protect: true`", holds: isProtected,
		Text: "OpenShift rejects every deletion of the VM, and a sync that deletes it fails, " +
			"until the label `kubevirt.io/vm-delete-protection` is removed from the VM.",
	}
)

// removalFacts returns what happens to an object that is removed from Git, and on
// deletion of the Application. normal is the default of `removal`; what describes the
// object and what is deleted with it.
func removalFacts(normal values.Removal, what string) []Fact {
	given := func(r values.Removal) string {
		if r == normal {
			return "`removal: " + string(r) + "`, the default"
		}
		return "`removal: " + string(r) + "`"
	}
	return []Fact{
		{
			On: OnRemoval, Given: given(values.Denied), holds: hasOption("Prune", "false"),
			Text: "The " + what + " stays as it is, and keeps running if it ran. " +
				"The Application shows that it requires pruning, and is OutOfSync. " +
				"Other commits are still synced, and a revert returns the VM to Git. " +
				"Its disks and its Secret also stay; its Services are deleted. " +
				"To delete it, set `removal: approved` in one commit, and remove the VM in a later one.",
		},
		{
			On: OnRemoval, Given: given(values.Confirm), holds: hasOption("Prune", "confirm"),
			Text: "Argo CD 2.14 and later waits until the deletion is confirmed with the annotation " +
				"`argocd.argoproj.io/deletion-approved` on the Application, and then deletes the " + what + ". " +
				"Until then, nothing of the Application is synced, and a revert in Git has no effect: " +
				"a confirmation deletes the VM although it is in Git again. To keep the VM, terminate the sync.",
		},
		{
			On: OnRemoval, Given: given(values.Approved), holds: hasOption("Prune", ""),
			Text: "The " + what + " is deleted without confirmation.",
		},
	}
}

// deletionFacts returns what happens to a pet on deletion of the Application.
var deletionFacts = []Fact{
	{
		On: OnDeletion, Given: "Argo CD 2.14 and later", holds: hasOption("Delete", "confirm"),
		Text: "Argo CD waits until the deletion is confirmed with the annotation " +
			"`argocd.argoproj.io/deletion-approved` on the Application, and then deletes the VirtualMachine.",
	},
	{
		On: OnDeletion, Given: "Argo CD before 2.14", holds: hasOption("Delete", "false"),
		Text: "The VirtualMachine stays in the cluster: Argo CD does not delete it.",
	},
	{
		On: OnDeletion, Given: "`protection: none`", holds: hasOption("Delete", ""),
		Text: "The VirtualMachine is deleted without confirmation.",
	},
}

// cattleFacts returns what happens to cattle that is removed from Git, and on
// deletion of the Application.
func cattleFacts(what string) []Fact {
	return append(removalFacts(values.Approved, what),
		Fact{On: OnDeletion, Text: "The " + what + " is deleted without confirmation.", holds: hasOption("Delete", "")},
		Fact{
			On: OnDeletion, Given: "`Delete=false` or `Delete=confirm` among its sync options",
			Text:  "Argo CD keeps the " + what + ", or requires confirmation.",
			holds: func(m *subject) bool { return outcome.Strength(argocd.FindSyncOption(m.options, "Delete")) > 0 },
		},
	)
}

// What happens to the disks of a VM that is deleted.
var (
	keptDisksStay = Fact{
		Given: "disks that are kept", holds: hasKeptDisk,
		Text: "The disks stay in the cluster, each a DataVolume with its PVC, " +
			"and do not count as a difference from Git.",
	}
	stateGoes = Fact{
		Given: "a TPM or EFI variables that persist", holds: keepsState,
		Text: "KubeVirt keeps their state in a PVC of the VM (`persistent-state-for-…`), which is deleted with the VM: " +
			"a disk that is bound to the TPM then opens only with its recovery key. The policy `petState` rejects the " +
			"deletion until the PVC is released.",
	}
	ownedDisksGo = Fact{
		Given: "disks that are not kept", holds: hasOwnedDisk,
		Text: "The disks in its `dataVolumeTemplates` are deleted with the VM.",
	}
	allDisksGo = Fact{Text: "Its disks are deleted with the VM."}
)

// onLoss returns the facts for both events that delete a VM.
func onLoss(facts ...Fact) []Fact {
	out := make([]Fact, 0, 2*len(facts))
	for _, on := range []Event{OnRemoval, OnDeletion} {
		for _, f := range facts {
			f.On = on
			out = append(out, f)
		}
	}
	return out
}
