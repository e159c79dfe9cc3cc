package adopt

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/draft"
	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// kinship is what VMs must have in common to be in one group: an operating system, and the mode of their entries.
type kinship struct {
	os                        string
	adopted, plain, preferred bool
}

// groups returns the VMs that share an entry of the catalog: VMs of one operating system with the same hardware; then
// those that have the hardware of a group and more; then the rest, if it is more than one.
func groups(all []*imported) [][]*imported {
	kin := map[kinship][]*imported{}
	for _, e := range all {
		k := kinship{e.OS.Name, e.OS.Adopted, e.Plain, e.Preferred()}
		kin[k] = append(kin[k], e)
	}
	out := make([][]*imported, 0, len(kin))
	for _, k := range slices.SortedFunc(maps.Keys(kin), func(a, b kinship) int {
		return strings.Compare(fmt.Sprint(a), fmt.Sprint(b))
	}) {
		out = append(out, alike(kin[k])...)
	}
	return out
}

// alike divides VMs of one kinship into groups by their hardware, the largest first. A group has at least two VMs.
func alike(kin []*imported) [][]*imported {
	exact := map[string][]*imported{}
	for _, e := range kin {
		key := string(source.AppendJSON(nil, hardwareOf(e)))
		exact[key] = append(exact[key], e)
	}
	clusters := slices.SortedFunc(maps.Values(exact), func(a, b []*imported) int {
		return cmp.Or(len(b)-len(a), a[0].Live.Compare(b[0].Live.ID))
	})
	var out [][]*imported
	var rest []*imported
	for _, c := range clusters {
		switch i := slices.IndexFunc(out, func(g []*imported) bool { return includes(c[0], g[0]) }); {
		case len(c) > 1:
			out = append(out, c)
		case i >= 0:
			out[i] = append(out[i], c[0])
		default:
			rest = append(rest, c[0])
		}
	}
	if len(rest) > 1 {
		out = append(out, rest)
	}
	return out
}

// hardwareOf returns the overrides of an entry that are about the hardware.
func hardwareOf(e *imported) *source.Node {
	var out *source.Node
	for path, v := range node.Sorted(node.Leaves(e.Keys.Get("overrides"))) {
		if isHardware(path) && !isIdentity(path) {
			out = source.Compose(out, node.Chain(path, v))
		}
	}
	return out
}

// includes reports whether an entry overrides all that another does of the hardware, and in the same way.
func includes(e, other *imported) bool {
	own, some := node.Leaves(hardwareOf(e)), node.Leaves(hardwareOf(other))
	for path, v := range some {
		if !own[path].Equal(v) {
			return false
		}
	}
	return len(some) > 0
}

// factorGroup creates an entry of the catalog for what a group shares.
func (w *work) factorGroup(name string, all []*imported) {
	shared := node.Map{}
	setOverrides(&shared, all, func(path string) bool { return !has(w.defaults.Get("overrides"), path) })
	defaults := node.Map{}
	for _, key := range []string{"adopted", "consoleLabels", "tpm", "terminationGracePeriodSeconds"} {
		share(&defaults, all, key)
	}
	if all[0].OS.Adopted { // others are warned of firmware that only the operating system's entry sets
		shareLeaves(&defaults, all, []string{"firmware"}, "type")
	}
	shareLeaves(&defaults, all, []string{"cloudInit"}, "")
	var own []string
	if !all[0].OS.Adopted { // the size of a root disk is checked against the image if that is not the VM's own
		own = []string{"size", "source"}
	}
	shareLeaves(&defaults, all, []string{"disks", values.RootDisk}, "size", own...)
	if shared.IsEmpty() && defaults.IsEmpty() {
		return
	}
	of := node.Map{}
	of.Set("from", all[0].OS.Name)
	if !all[0].Plain {
		of.Set("label", all[0].OS.Label)
	}
	of.Set("defaults", &defaults)
	of.Set("overrides", shared.Get("overrides"))
	if w.header == nil {
		w.header = map[string]*node.Map{"os": new(node.Map)}
	}
	w.header["os"].Put(name, of.Node())
	for _, e := range all {
		e.Keys.Put("os", node.Value(name))
		e.inherit(shared.Get("overrides"))
	}
}

// nameGroups returns a name for the catalog entry of each group: the operating system with what tells the group from
// others of that system.
func nameGroups(all [][]*imported) []string {
	of := map[string]int{}
	for _, g := range all {
		of[g[0].OS.Name]++
	}
	taken := map[string]bool{}
	out := make([]string, len(all))
	for i, g := range all {
		base := g[0].OS.Name
		name := base + "-adopted"
		if of[base] > 1 {
			name = base + "-" + cmp.Or(tagOf(g, all), "adopted")
		}
		out[i] = draft.Numbered(name, func(n string) bool { return taken[n] })
		taken[out[i]] = true
	}
	return out
}

// tags are words for the hardware of VMs, the most telling first.
var tags = []struct {
	name string
	has  func(vm *kubevirtv1.VirtualMachine, spec *kubevirtv1.VirtualMachineInstanceSpec) bool
}{
	{"preference", func(vm *kubevirtv1.VirtualMachine, _ *kubevirtv1.VirtualMachineInstanceSpec) bool {
		return vm.Spec.Preference != nil
	}},
	{"gpu", of(func(d *kubevirtv1.DomainSpec) bool { return len(d.Devices.GPUs) > 0 })},
	{"hostdevice", of(func(d *kubevirtv1.DomainSpec) bool { return len(d.Devices.HostDevices) > 0 })},
	{"dedicated", of(func(d *kubevirtv1.DomainSpec) bool { return d.CPU != nil && d.CPU.DedicatedCPUPlacement })},
	{"hugepages", of(func(d *kubevirtv1.DomainSpec) bool { return d.Memory != nil && d.Memory.Hugepages != nil })},
	{"sriov", of(func(d *kubevirtv1.DomainSpec) bool {
		return slices.ContainsFunc(d.Devices.Interfaces, func(n kubevirtv1.Interface) bool { return n.SRIOV != nil })
	})},
	{"i440fx", of(func(d *kubevirtv1.DomainSpec) bool {
		return d.Machine != nil && strings.HasPrefix(d.Machine.Type, "pc-i440")
	})},
	{"tpm", of(func(d *kubevirtv1.DomainSpec) bool { return d.Devices.TPM != nil })},
	{"hyperv", of(func(d *kubevirtv1.DomainSpec) bool { return d.Features != nil && d.Features.Hyperv != nil })},
	{"efi", of(func(d *kubevirtv1.DomainSpec) bool {
		return d.Firmware != nil && d.Firmware.Bootloader != nil && d.Firmware.Bootloader.EFI != nil
	})},
	{"bios", of(func(d *kubevirtv1.DomainSpec) bool {
		return d.Firmware == nil || d.Firmware.Bootloader == nil || d.Firmware.Bootloader.EFI == nil
	})},
}

// of makes a condition on the domain one on a VM.
func of(has func(*kubevirtv1.DomainSpec) bool) func(
	*kubevirtv1.VirtualMachine, *kubevirtv1.VirtualMachineInstanceSpec,
) bool {
	return func(_ *kubevirtv1.VirtualMachine, spec *kubevirtv1.VirtualMachineInstanceSpec) bool {
		return has(&spec.Domain)
	}
}

// tagOf returns the first word that fits all VMs of a group, and not all groups of the operating system, or "".
func tagOf(g []*imported, all [][]*imported) string {
	for _, tag := range tags {
		fits := func(e *imported) bool { return tag.has(e.Live.VM, e.Live.Spec()) }
		other := func(o []*imported) bool { return o[0].OS.Name == g[0].OS.Name && !fits(o[0]) }
		if !slices.ContainsFunc(g, func(e *imported) bool { return !fits(e) }) && slices.ContainsFunc(all, other) {
			return tag.name
		}
	}
	return ""
}
