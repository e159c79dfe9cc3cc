package adopt

import (
	"fmt"
	"strings"

	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Note is a fact about an imported VM for the user.
type Note struct {
	Text string
	// Steps are what changes it, listed once for all VMs; empty if nothing needs to.
	Steps string
}

// Steps that change what came with the VMs. None is taken by itself.
const (
	// Server-side apply removes a field only if no other manager has set it, and the tool that created the VM has
	// set the templates (Kubernetes' documentation, Server-Side Apply): KubeVirt would adopt the disk again.
	// The sync leaves a DataVolume in the cluster that no template has any more, and its owner reference with it
	// (kubevirt/kubevirt v1.8.4, pkg/virt-controller/watch/vm/vm.go, handleDataVolumes). A DataVolume of Git would be
	// refused: KubeVirt has put the source in the place of a `sourceRef` (pkg/storage/types/dv.go), and CDI refuses to
	// change that back.
	stepsOwned = "A disk that belongs to its VM is deleted with it. To keep it: set in the entry of the disk " +
		"`source: {claim: DISK}` and nothing else of its content, sync, restart the VM, " +
		"remove the templates that server-side apply leaves there, because another tool has set them: " +
		`kubectl -n NAMESPACE patch vm NAME --type merge --patch '{"spec":{"dataVolumeTemplates":null}}', ` +
		"and then remove the owner reference: " +
		`kubectl -n NAMESPACE patch datavolume DISK --type merge --patch '{"metadata":{"ownerReferences":null}}'`
	// A newer KubeVirt than the types of vmrender has more fields, and keeps them.
	stepsUnknown = "A field that is left out is not in Git. If it is misspelled, correct it where the VM comes from, " +
		"and import again. If a newer KubeVirt has it, it stays in the cluster: " +
		"a sync removes no field that Git has never set"
	// Exactly one of both must be set, and they mean the same (kubevirt/kubevirt v1.8.4, vms-admitter.go).
	stepsRunning = "`running` is KubeVirt's old key. To use `runStrategy` instead: " +
		`kubectl -n NAMESPACE patch vm NAME --type merge --patch '{"spec":{"running":null,"runStrategy":"Always"}}'` +
		" (Halted for false), which changes nothing, and write `runStrategy` in the entry in the place of `running`"
)

// Notes returns what the user should know of a VM: its fields that are not imported, the disks that are deleted with
// it, its key `running`, and what was done to it since it was applied.
func Notes(l *draft.Live) []Note {
	out := Unknown(l)
	if names := ownedDisks(l); len(names) > 0 {
		out = append(out, Note{fmt.Sprintf("the disk %s belongs to the VM", strings.Join(names, ", ")), stepsOwned})
	}
	if l.VM.Spec.Running != nil {
		out = append(out, Note{"the VM has the key `running`", stepsRunning})
	}
	for _, deed := range ByHand(manifest.Object{ID: l.ID, JSON: l.JSON}, manifest.Object{}) {
		out = append(out, Note{Text: deed})
	}
	return out
}

// Unknown returns the warnings about the fields of a VM that are left out. They are those that the API server warns of
// (kubectl apply --validate=warn) if the cluster has the version of KubeVirt whose types vmrender has.
func Unknown(l *draft.Live) []Note {
	out := make([]Note, len(l.Unknown))
	for i, problem := range l.Unknown {
		text := "warning: " + problem + "; left out, as the API server drops what KubeVirt does not know"
		out[i] = Note{text, stepsUnknown}
	}
	return out
}

// ownedDisks returns the DataVolumes that the VM owns.
func ownedDisks(l *draft.Live) []string {
	templates := l.VM.Spec.DataVolumeTemplates
	names := make([]string, len(templates))
	for i := range templates {
		names[i] = templates[i].Name
	}
	return names
}
