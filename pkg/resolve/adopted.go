package resolve

import (
	"cmp"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
)

// adoptedSize sets the size of an adopted VM: as its values say, and for what counts VMs, what KubeVirt makes of it.
func (d *draft) adoptedSize(out *machine.Sizing) {
	out.Given = new(machine.Given)
	if c := d.vm.CPU; c != nil && c.VCPUs > 0 {
		out.Given.CPU = d.cpu()
	} else if c != nil {
		out.Given.CPU = *c
	}
	if d.vm.Memory != nil {
		out.Given.Memory = *d.vm.Memory
		if d.vm.Memory.Guest != "" {
			d.checkMemory(d.vm.Memory)
		}
	}
	out.CPU, out.Memory = out.Given.CPU, out.Given.Memory
	resources := d.vm.Resources
	if resources == nil {
		resources = new(values.Resources)
	}
	c := &out.CPU
	if c.Sockets == 0 && c.Cores == 0 && c.Threads == 0 {
		c.Sockets = whole(cmp.Or(resources.Limits["cpu"], resources.Requests["cpu"]))
	}
	c.Sockets, c.Cores, c.Threads = max(c.Sockets, 1), max(c.Cores, 1), max(c.Threads, 1)
	d.checkCPU(c)
	out.Memory.Guest = cmp.Or(out.Memory.Guest, string(cmp.Or(resources.Requests["memory"], resources.Limits["memory"])))
}

// whole returns an amount of processors rounded up: KubeVirt makes a socket of each if the VM sets no topology
// (kubevirt/kubevirt v1.8.4, pkg/defaults/defaults.go, SetDefaultGuestCPUTopology).
func whole(a values.Amount) uint32 {
	q, err := resource.ParseQuantity(string(a))
	if err != nil || q.Sign() < 0 {
		return 0
	}
	return uint32(q.Value()) //nolint:gosec // more than fits is reported with the number of processors
}

// runStrategy returns when the VM runs.
func (d *draft) runStrategy() string {
	running := d.vm.Running
	switch {
	case running == nil:
		return d.givenStrategy()
	case !d.adopted():
		d.errorf(d.entry.KeyAt("running"), rule.Conflict, "running", "is for VMs that are `adopted: true`; use `runStrategy`")
	case d.vm.RunStrategy != "":
		d.errorf(d.entry.KeyAt("running"), rule.Conflict, "running",
			"must not be mixed with `runStrategy` at %s; remove one of them, or set it to null",
			catalog.Where(d.entry.At("runStrategy")))
	case d.vm.Power != nil:
		d.errorf(d.entry.KeyAt("running"), rule.Conflict, "running",
			"must not be mixed with `power` at %s; use `runStrategy: %s`",
			catalog.Where(d.entry.KeyAt("power")), poweredStrategies[0])
	}
	if *running {
		return "Always"
	}
	return "Halted"
}

// isPlain reports whether the VM has none of the labels and annotations that consoles show.
func (d *draft) isPlain() bool {
	if d.vm.ConsoleLabels != nil {
		return !*d.vm.ConsoleLabels
	}
	return d.adopted()
}

// adopted reports whether the VM is taken over as it is.
func (d *draft) adopted() bool { return values.IsTrue(d.vm.Adopted) }
