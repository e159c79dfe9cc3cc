package render

import (
	"slices"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/argocd"
)

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

// addOptions merges the lifecycle's sync options with those that overrides and patches set.
func (x *rendering) addOptions(vm *kubevirtv1.VirtualMachine) {
	if x.Target.ByFlux() {
		return
	}
	if options, ok := vm.Annotations[argocd.SyncOptionsAnnotation]; ok && options != x.vmOptions() {
		vm.Annotations[argocd.SyncOptionsAnnotation] = mergeOptions(x.vmOptions(), options)
	}
}
