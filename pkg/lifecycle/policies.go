package lifecycle

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/values"
)

// policies has a policy for every kind and strategy.
var policies = []Policy{
	{
		Kind:    "pet",
		Summary: "A VM that you keep. It is updated in place, and its disks are separate objects.",
		InShort: map[Event]string{
			OnChange:   "updated in place; changes that need a restart wait until you restart it, or for its `maintenance`",
			OnRemoval:  "stays, until a commit has set `removal: approved`; its disks stay in both cases",
			OnDeletion: "is deleted after a confirmation; its disks stay",
		},
		Facts: slices.Concat([]Fact{
			{On: OnChange, Text: "The VirtualMachine is updated in place and keeps its UID and disks. " +
				"KubeVirt changes a running VM immediately if it can; otherwise it sets the condition RestartRequired " +
				"or silently waits for the next start. vmrender restarts a pet only in its `maintenance` window."},
			windowFact, powerFact, userDataFact, snapshotFact, restoreFact, ansibleFact, growthFact, keptDiskFact,
			revisionFact, releaseFact,
			petRootFact, ownedDataFact,
		}, removalFacts(values.Denied, "VirtualMachine"), []Fact{scheduleFact}, deletionFacts, onLoss(
			protectFact, keptDisksStay, stateGoes, ownedDisksGo,
		)),
	},
	{
		Kind: "cattle", Strategy: values.Rollout,
		Summary: "A VM that keeps its name and gets a new root disk. VMs are restarted a few at a time.",
		InShort: map[Event]string{
			OnChange:   "a Job restarts the VMs if needed, a few at a time; a new image creates a new root disk",
			OnRemoval:  "deleted with its disks",
			OnDeletion: "deleted with its disks",
		},
		Facts: slices.Concat([]Fact{
			{On: OnChange, Text: "A different source, version, size, storage class or mode of the root disk " +
				"creates a new disk, `VM-root-HASH`. KubeVirt fills it while the VM runs or, " +
				"if the storage class waits for a first consumer, during the restart."},
			renewedFact,
			{On: OnChange, Text: "When all VMs of the rollout have the change, a Job restarts those whose root disk " +
				"is outdated or for which KubeVirt requires a restart: at most `maxUnavailable` at a time, " +
				"each when its new disks are ready. It waits until each VM is Ready. " +
				"Name, UID, firmware UUID, serial number and MAC addresses stay; " +
				"to cloud-init it is the same computer, and cloud-init runs from the beginning on a new disk. " +
				"Stopped VMs are not started, and paused ones are not restarted."},
			{On: OnChange, Text: "The sync does not wait for the Job. " +
				"A newer commit that changes the VMs, such as a revert, ends the Job and starts the next one: " +
				"VMs that were not restarted yet are not restarted for the old commit."},
			{On: OnChange, Text: "If a VM is not Ready within `progressDeadlineSeconds`, the rollout stops: " +
				"no further VM is restarted, the Job fails, and the Application is Degraded. " +
				"With `maxUnavailable` above 1, others may already have restarted. " +
				"A commit that changes these VMs resumes the rollout, as does `vmrender rollout --retry`; " +
				"a commit to other VMs does not. The pod that replaces a killed one also resumes it."},
			{On: OnChange, Text: "At the end the Job deletes outdated root disks, " +
				"except the last `keepOld` disks that each VM ran from, and those that any other VM refers to. " +
				"To go back, revert the commit: the old disk is still there."},
			{On: OnChange, Text: "A commit that does not change a VM of the rollout runs no Job."},
			growthFact, ownedDataFact, keptDiskFact, releaseFact,
		}, cattleFacts("VirtualMachine"), onLoss(protectFact, keptDisksStay, stateGoes, ownedDisksGo)),
	},
	{
		Kind: "cattle", Strategy: values.Replace,
		Summary: "A VM that Argo CD deletes and recreates, together with all other changed VMs.",
		InShort: map[Event]string{
			OnChange:   "deleted and recreated with its disks, all at the same time",
			OnRemoval:  "deleted with its disks",
			OnDeletion: "deleted with its disks",
		},
		Facts: slices.Concat([]Fact{
			{On: OnChange, Text: "Argo CD deletes the VirtualMachine, waits up to 5 minutes for it to disappear, " +
				"and recreates it. It does this for all changed VMs at the same time, regardless of their health."},
			{On: OnChange, Text: "Without the sync option `ApplyOutOfSyncOnly=true` on the Application, " +
				"this happens to every VM in every sync, regardless of the change. " +
				"Removing the strategy takes effect one sync later, because Argo CD also reads the live object."},
			{On: OnChange, Text: "Firmware UUID, serial number and derived MAC addresses stay: " +
				"to the guest, the new VM is the same computer."},
			{
				On: OnChange, Given: "disks that are not kept", holds: hasOwnedDisk,
				Text: "The disks in its `dataVolumeTemplates` are deleted and recreated.",
			},
			growthFact, keptDiskFact, releaseFact,
		}, cattleFacts("VirtualMachine"), onLoss(keptDisksStay, stateGoes, ownedDisksGo)),
	},
	{
		Kind: "cattle", Strategy: values.BlueGreen,
		Summary: "A VM that is deleted when its next revision runs in parallel. For stateless VMs behind a Service.",
		InShort: map[Event]string{
			OnChange:   "a second VM with its own disks; the old one is deleted when the new one is healthy",
			OnRemoval:  "deleted with its disks",
			OnDeletion: "deleted with its disks",
		},
		Facts: slices.Concat([]Fact{
			{On: OnChange, Text: "Any change to the VirtualMachine's content creates a second VirtualMachine, " +
				"`VM-HASH`, with its own disks. The cluster needs capacity for both while both run."},
			{On: OnChange, Text: "When the new one is healthy, in the last wave, the old one is deleted with its disks. " +
				"Set a `readinessProbe`: without a probe, a VM is Ready before its guest has started."},
			{On: OnChange, Text: "With the sync option `ApplyOutOfSyncOnly=true` on the Application, " +
				"a retried sync deletes the old VM even if the new one has failed. Do not set the option."},
			{On: OnChange, Text: "Services keep their name, and select every revision that is Ready."},
			{On: OnChange, Text: "Both VMs have the same firmware UUID and serial number. " +
				"Their MAC addresses are not derived, and differ."},
		}, cattleFacts("VirtualMachine"), onLoss(allDisksGo)),
	},
	{
		Kind: "cattle", Strategy: values.Pool,
		Summary: "Numbered VMs that are all the same. KubeVirt creates, updates and deletes them.",
		InShort: map[Event]string{
			OnChange:   "KubeVirt restarts the VMs, a few at a time; a changed disk template recreates them",
			OnRemoval:  "deleted with its disks",
			OnDeletion: "deleted with its disks",
		},
		Facts: slices.Concat([]Fact{
			{On: OnChange, Text: "The VirtualMachinePool is updated immediately, " +
				"together with the VirtualMachines `VM-0`, `VM-1` and so on. " +
				"KubeVirt restarts the running ones, at most `maxUnavailable` at a time; " +
				"stopped ones count as unavailable."},
			{On: OnChange, Text: "If the template of a disk has changed, " +
				"KubeVirt deletes the VirtualMachine with its disks, and recreates it."},
			renewedFact,
			{On: OnChange, Text: "Fewer `replicas` delete VMs with their disks. " +
				"Each VM gets its firmware UUID and MAC addresses from KubeVirt."},
			{
				On: OnChange, Given: "KubeVirt before 1.8", holds: losesIdentity,
				Text: "An update changes the firmware UUIDs and serial numbers of the VMs: " +
					"to the guests, they are different computers.",
			},
		}, cattleFacts("pool with its VirtualMachines"), onLoss(allDisksGo)),
	},
}
