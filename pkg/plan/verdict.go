package plan

import (
	"cmp"
	"slices"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// verdict returns the verdict of causes: the level of the worst. What costs most comes first: what goes or fails by its
// level; then data, and then what the guest or its network takes the VM for; and the rest by its level.
func verdict(id manifest.ID, causes []impact.Cause) Verdict {
	v := Verdict{ID: id, Causes: causes}
	slices.SortStableFunc(v.Causes, func(a, b impact.Cause) int {
		return cmp.Or(cmp.Compare(max(b.Level, impact.Power), max(a.Level, impact.Power)), cmp.Compare(a.Stake(), b.Stake()),
			cmp.Compare(b.Level, a.Level), a.Object.Compare(b.Object), cmp.Compare(a.Path, b.Path))
	})
	for i := range causes {
		v.Level = max(v.Level, causes[i].Level)
	}
	isAdopted := func(c impact.Cause) bool { return c.Code == CodeAdopted }
	v.Adopted = v.Level == impact.None && slices.ContainsFunc(causes, isAdopted)
	for i := range causes {
		c := &causes[i]
		v.Approximate = v.Approximate || c.Approximate != "" && max(c.Level, c.Worst) >= v.Level
	}
	return v
}

// summary counts the verdicts of a plan.
func summary(p *Plan) Summary {
	s := Summary{VMs: map[impact.Level]int{}, Objects: map[impact.Level]int{}}
	s.add(s.VMs, p.VMs)
	s.add(s.Objects, p.Objects)
	return s
}

func (s *Summary) add(counts map[impact.Level]int, list []Verdict) {
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
