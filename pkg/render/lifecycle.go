package render

import (
	"strconv"

	"github.com/vmrender/vmrender/pkg/fleet"
)

// The annotations that Argo CD reads (argo-cd docs/user-guide/sync-waves.md and
// sync-options.md), and those that say what happens after a change.
const (
	annotationWave    = "argocd.argoproj.io/sync-wave"
	annotationOptions = "argocd.argoproj.io/sync-options"

	annotationLifecycle = "vmrender.io/lifecycle"
	annotationOnChange  = "vmrender.io/on-change"
	annotationStrategy  = "vmrender.io/strategy"

	// CDI up to 1.61, which came with KubeVirt up to 1.4, may delete a DataVolume
	// that is done, and Argo CD would make it anew.
	annotationDeleteAfterCompletion = "cdi.kubevirt.io/storage.deleteAfterCompletion"

	// labelProtection makes OpenShift's admission policy refuse deletion
	// (kubevirt/ssp-operator, from OpenShift 4.19).
	labelProtection = "kubevirt.io/vm-delete-protection"
)

// part is one of the things that a machine is made of, as far as Argo CD
// treats them differently.
type part uint8

const (
	petVM part = iota
	cattleVM
	replacedVM // cattle with the strategy replace
	keptDisk
	dependent // Secrets and Services
	growth
)

// syncRule is when Argo CD applies a part, and how it lets go of it.
type syncRule struct {
	after   int    // waves after the machine's own
	options string // sync options
	before  string // sync options where Argo CD cannot ask for confirmation
}

// syncRules is all that is said to Argo CD.
//
// A machine and its disks are in one wave: a disk whose storage class waits for
// its first consumer is never healthy before the machine starts. A claim grows
// after that, since it must be there. Prune and Delete are read from the live
// object, so they are there from the first sync on.
var syncRules = [...]syncRule{
	petVM:      {options: "Prune=confirm,Delete=confirm", before: "Prune=false,Delete=false"},
	cattleVM:   {},
	replacedVM: {options: "Force=true,Replace=true"},
	keptDisk:   {options: "Prune=false,Delete=false"},
	dependent:  {},
	growth:     {after: 1, options: "ServerSideApply=true,Prune=false,Delete=false"},
}

// syncAnnotations are what Argo CD is told about a part of the machine.
func (x *rendering) syncAnnotations(p part) map[string]string {
	rule := &syncRules[p]
	a := make(map[string]string, 4)
	a[annotationWave] = strconv.Itoa(x.Wave + rule.after)
	options := rule.options
	// Confirmation came with Argo CD 2.14.
	if rule.before != "" && fleet.Before(x.Target.ArgoCD, 2, 14) {
		options = rule.before
	}
	if options != "" {
		a[annotationOptions] = options
	}
	return a
}

func (x *rendering) lifecycleAnnotations() map[string]string {
	switch {
	case !x.Lifecycle.Cattle:
		a := x.syncAnnotations(petVM)
		a[annotationLifecycle], a[annotationOnChange] = "pet", "in-place"
		return a
	case x.Lifecycle.Strategy == "replace":
		return x.cattleAnnotations(replacedVM)
	default:
		return x.cattleAnnotations(cattleVM)
	}
}

func (x *rendering) cattleAnnotations(p part) map[string]string {
	a := x.syncAnnotations(p)
	a[annotationLifecycle], a[annotationOnChange] = "cattle", "recreate"
	a[annotationStrategy] = x.Lifecycle.Strategy
	return a
}

// diskAnnotations are on DataVolumes that survive their machine.
func (x *rendering) diskAnnotations() map[string]string {
	a := x.syncAnnotations(keptDisk)
	if fleet.Before(x.Target.KubeVirt, 1, 5) {
		a[annotationDeleteAfterCompletion] = "false"
	}
	return a
}

func protectionLabels(protect bool) map[string]string {
	if !protect {
		return nil
	}
	return map[string]string{labelProtection: "True"}
}
