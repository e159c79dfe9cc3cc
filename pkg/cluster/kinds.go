package cluster

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// The kinds that rules name.
const (
	KindDataVolume = "DataVolume.cdi.kubevirt.io"
	KindClaim      = "PersistentVolumeClaim"
	KindVM         = "VirtualMachine.kubevirt.io"
	KindPool       = "VirtualMachinePool.pool.kubevirt.io"
	KindSecret     = "Secret"
	KindJob        = "Job.batch"
	KindAnsibleJob = "AnsibleJob.tower.ansible.com"
)

const kindRevision = "ControllerRevision.apps"

// KindOf returns the kind of an object with its group: "DataVolume.cdi.kubevirt.io", or "Secret".
func KindOf(id manifest.ID) string { return strings.TrimSuffix(id.Kind+"."+id.Group(), ".") }

// ownerKind returns the kind of an owner reference, with its group.
func ownerKind(owner any) string {
	group, _, hasGroup := strings.Cut(manifest.Text(owner, "apiVersion"), "/")
	if !hasGroup {
		return manifest.Text(owner, "kind")
	}
	return manifest.Text(owner, "kind") + "." + group
}
