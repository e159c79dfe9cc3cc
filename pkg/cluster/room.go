package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// A live migration needs a second pod: room in the quotas of the namespace, and another node
// that takes it. What the state in the cluster lacks counts as room.

// Obstacle is why a second pod of a VM has no room now.
type Obstacle struct {
	Why string
	// Restarts is true if a restart, which needs no second pod, has the room.
	Restarts bool
}

// Place is what is known of the nodes other than one that can take a pod of a VM.
type Place struct {
	// Fits is unknown without Nodes in the state, or if the only nodes with room do not report their memory.
	Fits Truth
	// Node is the one whose free memory is the least that suffices; empty if no node is known to suffice.
	Node string
	// Need is the memory that the pod requests, at least.
	Need *resource.Quantity

	here  string
	nodes int
	most  *resource.Quantity // free on the nodes that are too small
}

// PlaceFor returns where a pod of a VM has room other than on a node.
func (l *State) PlaceFor(vm manifest.Tree, here string) Place {
	nodes := l.Of(KindNode, "")
	p := Place{Need: l.podMemory(vm), here: here, nodes: len(nodes)}
	if len(nodes) == 0 {
		return p
	}
	p.Fits = No
	if len(nodes) == 1 {
		return p
	}
	for _, n := range nodes {
		if n.ID.Name == here || !CanRun(n.Object, world.Spec(vm)) {
			continue
		}
		free := l.FreeMemory()[n.ID.Name]
		switch {
		case free == nil:
			if p.Fits == No {
				p.Fits = Unknown
			}
		case free.Cmp(*p.Need) >= 0:
			if p.Fits = Yes; p.Node == "" || free.Cmp(*l.FreeMemory()[p.Node]) < 0 {
				p.Node = n.ID.Name
			}
		case p.most == nil || free.Cmp(*p.most) > 0:
			p.most = free
		}
	}
	return p
}

// Why returns why no other node can take the pod, which is named such as "a second pod"; empty if one may.
func (p *Place) Why(pod string) string {
	switch {
	case p.Fits != No:
		return ""
	case p.nodes == 1:
		return "the cluster has one node"
	case p.most != nil:
		return fmt.Sprintf("of the nodes that can run the VM, except %s, none has more than %s of memory free, "+
			"and %s needs %s or more", p.here, rounded(p.most), pod, p.Need)
	}
	return fmt.Sprintf("no node except %s can run the VM", p.here)
}

// NoNode returns why no node other than the VM's own can take its second pod, or nil.
func (l *State) NoNode(vm manifest.Tree, here string) *Obstacle {
	p := l.PlaceFor(vm, here)
	if p.Fits != No || here == "" && p.nodes > 1 { // one of them may be the VM's own
		return nil
	}
	return &Obstacle{p.Why("a second pod"), true}
}

// rounded returns a quantity for users, in whole Mi or Gi.
func rounded(q *resource.Quantity) string {
	const mi, gi = 1 << 20, 1 << 30
	if v := max(q.Value(), 0); v >= gi {
		return fmt.Sprintf("%dGi", v/gi)
	}
	return fmt.Sprintf("%dMi", max(q.Value(), 0)/mi)
}

// NoQuota returns which quota of a namespace has no room for a second pod of a VM, or nil. The first pod is that of
// before, which is nil if there is none. It asks for the guest's memory, and for the processors that the VM requests,
// if it does: a pod takes a little more.
func (l *State) NoQuota(namespace string, before, after manifest.Tree) *Obstacle {
	need := l.demand(after)
	var has map[string]*resource.Quantity
	if before != nil {
		has = l.demand(before)
	}
	var found *Obstacle
	for _, q := range l.Of(KindQuota, namespace) {
		if manifest.At(q.Object, "spec", "scopes") != nil || manifest.At(q.Object, "spec", "scopeSelector") != nil {
			continue
		}
		hard, _ := manifest.At(q.Object, "status", "hard").(manifest.Tree)
		for _, name := range slices.Sorted(maps.Keys(hard)) {
			free := quantities.Size(hard[name])
			free.Sub(*quantities.Size(manifest.At(q.Object, "status", "used", name)))
			want := need[name]
			if want == nil || free.Cmp(*want) >= 0 {
				continue
			}
			o := &Obstacle{Why: fmt.Sprintf("the ResourceQuota %s has %s of %s left, and a second pod needs %s or more",
				q.ID.Name, free.String(), strings.TrimPrefix(name, "count/"), want.String())}
			if own := has[name]; own != nil {
				free.Add(*own)
			}
			o.Restarts = free.Cmp(*want) >= 0
			if found == nil || found.Restarts && !o.Restarts {
				found = o
			}
		}
	}
	return found
}

// demand returns what a VM's pod takes of the resources of a quota, at least.
func (l *State) demand(vm manifest.Tree) map[string]*resource.Quantity {
	pod := resource.NewQuantity(1, resource.DecimalSI)
	out := map[string]*resource.Quantity{"pods": pod, "count/pods": pod}
	if memory := l.podMemory(vm); !memory.IsZero() {
		for _, name := range []string{"memory", "requests.memory", "limits.memory"} {
			out[name] = memory
		}
	}
	for name, field := range map[string]string{"cpu": "requests", "requests.cpu": "requests", "limits.cpu": "limits"} {
		if cpu, ok := quantities.Of(manifest.At(world.Spec(vm), "domain", "resources", field, "cpu")); ok {
			out[name] = &cpu
		}
	}
	return out
}

// podMemory returns the memory that a VM's pod requests, at least: the VM's own request,
// or the guest's memory, less what the cluster overcommits (KubeVirt v1.8.4,
// pkg/virt-controller/services/renderresources.go, WithMemoryRequests). Hugepages are another
// resource, of which nothing is known here.
func (l *State) podMemory(vm manifest.Tree) *resource.Quantity {
	domain := manifest.At(world.Spec(vm), "domain")
	if manifest.At(domain, "memory", "hugepages") != nil {
		return &resource.Quantity{}
	}
	if own := manifest.At(domain, "resources", "requests", "memory"); own != nil {
		return quantities.Size(own)
	}
	memory := Guest(vm)
	for _, e := range l.ByKind[KindKubeVirt] {
		config := manifest.At(e.Object, "spec", "configuration", "developerConfiguration")
		if percent := quantities.Count(manifest.At(config, "memoryOvercommit"), 100); percent > 100 {
			return resource.NewQuantity(memory.Value()*100/int64(percent), resource.BinarySI)
		}
	}
	return memory
}
