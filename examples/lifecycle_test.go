package examples

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/fleet"
	"github.com/vmrender/vmrender/pkg/inventory"
	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/render"
)

// TestLifecycle proves that the example contains every kind and strategy with all of
// their options and has no problems, not even warnings. Only VMs that are replaced are in
// another example, because their Application needs its own sync option.
func TestLifecycle(t *testing.T) {
	c := render.NewCollector()
	_, diags := inventory.Visit("lifecycle", fleet.Options{}, c.Visit)
	rendered := c.Rendered(diags)
	require.Empty(t, lines(diags))
	var jobs []string
	for _, r := range rendered {
		if r.Jobs {
			jobs = append(jobs, r.Name)
		}
	}
	require.Len(t, jobs, 5, "one that rolls out, one that takes snapshots, and one for each schedule, window and power")

	notInExample := []string{
		"Argo CD before 2.14", "data disks that are not kept", "disks that are not kept",
		"`removal: confirm`", "`removal: approved`", "`protection: none`", "`restoreFrom`",
	}
	f, _ := inventory.Load("lifecycle", fleet.Options{})
	replaced, _ := inventory.Load("fleet", fleet.Options{})
	policies, said := map[string]bool{}, map[string]bool{}
	for _, m := range slices.Concat(f.Machines, replaced.Machines) {
		p := lifecycle.PolicyOf(m, render.VM(m))
		policies[p.Kind+string(p.Strategy)] = true
		for _, fact := range p.Facts {
			said[fact.Text] = true
		}
	}
	for _, p := range lifecycle.Policies() {
		require.True(t, policies[p.Kind+string(p.Strategy)], "%s %s", p.Kind, p.Strategy)
		for _, fact := range p.Facts {
			if fact.Given != "" && p.Kind == "pet" && !slices.Contains(notInExample, fact.Given) {
				require.True(t, said[fact.Text], fact.Text)
			}
		}
	}
}
