package plan_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/values"
)

// notes are annotations of the first object, by their names under vmrender.io/.
type notes map[string]string

func (n notes) set(objects []object) {
	for key, value := range n {
		setIn(objects[0], splitPath("metadata.annotations.vmrender~io/"+key), value)
	}
}

const (
	was, now, other = "11111111", "22222222", "33333333"

	cores  = "spec.template.spec.domain.cpu.cores"
	podApp = "spec.template.metadata.labels.app"
)

// from is the gate of a VM before its change.
var from = notes{"approve-from": "restart", "becomes": was}

// to is the gate after the change, with an annotation of approvals.
func to(approved string) notes {
	n := notes{"approve-from": "restart", "becomes": now}
	if approved != "" {
		n["approved"] = approved
	}
	return n
}

func with(n notes, key, value string) notes {
	out := notes{key: value}
	for k, v := range n {
		if k != key {
			out[k] = v
		}
	}
	return out
}

func without(n notes, key string) notes {
	out := with(n, key, "")
	delete(out, key)
	return out
}

var (
	newRoot = both(
		set("web-root-2222", "spec.dataVolumeTemplates.0.metadata.name"),
		set("web-root-2222", "spec.template.spec.volumes.0.dataVolume.name"),
	)
	recreated = set("Prune=true,Force=true,Replace=true", options)
)

// unchanged leaves everything but the annotations of the gate.
func unchanged([]object) {}

// judgments are changes of a VM, with its gates before and after, and what each change
// needs. Omitted fields mean none.
var judgments = []struct {
	name     string
	base     string // file of testdata; pet by default
	was, now notes
	state    notes // of the object in the cluster, if known
	edit     func([]object)

	needs   []string // risk/level, and state of the approval
	line    string   // for the entry
	exceeds impact.Level
	removal gate.Removal
	staged  []string
	blocked bool
	ungated bool
	unknown bool // whether the VM can migrate
}{
	{name: "a milder change, or a restart", was: from, now: to(""), edit: set("8Gi", memory), needs: []string{"restart/restart missing"}, line: "approve: 11111111-22222222", blocked: true, unknown: true},
	{name: "that is left for the next start, if it is one", was: from, now: with(to(""), "stage", "true"), edit: set("8Gi", memory), staged: []string{"memory"}, unknown: true},
	{name: "a migration or a restart", was: with(from, "approve-from", "live"), now: with(with(to(""), "approve-from", "live"), "stage", "true"), edit: set("8Gi", memory), needs: []string{"restart/restart missing"}, line: "approve: 11111111-22222222", blocked: true, unknown: true},
	{name: "a ceiling that a migration keeps, and a restart does not", was: notes{"max-impact": "migrate"}, now: notes{"max-impact": "migrate"}, edit: set("8Gi", memory), exceeds: impact.Restart, blocked: true, unknown: true},
	{name: "no gate", was: notes{"becomes": was}, now: notes{"becomes": now}, edit: set(2, cores), ungated: true},
	{name: "a milder change", was: from, now: to(""), edit: set("8Gi", memory)},
	{name: "a staged one", was: from, now: to(""), edit: set("x", podApp)},
	{name: "a stop", was: from, now: to(""), edit: set("Halted", strategy), needs: []string{"restart/power missing"}, line: "approve: 11111111-22222222", blocked: true},
	{name: "a restart", was: from, now: to(""), edit: set(2, cores), needs: []string{"restart/restart missing"}, line: "approve: 11111111-22222222", blocked: true},
	{name: "an approved restart", was: from, now: to("restart=11111111-22222222"), edit: set(2, cores), needs: []string{"restart/restart given"}},
	{name: "a stricter gate", was: with(from, "approve-from", "live"), now: with(to(""), "approve-from", "live"), edit: set("8Gi", memory), needs: []string{"restart/migrate missing"}, line: "approve: 11111111-22222222", blocked: true},
	{name: "refused anyway", was: from, now: to(""), edit: set("sometimes", strategy)},
	{name: "a new root disk", base: "cattle", was: from, now: to(""), edit: newRoot, needs: []string{"delete/recreate missing"}, line: "approve: {delete: 11111111-22222222}", blocked: true},

	// An approval of one risk covers no other risk.
	{name: "a restart for a new root disk", base: "cattle", was: from, now: to("restart=11111111-22222222"), edit: newRoot, needs: []string{"delete/recreate missing"}, line: "approve: {delete: 11111111-22222222}", blocked: true},
	{name: "data for a restart", was: from, now: to("data=11111111-22222222"), edit: set(2, cores), needs: []string{"restart/restart missing"}, line: "approve: 11111111-22222222", blocked: true},
	{name: "deletion for loss of data", base: "cattle", was: from, now: to("delete=11111111-22222222"), edit: both(recreated, set(2, cores)), needs: []string{"delete/recreate given", "data/data-loss missing"}, line: "approve: {delete: 11111111-22222222, data: 11111111-22222222}", blocked: true},
	{name: "each risk for itself", base: "cattle", was: from, now: to("delete=11111111-22222222,data=11111111-22222222"), edit: both(recreated, set(2, cores)), needs: []string{"delete/recreate given", "data/data-loss given"}},
	{name: "a restart next to a new root disk", base: "cattle", was: from, now: to(""), edit: both(newRoot, set(2, cores)), needs: []string{"restart/restart missing", "delete/recreate missing"}, line: "approve: {restart: 11111111-22222222, delete: 11111111-22222222}", blocked: true},

	// An approval covers one change.
	{name: "of another result", was: from, now: to("restart=11111111-33333333"), edit: set(2, cores), needs: []string{"restart/restart stale"}, line: "approve: 11111111-22222222", blocked: true},
	{name: "used up", was: with(from, "approved", "restart=33333333-11111111"), now: to("restart=33333333-11111111"), edit: set(2, cores), needs: []string{"restart/restart stale"}, line: "approve: 11111111-22222222", blocked: true},
	{name: "of the way back", was: from, now: to("restart=22222222-11111111"), edit: set(2, cores), needs: []string{"restart/restart stale"}, line: "approve: 11111111-22222222", blocked: true},
	{name: "of the old side only", was: with(from, "approved", "restart=11111111-22222222"), now: to(""), edit: set(2, cores), needs: []string{"restart/restart missing"}, line: "approve: 11111111-22222222", blocked: true},
	{name: "the base has moved", was: from, now: to("restart=11111111-22222222"), state: with(from, "becomes", other), edit: set(2, cores), needs: []string{"restart/restart stale"}, line: "approve: 33333333-22222222", blocked: true},
	{name: "for what the cluster has", was: from, now: to("restart=33333333-22222222"), state: with(from, "becomes", other), edit: set(2, cores), needs: []string{"restart/restart given"}},
	{name: "a label of the VM does not void it", was: from, now: to("restart=11111111-22222222"), edit: both(set(2, cores), set("x", "metadata.labels.team")), needs: []string{"restart/restart given"}},
	{name: "half a token", was: from, now: to("restart=-22222222"), edit: set(2, cores), needs: []string{"restart/restart stale"}, line: "approve: 11111111-22222222", blocked: true},

	// A commit cannot switch off the gate and benefit from that.
	{name: "switched off", was: from, now: notes{}, edit: set(2, cores), needs: []string{"restart/restart missing", "gate/metadata missing"}, blocked: true},
	{name: "switched off, with an old approval", was: from, now: notes{"approved": "restart=11111111-"}, edit: set(2, cores), needs: []string{"restart/restart missing", "gate/metadata missing"}, blocked: true},
	{name: "lowered", was: from, now: with(to(""), "approve-from", "data-loss"), edit: set(2, cores), needs: []string{"restart/restart missing", "gate/metadata missing"}, line: "approve: {restart: 11111111-22222222, gate: 11111111-22222222}", blocked: true},
	{name: "raised", was: with(from, "approve-from", "data-loss"), now: to(""), edit: set(2, cores), needs: []string{"restart/restart missing"}, line: "approve: 11111111-22222222", blocked: true},
	{name: "switched on", was: notes{}, now: to(""), edit: set(2, cores), needs: []string{"restart/restart missing"}, line: "approve: none-22222222", blocked: true},
	{name: "switched on, approved", was: notes{}, now: to("restart=none-22222222"), edit: set(2, cores), needs: []string{"restart/restart given"}},
	{name: "only in the cluster", was: notes{}, now: notes{}, state: from, edit: set(2, cores), needs: []string{"restart/restart missing", "gate/metadata missing"}, blocked: true},
	{name: "ceiling taken away", was: with(from, "max-impact", "migrate"), now: to("restart=11111111-22222222"), edit: set(2, cores), needs: []string{"restart/restart given", "gate/metadata missing"}, line: "approve: {restart: 11111111-22222222, gate: 11111111-22222222}", exceeds: impact.Restart, blocked: true},
	{name: "switched off for later", was: from, now: notes{}, edit: unchanged, needs: []string{"gate/metadata missing"}, blocked: true},
	{name: "lowered for later", was: from, now: with(to(""), "approve-from", "power"), edit: unchanged, needs: []string{"gate/metadata missing"}, line: "approve: {gate: 11111111-22222222}", blocked: true},
	{name: "lowered for later, with another approval", was: from, now: with(to("restart=11111111-22222222"), "approve-from", "power"), edit: unchanged, needs: []string{"gate/metadata missing"}, line: "approve: {gate: 11111111-22222222}", blocked: true},
	{name: "lowered for later, approved", was: from, now: with(to("gate=11111111-22222222"), "approve-from", "power"), edit: unchanged, needs: []string{"gate/metadata given"}},
	{name: "taken away, approved", was: from, now: with(to("gate=11111111-22222222"), "approve-from", "none"), edit: unchanged, needs: []string{"gate/metadata given"}},
	{name: "gone after it was taken away", was: with(from, "approve-from", "none"), now: notes{}, edit: unchanged, ungated: true},
	{name: "a restart after it was taken away", was: with(from, "approve-from", "none"), now: with(to(""), "approve-from", "none"), edit: set(2, cores), ungated: true},
	{name: "ceiling raised for later", was: notes{"max-impact": "live", "becomes": was}, now: notes{"max-impact": "delete", "becomes": now}, edit: unchanged, needs: []string{"gate/metadata missing"}, line: "approve: {gate: 11111111-22222222}", blocked: true},
	{name: "stricter for later", was: from, now: with(with(to(""), "approve-from", "live"), "max-impact", "metadata"), edit: unchanged},

	// The ceiling takes precedence over approvals and stage.
	{name: "above the ceiling", was: with(from, "max-impact", "staged"), now: with(to("restart=11111111-22222222"), "max-impact", "staged"), edit: set(2, cores), needs: []string{"restart/restart given"}, exceeds: impact.Restart, blocked: true},
	{name: "ceiling only", was: notes{"max-impact": "migrate"}, now: notes{"max-impact": "migrate"}, edit: set(2, cores), exceeds: impact.Restart, blocked: true},
	{name: "below the ceiling", was: notes{"max-impact": "restart"}, now: notes{"max-impact": "restart"}, edit: set(2, cores)},
	{name: "ceiling lowered", was: notes{"max-impact": "delete"}, now: notes{"max-impact": "metadata"}, edit: set("b", "spec.template.spec.nodeSelector.zone"), exceeds: impact.Live, blocked: true},
	{name: "staged above the ceiling", was: with(from, "max-impact", "staged"), now: with(with(to(""), "stage", "true"), "max-impact", "staged"), edit: set(2, cores), staged: []string{"cpu"}, exceeds: impact.Restart, blocked: true},

	// Stage is only for changes that wait for a restart.
	{name: "staged", was: from, now: with(to(""), "stage", "true"), edit: set(2, cores), staged: []string{"cpu"}},
	{name: "stage of the old side only", was: with(from, "stage", "true"), now: to(""), edit: set(2, cores), needs: []string{"restart/restart missing"}, line: "approve: 11111111-22222222", blocked: true},
	{name: "a stop is not staged", was: from, now: with(to(""), "stage", "true"), edit: both(set(2, cores), set("Halted", strategy)), staged: []string{"cpu"}, needs: []string{"restart/power missing"}, line: "approve: 11111111-22222222", blocked: true},
	{name: "a migration is not staged", was: with(from, "approve-from", "live"), now: with(with(to(""), "approve-from", "live"), "stage", "true"), edit: set("8Gi", memory), needs: []string{"restart/migrate missing"}, line: "approve: 11111111-22222222", blocked: true},
	{name: "another claim is not staged", was: from, now: with(to(""), "stage", "true"), edit: set("other", "spec.template.spec.volumes.1.persistentVolumeClaim.claimName"), needs: []string{"delete/recreate missing"}, line: "approve: {delete: 11111111-22222222}", blocked: true},
	{name: "a disk of another name is not staged", was: from, now: with(to(""), "stage", "true"), edit: renamedDisk, needs: []string{"delete/recreate missing"}, staged: []string{"disks.data", "disks.logs"}, line: "approve: {delete: 11111111-22222222}", blocked: true},
	{name: "a swap under a running guest is not live", was: from, now: to(""), edit: set("other", "spec.template.spec.volumes.2.persistentVolumeClaim.claimName"), needs: []string{"delete/recreate missing"}, line: "approve: {delete: 11111111-22222222}", blocked: true},
	{name: "a new disk is not staged", base: "cattle", was: from, now: with(to(""), "stage", "true"), edit: newRoot, needs: []string{"delete/recreate missing"}, line: "approve: {delete: 11111111-22222222}", blocked: true},

	// An object that is removed together with its entry needs an earlier commit, not a
	// token.
	{name: "kept", was: from, edit: remove(0)},
	{name: "cattle of before the gate", base: "cattle", was: from, edit: remove(0), removal: gate.RemovalMissing, blocked: true},
	{name: "removal below the gate", base: "cattle", was: notes{"max-impact": "data-loss"}, edit: remove(0)},
	{name: "removal above the ceiling", base: "cattle", was: with(from, "max-impact", "recreate"), edit: remove(0), removal: gate.RemovalMissing, exceeds: impact.DataLoss, blocked: true},
}

func TestGate(t *testing.T) {
	for _, test := range judgments {
		t.Run(test.name, func(t *testing.T) {
			base := test.base
			if base == "" {
				base = "pet"
			}
			old, edited, live := load(t, base), load(t, base), load(t, base)
			test.was.set(old)
			test.now.set(edited)
			test.edit(edited)
			o := plan.Options{Cluster: openshift}
			migrates := true
			if !test.unknown {
				o.Cluster.LiveMigratable = &migrates
			}
			if test.state != nil {
				test.state.set(live)
				o.Live = encode(t, live)
			}
			p := plan.New(encode(t, old), encode(t, edited), o)
			require.Len(t, p.VMs, 1)
			g := p.VMs[0].Gate
			if test.ungated {
				require.Nil(t, g)
				return
			}
			require.NotNil(t, g)
			var needs []string
			for _, a := range g.Approvals {
				needs = append(needs, fmt.Sprintf("%s/%s %s", a.Risk, a.Level, a.State))
				require.Equal(t, a.Token == "", a.Problem != "")
				require.Contains(t, []string{"", g.Token}, a.Token)
			}
			require.Equal(t, test.needs, needs, "%+v", p.VMs[0].Causes)
			require.Equal(t, test.line, g.Line())
			require.Equal(t, test.exceeds, g.Exceeds)
			require.Equal(t, test.removal, g.Removal)
			require.Equal(t, test.staged, g.Staged)
			require.Equal(t, test.blocked, g.Blocked())
			require.Equal(t, 1, p.Summary.Gated)
			require.Equal(t, test.blocked, p.Summary.Blocked == 1)
		})
	}
}

// A VM that is stopped in the cluster takes all changes at its next start. The cluster's
// policies see only what it declares, so a plan requires the same approvals as they do.
func TestGateOfStopped(t *testing.T) {
	for strategy, blocked := range map[string]bool{"Manual": true, "RerunOnFailure": true, "Halted": false} {
		old, edited, live := load(t, "pet"), load(t, "pet"), load(t, "pet")
		for _, objects := range [][]object{old, edited, live} {
			set(strategy, "spec.runStrategy")(objects)
		}
		from.set(old)
		from.set(live)
		set("Stopped", "status.printableStatus")(live)
		to("").set(edited)
		set(2, cores)(edited)
		p := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: openshift, Live: encode(t, live)})
		require.Equal(t, impact.Staged, p.VMs[0].Level, strategy)
		require.Equal(t, blocked, p.VMs[0].Gate.Blocked(), "%s: %+v", strategy, p.VMs[0].Gate)
	}
}

// Only a removal that an earlier commit has approved passes. An object that returns under
// the same name is protected again.
func TestGateRemoval(t *testing.T) {
	for prune, want := range map[string]gate.Removal{
		"Prune=true": gate.RemovalApproved, "Prune=confirm": gate.RemovalApproved, "": gate.RemovalMissing,
		"Delete=confirm": gate.RemovalMissing,
	} {
		old := load(t, "pet")
		from.set(old)
		set(prune, options)(old)
		p := plan.New(encode(t, old), nil, plan.Options{Cluster: openshift})
		require.Equal(t, want, p.VMs[0].Gate.Removal, prune)
		require.Equal(t, want == gate.RemovalMissing, p.VMs[0].Gate.Blocked())

		back := load(t, "pet")
		from.set(back)
		p = plan.New(nil, encode(t, back), plan.Options{Cluster: openshift})
		require.Nil(t, p.VMs[0].Gate, "nothing to approve for a new VM")
		p = plan.New(encode(t, back), nil, plan.Options{Cluster: openshift})
		require.Equal(t, impact.Left, p.VMs[0].Level)
	}
}

// The cluster's state decides about a removal, not the earlier state of Git.
func TestGateRemovalLive(t *testing.T) {
	old, live := load(t, "pet"), load(t, "pet")
	from.set(old)
	from.set(live)
	set("Prune=true", options)(old)
	p := plan.New(encode(t, old), nil, plan.Options{Cluster: openshift, Live: encode(t, live)})
	require.Equal(t, impact.Left, p.VMs[0].Level, "the commit that approves it was never applied")
	require.Empty(t, p.VMs[0].Gate.Removal)
}

// Deleting a disk that is a separate object needs an approval of the VM that names the
// change.
func TestGateOfDisks(t *testing.T) {
	for _, test := range []struct {
		becomes, approved string
		problem           bool
		state             gate.ApprovalState
	}{
		{becomes: was, problem: true, state: gate.Missing},
		{becomes: was, approved: "data=11111111-11111111", problem: true, state: gate.Missing},
		{becomes: now, approved: "data=11111111-22222222", state: gate.Given},
	} {
		old, edited := load(t, "pet"), load(t, "pet")
		from.set(old)
		with(to(test.approved), "becomes", test.becomes).set(edited)
		in(2, set("Prune=true", options))(old)
		remove(2)(edited)
		g := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: openshift}).VMs[0].Gate
		require.Len(t, g.Approvals, 1)
		require.Equal(t, gate.RiskData, g.Approvals[0].Risk)
		require.Equal(t, test.state, g.Approvals[0].State)
		require.Equal(t, test.problem, g.Approvals[0].Problem != "")
	}
}

// Reverting a manual change needs an approval of the state in Git.
func TestGateOfDrift(t *testing.T) {
	git, live := load(t, "pet"), load(t, "pet")
	from.set(git)
	from.set(live)
	set(2, cores)(live)
	g := plan.New(encode(t, git), encode(t, git), plan.Options{Cluster: openshift, Live: encode(t, live)}).VMs[0].Gate
	require.Equal(t, "approve: 11111111-11111111", g.Line())
	with(from, "approved", "restart=11111111-11111111").set(git)
	g = plan.New(encode(t, git), encode(t, git), plan.Options{Cluster: openshift, Live: encode(t, live)}).VMs[0].Gate
	require.False(t, g.Blocked())
}

// A change to a Secret of the VM is not a change of the VM.
func TestGateOfSecrets(t *testing.T) {
	objects := func(data string) []object {
		vm := load(t, "pet")[:1]
		with(from, "approve-from", "live").set(vm)
		setIn(vm[0], splitPath("spec.template.spec.volumes.3"), object{
			"name": "cloudinitdisk", "cloudInitNoCloud": object{"secretRef": object{"name": "db-cloudinit"}},
		})
		return append(vm, object{
			"apiVersion": "v1", "kind": "Secret", "metadata": object{"name": "db-cloudinit", "namespace": "prod"},
			"stringData": object{"userdata": data},
		})
	}
	v := plan.New(encode(t, objects("a")), encode(t, objects("b")), plan.Options{Cluster: openshift}).VMs[0]
	require.Equal(t, impact.Metadata, v.Level)
	require.Empty(t, v.Gate.Approvals)
}

// A VM under another name is a new one: its approval starts from the state of the old one.
func TestGateOfSuccessor(t *testing.T) {
	old, edited := load(t, "pet"), load(t, "pet")
	from.set(old)
	to("").set(edited)
	for _, o := range edited {
		o["metadata"].(object)["namespace"] = "stage"
	}
	p := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: openshift})
	require.Len(t, p.VMs, 1)
	require.Equal(t, "approve: {delete: 11111111-22222222}", p.VMs[0].Gate.Line())
}

// Changing the annotations of a gate does not affect the VM. A weaker gate is a warning,
// and needs an approval.
func TestGateChanges(t *testing.T) {
	for _, test := range []struct {
		name     string
		was, now notes
		level    impact.Level
		warnings int
	}{
		{name: "hash", was: from, now: with(from, "becomes", now), level: impact.None},
		{name: "approval", was: from, now: with(from, "approved", "restart=11111111-11111111"), level: impact.Metadata},
		{name: "switched on", was: notes{}, now: from, level: impact.Metadata},
		{name: "stricter", was: from, now: with(from, "approve-from", "live"), level: impact.Metadata},
		{name: "milder", was: from, now: with(from, "approve-from", "power"), level: impact.Metadata, warnings: 1},
		{name: "switched off", was: from, now: without(from, "approve-from"), level: impact.Metadata, warnings: 1},
		{name: "no ceiling", was: with(from, "max-impact", "delete"), now: from, level: impact.Metadata, warnings: 1},
	} {
		for _, base := range []string{"pet", "cattle"} {
			old, edited := load(t, base), load(t, base)
			test.was.set(old)
			test.now.set(edited)
			p := plan.New(encode(t, old), encode(t, edited), plan.Options{Cluster: openshift})
			require.Equal(t, test.level, p.VMs[0].Level, test.name)
			require.Equal(t, test.warnings, p.Summary.Warnings, test.name)
			require.Equal(t, test.warnings, p.Summary.Blocked, test.name)
		}
	}
}

// Every level has at most one risk, and the policy has the same levels as plans.
func TestRisks(t *testing.T) {
	want := map[gate.Risk]string{
		"":               "none create metadata left node-network node-reboot refused",
		gate.RiskRestart: "live migrate staged restart power",
		gate.RiskDelete:  "recreate delete",
		gate.RiskData:    "data-loss",
	}
	got := map[gate.Risk]string{}
	for _, l := range impact.Levels() {
		got[gate.RiskOf(l)] = strings.TrimPrefix(got[gate.RiskOf(l)]+" "+l.String(), " ")
	}
	require.Equal(t, want, got)
	for key, first := range map[string]string{"Approve": "live", "MaxImpact": "metadata"} {
		field, _ := reflect.TypeFor[values.Policy]().FieldByName(key)
		accepted := strings.Split(strings.TrimSuffix(field.Tag.Get("enum"), ","+values.NoGate), ",")
		require.Equal(t, first, accepted[0])
		last := impact.None
		for _, name := range accepted {
			var l impact.Level
			require.NoError(t, l.UnmarshalText([]byte(name)))
			require.Greater(t, l, last, "mildest first")
			last = l
		}
	}
}
