package impact

// Sources of the rules of older versions.
const (
	sourceRestart15 = "KubeVirt v1.5.0, pkg/virt-controller/watch/vm/vm.go, addRestartRequiredIfNeeded"
	sourceCPU15     = "KubeVirt v1.5.0, pkg/virt-controller/watch/vm/vm.go, handleCPUChangeRequest"
	sourceRestart16 = "KubeVirt v1.6.0, pkg/virt-controller/watch/vm/vm.go, addRestartRequiredIfNeeded"
	sourceMatcher   = "KubeVirt v1.4.1, pkg/virt-api/webhooks/mutating-webhook/mutators/vm-mutator.go, validateMatcherUpdate"
)

// rulesVersions are what older versions of KubeVirt do otherwise. They are tried first.
var rulesVersions = []Rule{
	renamedMatcher("instancetype"), renamedMatcher("preference"),
	flaggedNIC("domain.devices.interfaces", "", "1.4.1"), flaggedNIC("domain.devices.interfaces", "1.5", "1.5.2"),
	flaggedNIC("networks", "", "1.4.1"), flaggedNIC("networks", "1.5", "1.5.2"),
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

// flaggedNIC returns the rule of changed NICs and networks: KubeVirt 1.4.0, 1.5.0 and 1.5.1 apply them as every
// version does, and request a restart nevertheless.
func flaggedNIC(list, from, before string) Rule {
	return Rule{
		Path: "spec.template.spec." + list + "[*].**", From: from, Before: before, Level: Restart, Code: waitsCode,
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
// restart: KubeVirt compares them up to 1.6.
func stagedVolume(list string) Rule {
	return Rule{
		Path: "spec.template.spec." + list + "[*].**", If: both(hotpluggable, staging), Before: "1.7", Level: Restart, Code: waitsCode,
		Reason: "the cluster's vmRolloutStrategy is Stage", Advice: AdviceRestart, When: AtRestart, Key: "disks[*]",
		Source: sourceRestart16, Compared: true,
	}
}
