package machine

import (
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/schedule"
	"github.com/vmrender/vmrender/pkg/template"
)

// Snapshots are when snapshots of a pet are taken, and how many are kept.
type Snapshots struct {
	Text  string // the schedule, as written
	Times schedule.Times
	Keep  int
}

// keptSnapshots is the default of [Snapshots.Keep]: a week of daily ones.
const keptSnapshots = 7

// snapshots returns the snapshots of the VM, or nil if there are none. Those of a higher level have no effect on
// cattle.
func (d *draft) snapshots() *Snapshots {
	in := d.vm.Snapshots
	at := d.entry.KeyAt("snapshots")
	switch {
	case in == nil:
		return nil
	case !d.traits.Pet:
		if d.entry.Own(d.entry.Keys.Get("snapshots")) {
			d.diags.Warnf(at, rule.NoEffect, d.entry.Path+".snapshots",
				"is for pets, whose disks are kept; remove it, or use `lifecycle: pet`")
		}
		return nil
	case in.Schedule == "":
		d.errorf(at, rule.MissingKey, "snapshots.schedule", "missing; expected %s", schedule.TimesForm)
		return nil
	}
	times, err := schedule.ParseTimes(in.Schedule)
	switch {
	case err != nil && template.Is(in.Schedule):
		d.errorf(d.entry.At("snapshots", "schedule"), rule.BadValue, "snapshots.schedule", "no templates here; %s", err)
		return nil
	case err != nil:
		return nil // reported with the forms of the keys
	}
	out := &Snapshots{Text: in.Schedule, Times: times, Keep: keptSnapshots}
	if in.Keep != nil {
		out.Keep = *in.Keep
	}
	return out
}

// longestWithSnapshots is the maximum length of the name of a fleet with snapshots on a schedule. The name of a CronJob
// has the hash of a part of the fleet, and that of the schedule.
const longestWithSnapshots = mostOfCronJob - hashLength - hashLength - len("-snapshot")
