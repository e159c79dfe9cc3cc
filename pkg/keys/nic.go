package keys

import (
	"strconv"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/values"
)

// NIC is the rows of a NIC. Its network has a list of its own in KubeVirt; `ip` and what belongs to it are data of
// cloud-init.
var NIC = Table[kubevirtv1.Interface, machine.NIC]{
	Part: "NIC",
	Rows: []Row[kubevirtv1.Interface, machine.NIC]{
		{
			Key: "name", Path: "name", Instead: "it is also the name of the network",
			Set: func(i *kubevirtv1.Interface, n *machine.NIC) { i.Name = n.Name },
		},
		{
			Key: "binding", Patched: true, Set: setBinding, Get: getBinding,
			Default: func(_ *kubevirtv1.Interface, in *Inherited) string { return in.Binding },
		},
		{
			Key: "model", Path: "model", Nullable: true,
			Set: func(i *kubevirtv1.Interface, n *machine.NIC) { i.Model = n.Model },
			Get: func(i *kubevirtv1.Interface, _ *Inherited) any { return i.Model },
			Default: func(i *kubevirtv1.Interface, in *Inherited) string {
				return in.OS.ModelOfNIC(Binding(i), in.Preferred)
			},
		},
		{
			Key: "mac", Path: "macAddress",
			Set: func(i *kubevirtv1.Interface, n *machine.NIC) { i.MacAddress = n.MAC },
			Get: func(i *kubevirtv1.Interface, _ *Inherited) any { return i.MacAddress },
		},
		{
			Key: "state", Path: "state",
			Set: func(i *kubevirtv1.Interface, n *machine.NIC) { i.State = kubevirtv1.InterfaceState(n.State) },
			Get: func(i *kubevirtv1.Interface, _ *Inherited) any { return string(i.State) },
		},
		{
			Key: "bootOrder", Path: "bootOrder",
			Set: func(i *kubevirtv1.Interface, n *machine.NIC) { i.BootOrder = n.BootOrder },
			Get: func(i *kubevirtv1.Interface, _ *Inherited) any { return number(i.BootOrder) },
		},
		{
			Key: "ports", Path: "ports",
			Set: func(i *kubevirtv1.Interface, n *machine.NIC) { i.Ports = setEach(&Port, n.Ports) },
			Get: func(i *kubevirtv1.Interface, in *Inherited) any { return getEach(&Port, i.Ports, "port", in) },
		},
	},
}

// Port is the rows of a port of a NIC.
var Port = Table[kubevirtv1.Port, values.Port]{
	Part: "port",
	Rows: []Row[kubevirtv1.Port, values.Port]{
		{
			Key: "port", Path: "port",
			Set: func(p *kubevirtv1.Port, v *values.Port) { p.Port = v.Port },
			Get: func(p *kubevirtv1.Port, _ *Inherited) any { return p.Port },
		},
		{
			Key: "name", Path: "name",
			Set: func(p *kubevirtv1.Port, v *values.Port) { p.Name = v.Name },
			Get: func(p *kubevirtv1.Port, _ *Inherited) any { return p.Name },
		},
		{
			Key: "protocol", Path: "protocol",
			Set: func(p *kubevirtv1.Port, v *values.Port) { p.Protocol = v.Protocol },
			Get: func(p *kubevirtv1.Port, _ *Inherited) any { return p.Protocol },
		},
	},
}

// noBinding is the value of `binding` that leaves it to KubeVirt.
const noBinding = "none"

func setBinding(i *kubevirtv1.Interface, n *machine.NIC) {
	switch n.Binding {
	case "masquerade":
		i.Masquerade = &kubevirtv1.InterfaceMasquerade{}
	case "bridge":
		i.Bridge = &kubevirtv1.InterfaceBridge{}
	case "sriov":
		i.SRIOV = &kubevirtv1.InterfaceSRIOV{}
	case noBinding:
	default:
		i.Binding = &kubevirtv1.PluginBinding{Name: n.Binding}
	}
}

// Binding returns the binding of an interface as `binding` of a NIC has it, or "" if KubeVirt chooses it.
func Binding(i *kubevirtv1.Interface) string {
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

// getBinding returns the binding as it is to be written. Only adopted VMs leave it to KubeVirt.
func getBinding(i *kubevirtv1.Interface, in *Inherited) any {
	if b := Binding(i); b != "" || !in.OS.Adopted {
		return b
	}
	return noBinding
}

// number returns the number that a pointer points to, or nil.
func number(n *uint) any {
	if n == nil {
		return nil
	}
	return node.Number(strconv.FormatUint(uint64(*n), 10))
}

// setEach returns the fields of a list of values, or nil if it is empty.
func setEach[F, V any](t *Table[F, V], in []V) []F {
	if len(in) == 0 {
		return nil
	}
	out := make([]F, len(in))
	for i := range in {
		t.Set(&out[i], &in[i])
	}
	return out
}

// getDevices is [getEach] for devices, which have a name with a number by themselves.
func getDevices[F any](t *Table[F, values.Device], of []F, prefix string, in *Inherited) any {
	out := make([]any, 0, len(of))
	for i := range of {
		n, named := node.Map{}, *in
		named.Name = prefix + strconv.Itoa(i)
		t.Get(&n, &of[i], &named)
		out = append(out, n.Short("device"))
	}
	return node.List(out)
}

// getEach returns the values of a list of fields, each in its short form if only that key is set.
func getEach[F, V any](t *Table[F, V], of []F, short string, in *Inherited) any {
	out := make([]any, 0, len(of))
	for i := range of {
		n := node.Map{}
		t.Get(&n, &of[i], in)
		out = append(out, n.Short(short))
	}
	return node.List(out)
}
