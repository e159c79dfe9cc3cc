package resolve

import (
	"cmp"
	"net"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// podNetwork is the network that exists in every fleet.
const podNetwork = "pod"

// nics returns the NICs, in the order written. Without the key there is one on
// the pod network, which KubeVirt attaches to an adopted VM by itself: then it is nil.
func (d *draft) nics() []machine.NIC {
	written := d.vm.NICs
	if written == nil && d.adopted() {
		return nil
	}
	if written == nil {
		written = []values.NIC{{Network: podNetwork}}
	}
	nics := make([]machine.NIC, 0, len(written))
	names := map[string]int{}
	pods := 0
	for i := range written {
		out := d.nic(i, &written[i], names)
		if out.Pod {
			pods++
		}
		if pods > 1 && out.Pod {
			d.errorf(out.Pos, rule.Duplicate, source.IndexPath("nics", i),
				"second NIC on the pod network; a VM has at most one")
		}
		nics = append(nics, out)
	}
	return nics
}

func (d *draft) nic(i int, n *values.NIC, names map[string]int) machine.NIC {
	path, at := machine.NICPath(i), d.entry.ItemAt("nics", i)
	if d.vm.NICs == nil {
		at = d.entry.Pos
	}
	if n.Network == "" {
		d.reportNoNetwork(n, i)
	}
	net := d.network(i, n)
	out := machine.NIC{NIC: *n, Pod: net.Pod, NAD: net.NAD, Pos: at}
	out.Network = cmp.Or(n.Network, podNetwork)
	if list := d.entry.Keys.Get("nics"); list != nil && i < len(list.Items) {
		out.Written = list.Items[i]
	}
	out.Name = d.nicName(n, &out, names, path, at)
	out.Binding = nicBinding(n, net)
	out.Model = d.nicModel(n, net, out.Binding)
	d.checkNIC(&out, path, i)
	out.MAC = d.mac(d.expand(n.MAC, "nics", i, "mac"), path, i)
	d.address(&out, n, net, i)
	return out
}

// network returns the network that a NIC is attached to.
func (d *draft) network(i int, n *values.NIC) *catalog.Network {
	name := cmp.Or(n.Network, podNetwork)
	if net := d.site.Catalog.Network(name); net != nil {
		return net
	}
	if ns, nad, ok := strings.Cut(name, "/"); ok {
		for _, part := range []string{ns, nad} {
			if problem := values.NameProblem(part); problem != "" {
				d.errorf(d.nicAt(i, "network"), rule.BadName, source.IndexPath("nics", i),
					"invalid network %q: %s", name, problem)
				break
			}
		}
		return &catalog.Network{NAD: name}
	}
	d.reportUnknownNetwork(i, name)
	return &catalog.Network{NAD: "default/" + name}
}

// reportNoNetwork reports a NIC in its long form without the key `network`. The
// likely mistake is to write the network under `name`, as KubeVirt does.
func (d *draft) reportNoNetwork(n *values.NIC, i int) {
	accepted := "set `network: pod`, or another network"
	if d.site.Catalog.Network(n.Name) != nil || strings.Contains(n.Name, "/") {
		accepted = "did you mean `network: " + n.Name + "`?"
	}
	d.errorf(d.entry.ItemAt("nics", i), rule.MissingKey, machine.NICPath(i)+".network", "missing network; %s", accepted)
}

// reportUnknownNetwork reports a network that is not in the catalog.
func (d *draft) reportUnknownNetwork(i int, name string) {
	d.errorf(d.nicAt(i, "network"), rule.UnknownName, source.IndexPath("nics", i),
		"%s", d.site.Catalog.UnknownNetwork(name))
}

// nicAt returns the position of a key of the i-th NIC, or of the NIC if the
// key is unset or the short form is used.
func (d *draft) nicAt(i int, key string) source.Pos {
	if n := d.entry.Keys.Get("nics"); n != nil && i < len(n.Items) {
		if v := n.Items[i].Get(key); v != nil {
			return v.Pos()
		}
	}
	return d.entry.ItemAt("nics", i)
}

// nicName returns the name that the NIC sets, or `default` on the pod network,
// or the network's. A second NIC on the same network gets "-2".
func (d *draft) nicName(n *values.NIC, out *machine.NIC, names map[string]int, path string, at source.Pos) string {
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
		d.errorf(at, rule.Duplicate, path, "duplicate NIC name %q; give it a `name` of its own", name)
	}
	if problem := values.NameProblem(name); problem != "" && (n.Name != "" || d.site.Catalog.Network(name) != nil) {
		d.errorf(at, rule.BadName, path, "%s", problem)
	}
	return name
}

func nicBinding(n *values.NIC, net *catalog.Network) string {
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

// nicModel returns the model of a NIC, or "" if a preference or the device
// determines it, as with SR-IOV.
func (d *draft) nicModel(n *values.NIC, net *catalog.Network, binding string) string {
	switch {
	case n.Model != "":
		return n.Model
	case net.Model != "":
		return net.Model
	}
	return d.entry.OS.ModelOfNIC(binding, d.vm.Preference != nil)
}

func (d *draft) checkNIC(n *machine.NIC, path string, i int) {
	if n.Binding == "masquerade" && !n.Pod {
		d.errorf(d.nicAt(i, "binding"), rule.Conflict, path+".binding",
			"masquerade is for the pod network only; accepted: bridge, sriov, or a network binding plugin")
	}
	if n.Binding == "sriov" && n.Pod {
		d.errorf(d.nicAt(i, "binding"), rule.Conflict, path+".binding",
			"sriov is not for the pod network; accepted: masquerade, bridge, or a network binding plugin")
	}
	// kubevirt/kubevirt v1.8.4, pkg/network/admitter/admit.go
	if n.State == "absent" && n.Binding != "bridge" {
		d.errorf(d.nicAt(i, "state"), rule.Conflict, path+".state", "only bridge NICs can be unplugged")
	}
	if n.Binding == "sriov" && (n.State == "up" || n.State == "down") {
		d.errorf(d.nicAt(i, "state"), rule.Conflict, path+".state", "the link of a sriov NIC cannot be set; remove it")
	}
}

// mac returns a MAC address in its canonical form.
func (d *draft) mac(text, path string, i int) string {
	if text == "" {
		return ""
	}
	mac, err := net.ParseMAC(text)
	if err != nil || len(mac) != 6 {
		d.errorf(d.nicAt(i, "mac"), rule.BadMAC, path+".mac", "%s", values.MACProblem(text))
		return ""
	}
	if mac[0]&1 != 0 {
		mac[0] &^= 1
		d.errorf(d.nicAt(i, "mac"), rule.BadMAC, path+".mac",
			"multicast MAC address %q; a NIC's first byte is even, as in %q", text, mac.String())
		return ""
	}
	return mac.String()
}
