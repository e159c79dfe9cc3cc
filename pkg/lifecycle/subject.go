package lifecycle

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/outcome"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// subject is a VM with what protects it as it is rendered: the sync options and
// labels of the VirtualMachine or VirtualMachinePool, and the disks that outlive it.
type subject struct {
	*machine.Machine
	options string
	labels  map[string]string
	kept    map[string]bool // names of the DataVolumes that Argo CD neither prunes nor deletes
}

// subjectOf returns a VM with what protects it, from the objects that are rendered for it.
func subjectOf(m *machine.Machine, rendered []runtime.Object) *subject {
	s := &subject{Machine: m, kept: map[string]bool{}}
	for _, o := range rendered {
		meta, ok := o.(metav1.Object)
		if !ok {
			continue // the user writes it
		}
		options := syncOptions(meta.GetAnnotations())
		switch o.GetObjectKind().GroupVersionKind().Kind {
		case "VirtualMachine", "VirtualMachinePool":
			s.options, s.labels = options, meta.GetLabels()
		case "DataVolume":
			s.kept[meta.GetName()] = argocd.FindSyncOption(options, "Prune").Value == "false" &&
				argocd.FindSyncOption(options, "Delete").Value == "false"
		}
	}
	return s
}

// The conditions under which facts hold.

func hasKeptDisk(m *subject) bool  { return hasDisk(m, true) }
func hasOwnedDisk(m *subject) bool { return hasDisk(m, false) }

// keepsState reports whether a disk stays that may need a state that goes with the VM.
func keepsState(m *subject) bool {
	return hasKeptDisk(m) && (m.TPM == machine.TPMPersistent || m.Firmware.Persistent)
}

func hasKeptRoot(m *subject) bool {
	return slices.ContainsFunc(m.Disks, func(d machine.Disk) bool {
		return d.Name == values.RootDisk && d.Kind == machine.DiskDataVolume && m.kept[d.Claim]
	})
}

func hasClaim(m *subject) bool { return hasKeptDisk(m) || hasOwnedDisk(m) }

func hasOwnedDataDisk(m *subject) bool {
	return slices.ContainsFunc(m.Disks, func(d machine.Disk) bool {
		return d.Kind == machine.DiskDataVolume && !m.kept[d.Claim] && d.Name != values.RootDisk
	})
}

func hasGrowingDisk(m *subject) bool {
	return slices.ContainsFunc(m.Disks, func(d machine.Disk) bool { return d.ExpandTo != "" })
}

func hasCloudInit(m *subject) bool { return m.CloudInit != nil }

func isProtected(m *subject) bool { return m.labels[labels.Protection] == labels.Protected }

// hasOption returns the condition that the VM has a sync option. An option without a
// value does not protect the VM.
func hasOption(name, value string) func(*subject) bool {
	return func(m *subject) bool {
		o := argocd.FindSyncOption(m.options, name)
		return o.Value == value || value == "" && outcome.Strength(o) == 0
	}
}

func takesSnapshots(m *subject) bool { return m.Lifecycle.SnapshotBefore }

func hasWindow(m *subject) bool { return m.Lifecycle.Maintenance != nil }

func isRestored(m *subject) bool { return m.Lifecycle.Restores() }

func hasSchedule(m *subject) bool { return m.Lifecycle.Snapshots != nil }

func hasPower(m *subject) bool { return m.Lifecycle.Power != nil }

func runsAnsible(m *subject) bool { return m.Lifecycle.Ansible != nil }

// losesIdentity reports whether an update of a pool changes the identity of its VMs.
func losesIdentity(m *subject) bool { return versions.Before(m.Target.KubeVirt, "1.8") }

// hasDisk reports whether the VM has a DataVolume that is kept, or one that is not.
func hasDisk(m *subject, kept bool) bool {
	return slices.ContainsFunc(m.Disks, func(d machine.Disk) bool {
		return d.Kind == machine.DiskDataVolume && m.kept[d.Claim] == kept
	})
}
