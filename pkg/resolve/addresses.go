package resolve

import (
	"cmp"
	"encoding/binary"
	"net/netip"
	"slices"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// address sets the static address of a NIC, and its gateway and name servers,
// which default to those of the network.
func (d *draft) address(out *machine.NIC, n *values.NIC, net *catalog.Network, i int) {
	text := d.expand(n.IP, "nics", i, "ip")
	out.IP = ""
	if out.Unnumbered = text == values.NoAddress; out.Unnumbered || text == "" {
		d.checkNothingWithoutIP(n, i)
		d.checkNotOfPod(out.Unnumbered && net.Pod, i)
		return
	}
	prefix, ok := d.ip(text, i)
	if !ok {
		return
	}
	out.IP = prefix.String()
	out.Gateway = cmp.Or(n.Gateway, net.Gateway)
	if out.DNS == nil {
		out.DNS = net.DNS
	}
	if d.checkSubnet(prefix, n, net, i) {
		d.checkGateway(out.Gateway, prefix.Masked(), i)
	}
	d.checkTaken(prefix.Addr(), n, net, i)
	d.checkDNS(n, i)
	out.Routes = d.routes(n, i)
}

// checkNotOfPod reports an address of a NIC on the pod network.
func (d *draft) checkNotOfPod(isOfPod bool, i int) {
	if isOfPod {
		d.errorf(d.nicAt(i, "ip"), rule.Conflict, machine.NICPath(i)+".ip",
			"the cluster assigns the address of a NIC on the pod network; remove it, or use another network")
	}
}

// checkSubnet checks that an address fits its network, and reports whether it
// is in the network's subnet, if that is known.
func (d *draft) checkSubnet(prefix netip.Prefix, n *values.NIC, net *catalog.Network, i int) bool {
	at, path := d.nicAt(i, "ip"), machine.NICPath(i)+".ip"
	d.checkNotOfPod(net.Pod, i)
	cidr, err := netip.ParsePrefix(net.CIDR)
	switch {
	case err != nil: // there is none, or it is reported with the catalog
	case !cidr.Contains(prefix.Addr()):
		d.errorf(at, rule.BadIP, path, "%q is outside %s of the network %q; expected an address in it",
			prefix, net.CIDR, n.Network)
		return false
	case cidr.Bits() != prefix.Bits():
		d.errorf(at, rule.BadIP, path, "%q has another prefix length than %s of the network %q; expected %q",
			prefix, net.CIDR, n.Network, netip.PrefixFrom(prefix.Addr(), cidr.Bits()))
		return false
	}
	return true
}

// ip parses a static address.
func (d *draft) ip(text string, i int) (netip.Prefix, bool) {
	at, path := d.nicAt(i, "ip"), machine.NICPath(i)+".ip"
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		d.errorf(at, rule.BadIP, path, "%s", values.AddressProblem(text))
		return prefix, false
	}
	if reserved := reservedAddress(prefix); reserved != "" {
		d.errorf(at, rule.BadIP, path, "%q is the %s; expected the address of a host", text, reserved)
	}
	return prefix, true
}

// reservedAddress returns the meaning of an address in its subnet, or "" if a
// host can have it.
func reservedAddress(p netip.Prefix) string {
	if !p.Addr().Is4() || p.Bits() >= 31 {
		return ""
	}
	addr := p.Addr().As4()
	number := binary.BigEndian.Uint32(addr[:])
	switch hosts := uint32(1)<<(32-p.Bits()) - 1; number & hosts {
	case 0:
		return "address of the network"
	case hosts:
		return "broadcast address of the network"
	}
	return ""
}

// checkGateway checks a default gateway, which is the NIC's own or its
// network's.
func (d *draft) checkGateway(text string, subnet netip.Prefix, i int) {
	gw, err := netip.ParseAddr(text)
	if text == "" || err != nil && d.vm.NICs[i].Gateway == "" {
		return // the network's gateway is reported with the catalog
	}
	at, path := d.nicAt(i, "gateway"), machine.NICPath(i)+".gateway"
	switch {
	case err != nil:
		d.errorf(at, rule.BadIP, path, "%s", values.IPProblem(text))
	case !subnet.Contains(gw):
		d.errorf(at, rule.BadIP, path, "gateway %q is outside the subnet %s; expected an address in it", text, subnet)
	}
}

// checkTaken reports the address of a gateway, or of a name server of the network: the VLAN would be down. The name
// server itself sets its own `dns`.
func (d *draft) checkTaken(addr netip.Addr, n *values.NIC, net *catalog.Network, i int) {
	same := func(text string) bool {
		other, err := netip.ParseAddr(text)
		return err == nil && other == addr
	}
	at, path := d.nicAt(i, "ip"), machine.NICPath(i)+".ip"
	switch {
	case same(n.Gateway):
		d.errorf(d.nicAt(i, "gateway"), rule.BadIP, machine.NICPath(i)+".gateway",
			"%q is the address of the NIC itself; expected that of a router", n.Gateway)
	case same(net.Gateway):
		d.errorf(at, rule.BadIP, path, "%q is the gateway of the network %q; expected another address, "+
			"or, for the router itself, a network of the catalog without `gateway`", addr, n.Network)
	case n.DNS == nil && slices.ContainsFunc(net.DNS, same):
		d.errorf(at, rule.BadIP, path, "%q is a name server of the network %q; expected another address, "+
			"or, for the name server itself, `dns` of the NIC", addr, n.Network)
	}
}

// checkDNS checks the name servers that the NIC itself sets.
func (d *draft) checkDNS(n *values.NIC, i int) {
	for k, server := range n.DNS {
		if _, err := netip.ParseAddr(server); err != nil {
			d.errorf(d.nicItem(i, "dns", k).Pos(), rule.BadIP, source.IndexPath(machine.NICPath(i)+".dns", k),
				"%s", values.IPProblem(server))
		}
	}
}

// routes returns the routes of the NIC. Missing keys of routes were reported
// before.
func (d *draft) routes(n *values.NIC, i int) []machine.Route {
	out := make([]machine.Route, 0, len(n.Routes))
	for k, r := range n.Routes {
		node, path := d.nicItem(i, "routes", k), source.IndexPath(machine.NICPath(i)+".routes", k)
		via, errVia := netip.ParseAddr(r.Via)
		to, errTo := destination(r.To, via)
		if at := node.Get("to"); at != nil && errTo != nil {
			d.errorf(at.Pos(), rule.BadIP, path+".to", "%s", values.DestinationProblem(r.To))
		}
		if at := node.Get("via"); at != nil && errVia != nil {
			d.errorf(at.Pos(), rule.BadIP, path+".via", "%s", values.IPProblem(r.Via))
		}
		out = append(out, machine.Route{To: to, Via: via})
	}
	return out
}

// destination parses the destination of a route; `default` matches all
// addresses in the address family of the next hop.
func destination(to string, via netip.Addr) (netip.Prefix, error) {
	switch {
	case to != "default":
		return netip.ParsePrefix(to)
	case via.Is6():
		return netip.PrefixFrom(netip.IPv6Unspecified(), 0), nil
	}
	return netip.PrefixFrom(netip.IPv4Unspecified(), 0), nil
}

// nicItem returns the k-th item of a list of the i-th NIC.
func (d *draft) nicItem(i int, key string, k int) *source.Node {
	return d.entry.Keys.Get("nics").Items[i].Get(key).Items[k]
}

// checkNothingWithoutIP reports settings of a static address without the address.
func (d *draft) checkNothingWithoutIP(n *values.NIC, i int) {
	if n.Gateway != "" || len(n.DNS) > 0 || len(n.Routes) > 0 {
		d.errorf(d.entry.ItemAt("nics", i), rule.MissingKey, machine.NICPath(i)+".ip",
			"gateway, dns and routes need an address under `ip`; without one, the guest has what DHCP gives it")
	}
}
