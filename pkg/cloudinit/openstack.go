package cloudinit

import (
	"net"
	"net/netip"
	"slices"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// openStack is the network data of a config drive: JSON in the form of
// OpenStack's metadata service (specs.openstack.org, nova, liberty,
// metadata-service-network-info). On a config drive, cloud-init reads no other form
// (kubevirt/user-guide pull request 706).
type openStack struct {
	Links    []osLink    `json:"links"`
	Networks []osNetwork `json:"networks"`
	Services []osService `json:"services"`
}

type osLink struct {
	ID   string `json:"id"`
	Type string `json:"type"`
	MAC  string `json:"ethernet_mac_address"`
}

type osNetwork struct {
	ID        string    `json:"id"`
	Link      string    `json:"link"`
	Type      string    `json:"type"`
	IPAddress string    `json:"ip_address,omitempty"`
	Netmask   string    `json:"netmask,omitempty"`
	Routes    []osRoute `json:"routes,omitempty"`
}

type osRoute struct {
	Network string `json:"network"`
	Netmask string `json:"netmask"`
	Gateway string `json:"gateway"`
}

type osService struct {
	Type    string `json:"type"`
	Address string `json:"address"`
}

func openStackData(nics []guestNIC) string {
	data := openStack{Links: []osLink{}, Networks: []osNetwork{}, Services: []osService{}}
	for i := range nics {
		n := &nics[i]
		data.Links = append(data.Links, osLink{ID: n.Name, Type: "phy", MAC: n.MAC})
		if !n.Unnumbered { // a link without a network has no address
			data.Networks = append(data.Networks, osNetworkOf(n))
		}
		for _, address := range n.DNS {
			s := osService{Type: "dns", Address: address}
			if !slices.Contains(data.Services, s) {
				data.Services = append(data.Services, s)
			}
		}
	}
	json, err := manifest.Encode(nil, &data)
	if err != nil {
		return "" // never happens: strings can always be encoded
	}
	return string(json)
}

func osNetworkOf(n *guestNIC) osNetwork {
	out := osNetwork{ID: n.Name, Link: n.Name, Type: "ipv4_dhcp"}
	prefix, err := netip.ParsePrefix(n.IP)
	if err != nil { // it is unset: package resolve has validated it
		return out
	}
	out.Type = "ipv4"
	if prefix.Addr().Is6() {
		out.Type = "ipv6"
	}
	out.IPAddress, out.Netmask = prefix.Addr().String(), netmask(prefix)
	for _, r := range routes(n.NIC) {
		out.Routes = append(out.Routes, osRoute{
			Network: r.To.Masked().Addr().String(), Netmask: netmask(r.To), Gateway: r.Via.String(),
		})
	}
	return out
}

// netmask returns a prefix length as an address, such as 255.255.255.0 or ffff:ffff::.
func netmask(p netip.Prefix) string {
	return net.IP(net.CIDRMask(p.Bits(), p.Addr().BitLen())).String()
}
