package render

import (
	"cmp"
	"reflect"
	"strings"
	"sync"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/keys"
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
	devices.Interfaces = make([]kubevirtv1.Interface, len(x.NICs))
	spec.Networks = make([]kubevirtv1.Network, 0, len(x.NICs))
	for i := range x.NICs {
		n := &x.NICs[i]
		keys.NIC.Set(&devices.Interfaces[i], n)
		if n.Overrides.IsSet() {
			devices.Interfaces[i] = *x.patchedInterface(&devices.Interfaces[i], n, i)
		}
		spec.Networks = append(spec.Networks, nicNetwork(n))
	}
}

// ownedInterface is what no patch on an interface changes: what has a key of its own.
var ownedInterface = sync.OnceValue(keys.NIC.Owned)

// patchedInterface returns the interface of a NIC with the user's patch applied.
func (x *rendering) patchedInterface(device *kubevirtv1.Interface, n *machine.NIC, i int) *kubevirtv1.Interface {
	p := partPatch{
		over: n.Overrides, key: source.IndexPath("nics", i) + ".overrides", owned: ownedInterface(),
		allowed: keys.NIC.Allowed(),
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

func nicNetwork(n *machine.NIC) kubevirtv1.Network {
	out := kubevirtv1.Network{Name: n.Name}
	if n.Pod {
		out.Pod = &kubevirtv1.PodNetwork{}
	} else {
		out.Multus = &kubevirtv1.MultusNetwork{NetworkName: n.NAD}
	}
	return out
}
