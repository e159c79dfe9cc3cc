package draft

import (
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
)

// network sets the NICs, each with the network of its name. Without the key a VM has
// one NIC on the pod network.
func (e *Entry) network(names *Names) {
	spec := e.Live.Spec()
	networks := map[string]*kubevirtv1.Network{}
	for i := range spec.Networks {
		networks[spec.Networks[i].Name] = &spec.Networks[i]
	}
	list := &source.Node{Kind: source.List}
	e.NICs = map[string]int{}
	named := map[string]int{}
	for i := range spec.Domain.Devices.Interfaces {
		n := &spec.Domain.Devices.Interfaces[i]
		if of := networks[n.Name]; of != nil {
			e.NICs[n.Name] = len(list.Items)
			list.Items = append(list.Items, e.nic(n, of, names, named))
		}
	}
	attached := spec.Domain.Devices.AutoattachPodInterface
	switch {
	case e.OS.Adopted && len(list.Items) == 0 && (attached == nil || *attached): // KubeVirt's own NIC
	case e.OS.Adopted || len(list.Items) != 1 || list.Items[0].Str() != PodNetwork:
		e.Keys.Put("nics", list)
	}
}

// PodNetwork is the network that every fleet has.
const PodNetwork = "pod"

// nic returns one NIC: the name of its network, if nothing else has to be set.
func (e *Entry) nic(
	i *kubevirtv1.Interface, on *kubevirtv1.Network, names *Names, named map[string]int,
) *source.Node {
	n := node.Map{}
	network, name := Network{Name: PodNetwork, Binding: "masquerade"}, "default"
	if on.Multus != nil {
		network = names.Networks[on.Multus.NetworkName]
		name = network.Name[strings.LastIndex(network.Name, "/")+1:]
	}
	n.Set("network", network.Name)
	if named[name]++; i.Name != name || named[name] > 1 {
		n.Set("name", i.Name)
	}
	in := e.inherited()
	in.Binding = network.Binding
	keys.NIC.Get(&n, i, in)
	return n.Short("network")
}

// Names are the names of a fleet that a draft uses in the place of values.
type Names struct {
	// Flavors is the catalog with the flavors; nil writes all sizes as numbers.
	Flavors *catalog.Set
	// Networks are the networks of the catalog by their NetworkAttachmentDefinitions, as VMs write these. All that a VM
	// is attached to must be there.
	Networks map[string]Network
}

// Network is a network of the catalog.
type Network struct {
	Name    string // in the catalog
	Binding string // of NICs that set none, such as "bridge"
}

// BindingOn returns the binding of the NIC on a network of the VM, by the network's name in it; "" if there is none.
func (l *Live) BindingOn(network string) string {
	devices := &l.Spec().Domain.Devices
	for i := range devices.Interfaces {
		if n := &devices.Interfaces[i]; n.Name == network {
			return keys.Binding(n)
		}
	}
	return ""
}
