package catalog

import (
	"slices"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/pkg/source"
)

// DefaultArch is the CPU architecture of VMs that set none.
const DefaultArch = "amd64"

// Arch is what a VM can have on a CPU architecture. What it lists is accepted there.
type Arch struct {
	Firmware     []string `json:"firmware,omitempty"`     // types of firmware; empty if there is none to choose
	DiskBuses    []string `json:"diskBuses,omitempty"`    // of all disks but CD-ROMs
	NICModels    []string `json:"nicModels,omitempty"`    // models of NICs
	CPUModels    []string `json:"cpuModels,omitempty"`    // empty if every model is accepted
	Threads      uint32   `json:"threads,omitempty"`      // most threads per core; 0 if there is no limit
	MachineTypes []string `json:"machineTypes,omitempty"` // patterns of machine types, such as "virt*"
	// Patterns of those that the next QEMU drops, and a machine type that stays, which each supported KubeVirt has.
	AgingMachineTypes []string `json:"agingMachineTypes,omitempty"`
	NewerMachineType  string   `json:"newerMachineType,omitempty"`

	TPM        []string `json:"tpm,omitempty"`        // volatile, persistent
	PlugMemory bool     `json:"plugMemory,omitempty"` // whether memory can grow while the VM runs
	// Built-in operating systems whose public image is not published for the architecture.
	Unpublished []string `json:"unpublished,omitempty"`
}

// CDROMBuses returns the buses of CD-ROMs. Guests that install from one have no driver for a virtio disk.
func (a *Arch) CDROMBuses() []string {
	return slices.DeleteFunc(slices.Clone(a.DiskBuses), func(bus string) bool { return bus == "virtio" })
}

// Architecture returns what VMs can have on a CPU architecture, or nil if it is unknown.
func Architecture(name string) *Arch {
	return architectures()[name]
}

var architectures = sync.OnceValue(func() map[string]*Arch {
	all := map[string]*Arch{}
	for _, name := range builtinArch().names {
		all[name] = new(Arch)
		decode(builtinArch().get(name), all[name])
	}
	return all
})

// bootSources is the namespace of the images that OpenShift Virtualization keeps up to date.
const bootSources = "openshift-virtualization-os-images/"

// IsBootSource reports whether a source is an image that only OpenShift provides.
func IsBootSource(s *Source) bool { return strings.HasPrefix(s.DataSource, bootSources) }

// PublicImage returns the public image that a built-in operating system has on a cluster
// without OpenShift's boot sources, or nil if it has none of its own there.
func PublicImage(name string) *Source {
	node := builtinImages().get(name)
	if node == nil {
		return nil
	}
	s := new(Source)
	decode(node, s)
	return s
}

// fitting returns a built-in operating system with the image that exists for the cluster and the architecture: its
// public image in place of OpenShift's boot source, or no image.
func (s *Set) fitting(node *source.Node, name, arch string) *source.Node {
	image := node.Get("image")
	if image == nil {
		return node
	}
	bootSource := strings.HasPrefix(image.Get("dataSource").Str(), bootSources)
	public := !bootSource
	if bootSource && s.plain {
		public, image = true, builtinImages().get(name)
	}
	if public && slices.Contains(Architecture(arch).Unpublished, name) {
		image = nil
	}
	if image == nil {
		return node.Without("image")
	}
	return mapValue(node, "image", func(*source.Node) *source.Node { return image })
}
