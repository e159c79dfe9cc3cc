package plan_test

import (
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/cluster"
	"github.com/vmrender/vmrender/pkg/status"
)

// The status of a VM that migrates is that of its Plan until it is a VirtualMachine in
// Git.
func TestStatusOfMoving(t *testing.T) {
	condition := func(kind string) object { return object{"type": kind, "status": "True"} }
	inPlan := func(more object) object {
		vm := object{"id": "vm-1", "targetName": "db"}
		maps.Copy(vm, more)
		return object{"migration": object{"vms": []any{object{"targetName": "other"}, vm}}}
	}
	critical := object{
		"type": "VMStorageNotMapped", "status": "True", "category": "Critical", "message": "VM has unmapped storage.",
		"items": []any{" id:vm-1 name:'db' "},
	}
	for _, c := range []struct {
		name   string
		status object // of the Plan in the cluster
		state  status.State
		code   status.FactCode
		says   string
	}{
		{
			"not ready",
			object{"conditions": []any{critical}},
			status.StateFailed, status.FactMoveFailed, "VM has unmapped storage. ( id:vm-1",
		},
		{"ready", object{"conditions": []any{condition("Ready")}}, status.StateOK, "", ""},
		{"waits", inPlan(nil), status.StateOK, "", ""},
		{
			"moves", inPlan(object{"started": "2026-12-05T22:00:00Z", "phase": "CopyDisks"}),
			status.StateUnderWay, status.FactMoving, "CopyDisks",
		},
		{
			"has moved", inPlan(object{"conditions": []any{condition("Succeeded")}}),
			status.StateNotSynced, status.FactMoved, "has moved",
		},
		{
			"failed",
			inPlan(object{"conditions": []any{condition("Failed")}, "error": object{"reasons": []any{"no space", "left"}}}),
			status.StateFailed, status.FactMoveFailed, "has not moved from vSphere: no space, left",
		},
		{
			"cancelled", inPlan(object{"conditions": []any{condition("Canceled")}}),
			status.StateUnderWay, status.FactMoving, "cancelled",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			wanted, state := load(t, "moving")[:1], load(t, "moving")[:1]
			state[0]["status"] = c.status
			s := status.New(encode(t, wanted), cluster.Settings{}, encode(t, state))
			require.Len(t, s.VMs, 1)
			require.Equal(t, "db", s.VMs[0].ID.Name)
			require.Equal(t, c.state, s.VMs[0].State)
			if c.code == "" {
				require.Empty(t, s.VMs[0].Facts)
				return
			}
			require.Equal(t, c.code, s.VMs[0].Facts[0].Code)
			require.Contains(t, s.VMs[0].Facts[0].Says, c.says)
		})
	}
	t.Run("no plan", func(t *testing.T) {
		s := status.New(encode(t, load(t, "moving")[:1]), cluster.Settings{}, nil)
		require.Equal(t, status.FactMissing, s.VMs[0].Facts[0].Code)
	})
	t.Run("in Git", func(t *testing.T) {
		_, machine := moving(t)
		s := status.New(encode(t, append(load(t, "moving"), machine...)), cluster.Settings{}, nil)
		require.Len(t, s.VMs, 1)
	})
}
