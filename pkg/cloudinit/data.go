// Package cloudinit writes the data that cloud-init reads at the first boot of a guest, from the keys of a VM: user
// data as cloud-config, and network data in the form that the data source requires.
package cloudinit

import (
	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
)

// inlineLimit is the number of bytes of user data, and of network data, that
// KubeVirt accepts within a VirtualMachine (virt-api vmi-create-admitter.go, v1.9.0).
const inlineLimit = 2048

// Data returns the data of a VM, which is in a Secret if it is too long, or too private, to be inline. It has none
// without `cloudInit`. NICs that network data cannot identify are reported to diags.
func Data(m *machine.Machine, diags *source.Diagnostics) keys.GuestData {
	c := m.CloudInit
	if c == nil {
		return keys.GuestData{}
	}
	g := keys.GuestData{Network: networkData(m, diags)}
	if c.Secret == "" {
		g.User = userData(&c.CloudInit)
	}
	if g.User == emptyUserData && g.Network != "" {
		g.User = ""
	}
	g.Secret = (c.InSecret || len(g.User) > inlineLimit || len(g.Network) > inlineLimit) && g.User+g.Network != ""
	return g
}

// Hash returns a hash of data, or "" if there is none.
func Hash(g *keys.GuestData) string {
	if g.User+g.Network == "" {
		return ""
	}
	return machine.Hash(g.User, g.Network)
}
