package render

import (
	"cmp"
	"reflect"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// addNICs appends each NIC in KubeVirt's form: an interface for the guest, and a
// network of the same name that it is attached to. Without interfaces, KubeVirt
// would attach one to the pod network, so that is disabled.
func (x *rendering) addNICs(spec *kubevirtv1.VirtualMachineInstanceSpec) {
	devices := &spec.Domain.Devices
	if len(x.NICs) == 0 {
		if x.NICs != nil || !x.Adopted {
			devices.AutoattachPodInterface = new(false)
		}
		return
	}
	devices.Interfaces = make([]kubevirtv1.Interface, 0, len(x.NICs))
	spec.Networks = make([]kubevirtv1.Network, 0, len(x.NICs))
	for i := range x.NICs {
		n := &x.NICs[i]
		devices.Interfaces = append(devices.Interfaces, *x.patchedInterface(n, i))
		spec.Networks = append(spec.Networks, nicNetwork(n))
	}
}

// ownedInterface is what no patch on an interface changes, but its binding: what has a key of its own.
var ownedInterface = map[string]string{
	"name": "it is also the name of the network", "model": "set `model` of the NIC instead",
	"macAddress": "set `mac` of the NIC instead", "bootOrder": "set `bootOrder` of the NIC instead",
	"state": "set `state` of the NIC instead", "ports": "set `ports` of the NIC instead",
}

// patchedInterface returns the interface of a NIC with the user's patch applied.
func (x *rendering) patchedInterface(n *machine.NIC, i int) *kubevirtv1.Interface {
	device := new(nicInterface(n))
	if !n.Overrides.IsSet() {
		return device
	}
	p := partPatch{
		over: n.Overrides, key: source.IndexPath("nics", i) + ".overrides", owned: ownedInterface,
		allowed: map[string]string{"model": "null"},
	}
	out := patched(x, device, p)
	x.checkFields(p.over, kindVM, "spec.template.spec.domain.devices.interfaces[].", p.key)
	if len(bindings(out)) != 1 && n.Binding != "none" {
		x.misread = append(x.misread, source.IndexPath("nics", i))
		x.diags.Errorf(p.over.Pos(), rule.Conflict, x.path(p.key),
			"got %s; expected exactly one binding: set `binding` of the NIC, or null for the one to remove",
			cmp.Or(strings.Join(bindings(out), " and "), "none"))
	}
	return out
}

// bindings returns the keys of the bindings of an interface.
func bindings(n *kubevirtv1.Interface) []string {
	var keys []string
	for field, value := range reflect.ValueOf(&n.InterfaceBindingMethod).Elem().Fields() {
		if !value.IsNil() {
			keys = append(keys, values.Key(field))
		}
	}
	if n.Binding != nil {
		keys = append(keys, "binding")
	}
	return keys
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
	case "none": // KubeVirt chooses
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
