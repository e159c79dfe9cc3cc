package limits_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/limits"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/values"
)

func planned(levels ...impact.Level) *plan.Plan {
	p := &plan.Plan{Summary: plan.Summary{VMs: map[impact.Level]int{}}}
	for _, l := range levels {
		p.VMs = append(p.VMs, plan.Verdict{Level: l})
		p.Summary.VMs[l]++
	}
	return p
}

// A limit counts the VMs of its level and of worse ones, and the stricter side holds.
func TestJudge(t *testing.T) {
	restart := func(n int) *values.Limits { return &values.Limits{Restart: &n} }
	two := planned(
		impact.Restart, impact.None, impact.DataLoss, impact.Create, impact.Metadata, impact.Live, impact.Refused,
	)
	for name, test := range map[string]struct {
		old, now *values.Limits
		want     map[string]int // the VMs that count, by key
	}{
		"none":                {want: map[string]int{}},
		"as many":             {now: restart(2), want: map[string]int{}},
		"fewer":               {now: restart(1), want: map[string]int{"restart": 2}},
		"no restart":          {now: restart(0), want: map[string]int{"restart": 2}},
		"a worse level":       {now: &values.Limits{Recreate: new(0)}, want: map[string]int{"recreate": 1}},
		"a milder level":      {now: &values.Limits{Live: new(2)}, want: map[string]int{"live": 3}},
		"all levels":          {now: &values.Limits{DataLoss: new(1), Delete: new(0)}, want: map[string]int{"delete": 1}},
		"raised":              {old: restart(1), now: restart(9), want: map[string]int{"restart": 2}},
		"taken away":          {old: restart(1), want: map[string]int{"restart": 2}},
		"lowered":             {old: restart(9), now: restart(1), want: map[string]int{"restart": 2}},
		"a third of six":      {now: &values.Limits{Percent: new(33)}, want: map[string]int{"percent": 2}},
		"just above a third":  {now: &values.Limits{Percent: new(34)}, want: map[string]int{}},
		"a percentage of all": {old: &values.Limits{Percent: new(100)}, want: map[string]int{}},
	} {
		got := map[string]int{}
		for _, e := range limits.Judge(test.old, test.now, two) {
			got[e.Key] = len(e.VMs)
		}
		require.Equal(t, test.want, got, name)
	}
	percent := limits.Judge(nil, &values.Limits{Percent: new(0)}, two)
	require.Equal(t, []limits.Excess{{Key: "percent", Level: impact.Restart, VMs: []int{0, 2}, Of: 6}}, percent)
}

// Every limit counts from a level.
func TestLimitsAreLevels(t *testing.T) {
	all := &values.Limits{
		Live: new(0), Migrate: new(0), Staged: new(0), Restart: new(0), Power: new(0), Recreate: new(0), Delete: new(0),
		DataLoss: new(0), Percent: new(0),
	}
	require.Len(t, limits.Judge(all, nil, planned(impact.DataLoss)), len(values.LimitKeys()))
}
