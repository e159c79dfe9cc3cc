package cluster

import (
	"slices"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// Machine is what the cluster reports about a VM.
type Machine struct {
	Object   manifest.Tree // the VirtualMachine or VirtualMachinePool
	Instance manifest.Tree // nil if it has none, or if unknown
	Running  Truth
	// Migratable is the condition of the instance, and immovable its message: only
	// KubeVirt can determine everything that prevents a migration.
	Migratable Truth
	Immovable  string
	// Copyable is the condition of the instance for a migration with all of its disks.
	Copyable Truth
	// RestartRequired is true if the VM needs a restart already; why is the message.
	RestartRequired bool
	Why             string
}

// Machine returns what the cluster reports about a VM; or nil if it reports nothing.
func (l *State) Machine(id manifest.ID) *Machine {
	object := l.Object(id)
	if object == nil {
		return nil
	}
	m := &Machine{Object: object, Instance: l.Get(KindInstance, id.Namespace, id.Name)}
	if m.Instance != nil && KindOf(id) == KindVM {
		m.readConditions()
	}
	m.Running = l.running(m, id)
	if c := Condition(object, "RestartRequired"); manifest.Text(c, "status") == "True" && (l.Sticky || !m.startedAsIs()) {
		m.RestartRequired, m.Why = true, manifest.Text(c, "message")
	}
	return m
}

// Instance returns what the cluster reports about an instance, with its VirtualMachine if the state has it.
func (l *State) Instance(e Entity) *Machine {
	id := manifest.ID{APIVersion: e.ID.APIVersion, Kind: "VirtualMachine", Namespace: e.ID.Namespace, Name: e.ID.Name}
	if m := l.Machine(id); m != nil {
		return m
	}
	m := &Machine{Instance: e.Object}
	m.readConditions()
	m.Running = l.running(m, id)
	return m
}

// readConditions reads what the instance reports about migrations of it.
func (m *Machine) readConditions() {
	m.Migratable = Is(m.Instance, "LiveMigratable")
	m.Immovable = manifest.Text(Condition(m.Instance, "LiveMigratable"), "message")
	m.Copyable = Is(m.Instance, "StorageLiveMigratable")
}

// outdatedLauncher is the label of instances whose pods are those of an older KubeVirt (v1.8.4,
// staging/src/kubevirt.io/api/core/v1/types.go, OutdatedLauncherImageLabel).
const outdatedLauncher = "kubevirt.io/outdatedLauncherImage"

// IsOutdated reports whether the instance runs in the launcher of an older KubeVirt.
func (m *Machine) IsOutdated() bool {
	_, is := manifest.At(m.Instance, "metadata", "labels", outdatedLauncher).(string)
	return is
}

// startedAsIs reports whether the instance was started from the spec that the VM has now.
// KubeVirt can require a restart nevertheless, until it looks at the VM again: it may have
// seen the instance before the revision that it was started from, and have compared the VM
// with an earlier one (v1.8.4, pkg/virt-controller/watch/vm/vm.go, getLastVMRevisionSpec and
// getVMRevisionName).
func (m *Machine) startedAsIs() bool {
	uid := manifest.Text(m.Object, "metadata", "uid")
	generation := manifest.Compact(manifest.At(m.Object, "metadata", "generation"))
	return m.Instance != nil &&
		manifest.Text(m.Instance, "status", "virtualMachineRevisionName") == "revision-start-vm-"+uid+"-"+generation
}

// Final are the phases of an instance that does not run any more.
var Final = []string{"Succeeded", "Failed"}

// stoppedStatus are the statuses of a VM without an instance (KubeVirt v1.8.4,
// api/core/v1/types.go, VirtualMachinePrintableStatus).
var stoppedStatus = []string{
	"Stopped", "Provisioning", "WaitingForVolumeBinding", "DataVolumeError", "ErrorPvcNotFound", "CrashLoopBackOff",
	"WaitingForReceiver",
}

// running reports whether a VM runs: as its instance reports, or else its status.
func (l *State) running(m *Machine, id manifest.ID) Truth {
	status := manifest.Text(m.Object, "status", "printableStatus")
	switch {
	case KindOf(id) == KindPool:
		return Known(quantities.Count(manifest.At(m.Object, "status", "readyReplicas"), 0) > 0)
	case m.Instance != nil:
		return Known(!slices.Contains(Final, manifest.Text(m.Instance, "status", "phase")))
	case status != "":
		return Known(!slices.Contains(stoppedStatus, status))
	case manifest.At(m.Object, "status", "created") == true:
		return Yes
	}
	return Unknown
}

// IsCurrent reports whether a VM needs nothing of a rollout: it is ready, runs from its disks, and no change waits for
// a restart. That counts more than what a rollout has recorded before, as in package rollout.
func (m *Machine) IsCurrent() Truth {
	switch {
	case m.RestartRequired || Is(m.Object, "Ready") != Yes:
		return No
	case m.Instance == nil:
		return Unknown
	}
	isOther := func(volume any) bool {
		claim := world.ClaimOf(volume)
		running := manifest.At(m.Instance, "spec", "volumes", "["+manifest.EntryName(volume)+"]")
		return claim != "" && !IsHotpluggable(volume) && world.ClaimOf(running) != claim
	}
	volumes := manifest.List(world.Spec(m.Object), "volumes")
	return Known(Is(m.Instance, "Ready") == Yes && !slices.ContainsFunc(volumes, isOther))
}

// Changing returns what KubeVirt is changing in a running VM, by the conditions of its
// instance (v1.9.0, api/core/v1/types.go, VirtualMachineInstanceConditionType).
func (m *Machine) Changing() []string {
	var out []string
	for _, c := range []struct{ condition, key string }{
		{"HotVCPUChange", "cpu"}, {"HotMemoryChange", "memory"}, {"VolumesChange", "disks"}, {"MigrationRequired", "nics"},
	} {
		if Is(m.Instance, c.condition) == Yes {
			out = append(out, c.key)
		}
	}
	if m.copiesVolumes() && !slices.Contains(out, "disks") {
		out = append(out, "disks")
	}
	return out
}

// copiesVolumes reports whether KubeVirt copies volumes of the VM to other claims, or is about to. It
// notes so on the VM before the instance has a condition, and removes the note at the end (v1.8.4,
// pkg/virt-controller/watch/vm/vm.go). The note also stays if an instance started from the other
// claims because its first ones could not be filled, until KubeVirt's next copy.
func (m *Machine) copiesVolumes() bool {
	return len(manifest.List(m.Object, "status", "volumeUpdateState", "volumeMigrationState", "migratedVolumes")) > 0
}

// IsChanging reports whether KubeVirt is changing the running VM.
func (m *Machine) IsChanging() bool { return len(m.Changing()) > 0 }

// Tree returns the VM in the cluster, or nil.
func (m *Machine) Tree() manifest.Tree {
	if m == nil {
		return nil
	}
	return m.Object
}

// Started returns the VM as its instance was started, and whether it is from the
// ControllerRevision that KubeVirt stores at the start (v1.8.4,
// pkg/virt-controller/watch/vm/vm.go, createVMRevision). Without one, it is what the instance
// has of the fields of the VM's template.
func (l *State) Started(m *Machine) (vm manifest.Tree, isRevision bool) {
	namespace := manifest.Text(m.Object, "metadata", "namespace")
	name := manifest.Text(m.Instance, "status", "virtualMachineRevisionName")
	revision := l.Get(kindRevision, namespace, name)
	if spec, ok := manifest.At(revision, "data", "spec").(manifest.Tree); ok {
		return manifest.Tree{"spec": spec}, true
	}
	template, _ := manifest.At(m.Object, "spec", "template").(manifest.Tree)
	was, _ := Within(manifest.Tree{"spec": m.Instance["spec"]}, template, nil).(manifest.Tree)
	own, _ := m.Object["spec"].(manifest.Tree)
	spec := Without(own, "template")
	spec["template"] = was
	if metadata := template["metadata"]; metadata != nil {
		was["metadata"] = Within(m.Instance["metadata"], metadata, nil)
	}
	return manifest.Tree{"spec": spec}, false
}
