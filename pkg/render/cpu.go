package render

import (
	kubevirtv1 "kubevirt.io/api/core/v1"

	"github.com/vmrender/vmrender/pkg/keys"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// setCPU sets the whole topology, so that nothing depends on a cluster's defaults.
func (x *rendering) setCPU(d *kubevirtv1.DomainSpec) {
	c := new(x.Rendered().CPU)
	if x.Instancetype != nil || x.CPU.Sockets == 0 || x.Given != nil && c.IsZero() {
		return
	}
	d.CPU = new(kubevirtv1.CPU)
	keys.Topology.Set(d.CPU, c)
	keys.CPU.Set(d.CPU, c)
	// A preference sets multiqueue itself.
	if x.OS.Multiqueue && x.Preference == nil && (c.Cores*c.Sockets*c.Threads > 1 || x.plugsIntoQueues()) {
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

// setMemory sets the guest memory. KubeVirt adds its own overhead, and a VM that is
// sized by `resources.requests` can never be resized live (kubevirt/kubevirt
// pkg/liveupdate/memory, v1.9.0).
func (x *rendering) setMemory(d *kubevirtv1.DomainSpec) {
	m := x.Rendered().Memory
	if x.Instancetype != nil || m == (values.Memory{}) {
		return
	}
	d.Memory = &kubevirtv1.Memory{}
	keys.Memory.Set(d.Memory, &m)
}
