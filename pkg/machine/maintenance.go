package machine

import (
	"github.com/vmrender/vmrender/pkg/schedule"
	"github.com/vmrender/vmrender/pkg/values"
)

// Maintenance is when and how a pet is restarted for changes that wait for it.
type Maintenance struct {
	Text           string // the window, as written
	Window         schedule.Window
	MaxUnavailable values.IntOrPercent
	ByWave         bool // whether the VMs of a wave are up to date before those of the next restart
}

// maintenance returns the maintenance of the VM, or nil if there is none.
func (d *draft) maintenance() *Maintenance {
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
	out := &Maintenance{
		Text: in.Window, Window: window, MaxUnavailable: values.IntOrPercent{Int: 1}, ByWave: in.Order == "dependsOn",
	}
	if in.MaxUnavailable != nil {
		out.MaxUnavailable = *in.MaxUnavailable
	}
	return out
}
