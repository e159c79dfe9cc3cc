package judge

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is what KubeVirt does with an edit.
type Verdict struct {
	// Refused says who refuses the edit, and why; everything else is empty then.
	Refused string
	// Invalid tells that what is refused would be as a new VM, too.
	Invalid bool
	// RestartRequired is the message of the VM's condition of that name.
	RestartRequired string
	// Patched are the paths that change in the running instance.
	Patched []string
	// Pending is a change of the instance that waits for a migration: what changes.
	Pending string
	// Migrated tells that a migration is asked for.
	Migrated bool
	// Evicted tells that the instance's Pod is evicted.
	Evicted bool
	// Started and Stopped tell that an instance is created, or deleted.
	Started, Stopped bool
	// Created are the DataVolumes that are created.
	Created []string
	// Rewritten are the paths that the controllers change in the VM.
	Rewritten []string
	// Failing is why the controllers cannot act on the VM any more: it is
	// admitted, but what the controllers do about it is refused, at every try.
	Failing string
	// Staged are the paths in which the next instance differs because of the edit,
	// and the running one does not have yet.
	Staged []string
	// Unstartable is why there will be no next instance.
	Unstartable string
	// FailsLater is why the controllers cannot act on the VM after its next start.
	FailsLater string
	// Touched tells that the spec of the VM changes at all.
	Touched bool
}

// Level is how much a verdict hurts, in the words of a plan.
type Level string

// The levels that an edit of a VirtualMachine can have, mildest first.
const (
	None     Level = "none"
	Metadata Level = "metadata"
	Live     Level = "live"
	Migrate  Level = "migrate"
	Staged   Level = "staged"
	Restart  Level = "restart"
	Power    Level = "power"
	Refused  Level = "refused"
)

// Level is that of the worst that happens.
func (v *Verdict) Level() Level {
	switch {
	case v.Refused != "", v.Failing != "":
		return Refused
	case v.Started, v.Stopped, v.Evicted:
		return Power
	case v.RestartRequired != "":
		return Restart
	case len(v.Staged) > 0, v.Unstartable != "", v.FailsLater != "", v.Pending != "" && !v.Migrated:
		return Staged
	case v.Migrated:
		return Migrate
	case len(v.Patched) > 0:
		return Live
	case v.Touched:
		return None
	default:
		return Metadata
	}
}

// String is the level and all that led to it.
func (v *Verdict) String() string {
	parts := []string{string(v.Level())}
	add := func(name, text string) {
		if text != "" {
			parts = append(parts, name+": "+text)
		}
	}
	flag := func(name string, set bool) {
		if set {
			parts = append(parts, name)
		}
	}
	add("by", v.Refused)
	flag("as a new VM, too", v.Invalid)
	flag("starts", v.Started)
	flag("stops", v.Stopped)
	flag("evicted", v.Evicted)
	add("restart required", v.RestartRequired)
	flag("migrates", v.Migrated)
	if !v.Migrated {
		add("waits for a migration", v.Pending)
	}
	add("instance", list(v.Patched))
	add("staged", list(v.Staged))
	add("failing", v.Failing)
	flag("does not start", v.Unstartable != "") // what it says depends on how often it was tried
	if v.Failing == "" && v.Unstartable == "" {
		add("fails after the next start", v.FailsLater)
	}
	add("creates", list(v.Created))
	add("rewrites", list(v.Rewritten))
	return strings.Join(parts, "; ")
}

// list names the first few of what may be many.
func list(paths []string) string {
	const enough = 4
	if len(paths) <= enough {
		return strings.Join(paths, " ")
	}
	return fmt.Sprintf("%s +%d", strings.Join(slices.Clone(paths[:enough]), " "), len(paths)-enough)
}
