package cluster

import (
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/world"
)

// FreeMemory returns how much memory of each node its pods do not request; nodes that do not report
// their memory are left out. Without Pods in the state, it is what the guests of the VMs
// leave, which is more.
func (l *State) FreeMemory() map[string]*resource.Quantity {
	if l.memory != nil {
		return l.memory
	}
	l.memory = map[string]*resource.Quantity{}
	for _, n := range l.ByKind[KindNode] {
		if q, ok := quantities.Of(manifest.At(n.Object, "status", "allocatable", "memory")); ok {
			l.memory[n.ID.Name] = &q
		}
	}
	users, node, request := l.ByKind["Pod"], []string{"spec", "nodeName"}, requestOf
	if len(users) == 0 {
		users, node, request = l.ByKind[KindInstance], []string{"status", "nodeName"}, GuestOf
	}
	for _, user := range users {
		if free := l.memory[manifest.Text(user.Object, node...)]; free != nil && !hasEnded(user.Object) {
			free.Sub(*request(user.Object))
		}
	}
	return l.memory
}

// Occupy records that a pod takes memory of a node.
func (l *State) Occupy(node string, memory *resource.Quantity) {
	if free := l.FreeMemory()[node]; free != nil {
		free.Sub(*memory)
	}
}

// GuestOf returns the memory of an instance's guest.
func GuestOf(instance manifest.Tree) *resource.Quantity {
	return Guest(manifest.Tree{"spec": manifest.Tree{"template": instance}})
}

// hasEnded reports whether an instance or a pod does not run any more.
func hasEnded(object manifest.Tree) bool {
	return slices.Contains(Final, manifest.Text(object, "status", "phase"))
}

// requestOf returns the memory that a pod's containers request together.
func requestOf(pod manifest.Tree) *resource.Quantity {
	var sum resource.Quantity
	for _, c := range manifest.List(pod, "spec", "containers") {
		sum.Add(*quantities.Size(manifest.At(c, "resources", "requests", "memory")))
	}
	return &sum
}

// CanRun reports whether a node takes new VMs, and one with this spec.
func CanRun(node manifest.Tree, instance any) bool {
	if manifest.At(node, "spec", "unschedulable") == true || Is(node, "Ready") == No ||
		manifest.Text(node, "metadata", "labels", "kubevirt.io/schedulable") == "false" {
		return false
	}
	selector, _ := manifest.At(instance, "nodeSelector").(manifest.Tree)
	for key, value := range selector {
		if s, _ := value.(string); s != manifest.Text(node, "metadata", "labels", key) {
			return false
		}
	}
	return hasDevices(node, instance) && !slices.ContainsFunc(manifest.List(node, "spec", "taints"), func(taint any) bool {
		return manifest.Text(taint, "effect") != "PreferNoSchedule" &&
			!slices.ContainsFunc(manifest.List(instance, "tolerations"), func(t any) bool { return tolerates(t, taint) })
	})
}

// hasDevices reports whether a node has the GPUs and host devices of an instance. A node that reports no resources may
// have them. Devices of resource claims have no name here.
func hasDevices(node manifest.Tree, instance any) bool {
	has, isKnown := manifest.At(node, "status", "allocatable").(manifest.Tree)
	needs := map[string]int64{}
	for _, list := range []string{"gpus", "hostDevices"} {
		for _, device := range manifest.List(instance, "domain", "devices", list) {
			if name := manifest.Text(device, "deviceName"); name != "" {
				needs[name]++
			}
		}
	}
	for name, n := range needs {
		if isKnown && quantities.Size(has[name]).Value() < n {
			return false
		}
	}
	return true
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

// Guest returns the memory of a side's guest: without a number, it is what the VM
// requests, or else its limit (KubeVirt v1.8.4, pkg/defaults/defaults.go,
// setGuestMemory).
func Guest(side manifest.Tree) *resource.Quantity {
	domain := manifest.At(world.Spec(side), "domain")
	if own := manifest.At(domain, "memory", "guest"); own != nil {
		return quantities.Size(own)
	}
	for _, kind := range []string{"requests", "limits"} {
		if v := manifest.At(domain, "resources", kind, "memory"); v != nil {
			return quantities.Size(v)
		}
	}
	return &resource.Quantity{}
}
