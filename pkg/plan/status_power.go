package plan

import (
	"cmp"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// wantsRunning reports whether a VM should run, according to Git.
func wantsRunning(s *subject) bool {
	switch world.RunStrategy(world.Template(s.new)) {
	case "Always":
		return true
	case "RerunOnFailure":
		return manifest.Text(s.live.instance, "status", "phase") == "Failed"
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
func whyBroken(vm tree, status string) string {
	for _, kind := range brokenStatus[status] {
		if is(vm, kind) == known(kind == "Failure") {
			return reasonOf(condition(vm, kind))
		}
	}
	return reasonOf(condition(vm, "Ready"))
}

// reasonOf returns the message of a condition, or else its reason, as the rest of a sentence.
func reasonOf(condition tree) string {
	return because(cmp.Or(manifest.Text(condition, "message"), manifest.Text(condition, "reason")))
}

// powerFacts returns whether a VM runs as it should.
func (p *planner) powerFacts(s *subject) []Fact {
	if s.isPool() {
		return poolFacts(s)
	}
	vm, status := s.live.object, manifest.Text(s.live.object, "status", "printableStatus")
	down := func(says, why string) []Fact {
		return []Fact{{State: StateDown, Code: FactNotRunning, Says: says + why}}
	}
	_, isBroken := brokenStatus[status]
	switch {
	case is(vm, "ManualRecoveryRequired") == yes:
		return down("needs to be recovered manually", becauseOf(vm, "ManualRecoveryRequired"))
	case isBroken:
		return down("does not run ("+status+")", whyBroken(vm, status))
	case is(vm, "Failure") == yes && is(vm, "Ready") == yes:
		return []Fact{{
			State: StateFailed, Code: FactChangeFailed,
			Says: "KubeVirt could not make the last change" + becauseOf(vm, "Failure"),
		}}
	case is(vm, "Failure") == yes:
		return down("does not run", becauseOf(vm, "Failure"))
	case is(vm, "Paused") == yes:
		return down("is paused", becauseOf(vm, "Paused"))
	case slices.Contains(startingStatus, status):
		return []Fact{{State: StateUnderWay, Code: FactUnderWay, Says: "is " + statusWords(status)}}
	case wantsRunning(s) && s.live.running == no:
		return down(notRunning(s), becauseOf(vm, "Failure"))
	case wantsRunning(s) && status == "Running" && is(vm, "Ready") == no:
		return down("runs, but is not ready", becauseOf(vm, "Ready"))
	}
	return nil
}

// notRunning reports that a VM does not run, and which run strategy it has.
func notRunning(s *subject) string {
	git, cluster := world.RunStrategy(s.new), world.RunStrategy(s.live.object)
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
func poolFacts(s *subject) []Fact {
	if is(s.live.object, "ReplicaFailure") == yes {
		says := "its VMs cannot be created or deleted" + becauseOf(s.live.object, "ReplicaFailure")
		return []Fact{{State: StateDown, Code: FactNotRunning, Says: says}}
	}
	if !wantsRunning(s) {
		return nil
	}
	want := count(manifest.At(s.live.object, "spec", "replicas"), 1)
	ready := count(manifest.At(s.live.object, "status", "readyReplicas"), 0)
	if ready >= want {
		return nil
	}
	says := "of " + plural(want, "VM", "VMs") + ", " + numberOf(ready) + " ready"
	return []Fact{{State: StateDown, Code: FactNotRunning, Says: says}}
}
