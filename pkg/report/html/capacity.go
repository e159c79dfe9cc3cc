package html

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// capacity is what VMs need of the cluster, as far as the fleet defines it: instance
// types and clones without a size do not specify how much they need.
type capacity struct {
	Total      demand
	Namespaces []demand // sorted by name
	Classes    []demand // by storage class, sorted by name
}

// demand is the sum over some VMs.
type demand struct {
	Name    string
	VMs     int
	CPU     int
	Memory  int64 // bytes
	Disks   int
	Disk    int64 // bytes
	Unsized int   // VMs with an instance type
	Unknown int   // disks whose size the source determines
}

func newCapacity(machines []*machine.Machine) capacity {
	var c capacity
	namespaces, classes := map[string]*demand{}, map[string]*demand{}
	for _, m := range machines {
		of := at(namespaces, m.Namespace)
		of.add(m)
		c.Total.add(m)
		for i := range m.Disks {
			if d := &m.Disks[i]; d.Kind == machine.DiskDataVolume {
				at(classes, class(d)).addDisk(d, vms(m))
			}
		}
	}
	c.Namespaces, c.Classes = sorted(namespaces), sorted(classes)
	return c
}

func at(all map[string]*demand, name string) *demand {
	if all[name] == nil {
		all[name] = &demand{Name: name}
	}
	return all[name]
}

func sorted(all map[string]*demand) []demand {
	out := make([]demand, 0, len(all))
	for _, d := range all {
		out = append(out, *d)
	}
	slices.SortFunc(out, func(a, b demand) int { return strings.Compare(a.Name, b.Name) })
	return out
}

// vms returns the number of VMs that a Machine represents: those of a pool, or 1.
func vms(m *machine.Machine) int {
	if m.Lifecycle.Strategy.Traits().Pooled {
		return int(m.Lifecycle.Replicas)
	}
	return 1
}

func (d *demand) add(m *machine.Machine) {
	n := vms(m)
	d.VMs += n
	if m.Instancetype != nil {
		d.Unsized += n
	}
	memory, _ := values.ParseQuantity(cmp.Or(m.Memory.Guest, "0"))
	d.CPU += int(m.CPU.Count()) * n
	d.Memory += memory * int64(n)
	for i := range m.Disks {
		if m.Disks[i].Kind == machine.DiskDataVolume {
			d.addDisk(&m.Disks[i], n)
		}
	}
}

func (d *demand) addDisk(disk *machine.Disk, n int) {
	d.Disks += n
	size, ok := storage(disk)
	if !ok {
		d.Unknown += n
	}
	d.Disk += size * int64(n)
}

// storage returns the size of a disk on persistent storage, and whether it is known.
func storage(d *machine.Disk) (bytes int64, ok bool) {
	if d.Kind != machine.DiskDataVolume {
		return 0, false
	}
	size, err := values.ParseQuantity(cmp.Or(d.ExpandTo, d.Size))
	return size, err == nil
}

// CPUs returns the sum of virtual CPUs; "≥" precedes a sum that leaves some out.
func (d demand) CPUs() string { return atLeast(d.Unsized) + thousands(d.CPU) }

// MemorySize returns the sum of the memory.
func (d demand) MemorySize() string { return atLeast(d.Unsized) + bytes(d.Memory) }

// DiskSize returns the sum of the disks.
func (d demand) DiskSize() string { return atLeast(d.Unknown) + bytes(d.Disk) }

// Incomplete returns what the sums leave out, or "" if that is nothing.
func (d demand) Incomplete() string {
	var out []string
	if d.Unsized > 0 {
		out = append(out, count(d.Unsized, "VM")+" with an instance type, whose size is in the cluster")
	}
	if d.Unknown > 0 {
		out = append(out, count(d.Unknown, "disk")+" as large as what is cloned")
	}
	return strings.Join(out, "; ")
}

// Shares returns how much of a total the sums are, in percent.
func (d demand) Shares(total demand) map[string]int {
	percent := func(part, of int64) int {
		return int(float64(part) / float64(max(of, 1)) * 100)
	}
	return map[string]int{
		"CPU":    percent(int64(d.CPU), int64(total.CPU)),
		"Memory": percent(d.Memory, total.Memory),
		"Disk":   percent(d.Disk, total.Disk),
	}
}

func atLeast(unknown int) string {
	if unknown > 0 {
		return "≥ "
	}
	return ""
}

// bytes returns a size in the largest unit of which it has at least one, such as "1.5 TiB".
func bytes(n int64) string {
	size, units := float64(n), []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}
	for size >= 1024 && len(units) > 1 {
		size, units = size/1024, units[1:]
	}
	return strings.TrimSuffix(fmt.Sprintf("%.1f", size), ".0") + " " + units[0]
}

// count returns a number with separated thousands and its noun, such as "5,000 VMs".
func count(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return thousands(n) + " " + noun
}

func thousands(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
