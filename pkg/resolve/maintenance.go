package resolve

import (
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/schedule"
	"github.com/vmrender/vmrender/pkg/values"
)

// maintenance returns the maintenance of the VM, or nil if there is none.
func (d *draft) maintenance() *machine.Maintenance {
	in := d.vm.Maintenance
	if in == nil {
		return nil
	}
	window, err := schedule.Parse(in.Window)
	if !d.counts(timed{
		key: "maintenance", part: "window", text: in.Window, form: schedule.Form, problem: err,
		cattle: "; a change of cattle restarts them after the sync: remove it, or use `lifecycle: pet`",
	}) {
		return nil
	}
	out := &machine.Maintenance{
		Text: in.Window, Window: window, MaxUnavailable: values.IntOrPercent{Int: 1}, ByWave: in.Order == "dependsOn",
	}
	if in.MaxUnavailable != nil {
		out.MaxUnavailable = *in.MaxUnavailable
	}
	return out
}
