package plan

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// wantsRunning reports whether a VM should run, according to Git.
func wantsRunning(s *subject) bool {
	switch runStrategy(poolTemplate(s.new)) {
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

// brokenStatus are those of a VM that cannot run as it is; the health check of Argo CD
// that comes with vmrender has the same.
var brokenStatus = []string{
	"CrashLoopBackOff", "DataVolumeError", "ErrImagePull", "ErrorPvcNotFound", "ErrorUnschedulable", "ImagePullBackOff",
	"Unknown",
}

// powerFacts returns whether a VM runs as it should.
func (p *planner) powerFacts(s *subject) []Fact {
	if s.isPool() {
		return poolFacts(s)
	}
	vm, status := s.live.object, manifest.Text(s.live.object, "status", "printableStatus")
	down := func(says, kind string) []Fact {
		return []Fact{{State: StateDown, Code: FactNotRunning, Says: says + becauseOf(vm, kind)}}
	}
	switch {
	case is(vm, "ManualRecoveryRequired") == yes:
		return down("needs to be recovered manually", "ManualRecoveryRequired")
	case slices.Contains(brokenStatus, status):
		return down("does not run ("+status+")", "Ready")
	case is(vm, "Failure") == yes && is(vm, "Ready") == yes:
		return []Fact{{
			State: StateFailed, Code: FactChangeFailed,
			Says: "KubeVirt could not make the last change" + becauseOf(vm, "Failure"),
		}}
	case is(vm, "Failure") == yes:
		return down("does not run", "Failure")
	case is(vm, "Paused") == yes:
		return down("is paused", "Paused")
	case slices.Contains(startingStatus, status):
		return []Fact{{State: StateUnderWay, Code: FactUnderWay, Says: "is " + statusWords(status)}}
	case wantsRunning(s) && s.live.running == no:
		return down(notRunning(s), "Failure")
	case wantsRunning(s) && status == "Running" && is(vm, "Ready") == no:
		return down("runs, but is not ready", "Ready")
	}
	return nil
}

// notRunning reports that a VM does not run, and which run strategy it has.
func notRunning(s *subject) string {
	git, cluster := runStrategy(s.new), runStrategy(s.live.object)
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

// poolFacts returns whether a pool has as many VMs as it should.
func poolFacts(s *subject) []Fact {
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
