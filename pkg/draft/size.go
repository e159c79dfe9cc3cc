package draft

import (
	"cmp"

	corev1 "k8s.io/api/core/v1"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/values"
)

// size sets cpu and memory, or the instance type that has them; a flavor only if the
// VM is labelled with it and is of its size.
func (e *Entry) size(names *Names) {
	d := &e.Live.Spec().Domain
	e.matchers()
	if e.Live.VM.Spec.Instancetype == nil {
		cpu, memory := e.cpu(d.CPU), e.memory(d)
		if name := e.flavor(names, cpu, memory); name != "" {
			e.Keys.Set("flavor", name)
		} else {
			e.Keys.Set("cpu", cpu)
			e.Keys.Set("memory", memory)
		}
	}
	e.resources(&d.Resources)
}

// matchers sets the instance type and the preference.
func (e *Entry) matchers() {
	spec := &e.Live.VM.Spec
	if t := spec.Instancetype; t != nil {
		e.Keys.Set("instancetype", e.matcher(t.Name, t.Kind, t.InferFromVolume, "VirtualMachineClusterInstancetype"))
	}
	if p := spec.Preference; p != nil {
		e.Keys.Set("preference", e.matcher(p.Name, p.Kind, p.InferFromVolume, "VirtualMachineClusterPreference"))
	}
}

// matcher returns an instance type or a preference: its name alone if it is cluster-wide.
func (e *Entry) matcher(name, kind, volume, clusterWide string) any {
	if volume != "" && name == "" {
		n := node.Map{}
		n.Set("inferFrom", cmp.Or(e.Disks[volume], volume))
		return n.Node()
	}
	n := node.Map{}
	n.Set("name", name)
	if kind != "" && kind != clusterWide {
		n.Set("kind", kind)
	}
	return n.Short("name")
}

// cpu returns the number of virtual CPUs if the VM has the topology that the
// operating system's entry gives to it, and the long form otherwise. What is missing
// counts as 1, as for KubeVirt.
func (e *Entry) cpu(c *kubevirtv1.CPU) any {
	if c == nil {
		c = &kubevirtv1.CPU{}
	}
	whole := !e.OS.Adopted || c.Sockets > 0 && c.Cores > 0 && c.Threads > 0
	sockets, cores, threads := max(c.Sockets, 1), max(c.Cores, 1), max(c.Threads, 1)
	n := node.Map{}
	count, others := sockets, cores
	if e.OS.Topology == "cores" {
		count, others = cores, sockets
	}
	plain := whole && others == 1 && threads == 1
	if plain {
		n.Set("count", count)
	} else {
		keys.Topology.Get(&n, c, e.inherited())
	}
	keys.CPU.Get(&n, c, e.inherited())
	if plain && len(n.Fields) > 1 {
		n.Fields[0].Key = cmp.Or(e.OS.Topology, "sockets")
	}
	return n.Short("count")
}

// memory returns the memory of the guest: the pod's request if nothing else
// sets it, as in KubeVirt. An adopted VM leaves it at that.
func (e *Entry) memory(d *kubevirtv1.DomainSpec) any {
	m := d.Memory
	if m == nil {
		m = new(kubevirtv1.Memory)
	}
	n := node.Map{}
	requested, ok := d.Resources.Requests[corev1.ResourceMemory]
	if m.Guest == nil && ok && !e.OS.Adopted {
		n.Set("guest", requested.String())
	}
	keys.Memory.Get(&n, m, e.inherited())
	return n.Short("guest")
}

// resources sets requests and limits.
func (e *Entry) resources(r *kubevirtv1.ResourceRequirements) {
	n := node.Map{}
	keys.Resources.Get(&n, r, e.inherited())
	e.Keys.Set("resources", n.Node())
}

// flavor returns the flavor that the VM is labelled with, if it is a flavor of the
// catalog that has its size, and "" otherwise.
func (e *Entry) flavor(names *Names, cpu, memory any) string {
	if names.Flavors == nil {
		return ""
	}
	t := e.Live.VM.Spec.Template.ObjectMeta
	name := cmp.Or(t.Annotations[annotationFlavor], t.Labels[labelSize])
	of := names.Flavors.Node("flavors", name)
	if name == "" || of == nil {
		return ""
	}
	if !node.Value(cpu).Equal(of.Get("cpu")) || !sameSize(of.Get("memory").Str(), memory) {
		return ""
	}
	return name
}

// sameSize reports whether a memory is only a quantity, and the same as another.
func sameSize(text string, memory any) bool {
	a, errA := values.ParseQuantity(text)
	b, errB := values.ParseQuantity(node.Value(memory).Str())
	return errA == nil && errB == nil && a == b
}

// flavorName returns what is rendered as the size of the VM.
func (e *Entry) flavorName() string {
	if t := e.Live.VM.Spec.Instancetype; t != nil {
		return cmp.Or(t.Name, "custom")
	}
	return cmp.Or(e.Keys.Get("flavor").Str(), "custom")
}
