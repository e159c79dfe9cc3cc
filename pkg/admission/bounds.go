package admission

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/internal/sizes"
	"github.com/vmrender/vmrender/pkg/rule"
)

// The problems of sizes that no computer has.
const (
	muchMemory = `more than any computer has; expected at most "4Pi"`
	muchDisk   = `more than any disk has; expected less than "8Ei"`
	manyCPUs   = "more virtual CPUs than a VM can have; expected sockets, cores and threads that make at most 4096"

	manyNodeCPUs = "more CPUs than any computer has; expected at most 8192"
)

// boundRules are about sizes with which a VM never starts.
var boundRules = []row[spec]{
	bound("bound-guest", sourceFit, "domain.memory.guest", muchMemory, func(v *spec) bool {
		return isAbove(guest(v), sizes.MostMemory)
	}),
	bound("bound-max-guest", sourceFit, "domain.memory.maxGuest", muchMemory, func(v *spec) bool {
		return v.Domain.Memory != nil && isAbove(v.Domain.Memory.MaxGuest, sizes.MostMemory)
	}),
	bound("bound-cpu", sourceFit, "domain.cpu", manyCPUs, func(v *spec) bool { return vCPUs(v) > sizes.MostCPUs }),
	bound("bound-max-sockets", sourceFit, "domain.cpu.maxSockets", manyCPUs, func(v *spec) bool {
		c := v.Domain.CPU
		return c != nil && c.MaxSockets > c.Sockets && product(c.MaxSockets, c.Cores, c.Threads) > sizes.MostCPUs
	}),
}

// boundResourceRules are about the resources of a pod that no node has.
var boundResourceRules = []row[spec]{
	bound("bound-requests-memory", sourceFit, "domain.resources.requests.memory", muchMemory, func(v *spec) bool {
		return isListed(v.Domain.Resources.Requests, corev1.ResourceMemory, sizes.MostMemory)
	}),
	bound("bound-limits-memory", sourceFit, "domain.resources.limits.memory", muchMemory, func(v *spec) bool {
		return isListed(v.Domain.Resources.Limits, corev1.ResourceMemory, sizes.MostMemory)
	}),
	bound("bound-requests-cpu", sourceFit, "domain.resources.requests.cpu", manyNodeCPUs, func(v *spec) bool {
		return isListed(v.Domain.Resources.Requests, corev1.ResourceCPU, sizes.MostNodeCPUs)
	}),
	bound("bound-limits-cpu", sourceFit, "domain.resources.limits.cpu", manyNodeCPUs, func(v *spec) bool {
		return isListed(v.Domain.Resources.Limits, corev1.ResourceCPU, sizes.MostNodeCPUs)
	}),
}

// boundVolumeRules are about disks of an instance that no storage has.
var boundVolumeRules = []row[kubevirtv1.Volume]{
	bound("bound-empty-disk", sourceQuantity, "emptyDisk.capacity", muchDisk, func(v *kubevirtv1.Volume) bool {
		return v.EmptyDisk != nil && isAbove(&v.EmptyDisk.Capacity, sizes.MostDisk)
	}),
}

// boundTemplateRules are about disks of a VM that no storage has.
var boundTemplateRules = []row[template]{
	bound("bound-storage", sourceQuantity, "spec.storage.resources.requests.storage", muchDisk, func(d *template) bool {
		return d.Spec.Storage != nil && isAbove(d.Spec.Storage.Resources.Requests.Storage(), sizes.MostDisk)
	}),
	bound("bound-pvc", sourceQuantity, "spec.pvc.resources.requests.storage", muchDisk, func(d *template) bool {
		return d.Spec.PVC != nil && isAbove(d.Spec.PVC.Resources.Requests.Storage(), sizes.MostDisk)
	}),
}

// bound returns the rule that a size is one that computers have.
func bound[T any](id, source, field, problem string, broken func(*T) bool) row[T] {
	return row[T]{
		Rule: Rule{
			ID: id, Kind: rule.OutOfRange, Field: field, Problem: problem, Starts: true, Source: source,
		},
		broken: plain(broken),
	}
}

// isListed reports whether an entry of the requests or limits is above a bound.
func isListed(list corev1.ResourceList, name corev1.ResourceName, most int64) bool {
	amount := list[name]
	return isAbove(&amount, most)
}

// isAbove reports whether a quantity is set and above a bound.
func isAbove(q *resource.Quantity, most int64) bool { return q != nil && q.CmpInt64(most) > 0 }
