package render

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// Event is what can happen to a machine.
type Event string

// The events, in the order in which they are explained.
const (
	OnChange   Event = "On a change"
	OnRemoval  Event = "On removal from Git"
	OnDeletion Event = "On deletion of the Application"
)

// Events are all events, in order.
func Events() []Event { return []Event{OnChange, OnRemoval, OnDeletion} }

// Policy is what happens to the machines of one kind and strategy.
type Policy struct {
	Kind     string // pet or cattle
	Strategy values.Strategy
	Summary  string
	Facts    []Fact
}

// Fact is one thing that happens, in a sentence.
type Fact struct {
	On    Event
	Given string // the values under which it does; empty for always
	Text  string
	holds func(*machine.Machine) bool // nil for always
}

// Conditions under which a fact holds, beside what it says of the values.

func hasKeptDisk(m *machine.Machine) bool  { return hasDisk(m, true) }
func hasOwnedDisk(m *machine.Machine) bool { return hasDisk(m, false) }

func hasOwnedDataDisk(m *machine.Machine) bool { return slices.ContainsFunc(m.Disks, isOwnedData) }

func hasGrowingDisk(m *machine.Machine) bool {
	return slices.ContainsFunc(m.Disks, func(d machine.Disk) bool { return d.ExpandTo != "" })
}

func canConfirmDeletion(m *machine.Machine) bool    { return !cannotConfirmDeletion(m) }
func cannotConfirmDeletion(m *machine.Machine) bool { return values.Before(m.Target.ArgoCD, 2, 14) }

func isProtected(m *machine.Machine) bool    { return m.Lifecycle.Protect }
func takesSnapshots(m *machine.Machine) bool { return m.Lifecycle.SnapshotBefore }
func runsAnsible(m *machine.Machine) bool    { return m.Lifecycle.Ansible != nil }

// losesIdentity reports whether an update of a pool changes its VMs' identity.
func losesIdentity(m *machine.Machine) bool { return values.Before(m.Target.KubeVirt, 1, 8) }

// hasDisk reports whether the machine has a DataVolume that is kept, or one that is not.
func hasDisk(m *machine.Machine, kept bool) bool {
	return slices.ContainsFunc(m.Disks, func(d machine.Disk) bool { return d.Kind == machine.DiskDataVolume && d.Keep == kept })
}

func isOwnedData(d machine.Disk) bool {
	return d.Kind == machine.DiskDataVolume && !d.Keep && d.Name != "root"
}

// Facts that several policies have in common.
var (
	snapshotFact = Fact{
		OnChange, "`snapshotBefore: true`", "Before anything changes a Job takes the VirtualMachineSnapshot `VM-pre-HASH`, once for each revision of the VM: " +
			"not on the first installation, and not in a sync that leaves the VM as it is. Older snapshots stay. If it fails, the sync ends before the change.", takesSnapshots,
	}
	ansibleFact = Fact{
		OnChange, "`ansible`", "When all is healthy the Ansible job `VM-ansible-HASH` runs, once for each revision of the VM, the first included. The sync waits for it, and fails when it fails. After a sync that failed, for whatever reason, it runs again.", runsAnsible,
	}
	growthFact = Fact{
		OnChange, "`expandTo` on a disk", "One wave after the VM its claim is asked for the new size. The DataVolume is left as it is, and the guest must grow its file system.", hasGrowingDisk,
	}
	keptDiskFact = Fact{
		OnChange, "disks that are kept", "Another source, size or storage class of a disk is refused by CDI: a DataVolume cannot be changed. The sync fails; under `ServerSideDiff=true`, which `vmrender app` sets, the Application shows a ComparisonError, and nothing of it is synced until the change is reverted.", hasKeptDisk,
	}
	ownedDataFact = Fact{
		OnChange, "data disks that are not kept", "Another source, size or storage class of a data disk does nothing: KubeVirt finds the disk by its name. Give it another name.", hasOwnedDataDisk,
	}
	protectFact = Fact{
		"", "`protect: true`", "OpenShift refuses the deletion, and the sync fails, until the label `kubevirt.io/vm-delete-protection` is removed from the VM.", isProtected,
	}
	gone = "The VirtualMachine is deleted without a question."
)

// What becomes of the disks of a machine that is deleted.
var (
	keptStay = Fact{"", "disks that are kept", "The disks stay in the cluster, each a DataVolume with its claim, and do not count as a difference from Git.", hasKeptDisk}
	ownedGo  = Fact{"", "disks that are not kept", "The disks in its `dataVolumeTemplates` are deleted with it.", hasOwnedDisk}
	allGo    = Fact{"", "", "Its disks are deleted with it.", nil}
)

// removals say the same of both ways to lose a machine.
func removals(facts ...Fact) []Fact {
	out := make([]Fact, 0, 2*len(facts))
	for _, on := range []Event{OnRemoval, OnDeletion} {
		for _, f := range facts {
			f.On = on
			out = append(out, f)
		}
	}
	return out
}

// policies are what happens to machines of every kind and strategy.
var policies = []Policy{
	{
		Kind: "pet", Summary: "A machine that is kept: updated in place, its disks are objects of their own.",
		Facts: slices.Concat([]Fact{
			{OnChange, "", "The VirtualMachine is updated in place, and keeps its UID and its disks. What KubeVirt can change while it runs it changes at once; for the rest it sets the condition RestartRequired, " +
				"or waits for the next start without a word. vmrender never restarts a pet.", nil},
			snapshotFact, ansibleFact, growthFact, keptDiskFact, ownedDataFact,
		}, removals(
			Fact{"", "Argo CD from 2.14", "Argo CD waits until the deletion is confirmed with the annotation `argocd.argoproj.io/deletion-approved` on the Application, and then deletes the VirtualMachine.", canConfirmDeletion},
			Fact{"", "Argo CD before 2.14", "The VirtualMachine stays in the cluster: this Argo CD cannot ask for confirmation.", cannotConfirmDeletion},
			protectFact, keptStay, ownedGo,
		)),
	},
	{
		Kind: "cattle", Strategy: values.Rollout, Summary: "A machine that gets a new root disk and keeps its name: restarted onto it, a few at a time.",
		Facts: slices.Concat([]Fact{
			{OnChange, "", "Another source, version, size, storage class or mode of the root disk is another disk, `VM-root-HASH`. KubeVirt fills it beside the one in use, or, where the storage class waits for a first consumer, during the restart. The VM runs on.", nil},
			{OnChange, "", "When all is healthy a Job restarts the VMs whose root disk is outdated, or which KubeVirt wants to be restarted: at most `maxUnavailable` at a time, each when its new disks are ready, and waits until it is Ready. " +
				"Name, UID, firmware UUID, serial number and MAC addresses stay; cloud-init finds the same machine, and on the new disk runs from the beginning. Stopped VMs are not started.", nil},
			{OnChange, "", "The first VM that is not Ready within 15 minutes ends the rollout: no other one is restarted from then on, and the sync fails. With `maxUnavailable` above 1 others may have been restarted in the meantime. When the Application tries again, and when a Job was killed, the rollout goes on where it was.", nil},
			{OnChange, "", "After that outdated root disks are deleted, but for the newest `keepOld` of each VM. To go back, revert the commit: the old disk is still there.", nil},
			{OnChange, "", "A commit that does not change the VM restarts nothing. Argo CD's self-heal runs no Job.", nil},
			growthFact, ownedDataFact, keptDiskFact,
		}, removals(Fact{"", "", gone, nil}, protectFact, keptStay, ownedGo)),
	},
	{
		Kind: "cattle", Strategy: values.Replace, Summary: "A machine that Argo CD deletes and makes again: simple, and all at once.",
		Facts: slices.Concat([]Fact{
			{OnChange, "", "Argo CD deletes the VirtualMachine, waits for up to 5 minutes until it is gone, and makes it anew: all VMs that differ at once, without a look at their health.", nil},
			{OnChange, "", "Without the sync option `ApplyOutOfSyncOnly=true` on the Application that happens to every VM in every sync, whatever changed. Removing the strategy takes effect one sync later, since Argo CD reads the live object too.", nil},
			{OnChange, "", "Firmware UUID, serial number and derived MAC addresses stay: it is the same machine to its guest.", nil},
			{OnChange, "disks that are not kept", "The disks in its `dataVolumeTemplates` are deleted and filled anew.", hasOwnedDisk},
			growthFact, keptDiskFact,
		}, removals(Fact{"", "", gone, nil}, keptStay, ownedGo)),
	},
	{
		Kind: "cattle", Strategy: values.BlueGreen, Summary: "A machine whose next revision runs beside it before it goes: for stateless machines behind a Service.",
		Facts: slices.Concat([]Fact{
			{OnChange, "", "Any change of what the VirtualMachine is made of is another VirtualMachine, `VM-HASH`, with disks of its own. It is made beside the old one: as long as both run the cluster needs room for both.", nil},
			{OnChange, "", "When the new one is healthy, in the last wave, the old one is deleted with its disks. Give it a `readinessProbe`: without one a VM is Ready before its guest is.", nil},
			{OnChange, "", "Services keep their name, and lead to every revision that is Ready.", nil},
			{OnChange, "", "Firmware UUID and serial number stay, also while both run. MAC addresses are not derived, and differ.", nil},
		}, removals(Fact{"", "", gone, nil}, allGo)),
	},
	{
		Kind: "cattle", Strategy: values.Pool, Summary: "Machines that are all the same, with numbers: KubeVirt makes, updates and deletes them.",
		Facts: slices.Concat([]Fact{
			{OnChange, "", "The VirtualMachinePool is updated, and with it at once the VirtualMachines `VM-0` and on. KubeVirt restarts the running ones, at most `maxUnavailable` at a time; those that are stopped count as unavailable.", nil},
			{OnChange, "", "Where a disk's template has changed KubeVirt deletes the VirtualMachine with its disks, and makes it anew.", nil},
			{OnChange, "", "Fewer `replicas` delete VMs with their disks. Each VM gets its firmware UUID and MAC addresses from KubeVirt.", nil},
			{OnChange, "KubeVirt before 1.8", "An update gives the VMs other firmware UUIDs and serial numbers: to their guests they are other machines.", losesIdentity},
		}, removals(Fact{"", "", "The pool is deleted without a question, and its VirtualMachines with it.", nil}, allGo)),
	},
}

// Policies are what happens to machines of every kind and strategy, in the
// order in which they are documented.
func Policies() []Policy { return slices.Clone(policies) }

// Named returns the policy with the name of a VM in the names of its objects,
// for which the facts say VM.
func (p Policy) Named(vm string) Policy {
	p.Facts = slices.Clone(p.Facts)
	for i := range p.Facts {
		p.Facts[i].Text = strings.ReplaceAll(p.Facts[i].Text, "`VM-", "`"+vm+"-")
	}
	return p
}

// PolicyOf returns the policy of a machine, with the facts that hold for it.
func PolicyOf(m *machine.Machine) Policy {
	p := policies[slices.IndexFunc(policies, func(p Policy) bool { return p.Strategy == m.Lifecycle.Strategy })]
	p.Facts = slices.DeleteFunc(slices.Clone(p.Facts), func(f Fact) bool { return f.holds != nil && !f.holds(m) })
	return p
}

// Part is one of the things that machines are made of, and how Argo CD treats it.
type Part struct {
	Name    string
	Phase   string // PreSync, Sync or PostSync
	Wave    string // beside the machine's own; of what is no machine's, the wave
	Options string // sync options
	Cleanup string // when Argo CD deletes a hook
	Why     string
}

// Parts are all of them, in the order in which a sync gets to them.
func Parts() []Part {
	order := []part{snapshotAccess, snapshotJob, rolloutAccess, dependent, keptDisk, petVM, cattleVM, replacedVM, blueGreenVM, growth, ansibleJob, rolloutJob}
	out := make([]Part, 0, len(order))
	for _, p := range order {
		rule := &syncRules[p]
		out = append(out, Part{
			Name: rule.name, Phase: cmp.Or(rule.hook, "Sync"), Wave: rule.wave(p), Options: rule.options, Cleanup: rule.cleanup, Why: rule.why,
		})
	}
	return out
}

// wave says the wave of a part: beside the machine's own, or as a number.
func (r *syncRule) wave(p part) string {
	switch own := !slices.Contains([]part{rolloutJob, rolloutAccess, snapshotJob, snapshotAccess}, p); {
	case !own:
		return strconv.Itoa(r.after)
	case r.after > 0:
		return "the VM's + " + strconv.Itoa(r.after)
	}
	return "the VM's"
}
