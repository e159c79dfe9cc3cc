package impact

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// Subject is a VM on both sides: a VirtualMachine, or the template of a
// VirtualMachinePool in the form of one.
type Subject struct {
	ID       manifest.ID
	Old, New manifest.Tree
	Cluster  cluster.Settings
	// TypeOf finds instance types and preferences; nil if none is known.
	TypeOf TypeLookup

	// The state in the cluster, the object there, and if it is a VM, what the
	// cluster reports about it; nil if unknown.
	State     *cluster.State
	InCluster manifest.Tree
	Live      *cluster.Machine
	// Git is the old side in Git if the cluster differs from it, and ofGit what changes
	// from it to the new side. See [pairs.Pair].
	Git                manifest.Tree
	ofGit              []diff.Change
	Missing, TakenOver bool
	// Unseen is true if the cluster, which is the old side, may have the object: it shows no object of the kind.
	Unseen bool
	// Settled is true if the cluster differs in ways that touch no running VM.
	Settled bool

	// Disks are the DataVolumes, claims and DataVolume templates that the VM uses
	// on the old side, by name, as they were.
	Disks map[string]manifest.Tree
}

// Runs reports whether the VM runs before the sync.
func (s *Subject) Runs() cluster.Truth {
	if s.Live != nil && s.Live.Running != cluster.Unknown {
		return s.Live.Running
	}
	switch world.RunStrategy(s.Old) {
	case "Halted":
		return cluster.No
	case "Always":
		return cluster.Yes
	}
	return cluster.Unknown
}

// Migratable reports whether the running VM can live-migrate. The instance's
// condition is known; without it, a disk that only one node can mount rules it out.
// An instance that still has the launcher of an older KubeVirt may fail to migrate to
// the present one: users report it for some upgrades (see package upgrade).
func (s *Subject) Migratable() cluster.Truth {
	if s.Live != nil && s.Live.Migratable == cluster.Yes && s.Live.IsOutdated() {
		return cluster.Unknown
	}
	if s.Live != nil && s.Live.Migratable != cluster.Unknown {
		return s.Live.Migratable
	}
	if s.isPinned() || slices.ContainsFunc(world.Claims(world.Spec(s.Old)), s.IsSingleNode) {
		return cluster.No
	}
	if s.Cluster.LiveMigratable != nil {
		return cluster.Known(*s.Cluster.LiveMigratable)
	}
	return cluster.Unknown
}

// isPinned reports whether the VM can never live-migrate. KubeVirt bridges the NIC of a VM without one to the pod
// network, and HyperConverged has it masqueraded instead (HCO v1.18, controllers/handlers/kubevirt.go, getKVConfig).
func (s *Subject) isPinned() bool {
	return world.Pinned(s.Old) != "" || !s.Cluster.OpenShift && world.GetsNIC(s.Old)
}

// EvictionStrategy returns what an eviction of the VM's pod does: as set by its
// instance, or else by Git, or else by the cluster.
func (s *Subject) EvictionStrategy() string {
	if s.Live != nil {
		if own := manifest.Text(s.Live.Instance, "spec", "evictionStrategy"); own != "" {
			return own
		}
	}
	if own := manifest.Text(world.Spec(s.Old), "evictionStrategy"); own != "" {
		return own
	}
	return s.Cluster.DefaultEvictionStrategy()
}

// IsSingleNode reports whether only one node can mount a disk of the VM.
func (s *Subject) IsSingleNode(name string) bool {
	return cluster.IsSingleNode(s.Disks[name]) ||
		cluster.IsSingleNode(s.State.Get(cluster.KindClaim, s.ID.Namespace, name))
}

// copyable reports whether the running VM can live-migrate if the disks that get other
// claims are copied: of these it does not matter how many nodes can mount them (KubeVirt
// v1.8.4, pkg/virt-controller/watch/volume-migration/volume-migration.go,
// ValidateVolumesUpdateMigration, and watch/workload-updater/workload-updater.go).
func (s *Subject) copyable() cluster.Truth {
	stays := world.Claims(world.Spec(s.New))
	isHeld := func(name string) bool { return slices.Contains(stays, name) && s.IsSingleNode(name) }
	switch {
	case s.isPinned(), slices.ContainsFunc(world.Claims(world.Spec(s.Old)), isHeld):
		return cluster.No
	case s.Live != nil && s.Live.IsOutdated():
		return cluster.Unknown
	case s.Live != nil && s.Live.Copyable != cluster.Unknown:
		return s.Live.Copyable
	case s.Live != nil && s.Live.Migratable != cluster.Unknown:
		return s.Live.Migratable
	case s.Cluster.LiveMigratable != nil:
		return cluster.Known(*s.Cluster.LiveMigratable)
	}
	return cluster.Unknown
}

// kind returns the kind with its group, such as "DataVolume.cdi.kubevirt.io".
func (s *Subject) kind() string { return cluster.KindOf(s.ID) }

// isRollout reports whether a rollout restarts the VM.
func (s *Subject) isRollout() bool {
	return manifest.Text(s.New, "metadata", "labels", labels.Rollout) != ""
}

// IsPool reports whether the VM is the template of a VirtualMachinePool.
func (s *Subject) IsPool() bool { return s.ID.Kind == "VirtualMachinePool" }

// entry returns the first entry of a list in a path, such as "[data]".
func entry(path []string) string {
	i := slices.IndexFunc(path, func(s string) bool { return strings.HasPrefix(s, "[") && s != diff.Order })
	if i < 0 {
		return ""
	}
	return path[i]
}
