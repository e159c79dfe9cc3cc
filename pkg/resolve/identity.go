package resolve

import (
	"crypto/sha1" //nolint:gosec // RFC 4122 version 5 UUIDs use SHA-1; it protects nothing
	"crypto/sha256"
	"encoding/hex"
	"net"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// identity specifies which identities are derived for the VMs of a fleet.
type identity struct {
	seed         string // the fleet, and its environment if it has one
	uuid, serial bool
	macPrefix    net.HardwareAddr // three bytes; if nil, no MAC addresses are derived
}

func newIdentity(f *fleet.Fleet, diags *source.Diagnostics) identity {
	h := &f.Header
	id := identity{seed: h.Metadata.Name, uuid: true, serial: true}
	if f.Environment != "" {
		id.seed += "\x00" + f.Environment
	}
	if h.Identity.UUID != nil {
		id.uuid = *h.Identity.UUID
	}
	if h.Identity.Serial != nil {
		id.serial = *h.Identity.Serial
	}
	if h.Identity.MACPrefix == "" {
		return id
	}
	prefix, err := net.ParseMAC(h.Identity.MACPrefix + ":00:00:00")
	if err != nil || len(prefix) != 6 || prefix[0]&1 != 0 {
		diags.Errorf(f.HeaderKey("identity", "macPrefix").Pos(), rule.BadMAC, "identity.macPrefix",
			"invalid prefix %q; expected the first three bytes of unicast addresses such as \"02:a1:b2\"", h.Identity.MACPrefix)
		return id
	}
	id.macPrefix = prefix[:3]
	return id
}

// identify sets the derived identities of the VM that its keys do not
// set. The revisions of a blue-green VM are the same computer to their guests,
// but run at the same time and cannot share a MAC address. KubeVirt sets the
// identities of the VMs of a pool.
func (d *draft) identify(m *machine.Machine) {
	if d.traits.Pooled {
		return
	}
	id := &d.site.identity
	if id.uuid && m.Firmware.UUID == "" {
		m.Firmware.UUID = id.nameUUID("uuid", m)
	}
	if id.serial && m.Firmware.Serial == "" {
		m.Firmware.Serial = id.nameUUID("serial", m)
	}
	for i := range m.NICs {
		if n := &m.NICs[i]; n.MAC == "" && id.macPrefix != nil && d.traits.Together == "" {
			n.MAC = id.mac(m, n.Name)
		}
	}
}

// namespaceUUID is the namespace of vmrender's name-based UUIDs; it must never change.
var namespaceUUID = [16]byte{
	0x5d, 0x6c, 0x0b, 0x7e, 0x3c, 0x52, 0x4f, 0x0e, 0x9b, 0x1d, 0x77, 0x60, 0xe2, 0x14, 0xa8, 0x31,
}

// nameUUID returns a version 5 UUID (RFC 4122) derived from the fleet, its
// environment, and the namespace and name of the VM.
func (id *identity) nameUUID(what string, m *machine.Machine) string {
	name := append(make([]byte, 0, 128), namespaceUUID[:]...)
	for _, part := range []string{what, "\x00", id.seed, "\x00", m.Namespace, "\x00", m.Name} {
		name = append(name, part...)
	}
	sum := sha1.Sum(name) //nolint:gosec // see the import
	sum[6] = sum[6]&0x0f | 0x50
	sum[8] = sum[8]&0x3f | 0x80
	var out [36]byte
	hex.Encode(out[:8], sum[:4])
	hex.Encode(out[9:13], sum[4:6])
	hex.Encode(out[14:18], sum[6:8])
	hex.Encode(out[19:23], sum[8:10])
	hex.Encode(out[24:], sum[10:16])
	out[8], out[13], out[18], out[23] = '-', '-', '-', '-'
	return string(out[:])
}

// mac returns a MAC address: the fleet's prefix, and three bytes derived from
// the VM and the name of the NIC.
func (id *identity) mac(m *machine.Machine, nic string) string {
	sum := sha256.Sum256([]byte("mac\x00" + id.seed + "\x00" + m.Namespace + "\x00" + m.Name + "\x00" + nic))
	addr := make(net.HardwareAddr, 0, 6)
	addr = append(append(addr, id.macPrefix...), sum[:3]...)
	return addr.String()
}
