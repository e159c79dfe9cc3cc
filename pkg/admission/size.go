package admission

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// guest returns the memory of the guest, or nil if it is not set.
func guest(v *spec) *resource.Quantity {
	if v.Domain.Memory == nil {
		return nil
	}
	return v.Domain.Memory.Guest
}

// hasMemory reports whether a VM requests memory in one of the ways that KubeVirt accepts.
func hasMemory(v *spec) bool {
	m := v.Domain.Memory
	return !v.Domain.Resources.Requests.Memory().IsZero() || m != nil && (m.Guest != nil || m.Hugepages != nil)
}

// hasSize reports whether resources contain CPU or memory.
func hasSize(list corev1.ResourceList) bool {
	_, cpu := list[corev1.ResourceCPU]
	_, memory := list[corev1.ResourceMemory]
	return cpu || memory
}

// isPaged reports whether the memory is made of whole huge pages, if there are any.
func isPaged(v *spec) bool {
	if v.Domain.Memory == nil || v.Domain.Memory.Hugepages == nil {
		return true
	}
	page, err := resource.ParseQuantity(v.Domain.Memory.Hugepages.PageSize)
	if err != nil || page.Value() <= 0 {
		return true // reported with its own rule
	}
	all := v.Domain.Resources.Requests.Memory().Value()
	if all == 0 && v.Domain.Memory.Guest != nil {
		all = v.Domain.Memory.Guest.Value()
	}
	if all == 0 {
		all = v.Domain.Resources.Limits.Memory().Value()
	}
	return all%page.Value() == 0
}

// isAligned reports whether memory can be plugged in whole blocks.
func isAligned(v *spec, q *resource.Quantity) bool {
	block := int64(2 << 20)
	if m := v.Domain.Memory; m.Hugepages != nil && m.Hugepages.PageSize == "1Gi" {
		block = 1 << 30
	}
	return q.Value()%block == 0
}

// isWhole reports whether a quantity is a whole number.
func isWhole(q *resource.Quantity) bool { return q.MilliValue() == q.Value()*1000 }

// vCPUs returns the number of processors, or 0 if it is not set.
func vCPUs(v *spec) int64 {
	if v.Domain.CPU == nil {
		return 0
	}
	return product(v.Domain.CPU.Cores, v.Domain.CPU.Sockets, v.Domain.CPU.Threads)
}

// product returns the product of those numbers that are not 0, or 0 if all are, without an overflow.
func product(numbers ...uint32) int64 {
	const large = 1 << 31
	n := int64(0)
	for _, part := range numbers {
		if part != 0 {
			n = min(max(n, 1)*int64(part), large)
		}
	}
	return n
}
