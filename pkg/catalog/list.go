package catalog

import (
	"strconv"

	"github.com/vmrender/vmrender/pkg/source"
)

// OSRow is an operating system in a listing.
type OSRow struct {
	Name     string   `json:"name"`
	From     string   `json:"from,omitempty"`
	Label    string   `json:"label"`
	Family   string   `json:"family"`
	Firmware string   `json:"firmware"` // bios, efi or secureboot
	TPM      bool     `json:"tpm"`
	CPU      int      `json:"minimumCPU,omitempty"`
	Memory   string   `json:"minimumMemory,omitempty"` // quantity
	Image    string   `json:"image,omitempty"`         // such as "dataSource namespace/name"
	RootSize string   `json:"rootSize,omitempty"`      // quantity
	User     string   `json:"user,omitempty"`
	Workload string   `json:"workload,omitempty"`
	DiskBus  string   `json:"diskBus"`
	NICModel string   `json:"nicModel"`
	Topology string   `json:"topology"` // sockets or cores
	Traits   []string `json:"traits"`
	Own      bool     `json:"own,omitempty"` // the fleet's own, or changed by it
}

// FlavorRow is a size in a listing.
type FlavorRow struct {
	Name      string   `json:"name"`
	CPU       int      `json:"cpu,omitempty"`       // virtual CPUs
	Memory    string   `json:"memory,omitempty"`    // quantity
	Hugepages string   `json:"hugepages,omitempty"` // quantity
	Options   []string `json:"options,omitempty"`   // keys of `cpu` that are true, such as dedicated
	Own       bool     `json:"own,omitempty"`       // the fleet's own, or changed by it
}

// TraitRow is a trait in a listing.
type TraitRow struct {
	Name        string `json:"name"`
	Description string `json:"description"`
}

// NetworkRow is a network in a listing, with its keys.
type NetworkRow struct {
	Name string `json:"name"`
	*Network
	Own bool `json:"own,omitempty"` // the fleet's own, or changed by it
}

// ImageRow is a named disk source in a listing.
type ImageRow struct {
	Name    string `json:"name"`
	Source  string `json:"source"` // such as "registry docker://quay.io/containerdisks/fedora:42"
	Version string `json:"version,omitempty"`
}

// StorageClassRow is a named storage class in a listing.
type StorageClassRow struct {
	Name       string `json:"name"`
	Class      string `json:"class"` // name on the cluster
	AccessMode string `json:"accessMode,omitempty"`
	VolumeMode string `json:"volumeMode,omitempty"`
}

// ListOS returns all operating systems, by name.
func (s *Set) ListOS() []OSRow {
	var rows []OSRow
	for _, name := range s.Names("os") {
		os := s.OS(name)
		if os == nil {
			continue
		}
		row := OSRow{
			Name: name, From: os.From, Label: os.Label, Family: os.Family, Firmware: os.firmware(), TPM: os.tpm(),
			RootSize: os.RootSize, User: os.User, Workload: os.Workload,
			DiskBus: os.DiskBus, NICModel: os.NICModel, Topology: os.Topology, Traits: os.Traits, Own: s.own("os", name) != nil,
		}
		if os.Minimum != nil {
			row.CPU, row.Memory = os.Minimum.CPU, os.Minimum.Memory
		}
		if os.Image != nil {
			row.Image = os.Image.String()
		}
		rows = append(rows, row)
	}
	return rows
}

// firmware returns the type of firmware that VMs boot with.
func (r *ResolvedOS) firmware() string {
	fw := r.Defaults.Get("firmware")
	if fw != nil && fw.Kind == source.Map {
		fw = fw.Get("type")
	}
	if fw == nil || fw.Text == "" {
		return "bios"
	}
	return fw.Text
}

func (r *ResolvedOS) tpm() bool {
	tpm := r.Defaults.Get("tpm")
	return tpm != nil && (tpm.Kind == source.Map || tpm.Kind == source.Bool && tpm.Text == "true")
}

// ListFlavors returns all sizes, by name.
func (s *Set) ListFlavors() []FlavorRow {
	var rows []FlavorRow
	for _, name := range s.Names("flavors") {
		n := s.Flavor(name)
		if n == nil {
			continue
		}
		cpu, memory := n.Get("cpu"), n.Get("memory")
		row := FlavorRow{
			Name: name, CPU: vcpus(cpu), Memory: value(memory), Hugepages: value(memory.Get("hugepages")),
			Own: s.own("flavors", name) != nil,
		}
		if guest := memory.Get("guest"); guest != nil {
			row.Memory = value(guest)
		}
		for _, option := range []string{"dedicated", "isolateEmulator", "numa", "realtime"} {
			if value(cpu.Get(option)) == "true" {
				row.Options = append(row.Options, option)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// value returns a scalar as written, or "" if there is none.
func value(n *source.Node) string {
	if n == nil {
		return ""
	}
	return n.Text
}

// vcpus returns the number of virtual CPUs of either form of `cpu`, or 0 if it is
// neither.
func vcpus(cpu *source.Node) int {
	switch {
	case cpu == nil:
		return 0
	case cpu.Kind == source.Int:
		n, _ := strconv.Atoi(cpu.Text)
		return n
	case cpu.Kind != source.Map:
		return 0
	}
	count := 1
	for _, key := range []string{"sockets", "cores", "threads"} {
		if n, err := strconv.Atoi(value(cpu.Get(key))); err == nil {
			count *= n
		}
	}
	return count
}

// ListTraits returns all traits, by name.
func (s *Set) ListTraits() []TraitRow {
	return list(s.Names("traits"), s.Trait, func(name string, t *Trait) TraitRow {
		return TraitRow{name, t.Description}
	})
}

// ListNetworks returns all networks, by name.
func (s *Set) ListNetworks() []NetworkRow {
	return list(s.Names("networks"), s.Network, func(name string, n *Network) NetworkRow {
		return NetworkRow{name, n, s.own("networks", name) != nil}
	})
}

// ListImages returns all named disk sources, by name.
func (s *Set) ListImages() []ImageRow {
	return list(s.Names("images"), s.Image, func(name string, i *Source) ImageRow {
		return ImageRow{name, i.String(), i.Version}
	})
}

// ListStorageClasses returns all named storage classes, by name.
func (s *Set) ListStorageClasses() []StorageClassRow {
	return list(s.Names("storageClasses"), s.StorageClass, func(name string, c *StorageClass) StorageClassRow {
		return StorageClassRow{name, c.Name, c.AccessMode, c.VolumeMode}
	})
}

func list[T, R any](names []string, get func(string) *T, row func(string, *T) R) []R {
	rows := make([]R, 0, len(names))
	for _, name := range names {
		if entry := get(name); entry != nil {
			rows = append(rows, row(name, entry))
		}
	}
	return rows
}
