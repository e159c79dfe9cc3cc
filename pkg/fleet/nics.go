package fleet

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

// podNetwork is the network that every fleet knows.
const podNetwork = "pod"

// nicPaths are the paths of the NICs that machines have.
var nicPaths = [...]string{"nics[0]", "nics[1]", "nics[2]", "nics[3]"}

func nicPath(i int) string {
	if i < len(nicPaths) {
		return nicPaths[i]
	}
	return source.IndexPath("nics", i)
}

func (s *subject) nics() {
	nics := s.vm.NICs
	if nics == nil {
		nics = []NIC{{Network: podNetwork}}
	}
	s.m.NICs = make([]MachineNIC, 0, len(nics))
	names := map[string]int{}
	pods := 0
	for i := range nics {
		out := s.nic(i, &nics[i], names)
		if out.Pod {
			pods++
		}
		if pods > 1 && out.Pod {
			s.errorf(out.Pos, "duplicate", source.IndexPath("nics", i), "second NIC on the pod network; a VM has at most one")
		}
		s.m.NICs = append(s.m.NICs, out)
	}
	if pods == 0 {
		s.probesWithoutPod()
	}
}

// probesWithoutPod reports probes that reach the guest over the pod network,
// which the VM is not on (kubevirt/kubevirt pkg/virt-api/webhooks/
// validating-webhook/admitters/vmi-create-admitter.go, v1.8.4).
func (s *subject) probesWithoutPod() {
	for _, probe := range []string{"readinessProbe", "livenessProbe"} {
		for _, kind := range []string{"httpGet", "tcpSocket"} {
			if f := s.node.Get(probe).Field(kind); f != nil && f.Value.Kind != source.Null {
				s.errorf(f.Pos(), "conflict", probe+"."+kind, "needs a NIC on the pod network; accepted without one are: exec, guestAgentPing")
			}
		}
	}
}

func (s *subject) nic(i int, n *NIC, names map[string]int) MachineNIC {
	path, at := nicPath(i), s.itemPos("nics", i)
	if s.vm.NICs == nil {
		at = s.key
	}
	net := s.network(i, n)
	out := MachineNIC{
		Pod: net.Pod, NAD: net.NAD, Routes: n.Routes, BootOrder: n.BootOrder, State: n.State, Pos: at,
		Gateway: or(n.Gateway, net.Gateway), DNS: n.DNS, Ports: n.Ports,
	}
	if out.DNS == nil {
		out.DNS = net.DNS
	}
	if written := s.node.Get("nics"); written != nil && i < len(written.Items) {
		out.node = written.Items[i]
	}
	out.Name = s.nicName(n, &out, names, path, at)
	out.Binding = nicBinding(n, net)
	out.Model = s.nicModel(n, net, out.Binding)
	s.checkNIC(&out, path, i)
	out.MAC = s.mac(s.texts.expand(n.MAC, "nics", i, "mac"), path, i)
	out.IP = s.ip(s.texts.expand(n.IP, "nics", i, "ip"), &out, net, path, i)
	if out.IP == "" {
		out.Gateway, out.DNS = n.Gateway, n.DNS
		s.onlyWithIP(n, path, i)
	}
	return out
}

// network looks up what a NIC is attached to.
func (s *subject) network(i int, n *NIC) *catalog.Network {
	name := or(n.Network, podNetwork)
	if net := s.set.Network(name); net != nil {
		return net
	}
	if ns, nad, ok := strings.Cut(name, "/"); ok {
		for _, part := range []string{ns, nad} {
			if problem := nameProblem(part); problem != "" {
				s.errorf(s.nicAt(i, "network"), "bad-name", source.IndexPath("nics", i), "invalid network %q: %s", name, problem)
				break
			}
		}
		return &catalog.Network{NAD: name}
	}
	s.misreadNIC(i, name)
	return &catalog.Network{NAD: "default/" + name}
}

// misreadNIC reports a network that the catalogue does not have.
func (s *subject) misreadNIC(i int, name string) {
	known := s.set.Names("networks")
	accepted := source.DidYouMean(name, known)
	if _, near := source.Nearest(name, known); !near {
		accepted += ", or namespace/name of a NetworkAttachmentDefinition"
	}
	s.errorf(s.nicAt(i, "network"), "unknown-name", source.IndexPath("nics", i), "unknown network %q; %s", name, accepted)
}

// nicAt is where a key of the i-th NIC was written; the NIC's place for its short form.
func (s *subject) nicAt(i int, key string) source.Pos {
	if n := s.node.Get("nics"); n != nil && i < len(n.Items) {
		if v := n.Items[i].Get(key); v != nil {
			return v.Pos()
		}
	}
	return s.itemPos("nics", i)
}

// nicName is the NIC's own name, `default` on the pod network, or the
// network's; a second NIC on the same network gets "-2".
func (s *subject) nicName(n *NIC, out *MachineNIC, names map[string]int, path string, at source.Pos) string {
	name := n.Name
	switch {
	case name != "":
	case out.Pod:
		name = "default"
	case strings.Contains(n.Network, "/"):
		name = n.Network[strings.LastIndex(n.Network, "/")+1:]
	default:
		name = n.Network
	}
	if names[name]++; names[name] > 1 && n.Name == "" {
		name += "-" + strconv.Itoa(names[name])
		names[name]++
	}
	if names[name] > 1 {
		s.errorf(at, "duplicate", path, "duplicate NIC name %q; give it a `name` of its own", name)
	}
	if problem := nameProblem(name); problem != "" && (n.Name != "" || s.set.Network(name) != nil) {
		s.errorf(at, "bad-name", path, "%s", problem)
	}
	return name
}

func nicBinding(n *NIC, net *catalog.Network) string {
	switch {
	case n.Binding != "":
		return n.Binding
	case net.Binding != "":
		return net.Binding
	case net.Pod:
		return "masquerade"
	}
	return "bridge"
}

// nicModel is empty where the platform decides: SR-IOV devices are what they are.
func (s *subject) nicModel(n *NIC, net *catalog.Network, binding string) string {
	switch {
	case n.Model != "":
		return n.Model
	case net.Model != "":
		return net.Model
	case s.m.Preference != nil || binding == "sriov":
		return ""
	}
	return or(s.os.NICModel, "virtio")
}

func (s *subject) checkNIC(n *MachineNIC, path string, i int) {
	if n.Binding == "masquerade" && !n.Pod {
		s.errorf(s.nicAt(i, "binding"), "conflict", path+".binding", "masquerade is for the pod network only; accepted: bridge, sriov, or a network binding plugin")
	}
	if n.Binding == "sriov" && n.Pod {
		s.errorf(s.nicAt(i, "binding"), "conflict", path+".binding", "sriov is not for the pod network; accepted: masquerade, bridge, or a network binding plugin")
	}
	if n.State == "absent" && n.Binding != "bridge" && n.Binding != "sriov" {
		s.errorf(s.nicAt(i, "state"), "conflict", path+".state", "only bridge and sriov NICs can be unplugged")
	}
}

// mac gives a MAC address in its usual form.
func (s *subject) mac(text, path string, i int) string {
	if text == "" {
		return ""
	}
	mac, err := net.ParseMAC(text)
	if err != nil || len(mac) != 6 {
		s.errorf(s.nicAt(i, "mac"), "bad-mac", path+".mac", "invalid MAC address %q; expected six bytes such as \"02:a1:b2:00:00:01\"", text)
		return ""
	}
	if mac[0]&1 != 0 {
		mac[0] &^= 1
		s.errorf(s.nicAt(i, "mac"), "bad-mac", path+".mac", "multicast MAC address %q; a NIC's first byte is even, as in %q", text, mac.String())
		return ""
	}
	return mac.String()
}

// ip checks a static address against its subnet, its gateway and the network's.
func (s *subject) ip(text string, n *MachineNIC, net *catalog.Network, path string, i int) string {
	if text == "" {
		return ""
	}
	at := s.nicAt(i, "ip")
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		s.errorf(at, "bad-ip", path+".ip", "invalid address %q; expected an address with its prefix length such as \"10.0.0.5/24\"", text)
		return ""
	}
	if reserved := reservedAddress(prefix); reserved != "" {
		s.errorf(at, "bad-ip", path+".ip", "%q is the %s; expected the address of a host", text, reserved)
	}
	own := &s.vm.NICs[i]
	if cidr, err := netip.ParsePrefix(net.CIDR); err == nil && !cidr.Contains(prefix.Addr()) {
		s.errorf(at, "bad-ip", path+".ip", "%q is outside %s of the network %q; expected an address in it", text, net.CIDR, own.Network)
	} else {
		s.gateway(n.Gateway, prefix.Masked(), path, i)
	}
	s.addresses(own, path, i)
	return prefix.String()
}

// reservedAddress names what an address is in its subnet if no host can have it.
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

// gateway checks a default gateway, the NIC's own or its network's.
func (s *subject) gateway(text string, subnet netip.Prefix, path string, i int) {
	gw, err := netip.ParseAddr(text)
	if text == "" || err != nil && s.vm.NICs[i].Gateway == "" {
		return // the network's is reported with the catalogue
	}
	at := s.nicAt(i, "gateway")
	switch {
	case err != nil:
		s.errorf(at, "bad-ip", path+".gateway", "invalid address %q; expected an address such as \"10.0.0.1\"", text)
	case !subnet.Contains(gw):
		s.errorf(at, "bad-ip", path+".gateway", "gateway %q is outside the subnet %s; expected an address in it", text, subnet)
	}
}

// addresses checks the NIC's own name servers and routes.
func (s *subject) addresses(n *NIC, path string, i int) {
	for k, d := range n.DNS {
		if _, err := netip.ParseAddr(d); err != nil {
			s.errorf(s.nicItem(i, "dns", k).Pos(), "bad-ip", source.IndexPath(path+".dns", k), "invalid address %q; expected an address such as \"10.0.0.2\"", d)
		}
	}
	for k, r := range n.Routes {
		route, path := s.nicItem(i, "routes", k), source.IndexPath(path+".routes", k)
		to, via := route.Get("to"), route.Get("via") // what is missing is reported already
		if _, err := netip.ParsePrefix(r.To); to != nil && err != nil && r.To != "default" {
			s.errorf(to.Pos(), "bad-ip", path+".to", "invalid destination %q; expected a subnet such as \"10.20.0.0/16\"", r.To)
		}
		if _, err := netip.ParseAddr(r.Via); via != nil && err != nil {
			s.errorf(via.Pos(), "bad-ip", path+".via", "invalid next hop %q; expected an address such as \"10.0.0.1\"", r.Via)
		}
	}
}

// nicItem is the k-th item of a list of the i-th NIC.
func (s *subject) nicItem(i int, key string, k int) *source.Node {
	return s.node.Get("nics").Items[i].Get(key).Items[k]
}

// onlyWithIP reports settings of a static address without the address.
func (s *subject) onlyWithIP(n *NIC, path string, i int) {
	if n.Gateway != "" || len(n.DNS) > 0 || len(n.Routes) > 0 {
		s.errorf(s.itemPos("nics", i), "missing-key", path+".ip", "gateway, dns and routes need an `ip`; without one the guest asks DHCP")
	}
}
