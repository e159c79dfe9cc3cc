package status

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// State is how far a VM is from its state in Git: a higher one is worse.
type State uint8

// The states, mildest first.
const (
	StateOK        State = iota // as Git has it
	StateHeld                   // as it was: Git holds a change of it until that is approved
	StateUnderWay               // a change is in progress and ends by itself
	StateStaged                 // a change takes effect at the next start, and nothing asks for one
	StateRestart                // waits for a restart
	StateNotSynced              // Git has what no sync has applied yet
	StateDrift                  // changed in the cluster, and not in Git
	StateLeftOver               // in the cluster, and no longer in Git
	StateFailed                 // a rollout has stopped at it, or a change, a snapshot, or a stop or start has failed
	StateDisk                   // a disk is not ready, or would be deleted with the VM although Git keeps it
	StateDown                   // does not run, although it should
)

// stateNames are the names in output, in the order of the states.
var stateNames = []string{
	"ok", "held", "under-way", "staged", "restart", "not-synced", "drift", "left-over", "failed", "disk", "down",
}

// States returns all states, mildest first.
func States() []State {
	out := make([]State, len(stateNames))
	for i := range out {
		out[i] = State(i)
	}
	return out
}

// String returns the name, such as "left-over".
func (s State) String() string { return stateNames[s] }

// MarshalText returns the name, as in [State.String].
func (s State) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a name. The error for another text lists the names.
func (s *State) UnmarshalText(text []byte) error {
	i := slices.Index(stateNames, string(text))
	if i < 0 {
		return fmt.Errorf("unknown state %q; accepted: %s", text, strings.Join(stateNames, ", "))
	}
	*s = State(i)
	return nil
}

// Meaning returns what a state means, in a few words.
func (s State) Meaning() string {
	return [...]string{
		"the same as in Git",
		"as it was: Git holds a change of it until that is approved",
		"an operation is in progress and ends automatically",
		"a change takes effect at the next start, and no restart is requested",
		"waits for a restart",
		"a change in Git is not synced yet",
		"changed in the cluster, and not in Git",
		"in the cluster, and no longer in Git",
		"a rollout has stopped at it, or a change, a snapshot, or a stop or start on schedule has failed",
		"a disk is not ready, or would be deleted with the VM although Git keeps it",
		"does not run, although it should",
	}[s]
}

// Status is the state of the cluster compared with Git.
type Status struct {
	// VMs are the VirtualMachines and VirtualMachinePools of Git, and those left over in
	// the cluster; worst first, then by namespace and name.
	VMs []Standing
	// Objects are the other objects of Git, without the disks of VMs, that are not as Git has them; ordered as VMs.
	Objects []Standing
	// Notes are facts about the whole, such as a sync that is running.
	Notes []string
	// Counts is the number of VMs by state; states without any are left out.
	Counts map[State]int
}

// Worst returns the worst state of all VMs and other objects, or StateOK.
func (s *Status) Worst() State {
	worst := StateOK
	for _, list := range [][]Standing{s.VMs, s.Objects} {
		for i := range list {
			worst = max(worst, list[i].State)
		}
	}
	return worst
}

// Standing is the state of one VM or other object.
type Standing struct {
	ID    manifest.ID
	State State
	// Approximate is true if the state depends on what the inputs do not contain.
	Approximate bool
	// Stopped is true if the VM does not run.
	Stopped bool
	// Facts are worst first. StateOK has none.
	Facts []Fact
}

// FactCode identifies a kind of facts in output. The codes are a closed list, [FactCodes],
// and never change their meaning.
type FactCode string

// The codes of facts.
const (
	FactNotRunning     FactCode = "not-running"
	FactDiskNotReady   FactCode = "disk-not-ready"
	FactStillOwned     FactCode = "still-owned"
	FactChangeFailed   FactCode = "change-failed"
	FactRolloutStopped FactCode = "rollout-stopped"
	FactNoSnapshot     FactCode = "snapshot-failed"
	FactScheduleFailed FactCode = "scheduled-snapshot-failed"
	FactPowerFailed    FactCode = "scheduled-power-failed"
	FactPatchFailed    FactCode = "scheduled-patch-failed"
	FactNotRestored    FactCode = "not-restored"
	FactLeftOver       FactCode = "left-over"
	FactDrift          FactCode = "drift"
	FactNotSynced      FactCode = "not-synced"
	FactMissing        FactCode = "missing"
	FactNoApplication  FactCode = "no-application"
	FactRestart        FactCode = "waits-for-restart"
	FactSticky         FactCode = "sticky-restart"
	FactFalse          FactCode = "false-restart"
	FactHeldBack       FactCode = "held-back"
	FactStaged         FactCode = "staged"
	FactUnderWay       FactCode = "under-way"
	FactHeld           FactCode = "held"
	FactMoving         FactCode = "moving"
	FactMoved          FactCode = "moved"
	FactMoveFailed     FactCode = "move-failed"
)

// FactCodes returns the codes of all facts, sorted.
func FactCodes() []FactCode {
	out := []FactCode{
		FactNotRunning, FactDiskNotReady, FactStillOwned, FactChangeFailed, FactRolloutStopped, FactNoSnapshot,
		FactScheduleFailed, FactPowerFailed, FactPatchFailed, FactNotRestored, FactLeftOver, FactDrift,
		FactNotSynced, FactMissing, FactNoApplication, FactRestart, FactSticky, FactFalse, FactHeldBack, FactStaged,
		FactUnderWay, FactHeld, FactMoving, FactMoved, FactMoveFailed,
	}
	slices.Sort(out)
	return out
}

// Fact is one thing that keeps a VM from being as Git has it.
type Fact struct {
	State State
	Code  FactCode
	// Object is the disk that it is about, if it is about one.
	Object manifest.ID
	// Says is a sentence without its full stop, such as "waits for a restart: memory, tpm".
	Says string
	// Fields are those that it is about, by path.
	Fields []impact.FieldStatus
	// Advice is what to do; it may be empty.
	Advice string
	// Approximate is what is not known, in a few words, if the fact depends on it.
	Approximate string
}

// standing returns the standing of a VM by its facts.
func standing(id manifest.ID, facts []Fact) Standing {
	slices.SortStableFunc(facts, func(a, b Fact) int { return cmp.Compare(b.State, a.State) })
	s := Standing{ID: id, Facts: facts}
	for i := range facts {
		s.State = max(s.State, facts[i].State)
	}
	for i := range facts {
		if facts[i].State == s.State && facts[i].Approximate != "" {
			s.Approximate = true
		}
	}
	return s
}
