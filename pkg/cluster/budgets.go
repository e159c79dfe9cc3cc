package cluster

import (
	"slices"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// KindBudget is the kind of the PodDisruptionBudgets, which limit the evictions of pods.
const KindBudget = "PodDisruptionBudget.policy"

// Budgets returns the PodDisruptionBudgets that select the pod of an instance.
func (l *State) Budgets(instance Entity) []Entity {
	all := l.Of(KindBudget, instance.ID.Namespace)
	if len(all) == 0 {
		return nil
	}
	var out []Entity
	pod := l.launcherLabels(instance)
	for _, b := range all {
		if Selects(manifest.At(b.Object, "spec", "selector"), pod) {
			out = append(out, b)
		}
	}
	return out
}

// Allows reports whether a PodDisruptionBudget allows an eviction of the pod of an instance now. Of a pod that is not
// ready, it depends on the policy of the budget (Kubernetes v1.34, pkg/registry/core/pod/storage/eviction.go, Create).
func Allows(budget, instance manifest.Tree) Truth {
	status := manifest.At(budget, "status")
	allowed := quantities.Count(manifest.At(status, "disruptionsAllowed"), -1)
	if Is(instance, "Ready") == No {
		desired := quantities.Count(manifest.At(status, "desiredHealthy"), 0)
		isHealthy := desired > 0 && quantities.Count(manifest.At(status, "currentHealthy"), 0) >= desired
		if isHealthy || manifest.Text(budget, "spec", "unhealthyPodEvictionPolicy") == "AlwaysAllow" {
			return Yes
		}
	}
	if allowed < 0 {
		return Unknown
	}
	return Known(allowed > 0)
}

// launcherLabels returns the labels of the pod of an instance on its node. Without the pod in the state, they are those
// that KubeVirt gives it (v1.8.4, pkg/virt-controller/services/template.go, podLabels).
func (l *State) launcherLabels(instance Entity) manifest.Tree {
	uid := manifest.Text(instance.Object, "metadata", "uid")
	for _, pod := range l.Of("Pod", instance.ID.Namespace) {
		labels, _ := manifest.At(pod.Object, "metadata", "labels").(manifest.Tree)
		if uid != "" && labels["kubevirt.io/created-by"] == uid && !hasEnded(pod.Object) &&
			manifest.Text(pod.Object, "spec", "nodeName") == manifest.Text(instance.Object, "status", "nodeName") {
			return labels
		}
	}
	own, _ := manifest.At(instance.Object, "metadata", "labels").(manifest.Tree)
	out := Without(own)
	out["kubevirt.io"], out["kubevirt.io/created-by"] = "virt-launcher", uid
	name := manifest.Text(instance.Object, "spec", "hostname")
	if name == "" {
		name = instance.ID.Name
	}
	out["vm.kubevirt.io/name"] = name
	return out
}

// Selects reports whether a label selector matches labels. One without requirements matches everything, and none at all
// matches nothing.
func Selects(selector any, labels manifest.Tree) bool {
	match, _ := manifest.At(selector, "matchLabels").(manifest.Tree)
	for key, value := range match {
		if labels[key] != value {
			return false
		}
	}
	for _, e := range manifest.List(selector, "matchExpressions") {
		value, has := labels[manifest.Text(e, "key")]
		isListed := has && slices.Contains(manifest.List(e, "values"), value)
		holds := map[string]bool{"In": isListed, "NotIn": !isListed, "Exists": has, "DoesNotExist": !has}
		if !holds[manifest.Text(e, "operator")] {
			return false
		}
	}
	return selector != nil
}
