package validation

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// byPodNetwork is the end of warnings about a VM that the pod network does not reach.
const byPodNetwork = "add `pod` to `nics`, or publish the address of the VLAN"

// checkReachable warns of what reaches the guest over the pod network, on which the VM has no NIC: a Service selects
// the pod of the VM, and traffic to the pod's address ends there. It is no error, because the cluster may attach pods
// to another network by default.
func (d *decided) checkReachable(m *machine.Machine) {
	d.checkForwardedPorts(m)
	onPod := func(n machine.NIC) bool { return n.Pod }
	if m.NICs == nil || slices.ContainsFunc(m.NICs, onPod) || d.attachesOtherwise(m) {
		return
	}
	for i := range m.Services {
		key := m.Services[i].Key
		d.diags.Warnf(d.entry.KeyAt("services", key), rule.Unreachable, d.entry.Path+"."+source.JoinPath("services", key),
			"a Service reaches a VM over the pod network, where this one has no NIC; %s", byPodNetwork)
	}
	for i := range m.Objects {
		o := &m.Objects[i]
		if n := toService(o, m.Services); n != nil {
			d.diags.Warnf(d.entry.KeyAt("objects", o.Key), rule.Unreachable, d.entry.Path+"."+source.JoinPath("objects", o.Key),
				"it leads to the Service %q, which reaches a VM over the pod network, where this one has no NIC; %s",
				n.Text, byPodNetwork)
		}
	}
}

// checkForwardedPorts warns of ports of a NIC that is not on the pod network, which forwards them.
func (d *decided) checkForwardedPorts(m *machine.Machine) {
	for i := range m.NICs {
		if n := &m.NICs[i]; len(n.Ports) > 0 && !n.Pod {
			d.diags.Warnf(n.At("ports"), rule.Unreachable, d.entry.Path+"."+machine.NICPath(i)+".ports",
				"only the pod network forwards ports, and the NIC is on %q; remove them", n.Network)
		}
	}
}

// attachesOtherwise reports whether patches may attach the VM to the network of its pod.
func (d *decided) attachesOtherwise(m *machine.Machine) bool {
	const defaultNetwork = "v1.multus-cni.io/default-network"
	patched := func(o *source.Node) bool { return o.Get("spec", "template", "spec", "networks").IsSet() }
	return len(m.Patches) > 0 || slices.ContainsFunc(m.Overrides, patched) || m.PodAnnotations[defaultNetwork] != ""
}

// toService returns the name of one of the Services that a Route, an Ingress or a route of the Gateway API leads to, or
// nil.
func toService(o *machine.Object, services []machine.Service) *source.Node {
	kinds := []string{
		"route.openshift.io/Route", "networking.k8s.io/Ingress", "gateway.networking.k8s.io/HTTPRoute",
		"gateway.networking.k8s.io/GRPCRoute", "gateway.networking.k8s.io/TLSRoute", "gateway.networking.k8s.io/TCPRoute",
	}
	if !slices.Contains(kinds, o.Kind()) {
		return nil
	}
	return named(o.Manifest.Get("spec"), services)
}

// named returns the first value of a key `name` that is the name of one of the Services, or nil.
func named(n *source.Node, services []machine.Service) *source.Node {
	if n == nil {
		return nil
	}
	for _, f := range n.Entries() {
		isName := func(s machine.Service) bool { return s.Name == f.Value.Text }
		if f.Key == "name" && slices.ContainsFunc(services, isName) {
			return f.Value
		}
		if found := named(f.Value, services); found != nil {
			return found
		}
	}
	for _, item := range n.Items {
		if found := named(item, services); found != nil {
			return found
		}
	}
	return nil
}
