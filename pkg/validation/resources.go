package validation

import (
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// checkResources reports resources of the VM's pod that KubeVirt refuses (kubevirt/kubevirt v1.8.4,
// pkg/virt-api/webhooks/validating-webhook/admitters/vmi-create-admitter.go and pkg/instancetype/apply).
func (d *decided) checkResources() {
	r := d.vm.Resources
	if r == nil {
		return
	}
	lists := []amounts{{d, "requests", r.Requests}, {d, "limits", r.Limits}}
	for _, l := range lists {
		l.check()
	}
	requests, limits := lists[0], lists[1]
	for _, name := range slices.Sorted(maps.Keys(r.Requests)) {
		if most, ok := limits.of(name); ok && requests.get(name).Cmp(most) > 0 {
			requests.errorf(name, "%q is more than the limit of %q at %s",
				r.Requests[name], r.Limits[name], catalog.Where(d.entry.At("resources", "limits", name)))
		}
	}
	d.checkGuestLimit(limits)
	d.checkPinned(requests, limits)
	d.checkPages(requests)
}

// amounts are the requests or the limits of a pod.
type amounts struct {
	*decided
	key  string
	list map[string]values.Amount
}

// of returns an amount, and whether it is set and not zero, which KubeVirt takes for unset.
func (a amounts) of(name string) (resource.Quantity, bool) {
	q, err := resource.ParseQuantity(string(a.list[name]))
	return q, err == nil && !q.IsZero()
}

func (a amounts) get(name string) *resource.Quantity {
	q, _ := a.of(name)
	return &q
}

func (a amounts) errorf(name, format string, args ...any) {
	path := source.JoinPath("resources."+a.key, name)
	a.decided.errorf(a.entry.At("resources", a.key, name), rule.Conflict, path, format, args...)
}

// check reports resources that do not exist, that an instance type has, and too little memory.
func (a amounts) check() {
	for _, name := range slices.Sorted(maps.Keys(a.list)) {
		computed := name == "cpu" || name == "memory"
		switch {
		case !computed && name != "ephemeral-storage" && !strings.Contains(name, "/"):
			at, path := a.entry.KeyAt("resources", a.key, name), source.JoinPath("resources."+a.key, name)
			a.decided.errorf(at, rule.UnknownName, path,
				"unknown resource %q; accepted: cpu, memory, ephemeral-storage, or a device such as "+
					"\"devices.kubevirt.io/kvm\"", name)
		case computed && a.vm.Instancetype != nil:
			a.errorf(name, "the instance type at %s has it; remove one", catalog.Where(a.entry.At("instancetype")))
		}
	}
	if memory, ok := a.of("memory"); ok && memory.CmpInt64(leastRequest) < 0 {
		a.errorf("memory", "%q is too little for any pod; expected a quantity such as \"4Gi\"", a.list["memory"])
	}
}

// leastRequest is the least memory that KubeVirt accepts for a pod, in bytes.
const leastRequest = 1_000_000

// checkGuestLimit reports a limit below the guest's memory.
func (d *decided) checkGuestLimit(limits amounts) {
	most, ok := limits.of("memory")
	if !ok || d.vm.Memory == nil {
		return
	}
	guest, err := values.ParseQuantity(d.vm.Memory.Guest)
	if err == nil && most.CmpInt64(guest) < 0 {
		limits.errorf("memory",
			"%q is below the guest's %q at %s; expected at least as much, and some more for KubeVirt itself",
			limits.list["memory"], d.vm.Memory.Guest, catalog.Where(d.entry.At("memory", "guest")))
	}
}

// checkPinned reports resources of a VM with dedicated CPUs whose pod could not be of the class Guaranteed.
func (d *decided) checkPinned(requests, limits amounts) {
	cpu := d.vm.CPU
	if cpu == nil || !values.IsTrue(cpu.Dedicated) {
		return
	}
	count := uint64(max(cpu.Sockets, 1)) * uint64(max(cpu.Cores, 1)) * uint64(max(cpu.Threads, 1))
	if cpu.VCPUs > 0 {
		count = uint64(cpu.VCPUs)
	}
	for _, a := range []amounts{requests, limits} {
		if n, ok := a.of("cpu"); ok && n.CmpInt64(int64(count)) != 0 { //nolint:gosec // counts of CPUs
			a.errorf("cpu", "with dedicated CPUs at %s, vmrender sets it to their number, %d; remove it",
				catalog.Where(d.entry.At("cpu", "dedicated")), count)
		}
	}
	least, both := requests.of("memory")
	most, ok := limits.of("memory")
	if both && ok && least.Cmp(most) != 0 {
		requests.errorf("memory", "with dedicated CPUs at %s, vmrender sets it to the limit, %q; remove it",
			catalog.Where(d.entry.At("cpu", "dedicated")), limits.list["memory"])
	}
}

// checkPages reports a request for memory that does not consist of huge pages.
func (d *decided) checkPages(requests amounts) {
	memory, ok := requests.of("memory")
	if !ok || d.vm.Memory == nil || d.vm.Memory.Hugepages == "" {
		return
	}
	page, err := values.ParseQuantity(d.vm.Memory.Hugepages)
	if err == nil && page > 0 && (memory.CmpInt64(page) < 0 || memory.Value()%page != 0) {
		requests.errorf("memory", "%q is not a multiple of the page size %q at %s",
			requests.list["memory"], d.vm.Memory.Hugepages, catalog.Where(d.entry.At("memory", "hugepages")))
	}
}
