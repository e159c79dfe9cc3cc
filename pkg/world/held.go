package world

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// Kind is what a thing is.
type Kind uint8

// The kinds of things that no two running VMs may have.
const (
	Claim  Kind = iota // a claim that is written to; its scope is the namespace
	MAC                // an address of a NIC, in lower case; its scope is the network
	IP                 // a static address of a guest; its scope is a network of the VM
	UUID               // of the firmware
	Serial             // of the firmware
)

// Thing is what only one running VM may have at a time.
type Thing struct {
	Kind  Kind
	Scope string // see [Kind]; "namespace/name" of a NetworkAttachmentDefinition, or "pod"
	Name  string
}

// Sources is where the addresses of a guest are found.
type Sources struct {
	// Secret returns a Secret by its name, in the namespace of the VM that refers to it; nil if it is not known.
	Secret func(name string) manifest.Tree
	// Among are the only names that matter; nil for all.
	Among Names
}

// Names are names of things.
type Names map[string]bool

// In reports whether one of the names may be in a text, in lower case. IPv6 addresses may be in any: they have many
// spellings.
func (n Names) In(text string) bool {
	for name := range n {
		ip, err := netip.ParseAddr(name)
		if err == nil && ip.Is6() || strings.Contains(text, name) {
			return true
		}
	}
	return false
}

// Held returns what an instance of a spec has that no other running VM may have, but the addresses that its guest
// sets itself. Each thing is there once, in the order of kinds.
func Held(namespace string, spec any) []Thing {
	var out []Thing
	for _, name := range Written(spec) {
		out = append(out, Thing{Claim, namespace, name})
	}
	networks := networksOf(namespace, spec)
	for _, nic := range manifest.List(spec, "domain", "devices", "interfaces") {
		network := networks[manifest.EntryName(nic)]
		if mac := manifest.Text(nic, "macAddress"); mac != "" && network != "" && isPresent(nic) {
			out = append(out, Thing{MAC, network, strings.ReplaceAll(strings.ToLower(mac), "-", ":")})
		}
	}
	firmware := manifest.At(spec, "domain", "firmware")
	for kind, field := range map[Kind]string{UUID: "uuid", Serial: "serial"} {
		if s := manifest.Text(firmware, field); s != "" {
			out = append(out, Thing{kind, "", strings.ToLower(s)})
		}
	}
	slices.SortStableFunc(out, func(a, b Thing) int { return int(a.Kind) - int(b.Kind) })
	return unique(out)
}

// Addressed is Held with the static addresses of the guest. They are in cloud-init's network data, which does not say
// in which network: each counts in all networks of the VM but the pod network.
func Addressed(namespace string, spec any, from Sources) []Thing {
	out := Held(namespace, spec)
	text := NetworkData(spec, from.Secret)
	if text == "" || from.Among != nil && !from.Among.In(text) {
		return out
	}
	networks := attached(networksOf(namespace, spec))
	for _, ip := range AddressesIn(text) {
		for _, network := range networks {
			out = append(out, Thing{IP, network, ip})
		}
	}
	return unique(out)
}

// HeldBy returns what a VirtualMachineInstance holds: what it was started with, what has been plugged in since, and
// the addresses that its guest reports, but those that are of its link alone.
func HeldBy(instance manifest.Tree, from Sources) []Thing {
	namespace := manifest.Text(instance, "metadata", "namespace")
	spec := manifest.At(instance, "spec")
	out := Addressed(namespace, spec, from)
	networks := networksOf(namespace, spec)
	for _, nic := range manifest.List(instance, "status", "interfaces") {
		network := networks[manifest.EntryName(nic)]
		if network == "" || network == podNetwork {
			continue
		}
		for _, v := range manifest.List(nic, "ipAddresses") {
			s, _ := v.(string)
			if ip, err := netip.ParseAddr(s); err == nil && !ip.IsLinkLocalUnicast() {
				out = append(out, Thing{IP, network, ip.String()})
			}
		}
	}
	return unique(out)
}

// unique returns a list without what is in it twice.
func unique(list []Thing) []Thing {
	out := list[:0]
	for _, t := range list {
		if !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

// isPresent reports whether a NIC is plugged.
func isPresent(nic any) bool { return manifest.Text(nic, "state") != "absent" }

// networksOf returns the networks of the NICs of a spec, by the NIC's name: "namespace/name" of a
// NetworkAttachmentDefinition, or "pod".
func networksOf(namespace string, spec any) map[string]string {
	out := map[string]string{}
	for _, n := range manifest.List(spec, "networks") {
		nad := manifest.Text(n, "multus", "networkName")
		switch {
		case nad == "":
			nad = podNetwork
		case !strings.Contains(nad, "/"):
			nad = namespace + "/" + nad
		}
		out[manifest.EntryName(n)] = nad
	}
	return out
}

// Attachment is a NetworkAttachmentDefinition.
type Attachment struct{ Namespace, Name string }

// Networks returns the NetworkAttachmentDefinitions of an instance of a spec, sorted.
func Networks(namespace string, spec any) []Attachment {
	names := attached(networksOf(namespace, spec))
	out := make([]Attachment, len(names))
	for i, n := range names {
		out[i].Namespace, out[i].Name, _ = strings.Cut(n, "/")
	}
	return out
}

// podNetwork stands for the pod network. Each pod has an address of its own there, so that those of guests never
// meet.
const podNetwork = "pod"

// attached returns the networks in which addresses of guests meet, sorted.
func attached(networks map[string]string) []string {
	var out []string
	for _, n := range networks {
		if n != podNetwork && !slices.Contains(out, n) {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}
