// Package sizes contains the bounds of sizes, for values files, entries of the catalog and rendered VMs. The tags of
// keys repeat some of them.
package sizes

import "math"

// Bounds of sizes.
const (
	// LeastBytes is the smallest plausible size of memory or a disk: KubeVirt accepts 0 and 1Ki, with which no guest boots
	// (kubevirt/kubevirt v1.8.4, pkg/virt-api/webhooks).
	LeastBytes = 1 << 20
	// MostMemory is the size of memory in bytes above which no computer has it: addresses of x86-64 have 52 bits (AMD64
	// Architecture Programmer's Manual, volume 2, 5.1).
	MostMemory = 1 << 52
	// MostDisk is the size of a disk in bytes above which the parser of Kubernetes lowers quantities with a binary unit.
	MostDisk = math.MaxInt64 - 1
	// MostCPUs is the highest number of virtual CPUs that a guest can have (Linux v6.12, arch/x86/kvm/Kconfig,
	// KVM_MAX_NR_VCPUS).
	MostCPUs = 4096
	// MostNodeCPUs is the highest number of CPUs that a node can have (Linux v6.12, arch/x86/Kconfig, NR_CPUS_RANGE_END).
	MostNodeCPUs = 8192
	// HotplugRatio is how many times its CPUs and memory of the last start KubeVirt leaves room for in a VM, unless the
	// VM or the cluster (maxHotplugRatio) sets another limit (kubevirt/kubevirt v1.8.4, pkg/defaults/defaults.go,
	// setupCPUHotplug and setupMemoryHotplug).
	HotplugRatio = 4
)
