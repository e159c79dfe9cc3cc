package render

import (
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// addNICs appends each NIC in KubeVirt's form: an interface for the guest, and a
// network of the same name that it is attached to. Without interfaces, KubeVirt
// would attach one to the pod network, so that is disabled.
func (x *rendering) addNICs(spec *kubevirtv1.VirtualMachineInstanceSpec) {
	devices := &spec.Domain.Devices
	if len(x.NICs) == 0 {
		devices.AutoattachPodInterface = new(false)
		return
	}
	devices.Interfaces = make([]kubevirtv1.Interface, 0, len(x.NICs))
	spec.Networks = make([]kubevirtv1.Network, 0, len(x.NICs))
	for i := range x.NICs {
		n := &x.NICs[i]
		devices.Interfaces = append(devices.Interfaces, nicInterface(n))
		spec.Networks = append(spec.Networks, nicNetwork(n))
	}
}

func nicInterface(n *machine.NIC) kubevirtv1.Interface {
	out := kubevirtv1.Interface{
		Name: n.Name, Model: n.Model, MacAddress: n.MAC, BootOrder: n.BootOrder,
		State: kubevirtv1.InterfaceState(n.State), Ports: nicPorts(n.Ports),
	}
	switch n.Binding {
	case "masquerade":
		out.Masquerade = &kubevirtv1.InterfaceMasquerade{}
	case "bridge":
		out.Bridge = &kubevirtv1.InterfaceBridge{}
	case "sriov":
		out.SRIOV = &kubevirtv1.InterfaceSRIOV{}
	default:
		out.Binding = &kubevirtv1.PluginBinding{Name: n.Binding}
	}
	return out
}

func nicPorts(in []values.Port) []kubevirtv1.Port {
	if len(in) == 0 {
		return nil
	}
	out := make([]kubevirtv1.Port, len(in))
	for i, p := range in {
		out[i] = kubevirtv1.Port{Name: p.Name, Port: p.Port, Protocol: p.Protocol}
	}
	return out
}

func nicNetwork(n *machine.NIC) kubevirtv1.Network {
	out := kubevirtv1.Network{Name: n.Name}
	if n.Pod {
		out.Pod = &kubevirtv1.PodNetwork{}
	} else {
		out.Multus = &kubevirtv1.MultusNetwork{NetworkName: n.NAD}
	}
	return out
}
