package machine

import (
	"github.com/vmrender/vmrender/pkg/schedule"
	"github.com/vmrender/vmrender/pkg/values"
)

// Times are times at which a CronJob acts on a pet.
type Times struct {
	Text string // as written
	schedule.Times
}

// Maintenance is when and how a pet is restarted for changes that wait for it.
type Maintenance struct {
	Text           string // the window, as written
	Window         schedule.Window
	MaxUnavailable values.IntOrPercent
	ByWave         bool // whether the VMs of a wave are up to date before those of the next restart
}

// Snapshots are when snapshots of a pet are taken, and how many are kept.
type Snapshots struct {
	Text  string // the schedule, as written
	Times schedule.Times
	Keep  int
}
