package plan

import (
	"cmp"
	"slices"

	"github.com/vmrender/vmrender/pkg/manifest"
)

// verdict returns the verdict of causes: the level of the worst.
func verdict(id manifest.ID, causes []Cause) Verdict {
	v := Verdict{ID: id, Causes: causes}
	slices.SortStableFunc(v.Causes, func(a, b Cause) int {
		return cmp.Or(cmp.Compare(b.Level, a.Level), a.Object.Compare(b.Object), cmp.Compare(a.Path, b.Path))
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
