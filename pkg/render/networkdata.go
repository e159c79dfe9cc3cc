package render

import (
	"net/netip"
	"slices"
	"strconv"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/source"
)

// guestNIC is a NIC as the guest knows it.
type guestNIC struct {
	*fleet.MachineNIC
	guestName string
}

// networkData is the network data as given, or written from static addresses,
// in the form that the data source wants. Data for one NIC is data for all:
// what is not in it is not configured, so NICs without an address ask DHCP.
func (x *rendering) networkData() string {
	if x.CloudInit.NetworkData != "" {
		return x.CloudInit.NetworkData
	}
	if !slices.ContainsFunc(x.NICs, func(n fleet.MachineNIC) bool { return n.IP != "" }) {
		return ""
	}
	nics := x.guestNICs()
	if x.configDrive() {
		return openStackData(nics)
	}
	return netplanData(nics)
}

// guestNICs names each NIC as Linux does: a virtio or e1000e NIC is alone on a
// PCI Express port, and libvirt gives the first ports to the NICs in their
// order, so the first one is enp1s0. Others can only be told by their MAC
// address, and so can all of a config drive.
func (x *rendering) guestNICs() []guestNIC {
	nics := make([]guestNIC, 0, len(x.NICs))
	ports := 0
	for i := range x.NICs {
		n := &x.NICs[i]
		if n.State == "absent" {
			continue
		}
		predictable := x.onExpressPort(n)
		if predictable {
			ports++
		}
		if n.MAC == "" && (x.configDrive() || !predictable) {
			x.needsMAC(i)
		}
		nics = append(nics, guestNIC{MachineNIC: n, guestName: "enp" + strconv.Itoa(ports) + "s0"})
		if !predictable {
			// The name is given by MAC address, and must be nobody else's.
			nics[len(nics)-1].guestName = "net" + strconv.Itoa(i)
		}
	}
	return nics
}

func (x *rendering) onExpressPort(n *fleet.MachineNIC) bool {
	if x.Arch == "s390x" || n.Binding == "sriov" {
		return false
	}
	switch n.Model {
	case "", "virtio", "e1000e", "igb":
		return true
	}
	return false
}

func (x *rendering) needsMAC(i int) {
	x.diags.Errorf(x.NICs[i].Pos, "missing-key", source.IndexPath(x.path("nics"), i)+".mac",
		"missing MAC address of the NIC %q; network data with static addresses tells it by nothing else: set `mac`, or `identity.macPrefix` for the fleet", x.NICs[i].Name)
}

// netplan is cloud-init's network configuration, version 2
// (cloudinit.readthedocs.io, reference/network-config-format-v2).
type netplan struct {
	Version   int                 `json:"version"`
	Ethernets map[string]ethernet `json:"ethernets"`
}

type ethernet struct {
	Match       *match       `json:"match,omitempty"`
	SetName     string       `json:"set-name,omitempty"`
	DHCP4       bool         `json:"dhcp4,omitempty"`
	Addresses   []string     `json:"addresses,omitempty"`
	Routes      []route      `json:"routes,omitempty"`
	Nameservers *nameservers `json:"nameservers,omitempty"`
}

type match struct {
	MACAddress string `json:"macaddress"`
}

type route struct {
	To  string `json:"to"`
	Via string `json:"via"`
}

type nameservers struct {
	Addresses []string `json:"addresses"`
}

func netplanData(nics []guestNIC) string {
	plan := netplan{Version: 2, Ethernets: make(map[string]ethernet, len(nics))}
	for i := range nics {
		plan.Ethernets[nics[i].guestName] = netplanNIC(&nics[i])
	}
	return cloudYAML("", &plan)
}

// netplanNIC tells the NIC by its MAC address where it has one. The name beside
// it is needed: without `set-name`, releases of cloud-init before 22.2 take the
// entry's key for the name of the interface (canonical/cloud-init issue 3516).
func netplanNIC(n *guestNIC) ethernet {
	out := ethernet{DHCP4: n.IP == ""}
	if n.MAC != "" {
		out.Match, out.SetName = &match{MACAddress: n.MAC}, n.guestName
	}
	if n.IP == "" {
		return out
	}
	out.Addresses = []string{n.IP}
	out.Routes = routes(n.MachineNIC)
	if len(n.DNS) > 0 {
		out.Nameservers = &nameservers{Addresses: n.DNS}
	}
	return out
}

// routes are the default route, spelled as every version of netplan and
// cloud-init understands it, and the NIC's own.
func routes(n *fleet.MachineNIC) []route {
	var out []route
	if n.Gateway != "" {
		out = append(out, route{To: defaultRoute(n.Gateway), Via: n.Gateway})
	}
	for _, r := range n.Routes {
		out = append(out, route{To: r.To, Via: r.Via})
	}
	return out
}

func defaultRoute(gateway string) string {
	if addr, err := netip.ParseAddr(gateway); err == nil && addr.Is6() {
		return "::/0"
	}
	return "0.0.0.0/0"
}
