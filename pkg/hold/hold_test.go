package hold_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/held"
	"github.com/vmrender/vmrender/pkg/hold"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/plan"
)

const token = "1a2b3c4d1a2b3c4d1a2b3c4d1a2b3c4d-5e6f7a8b5e6f7a8b5e6f7a8b5e6f7a8b"

var vmID = manifest.ID{APIVersion: "kubevirt.io/v1", Kind: "VirtualMachine", Namespace: "prod", Name: "db"}

// change returns the plan of a VM whose change needs approvals in a state.
func change(state gate.ApprovalState, edit func(*plan.Verdict)) *plan.Plan {
	v := plan.Verdict{
		ID: vmID, Level: impact.Restart,
		Causes: []impact.Cause{
			{Level: impact.Restart, Key: "cpu", Reason: "it needs a restart"}, {Level: impact.Live, Key: "labels"},
		},
		Hold: &gate.Gate{From: impact.Restart, Token: token, Approvals: []gate.Approval{
			{Risk: gate.RiskRestart, Level: impact.Restart, Token: token, State: state},
		}},
	}
	if edit != nil {
		edit(&v)
	}
	return &plan.Plan{VMs: []plan.Verdict{v}}
}

// nothing is the plan of a VM that does not change.
func nothing() *plan.Plan { return &plan.Plan{VMs: []plan.Verdict{{ID: vmID}}} }

func object(kind, name, json string) manifest.Object {
	return manifest.Object{
		ID:   manifest.ID{APIVersion: "v1", Kind: kind, Namespace: "prod", Name: name},
		JSON: []byte(json),
	}
}

func machineWith(annotations string) manifest.Object {
	return manifest.Object{ID: vmID, JSON: []byte(
		`{"apiVersion":"kubevirt.io/v1","kind":"VirtualMachine","metadata":{"name":"db","namespace":"prod","annotations":{` +
			annotations + `}},"spec":{"userData":"pass \"word\""}}`)}
}

func TestJudge(t *testing.T) {
	const name = "prod/db"
	is := map[string]string{name: "restart restart=" + token}
	file := []*held.File{{Namespace: "prod", Name: "db"}}
	plain := []manifest.Object{machineWith(`"a":"b"`)}
	secret := object("Secret", "db-cloudinit", "{}")
	open := change(gate.Missing, nil)
	for test, c := range map[string]struct {
		in      hold.Input
		want    hold.State
		problem string
	}{
		"a change that is held": {
			hold.Input{Planned: nothing(), Released: open, Annotations: is, Files: file}, hold.Held, "",
		},
		"one that is not held": {hold.Input{Planned: open, Released: open}, hold.Open, ""},
		"one that is held for another change": {
			hold.Input{
				Planned: nothing(), Released: open, Annotations: map[string]string{name: "restart restart=none-" + token},
			},
			hold.Open, "",
		},
		"one that is held with something else than the VM was": {
			hold.Input{Planned: open, Released: open, Annotations: is, Files: file}, hold.Open, "",
		},
		"an approval for another change": {
			hold.Input{Planned: open, Released: change(gate.Stale, nil)}, hold.Open, "",
		},
		"an approved change with a file": {
			hold.Input{Planned: open, Released: change(gate.Given, nil), Files: file}, hold.Leftover, "its change is approved",
		},
		"a file without a change": {
			hold.Input{Planned: nothing(), Released: nothing(), Files: file}, hold.Leftover, "nothing of its change",
		},
		"a strategy that replaces": {
			hold.Input{Planned: open, Released: open, Old: map[string][]manifest.Object{
				name: {machineWith(`"argocd.argoproj.io/sync-options":"Force=true,Replace=true"`)},
			}},
			hold.Impossible, "its strategy deletes it",
		},
		"another name": {
			hold.Input{Planned: open, Released: change(gate.Missing, func(v *plan.Verdict) { v.Was = &vmID })},
			hold.Impossible, "another name",
		},
		"a removal": {
			hold.Input{Planned: open, Released: change(gate.Missing, func(v *plan.Verdict) {
				v.Hold = &gate.Gate{From: impact.Restart, Removal: gate.RemovalMissing}
			})},
			hold.Impossible, "its removal cannot be held",
		},
		"what no token names": {
			hold.Input{Planned: open, Released: change(gate.Missing, func(v *plan.Verdict) {
				v.Hold.Approvals[0].Token, v.Hold.Approvals[0].Problem = "", "the VM itself stays as it is"
			})},
			hold.Impossible, "its change cannot be held: the VM itself stays as it is",
		},
		"a Secret that goes": {
			hold.Input{Planned: open, Released: open, Old: map[string][]manifest.Object{name: append(plain, secret)}},
			hold.Impossible, "removes its Secret db-cloudinit",
		},
		"a Secret that changes": {
			hold.Input{
				Planned: open, Released: open, Old: map[string][]manifest.Object{name: append(plain, secret)},
				New: map[string][]manifest.Object{name: {secret}},
			}, hold.Open, "",
		},
		"a private value": {
			hold.Input{
				Planned: open, Released: open, Old: map[string][]manifest.Object{name: plain}, Private: []string{`pass "word"`},
			}, hold.Impossible, "contains a value of `--set`",
		},
		"a private value of six characters": {
			hold.Input{
				Planned: open, Released: open, Old: map[string][]manifest.Object{name: plain}, Private: []string{`ass "w`},
			}, hold.Impossible, "contains a value of `--set`",
		},
		"a short value": {
			hold.Input{
				Planned: open, Released: open, Old: map[string][]manifest.Object{name: plain}, Private: []string{"pass "},
			}, hold.Open, "",
		},
		"a private value in a Secret": {
			hold.Input{
				Planned: open, Released: open, Private: []string{"correct-horse"},
				Old: map[string][]manifest.Object{name: append(plain, object("Secret", "s", `{"a":"correct-horse"}`))},
				New: map[string][]manifest.Object{name: {object("Secret", "s", `{}`)}},
			}, hold.Open, "",
		},
	} {
		t.Run(test, func(t *testing.T) {
			got := hold.Judge(&c.in)
			require.Len(t, got, 1)
			require.Equal(t, c.want, got[0].State)
			require.Contains(t, got[0].Problem, c.problem)
			require.Equal(t, c.problem == "", got[0].Problem == "")
			require.Equal(t, c.want != hold.Held, got[0].Blocks())
			if c.want == hold.Held || c.want == hold.Open {
				require.Equal(t, impact.Restart, got[0].Level)
				require.Equal(t, []string{"cpu: it needs a restart"}, got[0].Causes())
			}
			if c.want == hold.Held {
				require.Equal(t, "approve: "+token, got[0].Line())
			}
		})
	}
	require.Empty(t, hold.Judge(&hold.Input{Planned: open, Released: change(gate.Given, nil)}))
	require.Empty(t, hold.Judge(&hold.Input{Planned: nothing(), Released: nothing()}))
}

// Of manifests, only the annotations are known.
func TestKnown(t *testing.T) {
	objects := []manifest.Object{
		machineWith(`"vmrender.io/held":"power restart=` + token + `"`), object("Service", "db", `{"vmrender.io/held":"x"}`),
	}
	got := hold.Known(nothing(), hold.Annotations(objects))
	require.Len(t, got, 1)
	require.Equal(t, hold.Held, got[0].State)
	require.Equal(t, impact.Power, got[0].Level)
	require.Equal(t, "approve: "+token, got[0].Line())
	require.Empty(t, hold.Known(nothing(), hold.Annotations([]manifest.Object{machineWith(`"a":"b"`)})))
}

func TestStricter(t *testing.T) {
	for _, c := range []struct {
		old, now string
		want     impact.Level
	}{
		{"", "", impact.None},
		{"restart", "", impact.Restart},
		{"", "restart", impact.Restart},
		{"restart", "recreate", impact.Restart},
		{"data-loss", "live", impact.Live},
		{"reboot", "", impact.None},
	} {
		require.Equal(t, c.want, hold.Stricter(c.old, c.now), c)
	}
}
