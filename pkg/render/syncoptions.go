package render

import (
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/lifecycle"
)

// addOptions merges the lifecycle's sync options with those that overrides and patches set.
func (x *rendering) addOptions(vm *kubevirtv1.VirtualMachine) {
	if x.Target.ByFlux() {
		return
	}
	if options, ok := vm.Annotations[argocd.SyncOptionsAnnotation]; ok && options != x.vmOptions() {
		vm.Annotations[argocd.SyncOptionsAnnotation] = lifecycle.MergeOptions(x.vmOptions(), options)
	}
}
