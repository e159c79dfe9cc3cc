package status

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/internal/wording"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// wantsRunning reports whether a VM should run, according to Git.
func wantsRunning(s *impact.Subject) bool {
	switch world.RunStrategy(world.Template(s.New)) {
	case "Always":
		return true
	case "RerunOnFailure":
		return manifest.Text(s.Live.Instance, "status", "phase") == "Failed"
	}
	return false
}

// startingStatus are the statuses of a VM on its way to run or to stop (KubeVirt
// v1.9.0, api/core/v1/types.go, VirtualMachinePrintableStatus).
var startingStatus = []string{
	"Provisioning", "WaitingForVolumeBinding", "WaitingForReceiver", "Starting", "Stopping", "Terminating",
}

// brokenStatus are those of a VM that cannot run as it is, with the conditions that tell why, the first one first
// (KubeVirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, setPrintableStatus and syncConditions; in watch/vmi,
// datavolumes.go); Ready comes after them. The health check of Argo CD that comes with vmrender has the same.
var brokenStatus = map[string][]string{
	"CrashLoopBackOff":   {"Failure"},
	"DataVolumeError":    {"Failure", "Synchronized", "DataVolumesReady"},
	"ErrImagePull":       {"Synchronized"},
	"ErrorPvcNotFound":   {"Synchronized"},
	"ErrorUnschedulable": {"PodScheduled"},
	"ImagePullBackOff":   {"Synchronized"},
	"Unknown":            nil,
}

// whyBroken returns the reason of a status of brokenStatus as the rest of a sentence. Failure says that something has
// failed, and all other conditions that something is in order.
func whyBroken(vm manifest.Tree, status string) string {
	for _, kind := range brokenStatus[status] {
		if cluster.Is(vm, kind) == cluster.Known(kind == "Failure") {
			return reasonOf(cluster.Condition(vm, kind))
		}
	}
	return reasonOf(cluster.Condition(vm, "Ready"))
}

// reasonOf returns the message of a condition, or else its reason, as the rest of a sentence.
func reasonOf(condition manifest.Tree) string {
	return wording.Because(cmp.Or(manifest.Text(condition, "message"), manifest.Text(condition, "reason")))
}

// powerFacts returns whether a VM runs as it should.
func (p *reader) powerFacts(s *impact.Subject) []Fact {
	if s.IsPool() {
		return poolFacts(s)
	}
	vm, status := s.Live.Object, manifest.Text(s.Live.Object, "status", "printableStatus")
	down := func(says, why string) []Fact {
		return []Fact{{State: StateDown, Code: FactNotRunning, Says: says + why}}
	}
	_, isBroken := brokenStatus[status]
	switch {
	case cluster.Is(vm, "ManualRecoveryRequired") == cluster.Yes:
		return down("needs to be recovered manually", cluster.BecauseOf(vm, "ManualRecoveryRequired"))
	case isBroken:
		return down("does not run ("+status+")", whyBroken(vm, status))
	case cluster.Is(vm, "Failure") == cluster.Yes && cluster.Is(vm, "Ready") == cluster.Yes:
		return []Fact{{
			State: StateFailed, Code: FactChangeFailed,
			Says: "KubeVirt could not make the last change" + cluster.BecauseOf(vm, "Failure"),
		}}
	case cluster.Is(vm, "Failure") == cluster.Yes:
		return down("does not run", cluster.BecauseOf(vm, "Failure"))
	case cluster.Is(vm, "Paused") == cluster.Yes:
		return down("is paused", cluster.BecauseOf(vm, "Paused"))
	case slices.Contains(startingStatus, status):
		return []Fact{{State: StateUnderWay, Code: FactUnderWay, Says: "is " + statusWords(status)}}
	case wantsRunning(s) && s.Live.Running == cluster.No:
		return down(notRunning(s), cluster.BecauseOf(vm, "Failure"))
	case wantsRunning(s) && status == "Running" && cluster.Is(vm, "Ready") == cluster.No:
		return down("runs, but is not ready", cluster.BecauseOf(vm, "Ready"))
	}
	return nil
}

// notRunning reports that a VM does not run, and which run strategy it has.
func notRunning(s *impact.Subject) string {
	git, cluster := world.RunStrategy(s.New), world.RunStrategy(s.Live.Object)
	says := "does not run, although its run strategy is " + git
	if cluster != git {
		says = "does not run: the run strategy is " + git + " in Git, and " + cluster + " in the cluster"
	}
	return says
}

// statusWords returns "starting" for Starting, and "waiting for volume binding".
func statusWords(status string) string {
	var b strings.Builder
	for i, r := range status {
		if i > 0 && r >= 'A' && r <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

// poolFacts returns whether a pool has as many VMs as it should. One that cannot create or delete VMs has a condition.
func poolFacts(s *impact.Subject) []Fact {
	if cluster.Is(s.Live.Object, "ReplicaFailure") == cluster.Yes {
		says := "its VMs cannot be created or deleted" + cluster.BecauseOf(s.Live.Object, "ReplicaFailure")
		return []Fact{{State: StateDown, Code: FactNotRunning, Says: says}}
	}
	if !wantsRunning(s) {
		return nil
	}
	want := quantities.Count(manifest.At(s.Live.Object, "spec", "replicas"), 1)
	ready := quantities.Count(manifest.At(s.Live.Object, "status", "readyReplicas"), 0)
	if ready >= want {
		return nil
	}
	says := "of " + wording.Plural(want, "VM", "VMs") + ", " + wording.NumberOf(ready) + " ready"
	return []Fact{{State: StateDown, Code: FactNotRunning, Says: says}}
}
