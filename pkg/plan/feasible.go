package plan

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// A live migration needs a second pod: room in the quotas of the namespace, and another node
// that takes it. The rules check the condition of the instance that reports
// whether the VM can migrate at all. What the state in the cluster lacks is noted, and counts as room.

// obstacle is why a migration cannot be now.
type obstacle struct {
	why string
	// restarts is true if a restart, which needs no second pod, has the room.
	restarts bool
}

// feasible turns a change by a live migration into one that needs a restart if there is no room for
// a second pod, and one that is refused if there is none for the VM alone, either.
func (p *planner) feasible(s *impact.Subject, c *impact.Cause) {
	if c.Level != impact.Migrate || s.IsPool() {
		return
	}
	for _, look := range []func(*impact.Subject) *obstacle{p.noNode, p.noQuota} {
		o := look(s)
		if o == nil {
			continue
		}
		c.Code, c.Approximate = "no-room", ""
		if o.restarts {
			c.Level, c.When = impact.Restart, "at the next restart, or by a live migration as soon as there is room"
			c.Reason += "; now it cannot: " + o.why
			c.Advice = "make room first, or plan a restart (virtctl restart)"
		} else {
			c.Level, c.When = impact.Refused, ""
			c.Reason += "; it cannot, and a restart cannot either: " + o.why
			c.Advice = "make room first; after a restart, the VM would not start again"
		}
		return
	}
	p.migrating = append(p.migrating, s.ID)
}

// noNode returns why no other node can take the VM, or nil.
func (p *planner) noNode(s *impact.Subject) *obstacle {
	nodes := p.Live.Of(cluster.KindNode, "")
	switch len(nodes) {
	case 0:
		return nil
	case 1:
		return &obstacle{"the cluster has one node", true}
	}
	here := manifest.Text(s.Live.Instance, "status", "nodeName")
	var most *resource.Quantity // free on the nodes that are too small
	need := p.podMemory(s.New)
	for _, n := range nodes {
		if n.ID.Name == here || !cluster.CanRun(n.Object, world.Spec(s.New)) {
			continue
		}
		free := p.Live.FreeMemory()[n.ID.Name]
		if free == nil || free.Cmp(*need) >= 0 {
			return nil
		}
		if most == nil || free.Cmp(*most) > 0 {
			most = free
		}
	}
	switch {
	case here == "":
		return nil // one of them may be the VM's own
	case most != nil:
		return &obstacle{fmt.Sprintf("of the nodes that can run the VM, except %s, none has more than %s of memory free, "+
			"and a second pod needs %s or more", here, rounded(most), need), true}
	}
	return &obstacle{fmt.Sprintf("no node except %s can run the VM", here), true}
}

// rounded returns a quantity for users, in whole Mi or Gi.
func rounded(q *resource.Quantity) string {
	const mi, gi = 1 << 20, 1 << 30
	if v := max(q.Value(), 0); v >= gi {
		return fmt.Sprintf("%dGi", v/gi)
	}
	return fmt.Sprintf("%dMi", max(q.Value(), 0)/mi)
}

// noQuota returns which quota of the namespace has no room for a second pod, or nil. It asks
// for the guest's memory, and for the processors that the VM requests, if it does: a pod
// takes a little more.
func (p *planner) noQuota(s *impact.Subject) *obstacle {
	need, has := p.demand(s.New), p.demand(s.Old)
	if s.Live.Running != cluster.Yes {
		has = nil
	}
	var found *obstacle
	for _, q := range p.Live.Of(cluster.KindQuota, s.ID.Namespace) {
		if manifest.At(q.Object, "spec", "scopes") != nil || manifest.At(q.Object, "spec", "scopeSelector") != nil {
			continue
		}
		hard, _ := manifest.At(q.Object, "status", "hard").(manifest.Tree)
		for _, name := range impact.Keys(hard, nil) {
			free := quantities.Size(hard[name])
			free.Sub(*quantities.Size(manifest.At(q.Object, "status", "used", name)))
			want := need[name]
			if want == nil || free.Cmp(*want) >= 0 {
				continue
			}
			o := &obstacle{why: fmt.Sprintf("the ResourceQuota %s has %s of %s left, and a second pod needs %s or more",
				q.ID.Name, free.String(), strings.TrimPrefix(name, "count/"), want.String())}
			if own := has[name]; own != nil {
				free.Add(*own)
			}
			o.restarts = free.Cmp(*want) >= 0
			if found == nil || found.restarts && !o.restarts {
				found = o
			}
		}
	}
	return found
}

// demand returns what a VM's pod takes of the resources of a quota, at least.
func (p *planner) demand(side manifest.Tree) map[string]*resource.Quantity {
	pod := resource.NewQuantity(1, resource.DecimalSI)
	out := map[string]*resource.Quantity{"pods": pod, "count/pods": pod}
	if memory := p.podMemory(side); !memory.IsZero() {
		for _, name := range []string{"memory", "requests.memory", "limits.memory"} {
			out[name] = memory
		}
	}
	for name, field := range map[string]string{"cpu": "requests", "requests.cpu": "requests", "limits.cpu": "limits"} {
		if cpu, ok := quantities.Of(manifest.At(world.Spec(side), "domain", "resources", field, "cpu")); ok {
			out[name] = &cpu
		}
	}
	return out
}

// podMemory returns the memory that a VM's pod requests, at least: the VM's own request,
// or the guest's memory, less what the cluster overcommits (KubeVirt v1.8.4,
// pkg/virt-controller/services/renderresources.go, WithMemoryRequests). Hugepages are another
// resource, of which nothing is known here.
func (p *planner) podMemory(side manifest.Tree) *resource.Quantity {
	domain := manifest.At(world.Spec(side), "domain")
	if manifest.At(domain, "memory", "hugepages") != nil {
		return &resource.Quantity{}
	}
	if own := manifest.At(domain, "resources", "requests", "memory"); own != nil {
		return quantities.Size(own)
	}
	memory := cluster.Guest(side)
	for _, e := range p.Live.ByKind[cluster.KindKubeVirt] {
		config := manifest.At(e.Object, "spec", "configuration", "developerConfiguration")
		if percent := quantities.Count(manifest.At(config, "memoryOvercommit"), 100); percent > 100 {
			return resource.NewQuantity(memory.Value()*100/int64(percent), resource.BinarySI)
		}
	}
	return memory
}
