package admission

import (
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/internal/sizes"
	"github.com/vmrender/vmrender/pkg/rule"
)

// The problems of sizes that no computer has.
var (
	muchMemory = `more than any computer has; expected at most "4Pi"`
	muchDisk   = `more than any disk has; expected less than "8Ei"`
	manyCPUs   = "more virtual CPUs than a VM can have; expected sockets, cores and threads that make at most " +
		strconv.Itoa(sizes.MostCPUs)
	manyNodeCPUs = "more CPUs than any computer has; expected at most " + strconv.Itoa(sizes.MostNodeCPUs)
)

// boundRules are about sizes with which a VM never starts.
var boundRules = []row[spec]{
	bound("guest", sourceFit, "domain.memory.guest", muchMemory, func(v *spec) bool {
		return isAbove(guest(v), sizes.MostMemory)
	}),
	bound("max-guest", sourceFit, "domain.memory.maxGuest", muchMemory, func(v *spec) bool {
		return v.Domain.Memory != nil && isAbove(v.Domain.Memory.MaxGuest, sizes.MostMemory)
	}),
	bound("cpu", sourceFit, "domain.cpu", manyCPUs, func(v *spec) bool { return vCPUs(v) > sizes.MostCPUs }),
	bound("max-sockets", sourceFit, "domain.cpu.maxSockets", manyCPUs, func(v *spec) bool {
		c := v.Domain.CPU
		return c != nil && c.MaxSockets > c.Sockets && product(c.MaxSockets, c.Cores, c.Threads) > sizes.MostCPUs
	}),
}

// boundResourceRules are about the resources of a pod that no node has.
var boundResourceRules = []row[spec]{
	boundResource("requests", corev1.ResourceMemory, muchMemory, sizes.MostMemory),
	boundResource("limits", corev1.ResourceMemory, muchMemory, sizes.MostMemory),
	boundResource("requests", corev1.ResourceCPU, manyNodeCPUs, sizes.MostNodeCPUs),
	boundResource("limits", corev1.ResourceCPU, manyNodeCPUs, sizes.MostNodeCPUs),
}

// boundVolumeRules are about disks of an instance that no storage has.
var boundVolumeRules = []row[kubevirtv1.Volume]{
	bound("empty-disk", sourceQuantity, "emptyDisk.capacity", muchDisk, func(v *kubevirtv1.Volume) bool {
		return v.EmptyDisk != nil && isAbove(&v.EmptyDisk.Capacity, sizes.MostDisk)
	}),
}

// boundTemplateRules are about disks of a VM that no storage has.
var boundTemplateRules = []row[template]{
	bound("storage", sourceQuantity, "spec.storage.resources.requests.storage", muchDisk, func(d *template) bool {
		return d.Spec.Storage != nil && isAbove(d.Spec.Storage.Resources.Requests.Storage(), sizes.MostDisk)
	}),
	bound("pvc", sourceQuantity, "spec.pvc.resources.requests.storage", muchDisk, func(d *template) bool {
		return d.Spec.PVC != nil && isAbove(d.Spec.PVC.Resources.Requests.Storage(), sizes.MostDisk)
	}),
}

// bound returns the rule that a size is one that computers have.
func bound[T any](name, source, field, problem string, broken func(*T) bool) row[T] {
	return row[T]{
		Rule: Rule{
			ID: "bound-" + name, Kind: rule.OutOfRange, Field: field, Problem: problem, Starts: true, Source: source,
		},
		broken: plain(broken),
	}
}

// boundResource returns the rule that an entry of the requests or limits is one that nodes have.
func boundResource(key string, name corev1.ResourceName, problem string, most int64) row[spec] {
	field := "domain.resources." + key + "." + string(name)
	return bound(key+"-"+string(name), sourceFit, field, problem, func(v *spec) bool {
		list := v.Domain.Resources.Requests
		if key == "limits" {
			list = v.Domain.Resources.Limits
		}
		amount := list[name]
		return isAbove(&amount, most)
	})
}

// isAbove reports whether a quantity is set and above a bound.
func isAbove(q *resource.Quantity, most int64) bool { return q != nil && q.CmpInt64(most) > 0 }
