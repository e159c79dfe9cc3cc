package impact

// Sources of the rules of older versions.
const (
	sourceRestart15 = "KubeVirt v1.5.0, pkg/virt-controller/watch/vm/vm.go, addRestartRequiredIfNeeded"
	sourceCPU15     = "KubeVirt v1.5.0, pkg/virt-controller/watch/vm/vm.go, handleCPUChangeRequest"
	sourceRestart16 = "KubeVirt v1.6.2, pkg/virt-controller/watch/vm/vm.go, addRestartRequiredIfNeeded"
	sourceMatcher   = "KubeVirt v1.4.1, pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go, validateMatcherUpdate"
)

// rulesVersions are what older versions of KubeVirt do otherwise. They are tried first.
var rulesVersions = []Rule{
	renamedMatcher("instancetype"), renamedMatcher("preference"),
	crashing("instancetype", "1.5", "1.6.4"), crashing("preference", "1.5", "1.6.4"),
	crashing("instancetype", "1.7", "1.7.1"), crashing("preference", "1.7", "1.7.1"),
	flaggedNIC("domain.devices.interfaces[*].**", "", "1.4.1"), flaggedNIC("domain.devices.interfaces[*].**", "1.5", "1.5.2"),
	flaggedNIC("domain.devices.interfaces[]", "", "1.4.1"), flaggedNIC("domain.devices.interfaces[]", "1.5", "1.5.2"),
	flaggedNIC("networks[*].**", "", "1.4.1"), flaggedNIC("networks[*].**", "1.5", "1.5.2"),
	{
		Path: "spec.template.spec.volumes[*].**",
		If: both(copies, not(stopped, "the VM may run"), not(staging, "vmRolloutStrategy is LiveUpdate"), not(cannotCopy, "it can be copied"),
			not(hotpluggable, "not hotpluggable"), not(isLUN, "no LUN")),
		Before: "1.4.1", Handled: true,
		Level: Refused, Code: "invalid", Key: "disks[*]", Reason: "the webhook of this KubeVirt rejects the volume that its controller copies",
		Advice: "upgrade KubeVirt first", Source: "KubeVirt v1.4.0, pkg/virt-api/webhooks/validating-webhook/admitters/vmi-update-admitter.go, verifyHotplugVolumes",
	},
	queuedCPU("", "1.4.1"), queuedCPU("1.5", "1.5.2"),
	stagedVolume("volumes"), stagedVolume("domain.devices.disks"),
}

// renamedMatcher returns the rule of another instance type or preference: up to KubeVirt 1.4, the
// controller writes the revision into the VM, where Argo CD leaves it.
func renamedMatcher(field string) Rule {
	return Rule{
		Path: "spec." + field + ".name", If: both(not(added, "not added"), not(removed, "not removed")), Before: "1.5",
		Level: Refused, Code: "invalid", Key: field, Source: sourceMatcher,
		Reason: "this KubeVirt keeps the revision of the old one in the VM, and rejects another name together with it",
		Advice: "remove spec." + field + ".revisionName from the VM in the cluster first",
	}
}

// crashing returns the rule of an instance type or preference that is removed: virt-controller of KubeVirt 1.5.0 to 1.6.3,
// and of 1.7.0, takes it for there, as long as the status of the VM has its revision.
func crashing(field, from, before string) Rule {
	return Rule{
		Path: "spec." + field + ".**", If: removed, From: from, Before: before, Level: Restart, Code: "controller-crashes", Key: field,
		Warning: true, When: AtRestart, Source: "KubeVirt v1.7.0, pkg/virt-controller/watch/vm/vm.go, patchVMRevision",
		Reason: "when the VM starts next, virt-controller crashes, again and again, and acts on no VM of the cluster",
		Advice: "upgrade KubeVirt first, or recreate the VM",
	}
}

// flaggedNIC returns the rule of changed NICs and networks: KubeVirt 1.4.0, 1.5.0 and 1.5.1 apply them as every
// version does, and request a restart nevertheless.
func flaggedNIC(path, from, before string) Rule {
	return Rule{
		Path: "spec.template.spec." + path, From: from, Before: before, Level: Restart, Code: waitsCode,
		Reason: "this KubeVirt requests a restart after every change of a NIC, which delays other live changes until then",
		Advice: AdviceRestart, When: AtRestart, Key: "nics", Source: sourceRestart15, Compared: true,
	}
}

// queuedCPU returns the rule of more processors of a VM whose NICs have several queues, before KubeVirt 1.4.1, and in
// 1.5.0 and 1.5.1.
func queuedCPU(from, before string) Rule {
	return Rule{
		Path: "spec.template.spec.domain.cpu.sockets", If: both(moreSockets, multiqueue), From: from, Before: before,
		Level: Restart, Code: waitsCode, Reason: "this KubeVirt cannot plug processors into a VM with networkInterfaceMultiqueue",
		Advice: AdviceRestart, When: AtRestart, Key: "cpu", Source: sourceCPU15,
	}
}

// stagedVolume returns the rule of hotpluggable volumes and their disks if changes wait for a
// restart: KubeVirt compares them before 1.6.3.
func stagedVolume(list string) Rule {
	return Rule{
		Path: "spec.template.spec." + list + "[*].**", If: both(hotpluggable, staging), Before: "1.6.3", Level: Restart, Code: waitsCode,
		Reason: "the cluster's vmRolloutStrategy is Stage", Advice: AdviceRestart, When: AtRestart, Key: "disks[*]",
		Source: sourceRestart16, Compared: true,
	}
}

// rulesReplaced are the rules of volumes before KubeVirt 1.6.3: it compares the list of a VM with that of its instance, in order,
// unless it migrates volumes.
var rulesReplaced = []Rule{
	{
		Path: "spec.template.spec.volumes[*].**", If: both(hotpluggable, removed, not(hotplugs, "without declarative hotplug")), Before: "1.6.3",
		Level: Restart, Code: waitsCode, Reason: "this KubeVirt compares hotpluggable volumes that Git removes", Compared: true,
		Advice: "unplug the disk by request (virtctl removevolume), or plan a restart", When: AtRestart, Key: "disks[*]", Source: sourceRestart16,
	},
	requesting("volumes[*].**", both(hotpluggable, not(removed, "not removed"), not(swaps, "not swapped by declarative hotplug"))),
	requesting("volumes[*].**", both(turnsHotpluggable, sameClaim)),
	requesting("volumes[]", not(stopped, "the VM may run")),
}

// swaps holds for a volume whose claim declarative hotplug changes while the guest runs.
var swaps = both(hotplugs, otherClaim, not(wasCDROM, "no CD-ROM drive"))

func requesting(list string, condition Condition) Rule {
	return Rule{
		Path: "spec.template.spec." + list, Before: "1.6.3",
		If: both(condition, not(staging, "vmRolloutStrategy is LiveUpdate"), not(migratesVolumes, "updateVolumesStrategy is not Migration")), Level: Restart, Code: waitsCode,
		Reason: "this KubeVirt requests a restart for volumes that Git adds, changes or reorders",
		Advice: "plug the disk by request (virtctl addvolume), or plan a restart", When: AtRestart, Key: "disks[*]",
		Source: "KubeVirt v1.6.2, pkg/virt-controller/watch/vm/vm.go, handleVolumeUpdateRequest",
	}
}
