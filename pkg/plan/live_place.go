package plan

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

// place says whether there is room for the second pod of a live migration, as far as the
// state in the cluster tells.
func (p *planner) place(s *subject, c *Cause) {
	if c.Level != Migrate {
		return
	}
	why := p.noNode(s)
	if why == "" {
		why = p.noQuota(s)
	}
	if why == "" {
		return
	}
	c.Reason += "; now it cannot: " + why
	c.Approximate = "whether the machine can migrate by then: " + why
	c.Advice = "make room first, or plan a restart (virtctl restart)"
}

// noNode returns why no other node can run the machine, or "".
func (p *planner) noNode(s *subject) string {
	nodes := p.live.of(kindNode, "")
	if len(nodes) == 0 || s.isPool() {
		return ""
	}
	if len(nodes) == 1 {
		return "the cluster has one node"
	}
	here := text(s.live.instance, "status", "nodeName")
	for _, n := range nodes {
		if n.id.Name != here && canRun(n.object, spec(s.new)) {
			return ""
		}
	}
	if here == "" {
		return "" // one of them may be the machine's own
	}
	return fmt.Sprintf("no node but %s can run the machine", here)
}

// canRun reports whether a node takes new machines, and one with this spec.
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

// noQuota returns which quota of the namespace has no room for a second pod, or "". It
// asks for the guest's memory alone: a pod takes a little more.
func (p *planner) noQuota(s *subject) string {
	pod := resource.NewQuantity(1, resource.DecimalSI)
	need := map[string]*resource.Quantity{"pods": pod, "count/pods": pod}
	if memory, ok := quantity(at(spec(s.new), "domain", "memory", "guest")); ok {
		for _, name := range []string{"memory", "requests.memory", "limits.memory"} {
			need[name] = &memory
		}
	}
	for _, q := range p.live.of(kindQuota, s.id.Namespace) {
		if at(q.object, "spec", "scopes") != nil || at(q.object, "spec", "scopeSelector") != nil {
			continue
		}
		hard, _ := at(q.object, "status", "hard").(tree)
		for _, name := range keys(hard, nil) {
			free := size(hard[name])
			free.Sub(*size(at(q.object, "status", "used", name)))
			if want := need[name]; want != nil && free.Cmp(*want) < 0 {
				return fmt.Sprintf("the ResourceQuota %s has %s of %s left, and a second pod needs %s or more",
					q.id.Name, free.String(), strings.TrimPrefix(name, "count/"), want.String())
			}
		}
	}
	return ""
}

// cannotExpand holds for claims of a storage class that does not let them grow.
var cannotExpand = Condition{"its storage class does not allow it", func(e *edit) bool {
	claim := e.state.get(kindClaim, e.id.Namespace, e.id.Name)
	class := e.state.get(kindStorageClass, "", text(claim, "spec", "storageClassName"))
	return class != nil && at(class, "allowVolumeExpansion") != true
}}
