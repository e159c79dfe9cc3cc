package plan_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/status"
)

// What is to be held is decided by the level of the fleet, with or without a gate, and by what the VM does anyway.
func TestHold(t *testing.T) {
	const window = "Sun 02:00-04:00 UTC"
	digest, approved := notes{"becomes": now}, notes{"becomes": now, "approved": "restart=11111111-22222222"}
	for name, test := range map[string]struct {
		base    string
		now     notes
		edit    func([]object)
		level   impact.Level
		needs   []string
		removal gate.Removal
		blocked bool
	}{
		"a restart":           {now: digest, edit: set(2, cores), level: impact.Restart, needs: []string{"restart/restart missing"}, blocked: true},
		"a milder change":     {now: digest, edit: set("8Gi", memory), level: impact.Restart},
		"a stricter level":    {now: digest, edit: set("8Gi", memory), level: impact.Live, needs: []string{"restart/migrate missing"}, blocked: true},
		"no level":            {now: digest, edit: set(2, cores)},
		"an approved restart": {now: approved, edit: set(2, cores), level: impact.Restart, needs: []string{"restart/restart given"}},
		"a window":            {now: with(digest, "maintenance", window), edit: set(2, cores), level: impact.Restart},
		"a window, and a stop": {
			now: with(digest, "maintenance", window), edit: both(set(2, cores), set("Halted", strategy)), level: impact.Restart,
			needs: []string{"restart/power missing"}, blocked: true,
		},
		"a staged one":          {now: with(digest, "stage", "true"), edit: set(2, cores), level: impact.Restart},
		"two risks":             {base: "cattle", now: digest, edit: both(newRoot, set(2, cores)), level: impact.Restart, needs: []string{"restart/restart missing", "delete/recreate missing"}, blocked: true},
		"a removal":             {base: "cattle", edit: remove(0), level: impact.Restart, removal: gate.RemovalMissing, blocked: true},
		"a VM that stays":       {edit: remove(0), level: impact.Live},
		"a gate that is weaker": {now: with(digest, "approve-from", "power"), edit: unchanged, level: impact.Live},
	} {
		t.Run(name, func(t *testing.T) {
			base := test.base
			if base == "" {
				base = "pet"
			}
			old, edited := load(t, base), load(t, base)
			notes{"becomes": was}.set(old)
			test.now.set(edited)
			test.edit(edited)
			o := plan.Options{Cluster: openshift, Hold: test.level}
			o.Cluster.LiveMigratable = new(true)
			v := &plan.New(encode(t, old), encode(t, edited), o).VMs[0]
			require.Equal(t, test.blocked, v.Hold.Blocked())
			if test.needs == nil && test.removal == "" {
				require.Nil(t, v.Hold)
				return
			}
			var needs []string
			for _, a := range v.Hold.Approvals {
				needs = append(needs, fmt.Sprintf("%s/%s %s", a.Risk, a.Level, a.State))
			}
			require.Equal(t, test.needs, needs)
			require.Equal(t, test.removal, v.Hold.Removal)
		})
	}
	edited := load(t, "pet")
	require.Nil(t, plan.New(nil, encode(t, edited), plan.Options{Cluster: openshift, Hold: impact.Live}).VMs[0].Hold, "a new VM")
}

// Status says which VMs are held, and what releases them, according to the cluster.
func TestStatusHeld(t *testing.T) {
	w := newWorld(t)
	w.applied(set("restart restart=11111111-22222222", "metadata.annotations.vmrender~io/held"))
	s := w.status(t)
	require.Equal(t, status.StateHeld, s.VMs[0].State, "%+v", s.VMs[0].Facts)
	require.Equal(t, status.FactHeld, s.VMs[0].Facts[0].Code)
	require.Equal(t, "held: restart; approve: 11111111-22222222 releases it", s.VMs[0].Facts[0].Says)
	require.Contains(t, status.FactCodes(), status.FactHeld)
}
