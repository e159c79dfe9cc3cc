package report_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/hold"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report"
)

// holds returns a VM whose change is held, or should be. The digit tells its token from others.
func holds(name, digit string, state hold.State, key string) hold.VM {
	token := strings.Repeat("a", 32) + "-" + strings.Repeat(digit, 32)
	id := manifest.ID{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine", Namespace: "prod", Name: name}
	return hold.VM{
		ID: id, State: state, Level: impact.Restart, Approvals: []held.Approval{{Risk: "restart", Token: token}},
		Verdict: &plan.Verdict{
			ID: id, Level: impact.Restart, Causes: []impact.Cause{{Level: impact.Restart, Key: key, Reason: "it needs one"}},
			Hold: &gate.Gate{From: impact.Restart, Token: token, Approvals: []gate.Approval{
				{Risk: gate.RiskRestart, Level: impact.Restart, Token: token, State: gate.Missing},
			}},
		},
	}
}

// Every format lists what is held, and what is wrong with it. One token releases the VMs with one cause.
func TestHolds(t *testing.T) {
	impossible, leftover := holds("old", "4", hold.Impossible, "os"), holds("gone", "5", hold.Leftover, "os")
	impossible.Approvals, impossible.Problem = nil, "it cannot be held"
	leftover.Approvals, leftover.Problem = nil, "its change is approved"
	known := hold.VM{
		ID: manifest.ID{Kind: "VirtualMachine", Namespace: "prod", Name: "known"}, Level: impact.Power,
		Approvals: []held.Approval{{Risk: "restart", Token: "none-" + strings.Repeat("6", 32)}},
	}
	p := report.Plan{
		Plan: &plan.Plan{Summary: plan.Summary{VMs: map[impact.Level]int{impact.None: 6}}},
		Holds: []hold.VM{
			holds("db", "1", hold.Held, "memory"), holds("web1", "2", hold.Held, "cpu"), holds("web2", "3", hold.Held, "cpu"),
			holds("app", "7", hold.Open, "tpm"), impossible, leftover, known,
		},
	}
	require.True(t, p.HoldBlocks())
	require.Equal(t, "4 VMs held, 3 VMs not held as it should be", p.GateHeadline())
	texts := map[string]string{}
	for _, n := range p.GateNotes() {
		texts[strings.Join(n.Names, " ")] = n.Text
		require.Equal(t, n.Blocks, n.Code == gate.CodeNotHeld)
		if strings.Contains(n.Text, "one token") {
			require.Regexp(t, `^approved: \[restart\.`, n.Line)
		}
	}
	shared := "held: restart (cpu): the VM stays as it was until this is approved; " +
		"one token in `policy` of the fleet releases all that have this cause"
	require.Equal(t, map[string]string{
		"prod/db":             "held: restart (memory): the VM stays as it was until this is approved",
		"prod/web1 prod/web2": shared,
		"prod/app": "restart is to be held, and is neither held nor approved: " +
			"run `vmrender hold`, and commit its files",
		"prod/old": "it cannot be held: approve the change, or take it back",
		"prod/gone": "a file holds it without need, because its change is approved: " +
			"run `vmrender hold`, and commit what it removes",
		"prod/known": "held: power: the VM stays as it was until this is approved",
	}, texts)
	for _, format := range report.PlanFormats() {
		var out bytes.Buffer
		require.NoError(t, format.Write(&out, p))
		require.Contains(t, out.String(), "web1", format.Name)
		require.Contains(t, out.String(), "held", format.Name)
	}
	d := p.Document()
	require.Len(t, d.Holds, 7)
	require.Len(t, d.Approvals, 1)
	require.Equal(t, "memory", d.Holds[0].Causes[0].Key)
	p.Holds = p.Holds[:3]
	require.False(t, p.HoldBlocks())
	p.Holds = nil
	require.Empty(t, p.GateHeadline())
	require.Empty(t, p.Document().Holds)
}
