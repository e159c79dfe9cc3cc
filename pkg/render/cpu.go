package render

import (
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// setCPU sets the whole topology, so that nothing depends on a cluster's defaults.
func (x *rendering) setCPU(d *kubevirtv1.DomainSpec) {
	c := new(x.Rendered().CPU)
	if x.Instancetype != nil || x.CPU.Sockets == 0 || x.Given != nil && c.IsZero() {
		return
	}
	d.CPU = &kubevirtv1.CPU{
		Cores: c.Cores, Sockets: c.Sockets, Threads: c.Threads, MaxSockets: c.MaxSockets, Model: c.Model,
		Features:              cpuFeatures(c.Features),
		DedicatedCPUPlacement: isTrue(c.Dedicated), IsolateEmulatorThread: isTrue(c.IsolateEmulator),
	}
	if isTrue(c.NUMA) {
		d.CPU.NUMA = &kubevirtv1.NUMA{GuestMappingPassthrough: &kubevirtv1.NUMAGuestMappingPassthrough{}}
	}
	if isTrue(c.Realtime) {
		d.CPU.Realtime = &kubevirtv1.Realtime{}
	}
	// A preference sets multiqueue itself.
	if x.OS.Multiqueue && x.Preference == nil && (x.plugsIntoQueues() || c.Cores*c.Sockets*c.Threads > 1) {
		d.Devices.NetworkInterfaceMultiQueue = new(true)
	}
}

// plugsIntoQueues reports whether KubeVirt plugs processors into a VM whose NICs have several queues: not before
// 1.4.1, and not in 1.5.0 and 1.5.1 (kubevirt/kubevirt pull request 14728 and its backports). Then multiqueue is set
// for a VM with one processor, too, which has one queue until it has more (pkg/virt-launcher/virtwrap/converter,
// NetworkQueuesCapacity, v1.8.4): a device that followed from the size would need a restart when the size changes.
func (x *rendering) plugsIntoQueues() bool {
	v := x.Target.KubeVirt
	return !versions.Before(v, "1.4.1") && (versions.Before(v, "1.5") || !versions.Before(v, "1.5.2"))
}

func cpuFeatures(in []values.CPUFeature) []kubevirtv1.CPUFeature {
	if len(in) == 0 {
		return nil
	}
	out := make([]kubevirtv1.CPUFeature, len(in))
	for i, f := range in {
		out[i] = kubevirtv1.CPUFeature{Name: f.Name, Policy: f.Policy}
	}
	return out
}

// setMemory sets the guest memory. KubeVirt adds its own overhead, and a VM that is
// sized by `resources.requests` can never be resized live (kubevirt/kubevirt
// pkg/liveupdate/memory, v1.9.0).
func (x *rendering) setMemory(d *kubevirtv1.DomainSpec) {
	m := x.Rendered().Memory
	if x.Instancetype != nil || m == (values.Memory{}) {
		return
	}
	d.Memory = &kubevirtv1.Memory{}
	if m.Guest != "" {
		d.Memory.Guest = new(quantity(m.Guest))
	}
	if m.Max != "" {
		d.Memory.MaxGuest = new(quantity(m.Max))
	}
	if m.Hugepages != "" {
		d.Memory.Hugepages = &kubevirtv1.Hugepages{PageSize: m.Hugepages}
	}
}

func isTrue(b *bool) bool { return b != nil && *b }
