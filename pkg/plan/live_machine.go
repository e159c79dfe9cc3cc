package plan

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/secret"
)

// liveMachine is what the cluster reports about a VM.
type liveMachine struct {
	object   tree // the VirtualMachine or VirtualMachinePool
	instance tree // nil if it has none, or if unknown
	running  truth
	// migratable is the condition of the instance, and immovable its message: only
	// KubeVirt can determine everything that prevents a migration.
	migratable truth
	immovable  string
	// copyable is the condition of the instance for a migration with all of its disks.
	copyable truth
	// restartRequired is true if the VM needs a restart already; why is the message.
	restartRequired bool
	why             string
}

// machine returns what the cluster reports about a VM; or nil if it reports nothing.
func (l *live) machine(id manifest.ID) *liveMachine {
	object := l.object(id)
	if object == nil {
		return nil
	}
	m := &liveMachine{object: object, instance: l.get(kindInstance, id.Namespace, id.Name)}
	if m.instance != nil && kindOf(id) == kindVM {
		c := condition(m.instance, "LiveMigratable")
		m.migratable, m.immovable = is(m.instance, "LiveMigratable"), manifest.Text(c, "message")
		m.copyable = is(m.instance, "StorageLiveMigratable")
	}
	m.running = l.running(m, id)
	if c := condition(object, "RestartRequired"); manifest.Text(c, "status") == "True" && (l.sticky || !m.startedAsIs()) {
		m.restartRequired, m.why = true, manifest.Text(c, "message")
	}
	return m
}

// startedAsIs reports whether the instance was started from the spec that the VM has now.
// KubeVirt can require a restart nevertheless, until it looks at the VM again: it may have
// seen the instance before the revision that it was started from, and have compared the VM
// with an earlier one (v1.8.4, pkg/virt-controller/watch/vm/vm.go, getLastVMRevisionSpec and
// getVMRevisionName).
func (m *liveMachine) startedAsIs() bool {
	uid, generation := manifest.Text(m.object, "metadata", "uid"), compact(manifest.At(m.object, "metadata", "generation"))
	return m.instance != nil &&
		manifest.Text(m.instance, "status", "virtualMachineRevisionName") == "revision-start-vm-"+uid+"-"+generation
}

// final are the phases of an instance that does not run any more.
var final = []string{"Succeeded", "Failed"}

// stoppedStatus are the statuses of a VM without an instance (KubeVirt v1.8.4,
// api/core/v1/types.go, VirtualMachinePrintableStatus).
var stoppedStatus = []string{
	"Stopped", "Provisioning", "WaitingForVolumeBinding", "DataVolumeError", "ErrorPvcNotFound", "CrashLoopBackOff",
	"WaitingForReceiver",
}

// running reports whether a VM runs: as its instance reports, or else its status.
func (l *live) running(m *liveMachine, id manifest.ID) truth {
	status := manifest.Text(m.object, "status", "printableStatus")
	switch {
	case kindOf(id) == kindPool:
		return known(count(manifest.At(m.object, "status", "readyReplicas"), 0) > 0)
	case m.instance != nil:
		return known(!slices.Contains(final, manifest.Text(m.instance, "status", "phase")))
	case status != "":
		return known(!slices.Contains(stoppedStatus, status))
	case manifest.At(m.object, "status", "created") == true:
		return yes
	}
	return unknown
}

// liveCauses returns what the state in the cluster adds to the causes of a VM that
// is on both sides.
func (p *planner) liveCauses(s *subject, found []Cause) []Cause {
	if s.live == nil {
		return found
	}
	codes := []Code{"never-migrates", "cannot-migrate", "evicted"}
	for i := range found {
		if c := &found[i]; s.live.immovable != "" && slices.Contains(codes, c.Code) {
			c.Reason += ": " + sentence(s.live.immovable)
		}
		if !p.filledAgain(s, &found[i]) {
			p.feasible(s, &found[i])
		}
	}
	found = append(found, p.ownership(s)...)
	if s.takenOver {
		found = append(found, p.takenOver(s, found)...)
	}
	if len(found) == 0 {
		return nil
	}
	if s.live.restartRequired {
		found = append(found, Cause{
			Level: None, Code: "restart-pending", When: atRestart, Warning: true,
			Reason: "the VM needs a restart already" + because(s.live.why),
			Advice: p.cluster.clears(),
		})
	}
	return append(found, p.busy(s)...)
}

// clears describes what takes a VM's need of a restart away (KubeVirt v1.8.0,
// pkg/virt-controller/watch/vm/vm.go, syncRestartRequired; also in v1.6.6 and v1.7.3).
func (c Cluster) clears() string {
	if c.keepsRestart() {
		return "restart the VM: on this KubeVirt, nothing else removes the requirement, not even a revert"
	}
	return "restart the VM, or revert the change that requires it"
}

// because returns a message of the cluster as the rest of a sentence.
func because(message string) string {
	if message == "" {
		return ""
	}
	return ": " + sentence(message)
}

// becauseOf is because for the message of a condition of an object.
func becauseOf(object tree, kind string) string {
	return because(manifest.Text(condition(object, kind), "message"))
}

// sentence returns a message of the cluster for users: in one line, cut, and without
// secrets.
func sentence(message string) string {
	line := strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, message)
	return cut(secret.MaskedIn(line))
}
