package lifecycle

import (
	"cmp"
	"slices"
	"strconv"
)

// Description describes in words what a part is, and how a sync treats it.
type Description struct {
	Name    string
	Phase   string // PreSync, Sync or PostSync
	Wave    string // relative to the VM's own; the wave itself for objects of no single VM
	Options string // sync options
	Cleanup string // when Argo CD deletes a hook
	Why     string
}

// Parts returns the descriptions of all parts, in the order in which a sync applies them.
func Parts() []Description {
	order := []Part{
		SnapshotAccess, RestoreAccess, SnapshotJob, RestoreJob, MigrationPlan, FinishedPlan, RolloutAccess, WindowAccess,
		ScheduleAccess, PowerAccess, PatchAccess, MigrationRun, FinishedRun,
		Dependent, KeptDisk, petVM, cattleVM, replacedVM, blueGreenVM, Growth,
		AnsibleJob, RolloutJob, WindowJob, ScheduleJob, PowerJob, PatchJob,
	}
	out := make([]Description, 0, len(order))
	for _, p := range order {
		rule := &syncRules[p]
		out = append(out, Description{
			Name: rule.name, Phase: cmp.Or(rule.hook, "Sync"), Wave: rule.wave(p),
			Options: MergeOptions(removals[rule.removal], rule.options), Cleanup: rule.cleanup, Why: rule.why,
		})
	}
	return out
}

// shared are the parts that belong to no single VM.
var shared = []Part{
	RolloutJob, RolloutAccess, WindowJob, WindowAccess, ScheduleJob, ScheduleAccess, PowerJob, PowerAccess,
	PatchJob, PatchAccess, SnapshotJob, SnapshotAccess, RestoreJob, RestoreAccess,
	MigrationPlan, MigrationRun, FinishedPlan, FinishedRun,
}

// wave returns the wave of a part: relative to the VM's own, or as a number.
func (r *syncRule) wave(p Part) string {
	switch own := !slices.Contains(shared, p); {
	case p == RolloutJob, p == WindowJob, p == ScheduleJob, p == PowerJob, r.after == lastWave:
		return "the last"
	case !own:
		return strconv.Itoa(r.after)
	case r.after > 0:
		return "the VM's + " + strconv.Itoa(r.after)
	}
	return "the VM's"
}
