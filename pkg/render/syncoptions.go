package render

import (
	"fmt"
	"slices"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// annotationHelmHook makes a hook of an object as Argo CD's own annotation does
// (gitops-engine pkg/sync/hook/hook.go, argo-cd v3.2.11).
const annotationHelmHook = "helm.sh/hook"

// syncingAnnotations are those that specify how Argo CD is to sync an object, except for the options of comparing it.
var syncingAnnotations = [...]string{
	argocd.SyncOptionsAnnotation, argocd.HookAnnotation, annotationHelmHook,
	argocd.SyncWaveAnnotation, argocd.HookWeightAnnotation,
}

// strength returns how well an option protects a VM: 0 if it does not.
func strength(o argocd.SyncOption) int {
	guards := o.Name == "Prune" || o.Name == "Delete"
	switch {
	case guards && o.Value == "false":
		return 2
	case guards && o.Value == "confirm", o.Name == "PruneLast" && o.Value == "true":
		return 1
	}
	return 0
}

// mergeOptions returns the options of both texts. Those of the second replace those
// of the first with the same name.
func mergeOptions(base, over string) string {
	all := slices.Collect(argocd.SyncOptions(base))
	for o := range argocd.SyncOptions(over) {
		if i := slices.IndexFunc(all, func(b argocd.SyncOption) bool { return b.Name == o.Name }); i >= 0 {
			all[i] = o
		} else {
			all = append(all, o)
		}
	}
	texts := make([]string, len(all))
	for i, o := range all {
		texts[i] = o.String()
	}
	return strings.Join(texts, ",")
}

// protect merges the lifecycle's sync options with those that overrides and patches
// set. It reports what they, or the user's annotations and labels, take away from
// the protection of the VM, and what would make Argo CD delete the VM in every sync.
// rendered is the VM before the overrides.
func (x *rendering) protect(vm, rendered *kubevirtv1.VirtualMachine) {
	if !x.setsSyncing() && len(x.Overrides) == 0 && len(x.Patches) == 0 {
		return
	}
	if options, ok := vm.Annotations[argocd.SyncOptionsAnnotation]; ok && options != x.vmOptions() {
		vm.Annotations[argocd.SyncOptionsAnnotation] = mergeOptions(x.vmOptions(), options)
	}
	x.checkHook(vm)
	x.checkForce(vm)
	x.checkReserved(rendered, vm)
	if !x.Lifecycle.Unprotected || x.asksForApproval() {
		x.checkProtection(vm)
	}
}

// setsSyncing reports whether the user's annotations have one that specifies how Argo CD is to sync the VM.
func (x *rendering) setsSyncing() bool {
	for _, key := range syncingAnnotations {
		if _, ok := x.Annotations[key]; ok {
			return true
		}
	}
	return false
}

// checkHook reports what makes Argo CD treat the VM as other than an object of its
// wave.
func (x *rendering) checkHook(vm *kubevirtv1.VirtualMachine) {
	for _, key := range []string{argocd.HookAnnotation, annotationHelmHook} {
		if vm.Annotations[key] != "" {
			x.refuse(vm, rule.SyncOptions, key, "Argo CD deletes a VM that is a hook in every sync; remove it")
		}
	}
	if wave, key := argocd.Wave(vm.Annotations); wave != x.Wave {
		x.refuse(vm, rule.SyncOptions, key,
			"the VM and its disks would be applied in different waves; use `wave` instead")
	}
}

// checkForce reports options that delete the VM in every sync, without the strategy
// that implies them.
func (x *rendering) checkForce(vm *kubevirtv1.VirtualMachine) {
	if x.Lifecycle.Strategy.Traits().AwaitsDeletion {
		return
	}
	for o := range argocd.SyncOptions(vm.Annotations[argocd.SyncOptionsAnnotation]) {
		if (o.Name == "Force" || o.Name == "Replace") && o.Value == "true" {
			x.refuse(vm, rule.SyncOptions, argocd.SyncOptionsAnnotation,
				o.String()+" deletes the VM, or the fields that the cluster has set, "+
					"in every sync; use `lifecycle: {type: cattle, strategy: replace}`, or another strategy")
		}
	}
}

// checkProtection reports options and labels of the lifecycle that are weaker, or
// gone.
func (x *rendering) checkProtection(vm *kubevirtv1.VirtualMachine) {
	meant := "; use `lifecycle.removal`, or `lifecycle: {protection: none}` if this is intended"
	if x.asksForApproval() {
		meant = "; use `lifecycle.removal` if this is intended"
	}
	for own := range argocd.SyncOptions(x.vmOptions()) {
		got := argocd.FindSyncOption(vm.Annotations[argocd.SyncOptionsAnnotation], own.Name)
		switch {
		case strength(got) >= strength(own):
		case got.Value == "":
			x.refuse(vm, rule.Protection, argocd.SyncOptionsAnnotation,
				fmt.Sprintf("%s, which protects the VM, is removed%s", own, meant))
		default:
			x.refuse(vm, rule.Protection, argocd.SyncOptionsAnnotation,
				fmt.Sprintf("%s takes away the protection of %s%s", got, own, meant))
		}
	}
	if x.Lifecycle.Protect && vm.Labels[labelProtection] != protected {
		x.refuseOverride(rule.Protection, source.JoinPath("metadata.labels", labelProtection),
			"`protect: true` sets the label, which must not be changed; use `protect: false` instead")
	}
}

// refuse reports an annotation at its position in the values files, or the overrides
// or patches that change it.
func (x *rendering) refuse(vm *kubevirtv1.VirtualMachine, id rule.ID, key, problem string) {
	if _, ok := x.Annotations[key]; ok && vm.Annotations[key] == x.vmAnnotations()[key] {
		x.diags.Errorf(x.AnnotationPos(key), id, source.JoinPath(x.path("annotations"), key), "%s", problem)
		return
	}
	x.refuseOverride(id, source.JoinPath("metadata.annotations", key), problem)
}

// refuseOverride reports what the patches or, without any, the overrides do to the
// value at a path.
func (x *rendering) refuseOverride(id rule.ID, path, problem string) {
	at, key := x.PatchPos, "patches"
	if len(x.Patches) == 0 {
		at, key = x.Overrides[len(x.Overrides)-1].Pos(), "overrides"
	}
	x.diags.Errorf(at, id, x.path(key), "%s: %s", path, problem)
}
