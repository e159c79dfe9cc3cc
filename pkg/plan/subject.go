package plan

import (
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// truth is what is known about a fact.
type truth uint8

const (
	unknown truth = iota
	no
	yes
)

func known(v bool) truth {
	if v {
		return yes
	}
	return no
}

// subject is a VM on both sides: a VirtualMachine, or the template of a
// VirtualMachinePool in the form of one.
type subject struct {
	id       manifest.ID
	old, new tree
	cluster  Cluster

	// The state in the cluster, the object there, and if it is a VM, what the
	// cluster reports about it; nil if unknown.
	state     *live
	inCluster tree
	live      *liveMachine
	// git is the old side in Git if the cluster differs from it, and ofGit what changes
	// from it to the new side. See [pair].
	git                tree
	ofGit              []change
	missing, takenOver bool
	// settled is true if the cluster differs in ways that touch no running VM.
	settled bool

	// disks are the DataVolumes, claims and DataVolume templates that the VM uses
	// on the old side, by name, as they were.
	disks map[string]tree
}

// annotation returns an annotation of one side.
func annotation(side tree, key string) string {
	return manifest.Text(side, "metadata", "annotations", key)
}

// runs reports whether the VM runs before the sync.
func (s *subject) runs() truth {
	if s.live != nil && s.live.running != unknown {
		return s.live.running
	}
	switch world.RunStrategy(s.old) {
	case "Halted":
		return no
	case "Always":
		return yes
	}
	return unknown
}

// migratable reports whether the running VM can live-migrate. The instance's
// condition is known; without it, a disk that only one node can mount rules it out.
func (s *subject) migratable() truth {
	if s.live != nil && s.live.migratable != unknown {
		return s.live.migratable
	}
	if s.isPinned() || slices.ContainsFunc(world.Claims(world.Spec(s.old)), s.isSingleNode) {
		return no
	}
	if s.cluster.LiveMigratable != nil {
		return known(*s.cluster.LiveMigratable)
	}
	return unknown
}

// isPinned reports whether the VM can never live-migrate. KubeVirt bridges the NIC of a VM without one to the pod
// network, and HyperConverged has it masqueraded instead (HCO v1.18, controllers/handlers/kubevirt.go, getKVConfig).
func (s *subject) isPinned() bool {
	return world.Pinned(s.old) != "" || !s.cluster.OpenShift && world.GetsNIC(s.old)
}

// evictionStrategy returns what an eviction of the VM's pod does: as set by its
// instance, or else by Git, or else by the cluster.
func (s *subject) evictionStrategy() string {
	if s.live != nil {
		if own := manifest.Text(s.live.instance, "spec", "evictionStrategy"); own != "" {
			return own
		}
	}
	if own := manifest.Text(world.Spec(s.old), "evictionStrategy"); own != "" {
		return own
	}
	return s.cluster.evictionStrategy()
}

// isSingleNode reports whether only one node can mount a disk of the VM.
func (s *subject) isSingleNode(name string) bool {
	return isSingleNode(s.disks[name]) || isSingleNode(s.state.get(kindClaim, s.id.Namespace, name))
}

// copyable reports whether the running VM can live-migrate if the disks that get other
// claims are copied: of these it does not matter how many nodes can mount them (KubeVirt
// v1.8.4, pkg/virt-controller/watch/volume-migration/volume-migration.go,
// ValidateVolumesUpdateMigration, and watch/workload-updater/workload-updater.go).
func (s *subject) copyable() truth {
	stays := world.Claims(world.Spec(s.new))
	isHeld := func(name string) bool { return slices.Contains(stays, name) && s.isSingleNode(name) }
	switch {
	case s.isPinned(), slices.ContainsFunc(world.Claims(world.Spec(s.old)), isHeld):
		return no
	case s.live != nil && s.live.copyable != unknown:
		return s.live.copyable
	case s.live != nil && s.live.migratable != unknown:
		return s.live.migratable
	case s.cluster.LiveMigratable != nil:
		return known(*s.cluster.LiveMigratable)
	}
	return unknown
}

// isSingleNode reports whether a DataVolume or claim is ReadWriteOnce.
func isSingleNode(disk tree) bool {
	for _, path := range [][]string{{"spec", "storage"}, {"spec", "pvc"}, {"spec"}} {
		modes := manifest.List(disk, append(path, "accessModes")...)
		if len(modes) > 0 && !slices.Contains(modes, any("ReadWriteMany")) {
			return true
		}
	}
	return false
}

// isHotpluggable reports whether a volume is one that KubeVirt plugs in and out.
func isHotpluggable(volume any) bool {
	for _, kind := range []string{"dataVolume", "persistentVolumeClaim"} {
		if on, _ := manifest.At(volume, kind, "hotpluggable").(bool); on {
			return true
		}
	}
	return false
}

// kind returns the kind with its group, such as "DataVolume.cdi.kubevirt.io".
func (s *subject) kind() string { return kindOf(s.id) }

func kindOf(id manifest.ID) string { return strings.TrimSuffix(id.Kind+"."+id.Group(), ".") }

// isRollout reports whether a rollout restarts the VM.
func (s *subject) isRollout() bool {
	return manifest.Text(s.new, "metadata", "labels", labels.Rollout) != ""
}

// isPool reports whether the VM is the template of a VirtualMachinePool.
func (s *subject) isPool() bool { return s.id.Kind == "VirtualMachinePool" }

// entry returns the first entry of a list in a path, such as "[data]".
func entry(path []string) string {
	i := slices.IndexFunc(path, func(s string) bool { return strings.HasPrefix(s, "[") && s != order })
	if i < 0 {
		return ""
	}
	return path[i]
}

// syncOption returns the value of a sync option in an object's annotation, or "".
func syncOption(object tree, name string) string {
	return argocd.FindSyncOption(annotation(object, argocd.SyncOptionsAnnotation), name).Value
}

// isRendered reports whether vmrender has rendered an object.
func isRendered(object tree) bool {
	return manifest.Text(object, "metadata", "labels", labels.ManagedBy) == labels.Manager
}
