package admission

import (
	"net"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/rule"
)

// bridgeMAC is the address of the bridge in the pod of a masquerade NIC (KubeVirt v1.8.4, pkg/network/link/mac.go).
const bridgeMAC = "02:00:00:00:00:00"

type nic = kubevirtv1.Interface

var interfaceRules = []row[nic]{
	{
		Rule: Rule{ID: "interface-name-twice", Kind: rule.Duplicate, Problem: "duplicate name", Source: sourceNIC},
		broken: func(s *subject, n *nic) bool {
			return isRepeated(s.Domain.Devices.Interfaces, n, func(o *nic) bool { return o.Name == n.Name })
		},
	},
	{
		Rule: Rule{
			ID: "interface-name", Kind: rule.BadName, Field: "name", Source: sourceNIC,
			Problem: "invalid name %q; expected letters, digits, - and _",
		},
		got: func(n *nic) string { return n.Name },
		broken: plain(func(n *nic) bool {
			return n.Name == "" || strings.ContainsFunc(n.Name, func(r rune) bool { return isNotSerial(r) || r == '.' || r == '+' })
		}),
	},
	{
		Rule: Rule{
			ID: "interface-network", Kind: rule.Unpaired, Problem: "interface without a network of that name", Source: sourceNIC,
		},
		broken: func(s *subject, n *nic) bool { return s.network(n.Name) == nil },
	},
	{
		Rule: Rule{
			ID: "masquerade-network", Kind: rule.Conflict, Field: "masquerade", Source: sourceBinding,
			Problem: "the binding masquerade is for the pod network only; use bridge",
		},
		broken: func(s *subject, n *nic) bool { return n.Masquerade != nil && s.network(n.Name) != nil && !s.isOnPod(n) },
	},
	{
		Rule: Rule{
			ID: "one-binding", Kind: rule.Conflict, From: "1.9", Source: "KubeVirt v1.9.0, pkg/network/admitter/binding.go",
			Problem: "expected exactly one binding: bridge, masquerade, sriov, passtBinding, or that of a plugin",
		},
		broken: plain(func(n *nic) bool { return countBindings(n)+count(n.Binding != nil) != 1 }),
	},
}

// nicSettingRules are about NICs that set more than the bindings bridge and masquerade.
var nicSettingRules = []row[nic]{
	enum(Rule{ID: "interface-model", Kind: rule.Refused, Field: "model", Source: sourceNIC}, "model",
		func(n *nic) string { return n.Model }, "e1000", "e1000e", "igb", "ne2k_pci", "pcnet", "rtl8139", "virtio"),
	{
		Rule: Rule{
			ID: "interface-mac", Kind: rule.BadMAC, Field: "macAddress", Source: sourceNIC,
			Problem: "invalid MAC address %q; expected six bytes such as 02:a1:b2:00:00:01",
		},
		got: func(n *nic) string { return n.MacAddress },
		broken: plain(func(n *nic) bool {
			if n.MacAddress == "" {
				return false
			}
			mac, err := net.ParseMAC(n.MacAddress)
			return err != nil || len(mac) > 6
		}),
	},
	{
		Rule: Rule{
			ID: "interface-bridge-mac", Kind: rule.BadMAC, Field: "macAddress", Source: sourceBinding,
			Problem: "the bridge in the pod has this address; use another one",
		},
		broken: plain(func(n *nic) bool { return n.Masquerade != nil && n.MacAddress == bridgeMAC }),
	},
	{
		Rule: Rule{
			ID: "interface-pci-address", Kind: rule.Refused, Field: "pciAddress", Source: sourceNIC,
			Problem: "invalid address %q; expected one such as 0000:81:01.0",
		},
		got:    func(n *nic) string { return n.PciAddress },
		broken: plain(func(n *nic) bool { return n.PciAddress != "" && !isPCI(n.PciAddress) }),
	},
	{
		Rule: Rule{
			ID: "interface-boot-order", Kind: rule.Refused, Field: "bootOrder", Problem: "expected at least 1", Source: sourceInstance,
		},
		broken: plain(func(n *nic) bool { return n.BootOrder != nil && *n.BootOrder < 1 }),
	},
	{
		Rule: Rule{
			ID: "passt-network", Kind: rule.Conflict, Field: "passtBinding", Source: sourceBinding,
			Problem: "the binding passt is for the pod network only; use bridge",
		},
		broken: func(s *subject, n *nic) bool {
			return n.PasstBinding != nil && s.network(n.Name) != nil && !s.isOnPod(n)
		},
	},
	{
		Rule: Rule{
			ID: "gate-PasstBinding", Kind: rule.KubeVirtVersion, Field: "passtBinding", Gate: "PasstBinding", Before: "1.9",
			Problem: "binding passt", Source: sourceBinding,
		},
		broken: plain(func(n *nic) bool { return n.PasstBinding != nil }),
	},
	{
		Rule: Rule{
			ID: "plugin-binding", Kind: rule.Conflict, Field: "binding", Source: sourceBinding,
			Problem: "KubeVirt accepts one of the binding of a plugin and bridge, masquerade, sriov or passtBinding",
		},
		broken: plain(func(n *nic) bool { return n.Binding != nil && countBindings(n) > 0 }),
	},
	{
		Rule: Rule{
			ID: "discontinued-binding", Kind: rule.Refused, Starts: true, Source: "KubeVirt v1.8.4, pkg/network/admitter/discontinued.go",
			Problem: "KubeVirt no longer has the bindings slirp, macvtap and passt; use a plugin",
		},
		broken: plain(func(n *nic) bool {
			return n.DeprecatedSlirp != nil || n.DeprecatedMacvtap != nil || n.DeprecatedPasst != nil
		}),
	},
	enum(Rule{ID: "interface-state", Kind: rule.Refused, Field: "state", Source: sourceState}, "state",
		func(n *nic) string { return string(n.State) }, "up", "down", "absent"),
	{
		Rule: Rule{
			ID: "sriov-state", Kind: rule.Conflict, Field: "state", Source: sourceState, Problem: "an SR-IOV NIC has no link state; remove it",
		},
		broken: plain(func(n *nic) bool { return n.SRIOV != nil && (n.State == "up" || n.State == "down") }),
	},
	{
		Rule: Rule{
			ID: "absent", Kind: rule.Conflict, Field: "state", Source: sourceState,
			Problem: "only a NIC with the binding bridge, which is not on the default network, can be absent",
		},
		broken: func(s *subject, n *nic) bool {
			network := s.network(n.Name)
			return n.State == "absent" && (n.Bridge == nil || network != nil && (isPod(network) || isDefault(network)))
		},
	},
	{
		Rule: Rule{
			ID: "ports", Kind: rule.Refused, Field: "ports", Source: sourceNIC,
			Problem: "invalid ports; expected numbers from 1 to 65535, the protocol TCP or UDP, and different names of at most 15 " +
				"lower case letters, digits and -",
		},
		broken: func(s *subject, n *nic) bool { return n.Ports != nil && s.isOnPod(n) && !hasPorts(n.Ports) },
	},
	{
		Rule: Rule{
			ID: "dhcp-options", Kind: rule.Refused, Field: "dhcpOptions", Source: sourceNIC,
			Problem: "expected IPv4 addresses under ntpServers, and different options from 224 to 254 under privateOptions",
		},
		broken: plain(func(n *nic) bool { return n.DHCPOptions != nil && !hasOptions(n.DHCPOptions) }),
	},
}

func hasNICSettings(_ *subject, n *nic) bool {
	return n.Model != "" && n.Model != "virtio" || n.MacAddress != "" || n.PciAddress != "" || n.BootOrder != nil || n.State != "" || n.Ports != nil ||
		n.DHCPOptions != nil || n.Binding != nil || n.Bridge == nil && n.Masquerade == nil || n.PasstBinding != nil || n.SRIOV != nil ||
		n.DeprecatedSlirp != nil || n.DeprecatedMacvtap != nil || n.DeprecatedPasst != nil
}

// isOnPod reports whether a NIC is on the pod network.
func (s *subject) isOnPod(n *nic) bool {
	network := s.network(n.Name)
	return network != nil && isPod(network)
}

// countBindings returns the number of bindings of KubeVirt's own.
func countBindings(n *nic) int {
	return count(n.Bridge != nil, n.Masquerade != nil, n.SRIOV != nil, n.PasstBinding != nil)
}

// hasPorts reports whether KubeVirt accepts a list of ports.
func hasPorts(ports []kubevirtv1.Port) bool {
	for i := range ports {
		p := &ports[i]
		isNamed := p.Name == "" || len(validation.IsValidPortName(p.Name)) == 0 &&
			!slices.ContainsFunc(ports[:i], func(o kubevirtv1.Port) bool { return o.Name == p.Name })
		if p.Port < 1 || p.Port > 65535 || !slices.Contains([]string{"", "TCP", "UDP"}, p.Protocol) || !isNamed {
			return false
		}
	}
	return true
}

// hasOptions reports whether KubeVirt accepts the options of DHCP.
func hasOptions(o *kubevirtv1.DHCPOptions) bool {
	for _, ip := range o.NTPServers {
		if net.ParseIP(ip).To4() == nil {
			return false
		}
	}
	for _, p := range o.PrivateOptions {
		if p.Option < 224 || p.Option > 254 {
			return false
		}
	}
	return !hasDuplicates(o.PrivateOptions, func(p *kubevirtv1.DHCPPrivateOptions) string { return strconv.Itoa(p.Option) })
}

var networkRules = []row[kubevirtv1.Network]{
	{
		Rule: Rule{ID: "network-name-twice", Kind: rule.Duplicate, Problem: "duplicate name", Source: sourceNIC},
		broken: func(s *subject, n *kubevirtv1.Network) bool {
			return isRepeated(s.Networks, n, func(o *kubevirtv1.Network) bool { return o.Name == n.Name })
		},
	},
	{
		Rule: Rule{
			ID: "network-interface", Kind: rule.Unpaired, Problem: "network without an interface of that name", Source: sourceNIC,
		},
		broken: func(s *subject, n *kubevirtv1.Network) bool {
			return !slices.ContainsFunc(s.Domain.Devices.Interfaces, func(i nic) bool { return i.Name == n.Name })
		},
	},
	{
		Rule:   Rule{ID: "network-types", Kind: rule.Conflict, Problem: "KubeVirt accepts one of pod and multus", Source: sourceNetwork},
		broken: plain(func(n *kubevirtv1.Network) bool { return n.Pod != nil && n.Multus != nil }),
	},
	{
		Rule: Rule{
			ID: "network-type", Kind: rule.MissingKey, Before: "1.9", Source: sourceNetwork, Problem: "missing type; accepted: pod, multus",
		},
		broken: plain(func(n *kubevirtv1.Network) bool { return n.Pod == nil && n.Multus == nil }),
	},
	{
		Rule: Rule{
			ID: "network-attachment", Kind: rule.MissingKey, Field: "multus.networkName", Source: sourceNetwork,
			Problem: "missing; expected the name of a NetworkAttachmentDefinition",
		},
		broken: plain(func(n *kubevirtv1.Network) bool { return n.Multus != nil && n.Multus.NetworkName == "" }),
	},
}
