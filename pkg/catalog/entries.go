package catalog

import (
	"fmt"
	"strings"
)

// Entry is the name of an entry of the catalog, with a line about it.
type Entry struct{ Name, Text string }

// NamedKinds returns the kinds of entries that values files name: the keys of `catalog`, and
// "traits".
func NamedKinds() []string {
	return []string{"os", "flavors", "networks", "images", "storageClasses", "traits"}
}

// SchemaOfNames returns the name of the definition, in the schemas of values files, of the
// names of a kind.
func SchemaOfNames(kind string) string { return "names." + kind }

// Entries returns the entries of a kind, by name.
func (s *Set) Entries(kind string) []Entry {
	switch kind {
	case "os":
		return entries(s.ListOS(), func(r OSRow) Entry { return Entry{r.Name, r.line()} })
	case "flavors":
		return entries(s.ListFlavors(), func(r FlavorRow) Entry { return Entry{r.Name, r.line()} })
	case "networks":
		return entries(s.ListNetworks(), func(r NetworkRow) Entry { return Entry{r.Name, r.line()} })
	case "images":
		return entries(s.ListImages(), func(r ImageRow) Entry {
			return Entry{r.Name, phrase(r.Source, prefixed("version ", r.Version))}
		})
	case "storageClasses":
		return entries(s.ListStorageClasses(), func(r StorageClassRow) Entry {
			return Entry{r.Name, phrase(r.Class, r.AccessMode, r.VolumeMode)}
		})
	case "traits":
		return entries(s.ListTraits(), func(r TraitRow) Entry { return Entry{r.Name, r.Description} })
	}
	return nil
}

func entries[R any](rows []R, entry func(R) Entry) []Entry {
	out := make([]Entry, 0, len(rows))
	for _, r := range rows {
		out = append(out, entry(r))
	}
	return out
}

func (r *OSRow) line() string {
	image := r.Image
	if image == "" {
		image = "without an image of its own"
	}
	return phrase(r.Family, r.Firmware, image, prefixed("root disk of ", r.RootSize), prefixed("user ", r.User))
}

func (r *FlavorRow) line() string {
	cpu := ""
	if r.CPU > 0 {
		cpu = fmt.Sprintf("%d virtual CPUs", r.CPU)
	}
	options := strings.Join(r.Options, ", ")
	return phrase(cpu, prefixed("memory ", r.Memory), prefixed("hugepages of ", r.Hugepages), options)
}

func (r *NetworkRow) line() string {
	if r.Pod {
		return phrase("the pod network", r.Binding)
	}
	vlan := ""
	if r.VLAN > 0 {
		vlan = fmt.Sprintf("VLAN %d", r.VLAN)
	}
	return phrase(r.NAD, vlan, r.CIDR, r.Binding)
}

func prefixed(prefix, value string) string {
	if value == "" {
		return ""
	}
	return prefix + value
}

// phrase joins the parts that are not empty.
func phrase(parts ...string) string {
	var said []string
	for _, p := range parts {
		if p != "" {
			said = append(said, p)
		}
	}
	return strings.Join(said, ", ")
}
