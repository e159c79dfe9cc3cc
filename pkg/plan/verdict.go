package plan

import (
	"cmp"
	"slices"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// verdict returns the verdict of causes: the level of the worst. What costs most comes first: what goes or fails by its
// level; then data, and then what the guest or its network takes the VM for; and the rest by its level.
func verdict(id manifest.ID, causes []Cause) Verdict {
	v := Verdict{ID: id, Causes: causes}
	slices.SortStableFunc(v.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(max(b.Level, Power), max(a.Level, Power)), cmp.Compare(a.stake(), b.stake()),
			cmp.Compare(b.Level, a.Level), a.Object.Compare(b.Object), cmp.Compare(a.Path, b.Path))
	})
	for i := range causes {
		v.Level = max(v.Level, causes[i].Level)
	}
	v.Adopted = v.Level == None && slices.ContainsFunc(causes, func(c Cause) bool { return c.Code == CodeAdopted })
	for i := range causes {
		c := &causes[i]
		v.Approximate = v.Approximate || c.Approximate != "" && max(c.Level, c.worst) >= v.Level
	}
	return v
}

// stakes are the codes of causes that are about more than the uptime of a VM.
var stakes = map[Code]int{
	"copied": atData, "not-copied": atData, "other-disk": atData, "new-disk": atData, "swapped-live": atData,
	"two-writers": atData, "state-deleted": atData, "moved": atData, "old-disks-deleted": atData,
	"disks-found": atData, "disk-deleted": atData,
	"other-state": atIdentity, "same-address": atIdentity, "same-identity": atIdentity, "identity": atIdentity,
	"renamed": atIdentity,
}

// What is at stake, the worst first.
const (
	atData = iota
	atIdentity
	atUptime
)

// stake returns what is at stake by a cause.
func (c *Cause) stake() int {
	if s, ok := stakes[c.Code]; ok {
		return s
	}
	return atUptime
}

// IsLater reports whether a cause takes effect when the VM starts again, and not with the sync.
func (c *Cause) IsLater() bool {
	return c.Level == Staged || c.Level == Restart || c.Level == Recreate && (c.When == atRestart || c.When == atNextStart)
}

// summary counts the verdicts of a plan.
func summary(p *Plan) Summary {
	s := Summary{VMs: map[Level]int{}, Objects: map[Level]int{}}
	s.add(s.VMs, p.VMs)
	s.add(s.Objects, p.Objects)
	return s
}

func (s *Summary) add(counts map[Level]int, list []Verdict) {
	for i := range list {
		v := &list[i]
		counts[v.Level]++
		if v.Adopted {
			s.Adopted++
		}
		if v.Approximate {
			s.Approximate++
		}
		if v.Gate != nil {
			s.Gated++
		}
		if v.Gate.Blocked() {
			s.Blocked++
		}
		for j := range v.Causes {
			if v.Causes[j].Warning {
				s.Warnings++
			}
		}
	}
}
