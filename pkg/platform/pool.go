package platform

import (
	"fmt"

	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// Pool is a pool of nodes, an entry under `pools` of the chart node-pools.
type Pool struct {
	Name string
	node *source.Node
}

// VMPool returns the pool that runs VMs, by the values of the chart node-pools, or nil if they name none.
func VMPool(values *source.Node) *Pool {
	name := values.Get("virtualMachines").Str()
	if pool := values.Get("pools", name); name != "" && pool.IsSet() {
		return &Pool{name, pool}
	}
	return nil
}

// Placement returns the node selector and the tolerations of pods that run on the nodes of the pool, and on no others.
func (p *Pool) Placement() *source.Node {
	out := new(node.Map)
	if labels := p.node.Get("labels"); labels.IsSet() {
		out.Put("nodeSelector", labels)
	}
	tolerations := make([]any, 0, len(p.taints()))
	for _, taint := range p.taints() {
		toleration := map[string]any{
			"key": taint.Get("key").Str(), "operator": "Exists", "effect": taint.Get("effect").Str(),
		}
		if value := taint.Get("value").Str(); value != "" {
			toleration["operator"], toleration["value"] = "Equal", value
		}
		tolerations = append(tolerations, toleration)
	}
	if len(tolerations) > 0 {
		out.Put("tolerations", node.List(tolerations))
	}
	at := out.Node()
	at.File, at.Line, at.Col = p.node.File, p.node.Line, p.node.Col
	return at
}

func (p *Pool) taints() []*source.Node {
	if list := p.node.Get("taints"); list.IsSet() {
		return list.Items
	}
	return nil
}

// Untolerated returns a taint of the pool that keeps pods away, unless one of the lists tolerates it, such as
// "virtualization=true:NoSchedule"; or "".
func (p *Pool) Untolerated(lists ...*source.Node) string {
	for _, taint := range p.taints() {
		if taint.Get("effect").Str() == "NoSchedule" && !tolerated(taint, lists) {
			return fmt.Sprintf("%s=%s:NoSchedule", taint.Get("key").Str(), taint.Get("value").Str())
		}
	}
	return ""
}

func tolerated(taint *source.Node, lists []*source.Node) bool {
	for _, list := range lists {
		if !list.IsSet() {
			continue
		}
		for _, t := range list.Items {
			if tolerates(t, taint) {
				return true
			}
		}
	}
	return false
}

// tolerates reports whether a toleration is of a taint (k8s.io/api v0.36.6, core/v1/toleration.go, ToleratesTaint).
func tolerates(t, taint *source.Node) bool {
	is := func(key string) bool { return t.Get(key).Str() == "" || t.Get(key).Str() == taint.Get(key).Str() }
	switch t.Get("operator").Str() {
	case "Exists":
		return is("key") && is("effect")
	case "", "Equal":
		return is("key") && is("effect") && t.Get("value").Str() == taint.Get("value").Str()
	}
	return false
}

// Missing returns a label of a node selector that the nodes of the pool do not have, with its position, or nil.
func (p *Pool) Missing(selector *source.Node) *source.Field {
	entries := selector.Entries()
	for i := range entries {
		has := p.node.Get("labels").Get(entries[i].Key)
		if has == nil || has.Str() != entries[i].Value.Str() {
			return &entries[i]
		}
	}
	return nil
}
