package adopt

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/source"
)

// network sets the NICs, each with the network of its name. Without the key a VM has
// one NIC on the pod network.
func (w *work) network(e *entry) {
	spec := e.live.spec()
	networks := map[string]*kubevirtv1.Network{}
	for i := range spec.Networks {
		networks[spec.Networks[i].Name] = &spec.Networks[i]
	}
	list := &source.Node{Kind: source.List}
	e.nics = map[string]int{}
	named := map[string]int{}
	for i := range spec.Domain.Devices.Interfaces {
		n := &spec.Domain.Devices.Interfaces[i]
		if of := networks[n.Name]; of != nil {
			e.nics[n.Name] = len(list.Items)
			list.Items = append(list.Items, w.nic(e, n, of, named))
		}
	}
	attached := spec.Domain.Devices.AutoattachPodInterface
	switch {
	case e.os.Adopted && len(list.Items) == 0 && (attached == nil || *attached): // KubeVirt's own NIC
	case e.os.Adopted || len(list.Items) != 1 || list.Items[0].Str() != podNetwork:
		e.keys.put("nics", list)
	}
}

// podNetwork is the network that every fleet has.
const podNetwork = "pod"

// nic returns one NIC: the name of its network, if nothing else has to be set.
func (w *work) nic(e *entry, i *kubevirtv1.Interface, on *kubevirtv1.Network, named map[string]int) *source.Node {
	n := node{}
	network, name := network{name: podNetwork, binding: "masquerade"}, "default"
	if on.Multus != nil {
		network = w.networks[on.Multus.NetworkName]
		name = network.name[strings.LastIndex(network.name, "/")+1:]
	}
	n.set("network", network.name)
	if named[name]++; i.Name != name || named[name] > 1 {
		n.set("name", i.Name)
	}
	got := bindingOf(i)
	if got == "" && e.os.Adopted {
		n.set("binding", "none")
	} else if got != network.binding {
		n.set("binding", got)
	}
	if i.Model != e.defaultModel(got) {
		n.set("model", i.Model)
	}
	n.set("mac", i.MacAddress)
	n.set("state", string(i.State))
	n.set("bootOrder", pointed(i.BootOrder))
	n.set("ports", ports(i.Ports))
	return n.short("network")
}

// network is a NetworkAttachmentDefinition that VMs are attached to.
type network struct {
	name    string // in the catalog
	binding string // of most of its NICs
}

// nameNetworks names the networks as their definitions, with the namespace in front where
// several have the same.
func (w *work) nameNetworks() {
	w.networks = map[string]network{}
	bindings := map[string]map[string]int{}
	for _, e := range w.entries {
		spec := e.live.spec()
		for _, on := range spec.Networks {
			if on.Multus != nil {
				nad := on.Multus.NetworkName
				bindings[nad] = counted(bindings[nad], interfaceNamed(spec, on.Name))
			}
		}
	}
	taken := map[string]bool{podNetwork: true}
	for _, nad := range slices.Sorted(maps.Keys(bindings)) {
		name := nad[strings.LastIndex(nad, "/")+1:]
		if taken[name] {
			name = strings.ReplaceAll(nad, "/", "-")
		}
		for taken[name] {
			name += "-2"
		}
		taken[name] = true
		w.networks[nad] = network{name, cmp.Or(mostOf(bindings[nad]), "bridge")}
	}
}

func interfaceNamed(spec *kubevirtv1.VirtualMachineInstanceSpec, name string) string {
	for i := range spec.Domain.Devices.Interfaces {
		if n := &spec.Domain.Devices.Interfaces[i]; n.Name == name {
			return bindingOf(n)
		}
	}
	return ""
}

func counted(m map[string]int, key string) map[string]int {
	if m == nil {
		m = map[string]int{}
	}
	m[key]++
	return m
}

// mostOf returns the key with the highest number, the first of several.
func mostOf(m map[string]int) string {
	most := ""
	for _, key := range slices.Sorted(maps.Keys(m)) {
		if m[key] > m[most] {
			most = key
		}
	}
	return most
}

func bindingOf(i *kubevirtv1.Interface) string {
	switch {
	case i.Masquerade != nil:
		return "masquerade"
	case i.Bridge != nil:
		return "bridge"
	case i.SRIOV != nil:
		return "sriov"
	case i.Binding != nil:
		return i.Binding.Name
	}
	return ""
}

// defaultModel returns the model of NICs that name none.
func (e *entry) defaultModel(binding string) string {
	if e.preferred() || binding == "sriov" || e.os.Adopted {
		return ""
	}
	return cmp.Or(e.os.NICModel, "virtio")
}

func ports(in []kubevirtv1.Port) any {
	out := make([]any, 0, len(in))
	for _, p := range in {
		n := node{}
		n.set("port", p.Port)
		n.set("name", p.Name)
		n.set("protocol", p.Protocol)
		out = append(out, n.short("port"))
	}
	return nodes(out)
}

// pointed returns the number that a pointer points to, or nil.
func pointed(n *uint) any {
	if n == nil {
		return nil
	}
	return number(decimal(int64(*n))) //nolint:gosec // a place in the boot order
}
