package resolve

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/vmrender/vmrender/internal/sizes"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// sizing returns cpu and memory, or the instance type that sets both.
func (d *draft) sizing() machine.Sizing {
	vm := d.vm
	out := machine.Sizing{Flavor: d.flavor(), Instancetype: vm.Instancetype, Preference: vm.Preference}
	out.InstancetypeVolume = d.inferred("instancetype", vm.Instancetype)
	out.PreferenceVolume = d.inferred("preference", vm.Preference)
	if vm.Resources != nil {
		out.Resources = *vm.Resources
	}
	switch {
	case vm.Instancetype != nil:
		out.Flavor = cmp.Or(vm.Instancetype.Name, "custom")
		d.checkOnlyInstancetype()
	case d.adopted():
		d.adoptedSize(&out)
	case vm.CPU == nil && vm.Memory == nil:
		d.errorf(d.entry.Pos, rule.MissingKey, "", "no size; set `flavor`, `cpu` and `memory`, or `instancetype`")
	default:
		out.CPU, out.Memory = d.cpu(), d.memory()
	}
	return out
}

// flavor returns the name of the flavor of the VM, or "custom" if there is none, or if it is inherited, and cpu and
// memory are both set over it.
func (d *draft) flavor() string {
	flavor, cpu := d.entry.Keys.Get("flavor"), d.entry.Keys.Get("cpu")
	switch {
	case d.vm.Flavor == "" || flavor == nil:
		return "custom"
	case !d.entry.Inherits("flavor"):
		return d.vm.Flavor
	}
	own := func(n *source.Node) bool { return n.IsSet() && n.Pos() != flavor.Pos() }
	ownCPU := cpu != nil && own(cpu.Short) ||
		slices.ContainsFunc([]string{"sockets", "cores", "threads"}, func(key string) bool { return own(cpu.Get(key)) })
	if ownCPU && own(d.entry.Keys.Get("memory", "guest")) {
		return "custom"
	}
	return d.vm.Flavor
}

// withoutTraits returns the VM without settings that belong to its preference:
// those that only the operating system's entry sets. Settings of the user
// remain.
func withoutTraits(e *fleet.Entry) *values.VM {
	if e.VM.Preference == nil {
		return &e.VM
	}
	vm := e.VM
	if vm.Firmware != nil {
		firmware := *vm.Firmware
		if e.FromOS("firmware", "type") || e.FromOS("firmware") {
			firmware.Type = ""
		}
		if e.FromOS("firmware", "persistent") || e.FromOS("firmware") {
			firmware.Persistent = nil
		}
		vm.Firmware = &firmware
	}
	if e.FromOS("tpm") {
		vm.TPM = nil
	}
	if e.FromOS("terminationGracePeriodSeconds") {
		vm.TerminationGracePeriodSeconds = nil
	}
	return &vm
}

// checkOnlyInstancetype reports sizes next to an instance type, with both
// positions.
func (d *draft) checkOnlyInstancetype() {
	for _, key := range []string{"flavor", "cpu", "memory"} {
		f := d.entry.Keys.Field(key)
		if f == nil || !f.Value.IsSet() || sizeOfFlavor(d.entry.Keys, f) {
			continue
		}
		d.errorf(f.Pos(), rule.Conflict, key, "conflicts with the instancetype %q at %s; remove one, or set `%s: null`",
			cmp.Or(d.vm.Instancetype.Name, d.vm.Instancetype.InferFrom), catalog.Where(d.entry.At("instancetype")), key)
	}
}

// sizeOfFlavor reports whether cpu or memory comes from the flavor: then the
// flavor is reported instead.
func sizeOfFlavor(vm *source.Node, f *source.Field) bool {
	flavor := vm.Get("flavor")
	return f.Key != "flavor" && flavor != nil && f.Value.Pos() == flavor.Pos()
}

func (d *draft) cpu() values.CPU {
	c := d.vm.CPU
	if c == nil {
		d.errorf(d.entry.Pos, rule.MissingKey, "cpu", "no cpu; set `cpu`, `flavor` or `instancetype`")
		return values.CPU{}
	}
	cpu := *c
	switch {
	case c.VCPUs > 0 && d.entry.OS.Topology == "cores":
		cpu.Sockets, cpu.Cores = 1, c.VCPUs
	case c.VCPUs > 0:
		cpu.Sockets, cpu.Cores = c.VCPUs, 1
	}
	cpu.Sockets, cpu.Cores, cpu.Threads = max(cpu.Sockets, 1), max(cpu.Cores, 1), max(cpu.Threads, 1)
	d.checkCPU(&cpu)
	return cpu
}

func (d *draft) checkCPU(cpu *values.CPU) {
	if n := cpu.Count(); d.entry.OS.Minimum != nil && n < uint64(d.entry.OS.Minimum.CPU) {
		d.reportBelowMinimum(d.entry.At("cpu"), "cpu", "%d vCPU are below the minimum of %s; expected at least %d, "+
			"or another `catalog.os.%[2]s.minimum.cpu`", n, d.entry.OS.Name, d.entry.OS.Minimum.CPU)
	}
	if problem := cpu.CountProblem(); problem != "" {
		d.errorf(d.entry.At("cpu"), rule.OutOfRange, "cpu", "%s", problem)
	}
	if cpu.MaxSockets > 0 && cpu.MaxSockets < cpu.Sockets {
		d.errorf(d.entry.At("cpu", "maxSockets"), rule.Conflict, "cpu.maxSockets",
			"%d is below the %d sockets at %s; expected at least as many",
			cpu.MaxSockets, cpu.Sockets, catalog.Where(d.entry.At("cpu")))
	}
	needs := []struct {
		key string
		set *bool
		ok  bool
		of  string
	}{
		{"isolateEmulator", cpu.IsolateEmulator, values.IsTrue(cpu.Dedicated), "`dedicated: true`"},
		{"realtime", cpu.Realtime, values.IsTrue(cpu.Dedicated), "`dedicated: true`"},
		{"numa", cpu.NUMA, values.IsTrue(cpu.Dedicated), "`dedicated: true`"},
		{"numa", cpu.NUMA, d.vm.Memory != nil && d.vm.Memory.Hugepages != "", "`memory.hugepages`"},
	}
	for _, n := range needs {
		if values.IsTrue(n.set) && !n.ok {
			d.errorf(d.entry.KeyAt("cpu", n.key), rule.Conflict, "cpu."+n.key, "requires %s", n.of)
		}
	}
}

func (d *draft) memory() values.Memory {
	mem := d.vm.Memory
	if mem == nil || mem.Guest == "" {
		d.errorf(d.entry.KeyAt("memory"), rule.MissingKey, "memory", "no memory; set `memory`, `flavor` or `instancetype`")
		return values.Memory{}
	}
	d.checkMemory(mem)
	return *mem
}

func (d *draft) checkMemory(mem *values.Memory) {
	guest, ok := d.quantity(mem.Guest, "memory", "guest")
	if !ok {
		return
	}
	at := d.entry.At("memory", "guest")
	if guest < sizes.LeastBytes {
		d.errorf(at, rule.BelowMinimum, "memory",
			"%q is too little for any guest; expected a quantity such as \"4Gi\"", mem.Guest)
		return
	}
	if low := d.minimumMemory(); guest < low.bytes {
		d.reportBelowMinimum(at, "memory", "%q is below the minimum of %s; expected at least %q, "+
			"or another `catalog.os.%[2]s.minimum.memory`", mem.Guest, d.entry.OS.Name, low.text)
	}
	d.checkMemoryBounds(mem, guest)
}

// reportBelowMinimum reports a size below that of the operating system's entry,
// which is a recommendation: KubeVirt runs smaller guests.
func (d *draft) reportBelowMinimum(at source.Pos, path, format string, args ...any) {
	if d.site.Policy.Minimum == "deny" {
		d.reportNew(at, rule.BelowMinimum, path, format, args...)
		return
	}
	d.diags.Warnf(at, rule.BelowMinimum, d.entry.Path+"."+path, format, args...)
}

type minimum struct {
	bytes int64
	text  string
}

func (d *draft) minimumMemory() minimum {
	if d.entry.OS.Minimum == nil || d.entry.OS.Minimum.Memory == "" {
		return minimum{}
	}
	n, err := values.ParseQuantity(d.entry.OS.Minimum.Memory)
	if err != nil {
		return minimum{} // reported with the catalog
	}
	return minimum{n, d.entry.OS.Minimum.Memory}
}

func (d *draft) checkMemoryBounds(mem *values.Memory, guest int64) {
	if mem.Max != "" {
		d.checkGrowth(mem, guest)
	}
	if mem.Hugepages != "" {
		page, ok := d.quantity(mem.Hugepages, "memory", "hugepages")
		if ok && (page <= 0 || guest%page != 0) {
			d.errorf(d.entry.At("memory", "hugepages"), rule.Conflict, "memory.hugepages",
				"memory %q is not a multiple of the page size %q", mem.Guest, mem.Hugepages)
		}
	}
}

// checkGrowth reports memory that cannot grow to its maximum while the VM runs (kubevirt/kubevirt v1.8.4,
// pkg/liveupdate/memory/memory.go, ValidateLiveUpdateMemory).
func (d *draft) checkGrowth(mem *values.Memory, guest int64) {
	most, ok := d.quantity(mem.Max, "memory", "max")
	if !ok {
		return
	}
	block, text := int64(2<<20), "2Mi"
	if mem.Hugepages == "1Gi" {
		block, text = 1<<30, mem.Hugepages
	}
	problem := ""
	switch cpu := d.vm.CPU; {
	case most < guest:
		problem = fmt.Sprintf("%q is below the guest's %q at %s; expected at least as much",
			mem.Max, mem.Guest, catalog.Where(d.entry.At("memory", "guest")))
	case guest < 1<<30:
		problem = fmt.Sprintf("memory of less than 1Gi cannot grow, and the guest's at %s is %q; remove one of them",
			catalog.Where(d.entry.At("memory", "guest")), mem.Guest)
	case most%block != 0 || guest%block != 0:
		problem = fmt.Sprintf("memory grows in blocks of %s, and %q or the guest's %q is not a multiple of that",
			text, mem.Max, mem.Guest)
	case cpu != nil && values.IsTrue(cpu.NUMA):
		problem = fmt.Sprintf("memory cannot grow with `cpu.numa` at %s; remove one of them",
			catalog.Where(d.entry.At("cpu", "numa")))
	case cpu != nil && values.IsTrue(cpu.Realtime):
		problem = fmt.Sprintf("memory cannot grow with `cpu.realtime` at %s; remove one of them",
			catalog.Where(d.entry.At("cpu", "realtime")))
	}
	if problem != "" {
		d.errorf(d.entry.At("memory", "max"), rule.Conflict, "memory.max", "%s", problem)
	}
}

// quantity parses a quantity, and reports an invalid one.
func (d *draft) quantity(text string, keys ...string) (int64, bool) {
	parse := values.ParseQuantity
	if keys[0] == "memory" {
		parse = values.ParseMemory
	}
	n, err := parse(text)
	if err != nil {
		d.errorf(d.entry.At(keys...), rule.BadQuantity, d.entry.KeyPath(keys...), "%s", err)
	}
	return n, err == nil
}
