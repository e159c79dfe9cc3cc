package machine

import (
	"net/netip"

	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// NIC is one NIC with all values resolved: Network is "pod" if it was not set, Name, Binding and Model are what they
// are by default, Model empty with a preference and for bindings without a model.
type NIC struct {
	values.NIC
	Pod        bool    // attached to the pod network
	Unnumbered bool    // the guest gives it no address: neither IP nor one from DHCP
	NAD        string  // otherwise attached to this NetworkAttachmentDefinition, namespace/name
	Routes     []Route // with `default` resolved
	Pos        source.Pos

	Written *source.Node // as the user wrote it; nil for the default NIC
}

// Route is one static route; [values.Route] with `default` resolved to a prefix.
type Route struct {
	To  netip.Prefix
	Via netip.Addr
}

// IsConfigured reports whether network data says which address the guest gives the NIC, or that it gives it none.
func (n *NIC) IsConfigured() bool { return n.IP != "" || n.Unnumbered }

// At returns the position of a key of the NIC, or of the NIC if it is not set.
func (n *NIC) At(key string) source.Pos {
	if v := n.Written.Get(key); v != nil {
		return v.Pos()
	}
	return n.Pos
}

// nicPaths are the paths of the first NICs, which most VMs do not exceed.
var nicPaths = [...]string{"nics[0]", "nics[1]", "nics[2]", "nics[3]"}

// NICPath returns the path of the i-th NIC below the VM's, such as "nics[0]".
func NICPath(i int) string {
	if i < len(nicPaths) {
		return nicPaths[i]
	}
	return source.IndexPath("nics", i)
}
