package impact

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/diff"
	"github.com/vmrender/vmrender/pkg/labels"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// IsReplaced reports whether Argo CD deletes and recreates the VM for a change. It
// also reads the options from the live object (gitops-engine v0.7, sync_context.go).
func IsReplaced(s *Subject) bool {
	for _, side := range []manifest.Tree{s.Old, s.New, s.InCluster} {
		if cluster.SyncOption(side, "Force") == "true" && cluster.SyncOption(side, "Replace") == "true" {
			return true
		}
	}
	return false
}

// IsUnseen reports whether Argo CD sees no difference of a VM that it replaces: one that
// only loses annotations. Argo CD finds out what is gone from Git by kubectl's annotation
// with the last applied object, which is not written when an object is replaced (gitops-engine
// v0.7, pkg/utils/kube/resource_ops.go, ReplaceResource, and pkg/diff/diff.go, TwoWayDiff).
func IsUnseen(s *Subject) bool {
	if cluster.Annotation(s.InCluster, cluster.LastApplied) != "" {
		return false
	}
	return !slices.ContainsFunc(Changes(s), func(c diff.Change) bool {
		isLost := len(c.Path) == 3 && c.Path[0] == "metadata" && c.Path[1] == "annotations" && c.Now == nil
		return !isLost || c.Path[2] == argocd.SyncOptionsAnnotation
	})
}

// Replacement returns the causes of a VM that Argo CD deletes and recreates.
func Replacement(s *Subject) []Cause {
	out := []Cause{{
		Path: "", Key: "lifecycle", Level: Recreate, Code: "replaced",
		Reason: "Argo CD deletes the VM with the disks of its templates, and recreates it",
		When:   "immediately",
	}}
	vm := world.Template(s.Old)
	for _, v := range manifest.List(vm, "spec", "dataVolumeTemplates") {
		if name := manifest.EntryName(v); name != RootDisk(vm) {
			out = append(out, LostDisk(name))
		}
	}
	return out
}

// IsMoved reports whether an object moves to another wave of Flux, without an annotation that keeps it: the
// Kustomization of its old wave deletes what is gone from its directory, unless that of the new one has applied it
// before (kustomize-controller v1.9.5, internal/controller/kustomization_controller.go, deleteObjects: by the labels of
// the owner).
func IsMoved(old, now manifest.Tree) bool {
	was, is := cluster.Annotation(old, labels.Wave), cluster.Annotation(now, labels.Wave)
	return was != "" && is != "" && was != is && cluster.SyncOption(old, "Prune") != "false"
}

// reasonMoved is what happens to an object that moves to another wave.
const reasonMoved = "Flux deletes it with its old wave, and creates it in the new one"

// Move returns the causes of a VM that moves to another wave of Flux.
func Move(s *Subject) []Cause {
	out := Replacement(s)
	out[0].Reason, out[0].Key = reasonMoved+": its disks are deleted", "wave"
	out[0].Advice = "keep the wave, or set lifecycle: {removal: denied} in an earlier commit"
	if waveOf(s.New) < waveOf(s.Old) {
		out[0].Approximate = "whether Flux applies the new wave before it deletes the old one"
	}
	return out
}

// IsHandedOver reports whether an object that Flux applies is no longer rendered for Flux, without an annotation that
// keeps it.
func IsHandedOver(old, now manifest.Tree) bool {
	return cluster.Annotation(old, labels.Wave) != "" && now != nil && cluster.Annotation(now, labels.Wave) == "" &&
		cluster.SyncOption(old, "Prune") != "false"
}

// What happens to an object that is handed over, and what prevents it.
const (
	reasonHandedOver = "Flux deletes what its Kustomization no longer has, and all that it has applied if it is deleted"
	adviceHandedOver = "first set spec.prune: false in the Kustomizations, and delete them"
)

// Handover returns the causes of a VM that Flux no longer delivers.
func Handover(s *Subject) []Cause {
	out := Replacement(s)
	out[0] = Cause{
		Key: "delivery", Level: Delete, Code: "deleted", Reason: reasonHandedOver, Advice: adviceHandedOver,
		When: out[0].When,
	}
	return out
}

func waveOf(object manifest.Tree) int {
	n, _ := strconv.Atoi(cluster.Annotation(object, labels.Wave)) // which vmrender writes
	return n
}

// RootDisk returns the name of the claim that a VM starts from: that of the disk
// with the lowest bootOrder, or else the first. It is "" for a VM that starts from
// the network or from a kernel, unless its first disk is named as root disks are.
func RootDisk(vm manifest.Tree) string {
	root, lowest := "", 0
	disks := manifest.List(world.Spec(vm), "domain", "devices", "disks")
	for i, d := range disks {
		n := quantities.Count(manifest.At(d, "bootOrder"), 0)
		if i == 0 || n > 0 && (lowest == 0 || n < lowest) {
			root, lowest = world.ClaimOf(world.Volume(vm, "["+manifest.EntryName(d)+"]")), n
		}
	}
	if lowest == 0 && len(disks) > 0 && manifest.EntryName(disks[0]) != "rootdisk" && startsElsewhere(vm) {
		return ""
	}
	return root
}

// startsElsewhere reports whether a VM has a kernel to start, or a NIC in the boot
// order.
func startsElsewhere(vm manifest.Tree) bool {
	domain := manifest.At(world.Spec(vm), "domain")
	return manifest.At(domain, "firmware", "kernelBoot") != nil ||
		slices.ContainsFunc(manifest.List(domain, "devices", "interfaces"), hasBootOrder)
}

func hasBootOrder(nic any) bool { return manifest.At(nic, "bootOrder") != nil }

// LostDisk returns the cause that a disk of a VM's template goes with it.
func LostDisk(name string) Cause {
	return Cause{
		Path: diff.Display([]string{"spec", "dataVolumeTemplates", "[" + name + "]"}), Key: "disks",
		Level: DataLoss, Code: "disk-deleted",
		Reason: fmt.Sprintf("the disk %q belongs to the VM, and is deleted with its data", name),
		Advice: "lifecycle.keepDisks, in an earlier commit, keeps disks of new VMs",
	}
}
