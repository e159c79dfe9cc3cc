package judge

import (
	"fmt"
	"slices"
	"strings"
)

// Verdict is the effect of an edit in KubeVirt.
type Verdict struct {
	// Refused is the source and reason of a refusal. If it is set, all other fields
	// except Invalid are empty.
	Refused string
	// Invalid reports whether the refused VM would also be refused as a new one.
	Invalid bool
	// RestartRequired is the message of the VM's condition of that name.
	RestartRequired string
	// Patched are the paths that change in the running instance.
	Patched []string
	// Pending is the change of the instance that waits for a migration.
	Pending string
	// Migrated reports whether a migration is requested.
	Migrated bool
	// Evicted reports whether the instance's Pod is evicted.
	Evicted bool
	// Started and Stopped report whether an instance is created or deleted.
	Started, Stopped bool
	// Created are the DataVolumes that are created.
	Created []string
	// StateDeleted reports whether the next start deletes the claim with the state of the TPM or of the firmware.
	StateDeleted bool
	// Rewritten are the paths that the controllers change in the VM.
	Rewritten []string
	// Failing is the reason why the controllers can no longer act on the VM: it
	// is admitted, but every attempt of the controllers to act on it is
	// refused.
	Failing string
	// Staged are the paths in which the next instance differs because of the edit,
	// but the running one does not yet.
	Staged []string
	// Unstartable is the reason why there will be no next instance.
	Unstartable string
	// FailsLater is the reason why the controllers cannot act on the VM after its next start.
	FailsLater string
	// Touched reports whether the spec of the VM changes at all.
	Touched bool
}

// Level is the impact of a verdict, in the terms of a plan.
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
	DataLoss Level = "data-loss"
)

// Level returns the level of the worst effect.
func (v *Verdict) Level() Level {
	switch {
	case v.Refused != "", v.Failing != "":
		return Refused
	case v.StateDeleted:
		return DataLoss
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

// String returns the level and its reasons.
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
	flag("deletes the claim with the state of the TPM or of the firmware", v.StateDeleted)
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
	flag("does not start", v.Unstartable != "") // the message depends on the number of attempts
	if v.Failing == "" && v.Unstartable == "" {
		add("fails after the next start", v.FailsLater)
	}
	add("creates", list(v.Created))
	add("rewrites", list(v.Rewritten))
	return strings.Join(parts, "; ")
}

// list joins the first few of possibly many paths.
func list(paths []string) string {
	const enough = 4
	if len(paths) <= enough {
		return strings.Join(paths, " ")
	}
	return fmt.Sprintf("%s +%d", strings.Join(slices.Clone(paths[:enough]), " "), len(paths)-enough)
}
