package validation

import (
	"strconv"
	"strings"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/internal/sizes"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// checkHeadroom reports a size of the VM's own that is all that a limit from defaults leaves: who raises it next does
// not expect a restart. A VM that sets both wants no room.
func (d *decided) checkHeadroom(m *machine.Machine) {
	if m.Adopted || m.Arch != catalog.DefaultArch || d.rules.target.VMRolloutStrategy == "Stage" {
		return
	}
	cpu, mem := d.entry.Keys.Get("cpu"), d.entry.Keys.Get("memory")
	if m.CPU.MaxSockets > 0 && m.CPU.MaxSockets == m.CPU.Sockets {
		d.reportNoRoom("cpu.maxSockets", strconv.Itoa(int(m.CPU.Sockets)), sizeIn(cpu, "sockets"),
			cpu.Get("maxSockets"))
	}
	if m.Memory.Max != "" && quantities.Size(m.Memory.Max).Cmp(*quantities.Size(m.Memory.Guest)) == 0 {
		d.reportNoRoom("memory.max", strconv.Quote(m.Memory.Guest), sizeIn(mem, "guest"), mem.Get("max"))
	}
}

// sizeIn returns the value of a key, or its parent's short form.
func sizeIn(parent *source.Node, key string) *source.Node {
	if parent.Short.IsSet() {
		return parent.Short
	}
	return parent.Get(key)
}

func (d *decided) reportNoRoom(key, text string, size, limit *source.Node) {
	if size == nil || limit == nil || !d.entry.Own(size) || d.entry.Own(limit) {
		return
	}
	part, _, _ := strings.Cut(key, ".")
	d.diags.Warnf(size.Pos(), rule.NoHeadroom, d.entry.Path+"."+part,
		"%s is the limit of growth, `%s` at %s, and more needs a restart; set a larger one before the next start, or "+
			"`%[2]s: null` for the %[4]d times of KubeVirt", text, key, catalog.Where(limit.Pos()), sizes.HotplugRatio)
}
