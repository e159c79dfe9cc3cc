package adopt

import (
	"cmp"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// network sets the NICs, each with the network of its name. Without the key a VM has
// one NIC on the pod network.
func (e *entry) network(names *names) {
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
			list.Items = append(list.Items, e.nic(n, of, names, named))
		}
	}
	attached := spec.Domain.Devices.AutoattachPodInterface
	switch {
	case e.os.Adopted && len(list.Items) == 0 && (attached == nil || *attached): // KubeVirt's own NIC
	case e.os.Adopted || len(list.Items) != 1 || list.Items[0].Str() != podNetwork:
		e.keys.Put("nics", list)
	}
}

// podNetwork is the network that every fleet has.
const podNetwork = "pod"

// nic returns one NIC: the name of its network, if nothing else has to be set.
func (e *entry) nic(
	i *kubevirtv1.Interface, on *kubevirtv1.Network, names *names, named map[string]int,
) *source.Node {
	n := node.Map{}
	network, name := network{name: podNetwork, binding: "masquerade"}, "default"
	if on.Multus != nil {
		network = names.networks[on.Multus.NetworkName]
		name = network.name[strings.LastIndex(network.name, "/")+1:]
	}
	n.Set("network", network.name)
	if named[name]++; i.Name != name || named[name] > 1 {
		n.Set("name", i.Name)
	}
	got := bindingOf(i)
	if got == "" && e.os.Adopted {
		n.Set("binding", "none")
	} else if got != network.binding {
		n.Set("binding", got)
	}
	if i.Model != e.defaultModel(got) {
		n.Set("model", i.Model)
	}
	n.Set("mac", i.MacAddress)
	n.Set("state", string(i.State))
	n.Set("bootOrder", pointed(i.BootOrder))
	n.Set("ports", ports(i.Ports))
	return n.Short("network")
}

// names are the names of a fleet that a draft uses in the place of values.
type names struct {
	// flavors is the catalog with the flavors; nil writes all sizes as numbers.
	flavors *catalog.Set
	// networks are the networks of the catalog by their NetworkAttachmentDefinitions, as VMs write these. All that a VM
	// is attached to must be there.
	networks map[string]network
}

// network is a network of the catalog.
type network struct {
	name    string // in the catalog
	binding string // of NICs that set none, such as "bridge"
}

// bindingOn returns the binding of the NIC on a network of the VM, by the network's name in it; "" if there is none.
func (l *live) bindingOn(network string) string {
	devices := &l.spec().Domain.Devices
	for i := range devices.Interfaces {
		if n := &devices.Interfaces[i]; n.Name == network {
			return bindingOf(n)
		}
	}
	return ""
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
		n := node.Map{}
		n.Set("port", p.Port)
		n.Set("name", p.Name)
		n.Set("protocol", p.Protocol)
		out = append(out, n.Short("port"))
	}
	return node.List(out)
}

// pointed returns the number that a pointer points to, or nil.
func pointed(n *uint) any {
	if n == nil {
		return nil
	}
	return node.Number(decimal(int64(*n))) //nolint:gosec // a place in the boot order
}
