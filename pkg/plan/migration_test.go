package plan_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
)

// moving returns the Plan and Migration of the VM db, and the VM that Git contains afterwards.
func moving(t *testing.T) (migration, machine []object) {
	t.Helper()
	return load(t, "moving"), load(t, "absent")[:1]
}

// A VM that a migration creates is taken over, and is not new. If the cluster does not have it yet, that is a
// warning: if the sync created it, the migration could not.
func TestMoving(t *testing.T) {
	migration, machine := moving(t)
	was, now := encode(t, migration), encode(t, append(migration, machine...))
	other := load(t, "absent")[:1]
	other[0]["metadata"].(object)["name"] = "other"
	for _, c := range []struct {
		name        string
		options     plan.Options
		level       impact.Level
		code        impact.Code
		approximate bool
		warning     bool
	}{
		{name: "from the files", level: impact.Metadata, code: "taken-over", approximate: true},
		{name: "it has moved", options: plan.Options{Live: now}, level: impact.None, code: plan.CodeAdopted},
		{
			name: "not yet", options: plan.Options{Live: encode(t, append(migration, other...))},
			level: impact.Create, code: "not-moved-yet", warning: true,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := verdictOf(t, plan.New(was, now, c.options))
			require.Equal(t, c.level, v.Level)
			require.Equal(t, c.code, v.Causes[0].Code)
			require.Equal(t, c.approximate, v.Causes[0].Approximate != "")
			require.Equal(t, c.warning, v.Causes[0].Warning)
		})
	}
}

// A commit that changes VMs that are still in vSphere has the same level as it would have here.
func TestMigrationObjects(t *testing.T) {
	migration, _ := moving(t)
	kept := load(t, "moving")
	for _, o := range kept {
		o["metadata"].(object)["annotations"] = object{"argocd.argoproj.io/sync-options": "Prune=false,Delete=false"}
	}
	cancelled, cutover := load(t, "moving"), load(t, "moving")
	setIn(cancelled[1], splitPath("spec.cancel"), []any{object{"id": "vm-1"}})
	setIn(cutover[1], splitPath("spec.cutover"), "2026-12-05T22:00:00Z")
	hook, script := load(t, "hook"), load(t, "hook")
	setIn(script[0], splitPath("spec.playbook"), "LSBob3N0czogYWxs")
	keptHook := load(t, "hook")
	keptHook[0]["metadata"].(object)["annotations"] = kept[0]["metadata"].(object)["annotations"]
	for _, c := range []struct {
		name     string
		was, now []object
		level    impact.Level
		code     impact.Code
	}{
		{"a plan", nil, migration[:1], impact.Create, "created"},
		{"start", migration[:1], migration, impact.Power, "migration-starts"},
		{"cutover", migration, cutover, impact.Power, "migration-cutover"},
		{"cancel", migration, cancelled, impact.Power, "migration-cancelled"},
		{"migration removed", migration, migration[:1], impact.Delete, "migration-cancelled"},
		{"migration left", kept, kept[:1], impact.Left, "left"},
		{"plan removed", migration[:1], nil, impact.Delete, "migration-removed"},
		{"plan left", kept[:1], nil, impact.Left, "left"},
		{"a hook", nil, hook, impact.Create, "created"},
		{"another playbook", hook, script, impact.Metadata, "updated"},
		{"hook removed", hook, nil, impact.Delete, "hook-removed"},
		{"hook left", keptHook, nil, impact.Left, "left"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := plan.New(encode(t, c.was), encode(t, c.now), plan.Options{})
			require.Len(t, p.Objects, 1)
			require.Equal(t, c.level, p.Objects[0].Level)
			require.Equal(t, c.code, p.Objects[0].Causes[0].Code)
		})
	}
}

// A playbook can contain a password, so the report never shows one.
func TestPlaybookIsHidden(t *testing.T) {
	was, now := load(t, "hook"), load(t, "hook")
	setIn(now[0], splitPath("spec.playbook"), "LSBob3N0czogYWxs")
	cause := plan.New(encode(t, was), encode(t, now), plan.Options{}).Objects[0].Causes[0]
	require.Contains(t, cause.Old, `"playbook":"***"`)
	require.Equal(t, cause.Old, cause.New)
}

// A DataVolume for a claim that the VM already has is refused, for example after a migration whose entry loses
// `migrate`.
func TestClaimTaken(t *testing.T) {
	was, now := load(t, "claim")[:1], load(t, "claim")[:1]
	volume := object{"name": "data", "dataVolume": object{"name": "db-data"}}
	setIn(now[0], splitPath("spec.template.spec.volumes"), []any{volume})
	disk := object{
		"apiVersion": "cdi.kubevirt.io/v1beta1", "kind": "DataVolume",
		"metadata": object{
			"name": "db-data", "namespace": "prod", "labels": object{"app": "db", "app.kubernetes.io/managed-by": "vmrender"},
		},
		"spec": object{"source": object{"blank": object{}}},
	}
	v := verdictOf(t, plan.New(encode(t, was), encode(t, append(now, disk)), plan.Options{}))
	require.Equal(t, impact.Refused, v.Level)
	require.Equal(t, impact.Code("claim-exists"), v.Causes[0].Code)
}
