package plan

import (
	"slices"
)

// canRun reports whether a node takes new VMs, and one with this spec.
func canRun(node tree, instance any) bool {
	if at(node, "spec", "unschedulable") == true || is(node, "Ready") == no ||
		text(node, "metadata", "labels", "kubevirt.io/schedulable") == "false" {
		return false
	}
	selector, _ := at(instance, "nodeSelector").(tree)
	for key, value := range selector {
		if s, _ := value.(string); s != text(node, "metadata", "labels", key) {
			return false
		}
	}
	return !slices.ContainsFunc(list(node, "spec", "taints"), func(taint any) bool {
		return text(taint, "effect") != "PreferNoSchedule" &&
			!slices.ContainsFunc(list(instance, "tolerations"), func(t any) bool { return tolerates(t, taint) })
	})
}

// tolerates reports whether a toleration is for a taint.
func tolerates(t, taint any) bool {
	if effect := text(t, "effect"); effect != "" && effect != text(taint, "effect") {
		return false
	}
	if text(t, "operator") == "Exists" {
		return text(t, "key") == "" || text(t, "key") == text(taint, "key")
	}
	return text(t, "key") == text(taint, "key") && text(t, "value") == text(taint, "value")
}

// cannotExpand holds for claims of a storage class that does not let them grow.
var cannotExpand = Condition{"its storage class does not allow it", func(e *edit) bool {
	claim := e.state.get(kindClaim, e.id.Namespace, e.id.Name)
	class := e.state.get(kindStorageClass, "", text(claim, "spec", "storageClassName"))
	return class != nil && at(class, "allowVolumeExpansion") != true
}, unseen}
