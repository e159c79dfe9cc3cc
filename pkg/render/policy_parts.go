package render

import (
	"cmp"
	"slices"
	"strconv"
)

// Part is a group of objects that Argo CD treats in the same way.
type Part struct {
	Name    string
	Phase   string // PreSync, Sync or PostSync
	Wave    string // relative to the VM's own; the wave itself for objects of no single VM
	Options string // sync options
	Cleanup string // when Argo CD deletes a hook
	Why     string
}

// Parts returns all parts, in the order in which a sync applies them.
func Parts() []Part {
	order := []part{
		snapshotAccess, restoreAccess, snapshotJob, restoreJob, migrationPlan, finishedPlan, rolloutAccess, windowAccess,
		scheduleAccess, powerAccess, patchAccess, migrationRun, finishedRun,
		dependent, keptDisk, petVM, cattleVM, replacedVM, blueGreenVM, growth,
		ansibleJob, rolloutJob, windowJob, scheduleJob, powerJob, patchJob,
	}
	out := make([]Part, 0, len(order))
	for _, p := range order {
		rule := &syncRules[p]
		out = append(out, Part{
			Name: rule.name, Phase: cmp.Or(rule.hook, "Sync"), Wave: rule.wave(p),
			Options: mergeOptions(removals[rule.removal], rule.options), Cleanup: rule.cleanup, Why: rule.why,
		})
	}
	return out
}

// shared are the parts that belong to no single VM.
var shared = []part{
	rolloutJob, rolloutAccess, windowJob, windowAccess, scheduleJob, scheduleAccess, powerJob, powerAccess,
	patchJob, patchAccess, snapshotJob, snapshotAccess, restoreJob, restoreAccess,
	migrationPlan, migrationRun, finishedPlan, finishedRun,
}

// wave returns the wave of a part: relative to the VM's own, or as a number.
func (r *syncRule) wave(p part) string {
	switch own := !slices.Contains(shared, p); {
	case p == rolloutJob, p == windowJob, p == scheduleJob, p == powerJob, r.after == lastWave:
		return "the last"
	case !own:
		return strconv.Itoa(r.after)
	case r.after > 0:
		return "the VM's + " + strconv.Itoa(r.after)
	}
	return "the VM's"
}
