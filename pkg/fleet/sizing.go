package fleet

import (
	"strings"

	"github.com/vmrender/vmrender/pkg/source"
)

// sizing decides cpu and memory, or leaves both to an instance type.
func (s *subject) sizing() {
	vm, m := &s.vm, s.m
	m.Instancetype, m.Preference = vm.Instancetype, vm.Preference
	m.Flavor = or(vm.Flavor, "custom")
	if vm.Instancetype != nil {
		m.Flavor = vm.Instancetype.Name
		s.onlyInstancetype()
		return
	}
	if vm.CPU == nil && vm.Memory == nil {
		s.errorf(s.key, "missing-key", "", "no size; set `flavor`, `cpu` and `memory`, or `instancetype`")
		return
	}
	s.cpu()
	s.memory()
}

// preference leaves to a preference what it owns: what only the operating
// system's traits say is taken back, what is written by hand stays.
func (s *subject) preference() {
	if s.vm.Preference == nil {
		return
	}
	traits := osKeys(s.os)
	inherited := func(key string) bool { return s.node.Get(key) == traits.Get(key) }
	if inherited("firmware") {
		s.vm.Firmware = nil
	}
	if inherited("tpm") {
		s.vm.TPM = nil
	}
	if inherited("terminationGracePeriodSeconds") {
		s.m.TerminationGracePeriodSeconds = nil
	}
}

// onlyInstancetype reports sizes beside an instance type, naming both places.
func (s *subject) onlyInstancetype() {
	if s.vm.Instancetype.Name == "" {
		s.errorf(s.at("instancetype"), "missing-key", "instancetype", "missing name")
	}
	for _, key := range []string{"flavor", "cpu", "memory"} {
		f := s.node.Field(key)
		if f == nil || f.Value.Kind == source.Null || sizeOfFlavor(s.node, f) {
			continue
		}
		s.errorf(f.Pos(), "conflict", key, "conflicts with the instancetype %q at %s; remove one, or set `%s: null`",
			s.vm.Instancetype.Name, where(s.at("instancetype")), key)
	}
}

// sizeOfFlavor tells the cpu and memory that stand where the flavor is named:
// the flavor is reported, they need not be.
func sizeOfFlavor(vm *source.Node, f *source.Field) bool {
	flavor := vm.Get("flavor")
	return f.Key != "flavor" && flavor != nil && f.Value.Pos() == flavor.Pos()
}

func (s *subject) cpu() {
	c := s.vm.CPU
	if c == nil {
		s.errorf(s.key, "missing-key", "cpu", "no cpu; set `cpu`, `flavor` or `instancetype`")
		return
	}
	cpu := *c
	switch {
	case c.VCPUs > 0 && s.os.Topology == "cores":
		cpu.Sockets, cpu.Cores = 1, c.VCPUs
	case c.VCPUs > 0:
		cpu.Sockets, cpu.Cores = c.VCPUs, 1
	}
	cpu.Sockets, cpu.Cores, cpu.Threads = max(cpu.Sockets, 1), max(cpu.Cores, 1), max(cpu.Threads, 1)
	s.m.CPU = cpu
	s.checkCPU(&cpu)
}

func (s *subject) checkCPU(cpu *CPU) {
	if n := cpu.count(); s.os.Minimum != nil && n < uint64(s.os.Minimum.CPU) {
		s.errorf(s.at("cpu"), "below-minimum", "cpu", "%d vCPU are below the minimum of %s; expected at least %d", n, s.os.Name, s.os.Minimum.CPU)
	}
	if cpu.MaxSockets > 0 && cpu.MaxSockets < cpu.Sockets {
		s.errorf(s.at("cpu", "maxSockets"), "conflict", "cpu.maxSockets", "%d is below the %d sockets at %s; expected at least as many",
			cpu.MaxSockets, cpu.Sockets, where(s.at("cpu")))
	}
	needs := []struct {
		key string
		set *bool
		ok  bool
		of  string
	}{
		{"isolateEmulator", cpu.IsolateEmulator, isTrue(cpu.Dedicated), "`dedicated: true`"},
		{"realtime", cpu.Realtime, isTrue(cpu.Dedicated), "`dedicated: true`"},
		{"numa", cpu.NUMA, isTrue(cpu.Dedicated), "`dedicated: true`"},
		{"numa", cpu.NUMA, s.vm.Memory != nil && s.vm.Memory.Hugepages != "", "`memory.hugepages`"},
	}
	for _, n := range needs {
		if isTrue(n.set) && !n.ok {
			s.errorf(s.keyAt("cpu", n.key), "conflict", "cpu."+n.key, "needs %s beside it", n.of)
		}
	}
}

// count is the number of virtual CPUs.
func (c *CPU) count() uint64 { return uint64(c.Sockets) * uint64(c.Cores) * uint64(c.Threads) }

func isTrue(b *bool) bool { return b != nil && *b }

// leastMemory is what a guest must have: KubeVirt accepts 0 and 1Ki, which no
// guest boots with (kubevirt/kubevirt pkg/virt-api/webhooks, v1.8.4).
const leastMemory = 1 << 20

func (s *subject) memory() {
	mem := s.vm.Memory
	if mem == nil || mem.Guest == "" {
		s.errorf(s.keyAt("memory"), "missing-key", "memory", "no memory; set `memory`, `flavor` or `instancetype`")
		return
	}
	s.m.Memory = *mem
	guest, ok := s.quantity(mem.Guest, "memory", "guest")
	if !ok {
		return
	}
	if guest < leastMemory {
		s.errorf(s.at("memory", "guest"), "below-minimum", "memory", "%q is too little for any guest; expected a quantity such as \"4Gi\"", mem.Guest)
		return
	}
	if low := s.minimumMemory(); guest < low.bytes {
		s.errorf(s.at("memory", "guest"), "below-minimum", "memory", "%q is below the minimum of %s; expected at least %q", mem.Guest, s.os.Name, low.text)
	}
	s.memoryBounds(mem, guest)
}

type minimum struct {
	bytes int64
	text  string
}

func (s *subject) minimumMemory() minimum {
	if s.os.Minimum == nil || s.os.Minimum.Memory == "" {
		return minimum{}
	}
	n, err := parseQuantity(s.os.Minimum.Memory)
	if err != nil {
		return minimum{} // reported with the catalogue
	}
	return minimum{n, s.os.Minimum.Memory}
}

func (s *subject) memoryBounds(mem *Memory, guest int64) {
	if mem.Max != "" {
		if most, ok := s.quantity(mem.Max, "memory", "max"); ok && most < guest {
			s.errorf(s.at("memory", "max"), "conflict", "memory.max", "%q is below the guest's %q at %s; expected at least as much",
				mem.Max, mem.Guest, where(s.at("memory", "guest")))
		}
	}
	if mem.Hugepages != "" {
		page, ok := s.quantity(mem.Hugepages, "memory", "hugepages")
		if ok && (page <= 0 || guest%page != 0) {
			s.errorf(s.at("memory", "hugepages"), "conflict", "memory.hugepages", "memory %q is not a multiple of the page size %q", mem.Guest, mem.Hugepages)
		}
	}
}

// keyPath is the path of keys as the user wrote them: without the last one, if
// its value is the short form of the one above it.
func (s *subject) keyPath(keys []string) string {
	above := keys[:len(keys)-1]
	if s.at(above...) == s.at(keys...) {
		keys = above
	}
	return strings.Join(keys, ".")
}

// quantity parses a quantity that must be positive, and reports one that is not.
func (s *subject) quantity(text string, keys ...string) (int64, bool) {
	n, err := parseQuantity(text)
	if err != nil {
		s.errorf(s.at(keys...), "bad-quantity", s.keyPath(keys), "%s", err)
	}
	return n, err == nil
}
