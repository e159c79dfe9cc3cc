package resolve

import (
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/schedule"
)

// keptSnapshots is the default of [machine.Snapshots.Keep]: a week of daily ones.
const keptSnapshots = 7

// snapshots returns the snapshots of the VM, or nil if there are none.
func (d *draft) snapshots() *machine.Snapshots {
	in := d.vm.Snapshots
	if in == nil {
		return nil
	}
	times, err := schedule.ParseTimes(in.Schedule)
	if !d.counts(timed{
		key: "snapshots", part: "schedule", text: in.Schedule, form: schedule.TimesForm, problem: err,
		cattle: ", whose disks are kept; remove it, or use `lifecycle: pet`",
	}) {
		return nil
	}
	out := &machine.Snapshots{Text: in.Schedule, Times: times, Keep: keptSnapshots}
	if in.Keep != nil {
		out.Keep = *in.Keep
	}
	return out
}
