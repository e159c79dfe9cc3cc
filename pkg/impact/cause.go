package impact

import (
	"slices"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Cause is one reason for a level.
type Cause struct {
	// Object is the object with the field, if it is not the verdict's own.
	Object manifest.ID
	// Path of the field, such as "spec.template.spec.domain.memory.guest", with the
	// names of list entries in brackets: "….disks[data].disk.bus". Empty if the cause
	// is the object as a whole.
	Path string
	// Key is the key of the values file that sets the field, such as "memory" or
	// "disks.data"; empty if there is none.
	Key   string
	Level Level
	// Code is the rule's identifier, from a closed list.
	Code   Code
	Reason string
	// Advice is what to do instead, or next; it may be empty.
	Advice string
	// When is when it takes effect, if not immediately: "at the next start".
	When string
	// Old and New are the values as compact JSON, cut and without secrets. They are
	// empty for a field that is added or removed.
	Old string
	New string
	// Approximate is what is not known, in a few words, if the level depends on it.
	Approximate string
	// Acts is true if the object acts on VMs, so that a gate judges its creation.
	Acts bool
	// Worst returns the worst level that what is not known, or not by the cluster's policies, can
	// lead to.
	Worst Level
	// Warning is true if the cause is dangerous later, whatever its level now.
	Warning bool
}

// Code identifies a rule in output. Codes are a closed list, [plan.Codes], and never change
// their meaning.
type Code string

// Limit returns the level in an annotation of one side, or None.
func Limit(side manifest.Tree, key string) Level {
	i := slices.Index(levelNames, cluster.Annotation(side, key))
	return Level(max(i, 0)) //nolint:gosec // one of the levels
}

// Weakens reports whether a limit of a VM lets more changes pass than before, or is gone.
func Weakens(old, now manifest.Tree, key string) bool {
	before, after := Limit(old, key), Limit(now, key)
	return before > None && (after == None || after > before)
}

// WorstOf returns the worst level of causes, or None.
func WorstOf(causes []Cause) (l Level) {
	for i := range causes {
		l = max(l, causes[i].Level)
	}
	return l
}

// stakes are the codes of causes that are about more than the uptime of a VM.
var stakes = map[Code]int{
	"copied": atData, "not-copied": atData, "other-disk": atData, "new-disk": atData, "swapped-live": atData,
	"two-writers": atData, "state-deleted": atData, "moved": atData, "old-disks-deleted": atData,
	"disks-found": atData, "disk-deleted": atData,
	CodeRestored:  atData,
	"other-state": atIdentity, "same-address": atIdentity, "same-identity": atIdentity, "identity": atIdentity,
	"renamed": atIdentity,
}

// What is at stake, the worst first.
const (
	atData = iota
	atIdentity
	atUptime
)

// Stake returns what is at stake by a cause.
func (c *Cause) Stake() int {
	if s, ok := stakes[c.Code]; ok {
		return s
	}
	return atUptime
}

// IsLater reports whether a cause takes effect when the VM starts again, and not with the sync.
func (c *Cause) IsLater() bool {
	return c.Level == Staged || c.Level == Restart || c.Level == Recreate && (c.When == AtRestart || c.When == AtNextStart)
}
