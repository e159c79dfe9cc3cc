package pairs

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// InFlight returns the cause that something is going on.
func InFlight(format string, args ...any) impact.Cause {
	return impact.Cause{
		Level: impact.None, Code: "in-flight", Reason: fmt.Sprintf(format, args...), Warning: true,
		Advice: "wait until it has finished before you sync",
	}
}

// Operations returns the operations on a VM that are not over.
func (p *Set) Operations(s *impact.Subject) []impact.Cause {
	var out []impact.Cause
	wait := func(format string, args ...any) { out = append(out, InFlight(format, args...)) }
	for _, m := range p.Live.Of(cluster.KindMigration, s.ID.Namespace) {
		phase := manifest.Text(m.Object, "status", "phase")
		if manifest.Text(m.Object, "spec", "vmiName") == s.ID.Name && !slices.Contains(cluster.Final, phase) {
			wait("the live migration %s is %s: KubeVirt changes no processors, memory or placement meanwhile",
				m.ID.Name, phaseOf(phase))
		}
	}
	for _, m := range p.Live.Of(cluster.KindSnapshot, s.ID.Namespace) {
		phase := manifest.Text(m.Object, "status", "phase")
		isOver := slices.Contains(cluster.Final, phase) || manifest.At(m.Object, "status", "readyToUse") == true
		if isFor(m.Object, "source", s.ID.Name) && !isOver {
			wait("the snapshot %s is %s: KubeVirt refuses changes of volumes and of the run strategy meanwhile",
				m.ID.Name, phaseOf(phase))
		}
	}
	for _, m := range p.Live.Of(cluster.KindRestore, s.ID.Namespace) {
		if isFor(m.Object, "target", s.ID.Name) && manifest.At(m.Object, "status", "complete") != true {
			wait("the restore %s is not complete: KubeVirt refuses changes of the run strategy meanwhile, "+
				"and changes the VM's volumes", m.ID.Name)
		}
	}
	for _, b := range p.Live.Of(cluster.KindBackup, s.ID.Namespace) {
		isOver := cluster.Is(b.Object, "Complete") == cluster.Yes || cluster.Is(b.Object, "Failed") == cluster.Yes
		if p.isBackupOf(b, s.ID.Name) && !isOver {
			wait("the backup %s is not complete", b.ID.Name)
		}
	}
	node := manifest.Text(s.Live.Instance, "status", "nodeName")
	if node != "" && isUpdated(p.Live.Get(cluster.KindNode, "", node)) {
		wait("its node %s is being drained or updated: the VM leaves it by a live migration first", node)
	}
	for _, r := range manifest.List(s.Live.Object, "status", "stateChangeRequests") {
		wait("a request to %s the VM is not done yet", strings.ToLower(manifest.Text(r, "action")))
	}
	return out
}

// isBackupOf reports whether a backup is of a VM, by itself or by a tracker (KubeVirt
// v1.9.0, api/backup/v1alpha1/types.go, VirtualMachineBackupSpec).
func (p *Set) isBackupOf(backup cluster.Entity, machine string) bool {
	name := manifest.Text(backup.Object, "spec", "source", "name")
	if manifest.Text(backup.Object, "spec", "source", "kind") == "VirtualMachine" {
		return name == machine
	}
	tracker := p.Live.Get(cluster.KindTracker, backup.ID.Namespace, name)
	return manifest.Text(tracker, "spec", "source", "name") == machine
}

// isUpdated reports whether a node is being drained, manually or by the Machine Config Operator
// (machine-config-operator, pkg/daemon/constants/constants.go).
func isUpdated(node manifest.Tree) bool {
	return manifest.At(node, "spec", "unschedulable") == true ||
		cluster.Annotation(node, "machineconfiguration.openshift.io/state") == "Working"
}

// isFor reports whether a snapshot or restore is for a VM.
func isFor(object manifest.Tree, field, machine string) bool {
	return manifest.Text(object, "spec", field, "kind") == "VirtualMachine" &&
		manifest.Text(object, "spec", field, "name") == machine
}

func phaseOf(phase string) string {
	if phase == "" {
		return "pending"
	}
	return phase
}

// UsedDisks returns the names of the disks of a VM in the cluster.
func (p *Set) UsedDisks(s *impact.Subject) []string {
	out := world.Claims(world.Spec(world.Template(s.Live.Object)))
	slices.Sort(out)
	return slices.Compact(out)
}
