package plan

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// canRun reports whether a node takes new VMs, and one with this spec.
func canRun(node tree, instance any) bool {
	if manifest.At(node, "spec", "unschedulable") == true || is(node, "Ready") == no ||
		manifest.Text(node, "metadata", "labels", "kubevirt.io/schedulable") == "false" {
		return false
	}
	selector, _ := manifest.At(instance, "nodeSelector").(tree)
	for key, value := range selector {
		if s, _ := value.(string); s != manifest.Text(node, "metadata", "labels", key) {
			return false
		}
	}
	return !slices.ContainsFunc(manifest.List(node, "spec", "taints"), func(taint any) bool {
		return manifest.Text(taint, "effect") != "PreferNoSchedule" &&
			!slices.ContainsFunc(manifest.List(instance, "tolerations"), func(t any) bool { return tolerates(t, taint) })
	})
}

// tolerates reports whether a toleration is for a taint.
func tolerates(t, taint any) bool {
	if effect := manifest.Text(t, "effect"); effect != "" && effect != manifest.Text(taint, "effect") {
		return false
	}
	if manifest.Text(t, "operator") == "Exists" {
		return manifest.Text(t, "key") == "" || manifest.Text(t, "key") == manifest.Text(taint, "key")
	}
	return manifest.Text(t, "key") == manifest.Text(taint, "key") &&
		manifest.Text(t, "value") == manifest.Text(taint, "value")
}

// cannotExpand holds for claims of a storage class that does not let them grow.
var cannotExpand = Condition{"its storage class does not allow it", func(e *edit) bool {
	claim := e.state.get(kindClaim, e.id.Namespace, e.id.Name)
	class := e.state.get(kindStorageClass, "", manifest.Text(claim, "spec", "storageClassName"))
	return class != nil && manifest.At(class, "allowVolumeExpansion") != true
}, unseen}
