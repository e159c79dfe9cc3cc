package render

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// Event is an event in the life of a VM.
type Event string

// The events, in the order in which they are explained.
const (
	OnChange   Event = "On a change"
	OnRemoval  Event = "On removal from Git"
	OnDeletion Event = "On deletion of the Application"
)

// Events returns all events, in order.
func Events() []Event { return []Event{OnChange, OnRemoval, OnDeletion} }

// Policy describes what happens to the VMs of one kind and strategy.
type Policy struct {
	Kind     string // pet or cattle
	Strategy values.Strategy
	Summary  string
	InShort  map[Event]string // what happens by default, in a few words
	Facts    []Fact
}

// Fact describes one thing that happens, in a few sentences.
type Fact struct {
	On    Event
	Given string // the values under which it happens; empty for always
	Text  string
	holds func(*subject) bool // nil for always
}

// Facts that several policies have in common.
var (
	snapshotFact = Fact{
		On: OnChange, Given: "`snapshotBefore: true`", holds: takesSnapshots,
		Text: "Before anything changes, a Job takes the VirtualMachineSnapshot `VM-pre-HASH-VERSION`, " +
			"one for each change of the VM: not on the first installation, " +
			"and not in a sync that does not change the VM. " +
			"A sync that is retried within an hour finds the one that it took, unless the VM has changed since. " +
			"Older snapshots stay. If it fails, or does not contain the root disk or a disk that is kept, " +
			"the sync ends before the change.",
	}
	userDataFact = Fact{
		On: OnChange, Given: "`cloudInit`", holds: hasCloudInit,
		Text: "A change of cloud-init's data requires a restart like other changes, also if the data is in a Secret " +
			"that vmrender writes. But cloud-init runs most of its modules, such as packages and commands, " +
			"only on the first boot of an instance, which a pet remains: " +
			"also change the guest in another way, such as with Ansible. " +
			"Changes inside a Secret of your own are not seen.",
	}
	renewedFact = Fact{
		On: OnChange, Given: "`cloudInit`", holds: hasCloudInit,
		Text: "A change of cloud-init's data, inline or in a Secret that vmrender writes, has the same effect: " +
			"cloud-init runs again with the new data. Changes inside a Secret of your own are not seen.",
	}
	ansibleFact = Fact{
		On: OnChange, Given: "`ansible`", holds: runsAnsible,
		Text: "When everything is healthy, in the last wave, the Ansible job `VM-ansible-HASH` runs: " +
			"once for each change of the VM, including one that restores earlier content, " +
			"and after the first installation. " +
			"The sync does not wait for it. " +
			"The Application is Progressing while it runs, and Degraded if it fails. " +
			"A sync that is retried does not run it again. A job that is deleted runs again. " +
			"The next change deletes it, even if it still runs. " +
			"An Application that does not prune keeps it, and then content that returns does not run again.",
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
		Text: "Another storage class, access mode or volume mode needs another `revision` of the disk in the same commit: " +
			"a disk `VM-DISK-REVISION`, to which KubeVirt copies the data by a live migration, while the VM runs. " +
			"The old disk stays until you delete it. " +
			"Nothing is copied while the VM is stopped: it then starts from the new disk, without its data.",
	}
	releaseFact = Fact{
		On: OnChange, Given: "disks that are kept", holds: hasKeptDisk,
		Text: "A disk that was not kept before still belongs to the VM: KubeVirt never releases it, " +
			"and Kubernetes deletes it with the VM, until its `ownerReferences` are removed. " +
			"If the health checks of this project are installed, the DataVolume and its Application " +
			"are Degraded until then, with the command in the message. " +
			"If its governance layer is installed, the policy `keptDisks` rejects that deletion, " +
			"and a VM that Argo CD deletes stays, stopped, until the disk is released.",
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
				"Other commits are still synced, and a revert puts the VM back under Git. " +
				"Its disks and its Secret also stay; its Services are deleted. " +
				"To delete it, set `removal: approved` in one commit, and remove the VM in a later one.",
		},
		{
			On: OnRemoval, Given: given(values.Confirm), holds: hasOption("Prune", "confirm"),
			Text: "Argo CD 2.14 and later waits until the deletion is confirmed with the annotation " +
				"`argocd.argoproj.io/deletion-approved` on the Application, and then deletes the " + what + ". " +
				"Until then nothing of the Application is synced, and a revert in Git has no effect: " +
				"a confirmation deletes the VM although Git contains it again. Terminate the sync instead.",
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
			Text:  "Argo CD keeps the " + what + ", or asks for confirmation.",
			holds: func(m *subject) bool { return strength(argocd.FindSyncOption(m.options, "Delete")) > 0 },
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
	ownedDisksGo = Fact{
		Given: "disks that are not kept", holds: hasOwnedDisk,
		Text: "The disks in its `dataVolumeTemplates` are deleted when it is deleted.",
	}
	allDisksGo = Fact{Text: "Its disks are deleted when it is deleted."}
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

// policies has a policy for every kind and strategy.
var policies = []Policy{
	{
		Kind:    "pet",
		Summary: "A VM that you keep. It is updated in place, and its disks are separate objects.",
		InShort: map[Event]string{
			OnChange:   "updated in place; changes that need a restart wait until you restart it",
			OnRemoval:  "stays, until a commit has set `removal: approved`; its disks stay in both cases",
			OnDeletion: "is deleted after a confirmation; its disks stay",
		},
		Facts: slices.Concat([]Fact{
			{On: OnChange, Text: "The VirtualMachine is updated in place and keeps its UID and disks. " +
				"KubeVirt changes a running VM immediately if it can; otherwise it sets the condition RestartRequired " +
				"or silently waits for the next start. vmrender never restarts a pet."},
			userDataFact, snapshotFact, ansibleFact, growthFact, keptDiskFact, revisionFact, releaseFact,
			petRootFact, ownedDataFact,
		}, removalFacts(values.Denied, "VirtualMachine"), deletionFacts, onLoss(
			protectFact, keptDisksStay, ownedDisksGo,
		)),
	},
	{
		Kind: "cattle", Strategy: values.Rollout,
		Summary: "A VM that keeps its name and gets a new root disk. VMs are restarted a few at a time.",
		InShort: map[Event]string{
			OnChange:   "a Job restarts it if needed, a few at a time; another image is another root disk",
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
				"to cloud-init it is the same computer, and on the new disk it runs from the beginning. " +
				"Stopped VMs are not started, and paused ones are not restarted."},
			{On: OnChange, Text: "The sync does not wait for the Job. " +
				"A newer commit that changes the VMs, such as a revert, ends it and starts the next Job: " +
				"VMs that were not restarted yet are not restarted for the old commit."},
			{On: OnChange, Text: "If a VM is not Ready within `progressDeadlineSeconds`, the rollout stops: " +
				"no further VM is restarted, the Job fails, and the Application is Degraded. " +
				"With `maxUnavailable` above 1, others may already have restarted. " +
				"A commit to other VMs does not resume it. A commit that changes these VMs resumes it, " +
				"as does `vmrender rollout --retry`. The pod that replaces a killed one also resumes the rollout."},
			{On: OnChange, Text: "At the end the Job deletes outdated root disks, " +
				"except the last `keepOld` disks that each VM ran from, and those that any other VM refers to. " +
				"To go back, revert the commit: the old disk is still there."},
			{On: OnChange, Text: "A commit that does not change a VM of the rollout runs no Job."},
			growthFact, ownedDataFact, keptDiskFact, releaseFact,
		}, cattleFacts("VirtualMachine"), onLoss(protectFact, keptDisksStay, ownedDisksGo)),
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
				"and recreates it. It does this for all changed VMs at the same time, whatever their health."},
			{On: OnChange, Text: "Without the sync option `ApplyOutOfSyncOnly=true` on the Application, " +
				"this happens to every VM in every sync, whatever changed. " +
				"Removing the strategy takes effect one sync later, because Argo CD also reads the live object."},
			{On: OnChange, Text: "Firmware UUID, serial number and derived MAC addresses stay: " +
				"to its guest it is the same computer."},
			{
				On: OnChange, Given: "disks that are not kept", holds: hasOwnedDisk,
				Text: "The disks in its `dataVolumeTemplates` are deleted and recreated.",
			},
			growthFact, keptDiskFact, releaseFact,
		}, cattleFacts("VirtualMachine"), onLoss(keptDisksStay, ownedDisksGo)),
	},
	{
		Kind: "cattle", Strategy: values.BlueGreen,
		Summary: "A VM that is deleted when its next revision runs next to it. For stateless VMs behind a Service.",
		InShort: map[Event]string{
			OnChange:   "a second VM with its own disks; the old one is deleted when the new one is healthy",
			OnRemoval:  "deleted with its disks",
			OnDeletion: "deleted with its disks",
		},
		Facts: slices.Concat([]Fact{
			{On: OnChange, Text: "Any change to the VirtualMachine's content creates a second VirtualMachine, " +
				"`VM-HASH`, with its own disks. The cluster needs capacity for both while both run."},
			{On: OnChange, Text: "When the new one is healthy, in the last wave, the old one is deleted with its disks. " +
				"Set a `readinessProbe`: without one a VM is Ready before its guest is."},
			{On: OnChange, Text: "With the sync option `ApplyOutOfSyncOnly=true` on the Application, " +
				"a sync that is retried deletes the old one although the new one has failed. Do not set the option."},
			{On: OnChange, Text: "Services keep their name, and select every revision that is Ready."},
			{On: OnChange, Text: "Firmware UUID and serial number stay, also while both run. " +
				"MAC addresses are not derived, and differ."},
		}, cattleFacts("VirtualMachine"), onLoss(allDisksGo)),
	},
	{
		Kind: "cattle", Strategy: values.Pool,
		Summary: "Numbered VMs that are all the same. KubeVirt creates, updates and deletes them.",
		InShort: map[Event]string{
			OnChange:   "KubeVirt restarts them, a few at a time; another disk template recreates them",
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
					"to their guests they are different computers.",
			},
		}, cattleFacts("pool with its VirtualMachines"), onLoss(allDisksGo)),
	},
}

// Policies returns the policies of every kind and strategy, in the order in which
// they are documented.
func Policies() []Policy { return slices.Clone(policies) }

// Named returns the policy with the name of a VM in the names of objects, instead
// of the placeholder VM.
func (p Policy) Named(vm string) Policy {
	p.Facts = slices.Clone(p.Facts)
	for i := range p.Facts {
		p.Facts[i].Text = strings.ReplaceAll(p.Facts[i].Text, "`VM-", "`"+vm+"-")
	}
	return p
}

// PolicyOf returns the policy of a VM, with the facts that hold for it as it is
// rendered.
func PolicyOf(m *machine.Machine) Policy {
	p := policies[slices.IndexFunc(policies, func(p Policy) bool { return p.Strategy == m.Lifecycle.Strategy })]
	s := subjectOf(m)
	p.Facts = slices.DeleteFunc(slices.Clone(p.Facts), func(f Fact) bool { return f.holds != nil && !f.holds(s) })
	return p
}

// Part is a group of objects that Argo CD treats in the same way.
type Part struct {
	Name    string
	Phase   string // PreSync, Sync or PostSync
	Wave    string // relative to the VM's own; the wave itself for objects of no single VM
	Options string // sync options
	Cleanup string // when Argo CD deletes a hook
	Why     string
}

// Parts returns all parts, in the order in which a sync applies them.
func Parts() []Part {
	order := []part{
		snapshotAccess, snapshotJob, migrationPlan, finishedPlan, rolloutAccess, migrationRun, finishedRun,
		dependent, keptDisk, petVM, cattleVM, replacedVM, blueGreenVM, growth,
		ansibleJob, rolloutJob,
	}
	out := make([]Part, 0, len(order))
	for _, p := range order {
		rule := &syncRules[p]
		out = append(out, Part{
			Name: rule.name, Phase: cmp.Or(rule.hook, "Sync"), Wave: rule.wave(p),
			Options: mergeOptions(removals[rule.removal], rule.options), Cleanup: rule.cleanup, Why: rule.why,
		})
	}
	return out
}

// shared are the parts that belong to no single machine.
var shared = []part{
	rolloutJob, rolloutAccess, snapshotJob, snapshotAccess, migrationPlan, migrationRun, finishedPlan, finishedRun,
}

// wave returns the wave of a part: relative to the VM's own, or as a number.
func (r *syncRule) wave(p part) string {
	switch own := !slices.Contains(shared, p); {
	case p == rolloutJob, r.after == lastWave:
		return "the last"
	case !own:
		return strconv.Itoa(r.after)
	case r.after > 0:
		return "the VM's + " + strconv.Itoa(r.after)
	}
	return "the VM's"
}
