package catalog

import (
	"cmp"
	"slices"

	"github.com/vmrender/vmrender/pkg/source"
)

// ResolvedOS is the entry of an operating system with its `from` chain and traits
// merged. It is shared between VMs and must not be changed.
type ResolvedOS struct {
	Name string
	Arch string // CPU architecture that it is resolved for
	// Adopted is true if it is resolved for VMs that exist, without traits.
	Adopted bool
	// Lacking are the traits that the CPU architecture does not have. VMs can use the entry only with a preference.
	Lacking []string
	OS      // Label is never empty
	// Node is the entry with its `from` chain merged. Every value has the position
	// where it was written.
	Node *source.Node
	// The settings of all traits together.
	DiskBus, CDROMBus, NICModel string
	Topology                    string // sockets or cores
	Multiqueue                  bool
	// Defaults are the VM keys of the traits, then of the entry; nil if there are none.
	Defaults *source.Node
	// Spec is the part of VirtualMachineInstanceSpec that the traits set; nil if they
	// set none.
	Spec *source.Node
}

// OS returns the operating system of that name on amd64; see [Set.OSOn].
func (s *Set) OS(name string) *ResolvedOS { return s.OSOn(name, DefaultArch) }

// OSOn returns the operating system of that name with everything merged, for a CPU
// architecture, or nil if there is no such name. An unknown architecture is amd64. The
// same arguments always return the same pointer.
func (s *Set) OSOn(name, arch string) *ResolvedOS {
	key := name
	if arch != DefaultArch {
		key += "\x00" + arch
	}
	return remember(&s.os, key, func(string) *ResolvedOS { return s.resolve(name, arch, false) })
}

// AdoptedOS is [Set.OSOn] for VMs that exist and get only what their values say: the entry has no traits.
func (s *Set) AdoptedOS(name, arch string) *ResolvedOS {
	return remember(&s.os, name+"\x00"+arch+"\x00adopted", func(string) *ResolvedOS { return s.resolve(name, arch, true) })
}

func (s *Set) resolve(name, arch string, adopted bool) *ResolvedOS {
	if Architecture(arch) == nil {
		arch = DefaultArch
	}
	node := s.compose(name, arch)
	if node == nil {
		return nil
	}
	r := &ResolvedOS{Name: name, Arch: arch, Node: node, Topology: "sockets", Adopted: adopted}
	decode(node, &r.OS)
	if adopted {
		r.Traits, r.RootSize = nil, "" // the size of an existing disk is its own
	}
	if r.Label == "" {
		r.Label = name
	}
	for _, trait := range r.Traits {
		switch t := s.traitOn(trait, arch); {
		case t == nil: // reported with the catalog
		case t.Only != nil && !slices.Contains(t.Only, arch):
			r.Lacking = append(r.Lacking, trait)
		default:
			r.add(t)
		}
	}
	r.Defaults = source.Merge(r.Defaults, r.OS.Defaults)
	return r
}

// traitOn returns a trait as it is on a CPU architecture, or nil if it is unknown.
func (s *Set) traitOn(name, arch string) *Trait {
	t := s.Trait(name)
	if t == nil || t.Arch[arch] == nil {
		return t
	}
	t = new(Trait)
	decode(source.Compose(s.entry("traits", name), s.entry("traits", name).Get("arch", arch)), t)
	return t
}

// add merges a trait over the previous ones.
func (r *ResolvedOS) add(t *Trait) {
	override(&r.DiskBus, t.DiskBus)
	override(&r.CDROMBus, t.CDROMBus)
	override(&r.NICModel, t.NICModel)
	override(&r.Topology, t.Topology)
	r.Multiqueue = r.Multiqueue || t.Multiqueue
	r.Defaults = source.Merge(r.Defaults, t.Defaults)
	r.Spec = source.Merge(r.Spec, t.Spec)
}

func override(to *string, value string) {
	if value != "" {
		*to = value
	}
}

// compose merges the entry of an operating system over those that it is built from. It
// returns nil if there is none.
func (s *Set) compose(name, arch string) *source.Node {
	line := s.lineage(name)
	var node *source.Node
	for i, ancestor := range slices.Backward(line) {
		if i == len(line)-1 {
			node = s.composeBuiltin(ancestor, arch)
		} else {
			node = node.Without("label") // which is not inherited
		}
		if f := s.own("os", ancestor); f != nil {
			node = source.Compose(node, f.Value)
		}
	}
	if node == nil || node.Kind != source.Map { // a null removes a built-in entry
		return nil
	}
	return node
}

// mostBuilt is the maximum number of entries that are built from each other. More would make the merged entries of a
// small file large.
const mostBuilt = 32

// lineage returns the names that an entry is built from through the fleet's own
// entries, itself first. It ends with a name that is built in or unknown, with the
// first name that is already in the list, or with one name more than [mostBuilt].
func (s *Set) lineage(name string) []string {
	line := []string{name}
	for {
		from := s.from(name)
		if from == "" || from == name || len(line) > mostBuilt {
			return line
		}
		seen := slices.Contains(line, from)
		line = append(line, from)
		if seen {
			return line
		}
		name = from
	}
}

// from returns the `from` of one of the fleet's own entries, or "" if there is none.
func (s *Set) from(name string) string {
	f := s.own("os", name)
	if f == nil {
		return ""
	}
	if from := f.Value.Get("from"); from != nil && from.Kind == source.String {
		return from.Text
	}
	return ""
}

// composeBuiltin merges a built-in entry over those that it is built from. A fleet's
// entry with the name of one of those is ignored: it changes only the operating system
// of that name.
func (s *Set) composeBuiltin(name, arch string) *source.Node {
	node := builtinOS().get(name)
	if node == nil {
		return nil
	}
	node = s.fitting(node, name, arch)
	if from := node.Get("from"); from != nil {
		return source.Compose(s.composeBuiltin(from.Text, arch).Without("label"), node)
	}
	return node
}

// ModelOfNIC returns the model of NICs that name none, or "" if a preference or the device determines it, as with
// SR-IOV.
func (r *ResolvedOS) ModelOfNIC(binding string, preferred bool) string {
	if preferred || binding == "sriov" || r.Adopted {
		return ""
	}
	return cmp.Or(r.NICModel, "virtio")
}

// BusOfDisk returns the bus of disks of a type (disk, cdrom or lun) that name none, or "" if a preference determines
// it.
func (r *ResolvedOS) BusOfDisk(kind string, hotpluggable, preferred bool) string {
	switch {
	case preferred:
		return ""
	case hotpluggable && kind == "disk":
		return "scsi"
	case kind == "cdrom":
		return cmp.Or(r.CDROMBus, "sata")
	}
	return cmp.Or(r.DiskBus, "virtio")
}
