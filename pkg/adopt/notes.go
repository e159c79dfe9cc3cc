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
	// Exactly one of both must be set, and they mean the same (kubevirt/kubevirt v1.8.4, vms-admitter.go).
	stepsRunning = "`running` is KubeVirt's old key. To use `runStrategy` instead: " +
		`kubectl -n NAMESPACE patch vm NAME --type merge --patch '{"spec":{"running":null,"runStrategy":"Always"}}'` +
		" (Halted for false), which changes nothing, and write `runStrategy` in the entry in the place of `running`"
)

// Notes returns what the user should know of a VM: the disks that are deleted with it, its key `running`, and what was
// done to it since it was applied.
func Notes(l *draft.Live) []Note {
	var out []Note
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

// ownedDisks returns the DataVolumes that the VM owns.
func ownedDisks(l *draft.Live) []string {
	templates := l.VM.Spec.DataVolumeTemplates
	names := make([]string, len(templates))
	for i := range templates {
		names[i] = templates[i].Name
	}
	return names
}
