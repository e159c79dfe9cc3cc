package keys

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/values"
)

type cpuRow = Row[kubevirtv1.CPU, values.CPU]

// Topology is the rows of the numbers of processors. `cpu: N` is short for one of them, which one depends on the
// operating system.
var Topology = Table[kubevirtv1.CPU, values.CPU]{
	Part: "VM",
	Rows: []cpuRow{
		{
			Key: "sockets", Path: "sockets",
			Set: func(c *kubevirtv1.CPU, v *values.CPU) { c.Sockets = v.Sockets },
			Get: func(c *kubevirtv1.CPU, _ *Inherited) any { return c.Sockets },
		},
		{
			Key: "cores", Path: "cores",
			Set: func(c *kubevirtv1.CPU, v *values.CPU) { c.Cores = v.Cores },
			Get: func(c *kubevirtv1.CPU, _ *Inherited) any { return c.Cores },
		},
		{
			Key: "threads", Path: "threads",
			Set: func(c *kubevirtv1.CPU, v *values.CPU) { c.Threads = v.Threads },
			Get: func(c *kubevirtv1.CPU, _ *Inherited) any { return c.Threads },
		},
	},
}

// CPU is the rows of the other keys of `cpu`.
var CPU = Table[kubevirtv1.CPU, values.CPU]{
	Part: "VM",
	Rows: []cpuRow{
		{
			Key: "model", Path: "model",
			Set: func(c *kubevirtv1.CPU, v *values.CPU) { c.Model = v.Model },
			Get: func(c *kubevirtv1.CPU, _ *Inherited) any { return c.Model },
		},
		{
			Key: "maxSockets", Path: "maxSockets",
			Set: func(c *kubevirtv1.CPU, v *values.CPU) { c.MaxSockets = v.MaxSockets },
			Get: func(c *kubevirtv1.CPU, _ *Inherited) any { return c.MaxSockets },
		},
		{
			Key: "dedicated", Path: "dedicatedCpuPlacement",
			Set: func(c *kubevirtv1.CPU, v *values.CPU) { c.DedicatedCPUPlacement = values.IsTrue(v.Dedicated) },
			Get: func(c *kubevirtv1.CPU, _ *Inherited) any { return c.DedicatedCPUPlacement },
		},
		{
			Key: "isolateEmulator", Path: "isolateEmulatorThread",
			Set: func(c *kubevirtv1.CPU, v *values.CPU) { c.IsolateEmulatorThread = values.IsTrue(v.IsolateEmulator) },
			Get: func(c *kubevirtv1.CPU, _ *Inherited) any { return c.IsolateEmulatorThread },
		},
		{
			Key: "numa", Path: "numa.guestMappingPassthrough",
			Set: func(c *kubevirtv1.CPU, v *values.CPU) {
				if values.IsTrue(v.NUMA) {
					c.NUMA = &kubevirtv1.NUMA{GuestMappingPassthrough: &kubevirtv1.NUMAGuestMappingPassthrough{}}
				}
			},
			Get: func(c *kubevirtv1.CPU, _ *Inherited) any { return valueOf(c.NUMA).GuestMappingPassthrough != nil },
		},
		{
			Key: "realtime", Path: "realtime",
			Set: func(c *kubevirtv1.CPU, v *values.CPU) {
				if values.IsTrue(v.Realtime) {
					c.Realtime = &kubevirtv1.Realtime{}
				}
			},
			Get: func(c *kubevirtv1.CPU, _ *Inherited) any { return c.Realtime != nil },
		},
		{
			Key: "features", Path: "features",
			Set: func(c *kubevirtv1.CPU, v *values.CPU) { c.Features = setEach(&CPUFeature, v.Features) },
			Get: func(c *kubevirtv1.CPU, in *Inherited) any { return getEach(&CPUFeature, c.Features, "name", in) },
		},
	},
}

// CPUFeature is the rows of a feature of the processors.
var CPUFeature = Table[kubevirtv1.CPUFeature, values.CPUFeature]{
	Part: "VM",
	Rows: []Row[kubevirtv1.CPUFeature, values.CPUFeature]{
		{
			Key: "name", Path: "name",
			Set: func(f *kubevirtv1.CPUFeature, v *values.CPUFeature) { f.Name = v.Name },
			Get: func(f *kubevirtv1.CPUFeature, _ *Inherited) any { return f.Name },
		},
		{
			Key: "policy", Path: "policy",
			Set: func(f *kubevirtv1.CPUFeature, v *values.CPUFeature) { f.Policy = v.Policy },
			Get: func(f *kubevirtv1.CPUFeature, _ *Inherited) any { return f.Policy },
		},
	},
}

// Memory is the rows of `memory`. That of a VM without any is what its pod requests, as in KubeVirt.
var Memory = Table[kubevirtv1.Memory, values.Memory]{
	Part: "VM",
	Rows: []Row[kubevirtv1.Memory, values.Memory]{
		{
			Key: "guest", Path: "guest",
			Set: func(m *kubevirtv1.Memory, v *values.Memory) { m.Guest = optionalQuantity(v.Guest) },
			Get: func(m *kubevirtv1.Memory, _ *Inherited) any { return written(m.Guest) },
		},
		{
			Key: "max", Path: "maxGuest",
			Set: func(m *kubevirtv1.Memory, v *values.Memory) { m.MaxGuest = optionalQuantity(v.Max) },
			Get: func(m *kubevirtv1.Memory, _ *Inherited) any { return written(m.MaxGuest) },
		},
		{
			Key: "hugepages", Path: "hugepages.pageSize",
			Set: func(m *kubevirtv1.Memory, v *values.Memory) {
				if v.Hugepages != "" {
					m.Hugepages = &kubevirtv1.Hugepages{PageSize: v.Hugepages}
				}
			},
			Get: func(m *kubevirtv1.Memory, _ *Inherited) any { return valueOf(m.Hugepages).PageSize },
		},
	},
}

// Resources is the rows of `resources`, which KubeVirt computes as far as they are unset.
var Resources = Table[kubevirtv1.ResourceRequirements, values.Resources]{
	Part: "VM",
	Rows: []Row[kubevirtv1.ResourceRequirements, values.Resources]{
		{
			Key: "requests", Path: "requests",
			Set: func(r *kubevirtv1.ResourceRequirements, v *values.Resources) { r.Requests = resourceList(v.Requests) },
			Get: func(r *kubevirtv1.ResourceRequirements, _ *Inherited) any { return r.Requests },
		},
		{
			Key: "limits", Path: "limits",
			Set: func(r *kubevirtv1.ResourceRequirements, v *values.Resources) { r.Limits = resourceList(v.Limits) },
			Get: func(r *kubevirtv1.ResourceRequirements, _ *Inherited) any { return r.Limits },
		},
		{
			Key: "overcommitGuestOverhead", Path: "overcommitGuestOverhead",
			Set: func(r *kubevirtv1.ResourceRequirements, v *values.Resources) {
				r.OvercommitGuestOverhead = values.IsTrue(v.OvercommitGuestOverhead)
			},
			Get: func(r *kubevirtv1.ResourceRequirements, _ *Inherited) any { return r.OvercommitGuestOverhead },
		},
	},
}

func resourceList(in map[string]values.Amount) corev1.ResourceList {
	if len(in) == 0 {
		return nil
	}
	out := make(corev1.ResourceList, len(in))
	for name, amount := range in {
		out[corev1.ResourceName(name)] = Quantity(string(amount))
	}
	return out
}

// Quantity parses a quantity that was validated when the VM was resolved.
func Quantity(text string) resource.Quantity {
	q, err := resource.ParseQuantity(text)
	if err != nil {
		return resource.Quantity{}
	}
	return q
}

// optionalQuantity returns a quantity, or nil for "".
func optionalQuantity(text string) *resource.Quantity {
	if text == "" {
		return nil
	}
	return new(Quantity(text))
}

// written returns a quantity as it is written, or "" for nil.
func written(q *resource.Quantity) string {
	if q == nil {
		return ""
	}
	return q.String()
}
