package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// stateClaim is how the names of the claims begin in which KubeVirt keeps the state of VMs, and stateLabel their label
// with the VM's name (KubeVirt v1.8.4, pkg/storage/backend-storage/backend-storage.go).
const (
	stateClaim = "persistent-state-for-"
	stateLabel = "persistent-state-for"
)

// lostState returns the cause that the state of a VM's TPM or firmware goes with the VM while a disk of it stays, which
// may not open without it.
func (p *planner) lostState(s *impact.Subject, owned []string) []impact.Cause {
	vm := world.Template(s.Old)
	state := world.StateOf(world.Spec(vm))
	stays := func(name string) bool { return !slices.Contains(owned, name) }
	if !state.Any() || !slices.ContainsFunc(world.Claims(world.Spec(vm)), stays) || p.keepsState(s) {
		return nil
	}
	c := impact.Cause{Level: impact.DataLoss, Code: "state-deleted", Key: "tpm", Warning: true}
	what := "the state of the TPM"
	after := "disks that are bound to it, by BitLocker or LUKS, open only with their recovery keys"
	switch {
	case !state.TPM:
		c.Key, what, after = "firmware", "the variables of the firmware", "its boot entries and Secure Boot keys are gone"
	case state.EFI:
		what += " and the variables of the firmware"
	}
	c.Reason = fmt.Sprintf("KubeVirt keeps %s in a claim of the VM (%s%s-…), which Kubernetes deletes with it: %s",
		what, stateClaim, s.ID.Name, after)
	c.Advice = fmt.Sprintf("have the recovery keys, or keep the claim for a VM of the same name: first remove its owner "+
		"reference (kubectl get pvc --namespace %s --selector %s=%s)", s.ID.Namespace, stateLabel, s.ID.Name)
	return []impact.Cause{c}
}

// keepsState reports whether the claim with a VM's state is known not to go with it: it belongs to nothing, or it does
// not exist.
func (p *planner) keepsState(s *impact.Subject) bool {
	if p.Live == nil || !p.Live.Covers("", "PersistentVolumeClaim", s.ID.Namespace) {
		return false
	}
	return !slices.ContainsFunc(p.Live.Of(cluster.KindClaim, s.ID.Namespace), func(e cluster.Entity) bool {
		isOf := manifest.Text(e.Object, "metadata", "labels", stateLabel) == s.ID.Name
		return isOf && slices.Contains(p.Live.Owned(s.ID), e.ID.Name)
	})
}

// isStateClaim reports whether a claim is one that KubeVirt has made for the state of a VM.
func isStateClaim(name string) bool { return strings.HasPrefix(name, stateClaim) }
