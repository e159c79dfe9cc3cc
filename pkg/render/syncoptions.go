package render

import (
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/argocd"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// checkSyncOptions reports annotations of the user that would make Argo CD delete
// the VM in every sync, even if nothing has changed: Force and Replace without the
// strategy that implies them, and a VM that is a hook.
func (x *rendering) checkSyncOptions(vm *kubevirtv1.VirtualMachine) {
	if len(x.Annotations) == 0 && len(x.Overrides) == 0 && len(x.Patches) == 0 {
		return
	}
	deletes := x.Lifecycle.Strategy.Traits().AwaitsDeletion
	for option := range strings.SplitSeq(vm.Annotations[argocd.SyncOptionsAnnotation], ",") {
		if option = strings.TrimSpace(option); !deletes && (option == "Force=true" || option == "Replace=true") {
			x.refuse(argocd.SyncOptionsAnnotation, option+" deletes the VM, or what the cluster has decided for it, "+
				"in every sync; use `lifecycle: {type: cattle, strategy: replace}`, or another strategy")
		}
	}
	if vm.Annotations[argocd.HookAnnotation] != "" {
		x.refuse(argocd.HookAnnotation, "Argo CD deletes a VM that is a hook in every sync; remove it")
	}
}

// refuse reports an annotation at its position in the values files.
func (x *rendering) refuse(key, problem string) {
	at, path := x.AnnotationPos(key), source.JoinPath(x.path("annotations"), key)
	if _, written := x.Annotations[key]; !written {
		at, path = x.PatchPos, x.path("patches")
		if len(x.Patches) == 0 {
			at, path = x.Overrides[len(x.Overrides)-1].Pos(), x.path("overrides")
		}
	}
	x.diags.Errorf(at, rule.SyncOptions, path, "%s", problem)
}
