package values

import (
	"github.com/vmrender/vmrender/pkg/source"
)

// NIC is the long form of an entry of `nics`.
type NIC struct {
	// Network: `pod`, a name in the catalog, or `namespace/nad`.
	Network string `json:"network" names:"networks"`
	// Name of the NIC. Defaults to that of the network, or `default` on the pod network.
	Name string `json:"name,omitempty"`
	// Binding: bridge, masquerade, sriov, or the name of a network binding plugin; `none` leaves it to KubeVirt.
	Binding string `json:"binding,omitempty"`
	// Model. Defaults to that of the network, then to that of the operating system. An `adopted` VM has no default.
	Model string `json:"model,omitempty"`
	// MAC address, such as `02:a1:b2:00:00:01`. A template.
	MAC string `json:"mac,omitempty" format:"mac"`
	// Static address with the prefix length of its network, such as `10.0.0.5/24`; or `none`, for a NIC without an
	// address, such as one of a bridge in the guest. It sets cloud-init network data, in which NICs without the key use
	// DHCP. The pod network has none, and Windows needs `cloudInit.datasource: configDrive`. A template.
	IP string `json:"ip,omitempty" format:"address"`
	// Default gateway.
	Gateway string `json:"gateway,omitempty" format:"ip"`
	// Name servers.
	DNS []string `json:"dns,omitempty" format:"ip"`
	// Additional routes.
	Routes []Route `json:"routes,omitempty"`
	// Ports that the pod network forwards. Defaults to all.
	Ports []Port `json:"ports,omitempty"`
	// Position in the boot order, from 1.
	BootOrder *uint `json:"bootOrder,omitempty" minimum:"1"`
	// Link state; `absent` unplugs a bridge NIC.
	State string `json:"state,omitempty" enum:"up,down,absent"`
	// Merge patch (RFC 7386) on KubeVirt's interface, for fields without a key: `{acpiIndex: 1}`.
	Overrides *source.Node `json:"overrides,omitempty" ref:"Interface"`
}

// Route is one static route.
type Route struct {
	// Destination, such as `10.20.0.0/16`.
	To string `json:"to" required:"true" format:"cidr"`
	// Next hop.
	Via string `json:"via" required:"true" format:"ip"`
}

// Port is a port of a masquerade NIC; a number is short for `{port: NUMBER}`.
type Port struct {
	// Name of the port.
	Name string `json:"name,omitempty"`
	// Number of the port.
	Port int32 `json:"port" required:"true" minimum:"1" maximum:"65535"`
	// Protocol. Defaults to TCP.
	Protocol string `json:"protocol,omitempty" enum:"TCP,UDP"`
}
