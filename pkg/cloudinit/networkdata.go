package cloudinit

import (
	"net/netip"
	"slices"
	"strconv"

	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// guestNIC is a NIC with its interface name in the guest.
type guestNIC struct {
	*machine.NIC
	guestName string
}

// networkData returns the user's network data, or renders it from static addresses
// in the form that the data source requires. The guest configures only the NICs in
// it, so it lists NICs without a static address also, with DHCP, unless they have none.
func networkData(m *machine.Machine, diags *source.Diagnostics) string {
	if m.CloudInit.NetworkData != "" {
		return m.CloudInit.NetworkData
	}
	if !slices.ContainsFunc(m.NICs, func(n machine.NIC) bool { return n.IsConfigured() }) {
		return ""
	}
	nics := guestNICs(m, diags)
	if m.CloudInit.Datasource == keys.ConfigDrive {
		return openStackData(nics)
	}
	return netplanData(nics)
}

// guestNICs returns the NICs with the names that Linux gives them: a virtio or
// e1000e NIC is alone on a PCI Express port, and libvirt assigns the first ports to
// the NICs in their order, so the first one is enp1s0. Other NICs, and all NICs of
// a config drive, can only be identified by their MAC address.
func guestNICs(m *machine.Machine, diags *source.Diagnostics) []guestNIC {
	nics := make([]guestNIC, 0, len(m.NICs))
	ports := 0
	for i := range m.NICs {
		n := &m.NICs[i]
		if n.State == "absent" {
			continue
		}
		predictable := isOnExpressPort(n, m.Arch)
		if predictable {
			ports++
		}
		if n.MAC == "" && (m.CloudInit.Datasource == keys.ConfigDrive || !predictable) {
			reportMissingMAC(m, i, diags)
		}
		nics = append(nics, guestNIC{NIC: n, guestName: "enp" + strconv.Itoa(ports) + "s0"})
		if !predictable {
			// cloud-init sets this name by MAC address, so it must be unique.
			nics[len(nics)-1].guestName = "net" + strconv.Itoa(i)
		}
	}
	return nics
}

// isOnExpressPort reports whether the NIC is on a PCI Express port of its own.
func isOnExpressPort(n *machine.NIC, arch string) bool {
	if arch == "s390x" || n.Binding == "sriov" {
		return false
	}
	switch n.Model {
	case "", "virtio", "e1000e", "igb":
		return true
	}
	return false
}

func reportMissingMAC(m *machine.Machine, i int, diags *source.Diagnostics) {
	diags.Errorf(m.NICs[i].Pos, rule.MissingKey, source.IndexPath(m.Path+".nics", i)+".mac",
		"missing MAC address of the NIC %q; network data with static addresses identifies the NIC by it: "+
			"set `mac`, or `identity.macPrefix` for the fleet", m.NICs[i].Name)
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

// netplanNIC returns the entry of a NIC, which identifies it by its MAC address if
// it has one. The name is also needed: without `set-name`, cloud-init before 22.2
// takes the entry's key for the name of the interface (canonical/cloud-init issue
// 3516).
func netplanNIC(n *guestNIC) ethernet {
	out := ethernet{DHCP4: !n.IsConfigured()}
	if n.MAC != "" {
		out.Match, out.SetName = &match{MACAddress: n.MAC}, n.guestName
	}
	if n.IP == "" {
		return out
	}
	out.Addresses = []string{n.IP}
	out.Routes = netplanRoutes(n.NIC)
	if len(n.DNS) > 0 {
		out.Nameservers = &nameservers{Addresses: n.DNS}
	}
	return out
}

func netplanRoutes(n *machine.NIC) []route {
	all := routes(n)
	out := make([]route, 0, len(all))
	for _, r := range all {
		out = append(out, route{To: r.To.String(), Via: r.Via.String()})
	}
	return out
}

// routes returns the default route, as a prefix that every version of netplan and
// cloud-init supports, and the NIC's own routes.
func routes(n *machine.NIC) []machine.Route {
	gateway, err := netip.ParseAddr(n.Gateway)
	if err != nil { // it is unset: package resolve has validated it
		return n.Routes
	}
	everywhere := netip.IPv4Unspecified()
	if gateway.Is6() {
		everywhere = netip.IPv6Unspecified()
	}
	return append([]machine.Route{{To: netip.PrefixFrom(everywhere, 0), Via: gateway}}, n.Routes...)
}
