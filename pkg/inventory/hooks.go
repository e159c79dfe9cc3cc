package inventory

import (
	"cmp"

	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

// longestFleet is the maximum length of a fleet's name that Jobs are named
// after: names of Jobs are also label values. The longest one ends in the hash of
// what it rolls out.
const longestFleet = values.MaxName - machine.HashLength - len("-rollout") - machine.HashLength

// mostOfCronJob is the longest name of a CronJob: those of its Jobs are longer (kubernetes v1.34,
// pkg/apis/batch/validation/validation.go, ValidateCronJobCreate).
const mostOfCronJob = 52

// longestWithWindow is the maximum length of the name of a fleet with maintenance. The name of a CronJob has the hash
// of a part of the fleet, and that of the window.
const longestWithWindow = mostOfCronJob - machine.HashLength - len("-window") - machine.HashLength

// longestWithSnapshots is the maximum length of the name of a fleet with snapshots on a schedule. The name of a CronJob
// has the hash of a part of the fleet, and that of the schedule.
const longestWithSnapshots = mostOfCronJob - machine.HashLength - machine.HashLength - len("-snapshot")

// longestWithPower is the maximum length of the name of a fleet with power. The name of a CronJob has the hash of a
// part of the fleet, and that of the times.
const longestWithPower = mostOfCronJob - machine.HashLength - machine.HashLength - len("-power-off")

// checkHooks reports settings that the Jobs of a fleet need, and conditions
// that prevent Argo CD from running hooks.
func (w *wide) checkHooks() {
	var jobs, patched, windowed, scheduled, powered, replaced, green *record // the first of each
	after, last := false, 0
	for _, r := range w.records {
		if !w.selects(r) {
			continue
		}
		first(&jobs, r, r.jobs)
		first(&patched, r, r.patched)
		first(&windowed, r, r.windowed)
		first(&scheduled, r, r.scheduled)
		first(&powered, r, r.powered)
		first(&replaced, r, r.awaited)
		first(&green, r, r.green)
		after, last = after || r.after, max(last, r.lastWave())
	}
	if jobs != nil {
		w.checkFleetName(jobs, longestFleet,
			"Jobs are named after the fleet: for `strategy: rollout`, `snapshotBefore` and `restoreFrom`")
	}
	w.checkImage(cmp.Or(jobs, patched))
	switch { // the longer suffix first
	case powered != nil:
		w.checkFleetName(powered, longestWithPower, "CronJobs are named after the fleet: for `power`")
	case scheduled != nil:
		w.checkFleetName(scheduled, longestWithSnapshots, "CronJobs are named after the fleet: for `snapshots`")
	case windowed != nil:
		w.checkFleetName(windowed, longestWithWindow, "CronJobs are named after the fleet: for `maintenance`")
	}
	w.checkOutOfSyncOnly(replaced, green)
	w.checkStopped(last, after)
}

// first keeps the first VM of those that something is true of.
func first(of **record, r *record, is bool) {
	if is && *of == nil {
		*of = r
	}
}

// checkOutOfSyncOnly warns of a sync option that a strategy needs, or that makes one dangerous. replaced and green are
// the first VMs with such a strategy; nil if there is none.
func (w *wide) checkOutOfSyncOnly(replaced, green *record) {
	only := w.fleet.Header.Target.ApplyOutOfSyncOnly
	if w.fleet.Header.Target.ByFlux() { // which has neither of the strategies
		return
	}
	if replaced != nil && !only {
		w.diags.Warnf(w.fleet.HeaderPos(replaced.pos, "target"), rule.Replace, "target.applyOutOfSyncOnly",
			"`strategy: replace` deletes and recreates all changed VMs with their disks at the same time, and repeats it "+
				"in every sync unless the Application has ApplyOutOfSyncOnly=true; "+
				"set that sync option and this key to true, or use another strategy")
	}
	if green != nil && only {
		w.diags.Warnf(w.fleet.HeaderPos(green.pos, "target"), rule.BlueGreen, "target.applyOutOfSyncOnly",
			"with ApplyOutOfSyncOnly=true, a sync that is retried skips a new VM that has failed, and deletes the old one; "+
				"put VMs with `strategy: blue-green` into a fleet without it")
	}
}

// checkImage reports that the Jobs of the fleet have no image. r is the first VM with a Job; nil if there is none.
func (w *wide) checkImage(r *record) {
	if r != nil && w.fleet.Header.Target.Image == "" {
		w.diags.Errorf(w.fleet.HeaderPos(r.pos, "target"), rule.DefaultImage, "target.image",
			"missing; set it to the image of vmrender in your registry, which the Jobs of `strategy: rollout`, "+
				"`snapshotBefore`, `maintenance`, `snapshots`, `power`, `restoreFrom` and `ansible.schedule` run, or use --image")
	}
}

// checkFleetName reports a name of the fleet that is too long for what is named after it. r is the first VM with such
// an object.
func (w *wide) checkFleetName(r *record, most int, where string) {
	if name := w.fleet.Header.Metadata.Name; len(name) > most && values.NameProblem(name) == "" {
		w.diags.Errorf(w.fleet.HeaderPos(r.pos, "metadata", "name"), rule.BadName, "metadata.name",
			"%q has %d characters; at most %d are accepted where %s", name, len(name), most, where)
	}
}

// checkStopped warns of stopped VMs that Argo CD waits for: before 3.5.3, a VM
// whose run strategy stops it is never healthy (argo-cd pull request 29664).
func (w *wide) checkStopped(last int, hooks bool) {
	t := &w.fleet.Header.Target
	if t.ByFlux() || t.HealthChecks || !versions.Before(t.ArgoCD, "3.6") {
		return
	}
	for _, r := range w.records {
		if r.stopped != nil && r.stopped.Line > 0 && w.selects(r) && (hooks || r.wave < last) {
			key, until := "runStrategy", "to run"
			if r.powered {
				key, until = "power", "to run, also while it is off,"
			}
			w.diags.Warnf(*r.stopped, rule.Stopped, r.path()+"."+key,
				"Argo CD %s waits for this VM %s before it continues with later waves and hooks; "+
					"install the health checks of plugin/, and set `target: {healthChecks: true}`", t.ArgoCD, until)
			return // all have the same remedy
		}
	}
}
