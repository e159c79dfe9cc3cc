package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// busy returns what is going on with a VM that changes: operations during which
// KubeVirt refuses or holds back changes.
func (p *planner) busy(s *subject) []Cause { return append(p.operations(s), p.fillings(s)...) }

// inFlight returns the cause that something is going on.
func inFlight(format string, args ...any) Cause {
	return Cause{
		Level: None, Code: "in-flight", Reason: fmt.Sprintf(format, args...), Warning: true,
		Advice: "wait until it has finished before you sync",
	}
}

// operations returns the operations on a VM that are not over.
func (p *planner) operations(s *subject) []Cause {
	var out []Cause
	wait := func(format string, args ...any) { out = append(out, inFlight(format, args...)) }
	for _, m := range p.live.of(kindMigration, s.id.Namespace) {
		phase := manifest.Text(m.object, "status", "phase")
		if manifest.Text(m.object, "spec", "vmiName") == s.id.Name && !slices.Contains(final, phase) {
			wait("the live migration %s is %s: KubeVirt changes no processors, memory or placement meanwhile",
				m.id.Name, phaseOf(phase))
		}
	}
	for _, m := range p.live.of(kindSnapshot, s.id.Namespace) {
		phase := manifest.Text(m.object, "status", "phase")
		isOver := slices.Contains(final, phase) || manifest.At(m.object, "status", "readyToUse") == true
		if isFor(m.object, "source", s.id.Name) && !isOver {
			wait("the snapshot %s is %s: KubeVirt refuses changes of volumes and of the run strategy meanwhile",
				m.id.Name, phaseOf(phase))
		}
	}
	for _, m := range p.live.of(kindRestore, s.id.Namespace) {
		if isFor(m.object, "target", s.id.Name) && manifest.At(m.object, "status", "complete") != true {
			wait("the restore %s is not complete: KubeVirt refuses changes of the run strategy meanwhile, "+
				"and changes the VM's volumes", m.id.Name)
		}
	}
	for _, b := range p.live.of(kindBackup, s.id.Namespace) {
		isOver := is(b.object, "Complete") == yes || is(b.object, "Failed") == yes
		if p.isBackupOf(b, s.id.Name) && !isOver {
			wait("the backup %s is not complete", b.id.Name)
		}
	}
	node := manifest.Text(s.live.instance, "status", "nodeName")
	if node != "" && isUpdated(p.live.get(kindNode, "", node)) {
		wait("its node %s is being drained or updated: the VM leaves it by a live migration first", node)
	}
	for _, r := range manifest.List(s.live.object, "status", "stateChangeRequests") {
		wait("a request to %s the VM is not done yet", strings.ToLower(manifest.Text(r, "action")))
	}
	return out
}

// fillings returns the disks of a VM that are being filled, or could not be.
func (p *planner) fillings(s *subject) []Cause {
	var out []Cause
	for _, name := range p.usedDisks(s) {
		phase := manifest.Text(p.live.get(kindDataVolume, s.id.Namespace, name), "status", "phase")
		if strings.HasSuffix(phase, "InProgress") || strings.HasSuffix(phase, "Scheduled") {
			out = append(out, inFlight(
				"the disk %s is being filled (%s): KubeVirt applies no other change to the VM meanwhile", name, phase))
		} else if phase == "Failed" {
			out = append(out, inFlight(
				"the disk %s could not be filled: KubeVirt applies no change to the VM until it is", name))
		}
	}
	return out
}

// isBackupOf reports whether a backup is of a VM, by itself or by a tracker (KubeVirt
// v1.9.0, api/backup/v1alpha1/types.go, VirtualMachineBackupSpec).
func (p *planner) isBackupOf(backup entity, machine string) bool {
	name := manifest.Text(backup.object, "spec", "source", "name")
	if manifest.Text(backup.object, "spec", "source", "kind") == "VirtualMachine" {
		return name == machine
	}
	tracker := p.live.get(kindTracker, backup.id.Namespace, name)
	return manifest.Text(tracker, "spec", "source", "name") == machine
}

// isUpdated reports whether a node is being drained, manually or by the Machine Config Operator
// (machine-config-operator, pkg/daemon/constants/constants.go).
func isUpdated(node tree) bool {
	return manifest.At(node, "spec", "unschedulable") == true ||
		annotation(node, "machineconfiguration.openshift.io/state") == "Working"
}

// isFor reports whether a snapshot or restore is for a VM.
func isFor(object tree, field, machine string) bool {
	return manifest.Text(object, "spec", field, "kind") == "VirtualMachine" &&
		manifest.Text(object, "spec", field, "name") == machine
}

func phaseOf(phase string) string {
	if phase == "" {
		return "pending"
	}
	return phase
}

// usedDisks returns the names of the disks of a VM in the cluster.
func (p *planner) usedDisks(s *subject) []string {
	out := world.Claims(world.Spec(world.Template(s.live.object)))
	slices.Sort(out)
	return slices.Compact(out)
}
