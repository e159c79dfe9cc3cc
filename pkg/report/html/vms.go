package html

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/values"
)

// The sections of the details of a VM, as indexes into [list.Sections].
const (
	diskSection = iota
	nicSection
	factSection
)

// newFleetList returns a row for each VM.
func newFleetList(machines []*machine.Machine) list {
	l := list{
		Title: "VMs", Noun: "VM",
		Columns: []column{
			{Title: "Namespace", Kind: "group", Filter: true},
			{Title: "VM", Kind: "name"},
			{Title: "System", Filter: true},
			{Title: "Size"},
			{Title: "Disks"},
			{Title: "Networks"},
			{Title: "Lifecycle", Kind: "tag", Filter: true},
			{Title: "Wave", Kind: "number"},
		},
		Sections: []section{
			diskSection: {Title: "Disks", Columns: []string{"Name", "Size", "Storage class", "Content", "If the VM is deleted"}},
			nicSection:  {Title: "NICs", Columns: []string{"Name", "Network", "Address", "MAC", "Binding"}},
			factSection: {Title: "More"},
		},
		Rows: make([]row, 0, len(machines)),
	}
	for _, m := range machines {
		l.Rows = append(l.Rows, row{
			Cells: []string{
				m.Namespace, nameOf(m), m.OS.Name, sizeOf(m), disksOf(m), networksOf(m), lifecycleOf(m), strconv.Itoa(m.Wave),
			},
			Details: []detail{
				{diskSection, diskRows(m)}, {nicSection, nicRows(m)}, {factSection, factRows(m)},
			},
		})
	}
	l.Plain = len(l.Rows)
	return l
}

// nameOf returns the name of a VM, or of a pool with the number of its VMs.
func nameOf(m *machine.Machine) string {
	if m.Lifecycle.Strategy.Traits().Pooled {
		return fmt.Sprintf("%s × %d", m.Name, m.Lifecycle.Replicas)
	}
	return m.Name
}

func sizeOf(m *machine.Machine) string {
	if m.Instancetype != nil {
		return cmp.Or(m.Instancetype.Name, "from its image")
	}
	return fmt.Sprintf("%d vCPU, %s", m.CPU.Count(), m.Memory.Guest)
}

// disksOf returns the number of disks, and the sum of the sizes that are known.
func disksOf(m *machine.Machine) string {
	var sum int64
	for i := range m.Disks {
		size, _ := storage(&m.Disks[i])
		sum += size
	}
	if sum == 0 {
		return strconv.Itoa(len(m.Disks))
	}
	return fmt.Sprintf("%d, %s", len(m.Disks), bytes(sum))
}

func networksOf(m *machine.Machine) string {
	out := make([]string, len(m.NICs))
	for i := range m.NICs {
		out[i] = strings.TrimSpace(m.NICs[i].Network + " " + address(m.NICs[i].IP))
	}
	return strings.Join(out, ", ")
}

// address returns an address without the length of its prefix.
func address(ip string) string {
	before, _, _ := strings.Cut(ip, "/")
	return before
}

func lifecycleOf(m *machine.Machine) string {
	if m.Lifecycle.Cattle() {
		return "cattle, " + string(m.Lifecycle.Strategy)
	}
	return "pet"
}

func diskRows(m *machine.Machine) [][]string {
	rows := make([][]string, 0, len(m.Disks))
	for i := range m.Disks {
		d := &m.Disks[i]
		size := d.Size
		if d.ExpandTo != "" {
			size += " → " + d.ExpandTo
		}
		rows = append(rows, []string{d.Name, size, class(d), content(d), fate(d)})
	}
	return rows
}

// class returns the storage class of a disk that vmrender creates.
func class(d *machine.Disk) string {
	if d.Kind != machine.DiskDataVolume {
		return ""
	}
	return cmp.Or(d.StorageClass, "the cluster's default")
}

// content returns the source of a disk, with its version.
func content(d *machine.Disk) string {
	switch d.Kind {
	case machine.DiskClaim:
		return "existing " + d.Source.String()
	case machine.DiskEjected:
		return "no medium"
	case machine.DiskVolume:
		return d.Source.Volume.Fields[0].Key
	case machine.DiskDataVolume, machine.DiskContainerDisk, machine.DiskEmpty, machine.DiskFiles, machine.DiskGuestData:
	}
	return strings.TrimSpace(d.Source.String() + " " + d.Source.Version)
}

// fate returns what becomes of a disk when its VM is deleted.
func fate(d *machine.Disk) string {
	switch {
	case d.Kind == machine.DiskClaim || d.Keep:
		return "kept"
	case d.Kind == machine.DiskDataVolume:
		return "deleted"
	case d.Source.Volume.Get("hostDisk") != nil:
		return "kept on its node"
	}
	return "its content is temporary"
}

func nicRows(m *machine.Machine) [][]string {
	rows := make([][]string, 0, len(m.NICs))
	for i := range m.NICs {
		n := &m.NICs[i]
		network := n.Network
		if n.NAD != "" && n.NAD != network {
			network += " (" + n.NAD + ")"
		}
		rows = append(rows, []string{n.Name, network, n.IP, n.MAC, n.Binding})
	}
	return rows
}

// factRows returns what else is known about a VM, without what is empty.
func factRows(m *machine.Machine) [][]string {
	services := make([]string, len(m.Services))
	for i, s := range m.Services {
		services[i] = s.Name
		for _, p := range s.Ports {
			services[i] += fmt.Sprintf(" %d/%s", p.Port, p.Protocol)
		}
	}
	waits := make([]string, len(m.DependsOn))
	for i, d := range m.DependsOn {
		waits[i] = nameFrom(m.Namespace, d.Namespace, d.Name)
	}
	return slices.DeleteFunc([][]string{
		{"Defined at", m.Pos.String()},
		{"Operating system", m.OS.Label},
		{"Flavor", m.Flavor},
		{"CPU architecture", m.Arch},
		{"Firmware", m.Firmware.Type},
		{"TPM", []string{"", "yes", "yes, kept"}[m.TPM]},
		{"GPUs", devices(m.GPUs)},
		{"Host devices", devices(m.HostDevices)},
		{"Run strategy", m.RunStrategy},
		{"Removal from Git", string(m.Lifecycle.Removal)},
		{"Node labels", pairs(m.NodeSelector)},
		{"Priority class", m.PriorityClassName},
		{"Eviction", m.EvictionStrategy},
		{"Services", strings.Join(services, ", ")},
		{"Waits for", strings.Join(waits, ", ")},
	}, func(r []string) bool { return r[1] == "" })
}

func devices(list []values.Device) string {
	names := make([]string, len(list))
	for i := range list {
		names[i] = list[i].Device
	}
	return strings.Join(names, ", ")
}

func pairs(m map[string]string) string {
	out := slices.Sorted(maps.Keys(m))
	for i, k := range out {
		out[i] = strings.TrimSuffix(k+"="+m[k], "=")
	}
	return strings.Join(out, ", ")
}
