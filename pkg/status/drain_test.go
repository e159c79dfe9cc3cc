package status_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/manifest"
	"github.com/vmrender/vmrender/pkg/status"
)

// The parts of clusters. The VM db runs on w1 with 4Gi, and its rules are those of each test.
const (
	machine = `
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachine, metadata: {name: db, namespace: prod}, spec: {runStrategy: Always}}`
	nodes = `
---
{apiVersion: v1, kind: Node, metadata: {name: w1}, status: {allocatable: {memory: 64Gi, nvidia.com/T4: "1"}}}
---
{apiVersion: v1, kind: Node, metadata: {name: w2}, status: {allocatable: {memory: 6Gi, nvidia.com/T4: "0"}}}`
	kubevirt = `
---
{apiVersion: kubevirt.io/v1, kind: KubeVirt, metadata: {name: kubevirt, namespace: kubevirt}, spec: {configuration: {}}}`
	claim = `
---
{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: db-root, namespace: prod}, spec: {accessModes: [ReadWriteOnce]}}`
	whole = machine + nodes + kubevirt

	movable  = `{type: LiveMigratable, status: "True"}`
	disks    = `{type: LiveMigratable, status: "False", reason: DisksNotLiveMigratable, message: "PVC db-root is not shared"}`
	volumes  = `, volumes: [{name: root, persistentVolumeClaim: {claimName: db-root}}]`
	domain   = `domain: {memory: {guest: 4Gi}, devices: {interfaces: [{name: default, masquerade: {}}]}}`
	migrate  = `evictionStrategy: LiveMigrate, ` + domain
	possible = `evictionStrategy: LiveMigrateIfPossible, ` + domain
	none     = `evictionStrategy: None, ` + domain
	gpu      = `domain: {memory: {guest: 4Gi}, devices: {gpus: [{name: gpu, deviceName: nvidia.com/T4}]}}`
)

// instance returns the instance of a VM on w1.
func instance(name, spec string, conditions ...string) string {
	return `
---
{apiVersion: kubevirt.io/v1, kind: VirtualMachineInstance, metadata: {name: ` + name + `, namespace: prod, uid: u-` + name +
		`, labels: {app: ` + name + `}}, spec: {` + spec + `}, status: {phase: Running, nodeName: w1, conditions: [` +
		strings.Join(conditions, ", ") + `]}}`
}

// budget returns a PodDisruptionBudget of the VMs of an app.
func budget(name, selector, status string) string {
	return `
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: ` + name + `, namespace: prod}, spec: {selector: ` +
		selector + `}, status: ` + status + `}`
}

var drains = []struct {
	name, state string
	outcome     status.Outcome
	code        status.DrainCode
	says        string
	advice      string
	unknown     string // a part of it; empty if nothing is unknown
}{
	{name: "migrates", state: whole + instance("db", migrate, movable), outcome: status.OutcomeMoves, code: status.DrainMigrates, says: "live-migrates"},
	{name: "paused", state: whole + instance("db", migrate, movable, `{type: Paused, status: "True"}`), outcome: status.OutcomeMoves, code: status.DrainMigrates, says: "live-migrates, and stays paused"},
	{name: "strategy of the cluster", state: strings.Replace(whole, "configuration: {}", "configuration: {evictionStrategy: LiveMigrate}", 1) + instance("db", domain, movable), outcome: status.OutcomeMoves, code: status.DrainMigrates},
	{name: "default of KubeVirt", state: whole + instance("db", domain, movable), outcome: status.OutcomeStops, code: status.DrainRestarts, says: "is shut down (evictionStrategy None); starts on another node"},
	{name: "settings unknown", state: machine + nodes + instance("db", domain, movable), outcome: status.OutcomeMoves, code: status.DrainMigrates, unknown: "the evictionStrategy of the cluster: the state has no KubeVirt object"},
	{name: "no nodes", state: machine + kubevirt + instance("db", migrate, movable), outcome: status.OutcomeMoves, code: status.DrainMigrates, unknown: "whether another node has room: the state has no Nodes"},
	{name: "nodes without memory", state: machine + kubevirt + strings.ReplaceAll(strings.ReplaceAll(nodes, "memory: 64Gi, ", ""), "memory: 6Gi, ", "") + instance("db", migrate, movable), outcome: status.OutcomeMoves, code: status.DrainMigrates, unknown: "some do not report their memory"},
	{name: "no condition", state: whole + instance("db", migrate), outcome: status.OutcomeMoves, code: status.DrainMigrates, unknown: "its instance has no condition LiveMigratable"},
	{name: "launcher of an older KubeVirt", state: strings.Replace(whole+instance("db", migrate, movable), "{app: db}", `{app: db, kubevirt.io/outdatedLauncherImage: ""}`, 1), outcome: status.OutcomeMoves, code: status.DrainMigrates, unknown: "older KubeVirt"},

	{name: "claim of one node", state: whole + claim + instance("db", migrate+volumes, disks), outcome: status.OutcomeBlocks, code: status.DrainCannotMigrate, says: "cannot live-migrate, and its evictionStrategy LiveMigrate permits nothing else: not ReadWriteMany: db-root", advice: "cordon the node and restart it (virtctl restart db -n prod), or stop it (virtctl stop db -n prod); for later drains, move its disks to ReadWriteMany claims, or set `evictionStrategy: LiveMigrateIfPossible`"},
	{name: "claim of one node, without the condition", state: whole + claim + instance("db", migrate+volumes), outcome: status.OutcomeBlocks, code: status.DrainCannotMigrate, says: "cannot live-migrate, and its evictionStrategy LiveMigrate permits nothing else: not ReadWriteMany: db-root", advice: "move its disks"},
	{name: "claim that the state lacks", state: whole + instance("db", migrate+volumes, disks), outcome: status.OutcomeBlocks, code: status.DrainCannotMigrate, says: "cannot live-migrate, and its evictionStrategy LiveMigrate permits nothing else: PVC db-root is not shared"},
	{name: "GPU", state: whole + instance("db", `evictionStrategy: LiveMigrate, `+gpu, `{type: LiveMigratable, status: "False", reason: HostDeviceNotLiveMigratable, message: "VMI uses a PCI host devices"}`), outcome: status.OutcomeBlocks, code: status.DrainCannotMigrate, says: "cannot live-migrate, and its evictionStrategy LiveMigrate permits nothing else: it has GPUs", advice: "stop it (virtctl stop db -n prod); for later drains, set `evictionStrategy: LiveMigrateIfPossible`"},
	{name: "another reason", state: whole + instance("db", migrate, `{type: LiveMigratable, status: "False", reason: CPUModeLiveMigratable, message: "no node has the CPU model"}`), outcome: status.OutcomeBlocks, code: status.DrainCannotMigrate, says: "cannot live-migrate, and its evictionStrategy LiveMigrate permits nothing else: no node has the CPU model", advice: "set a cpu model that other nodes have"},
	{name: "another controller", state: whole + instance("db", "evictionStrategy: External, "+domain, movable), outcome: status.OutcomeBlocks, code: status.DrainExternal, unknown: "whether another controller moves it"},
	{name: "no room", state: strings.Replace(whole, "memory: 6Gi", "memory: 3Gi", 1) + instance("db", migrate, movable), outcome: status.OutcomeBlocks, code: status.DrainNoRoom, says: "cannot live-migrate now: of the nodes that can run the VM, except w1, none has more than 3Gi of memory free, and a second pod needs 4Gi or more", advice: "make room on another node, or stop it (virtctl stop db -n prod)"},
	{name: "one node", state: machine + kubevirt + strings.Split(nodes, "\n---\n{apiVersion: v1, kind: Node, metadata: {name: w2}")[0] + instance("db", migrate, movable), outcome: status.OutcomeBlocks, code: status.DrainNoRoom, says: "cannot live-migrate now: the cluster has one node"},
	{name: "quota", state: whole + instance("db", migrate, movable) + `
---
{apiVersion: v1, kind: ResourceQuota, metadata: {name: team, namespace: prod}, status: {hard: {requests.memory: 6Gi}, used: {requests.memory: 4Gi}}}`, outcome: status.OutcomeBlocks, code: status.DrainNoQuota, says: "cannot live-migrate now: the ResourceQuota team has 2Gi of requests.memory left, and a second pod needs 4Gi or more"},

	{name: "cannot migrate, and may stop", state: whole + claim + instance("db", possible+volumes, disks), outcome: status.OutcomeStops, code: status.DrainRestarts, says: "is shut down, because it cannot live-migrate: not ReadWriteMany: db-root; starts on another node", unknown: "whether another node can mount what is not ReadWriteMany: db-root"},
	{name: "can migrate, and may stop", state: whole + instance("db", possible, movable), outcome: status.OutcomeMoves, code: status.DrainMigrates},
	{name: "starts nowhere: no room", state: strings.Replace(whole, "memory: 6Gi", "memory: 3Gi", 1) + instance("db", none, movable), outcome: status.OutcomeStops, code: status.DrainStartsNowhere, says: "is shut down (evictionStrategy None); starts on no other node: of the nodes that can run the VM, except w1, none has more than 3Gi of memory free, and its pod needs 4Gi or more", advice: "make room on another node first"},
	{name: "starts nowhere: no GPU", state: whole + instance("db", "evictionStrategy: None, "+gpu), outcome: status.OutcomeStops, code: status.DrainStartsNowhere, says: "is shut down (evictionStrategy None); starts on no other node: no node except w1 can run the VM"},
	{name: "room unknown", state: machine + kubevirt + instance("db", none), outcome: status.OutcomeStops, code: status.DrainRestarts, unknown: "the state has no Nodes"},
	{name: "run strategy Manual", state: strings.Replace(whole, "Always", "Manual", 1) + instance("db", none), outcome: status.OutcomeStops, code: status.DrainStaysOff, says: "is shut down (evictionStrategy None); stays off (runStrategy Manual)", advice: "start it after the drain (virtctl start db -n prod)"},
	{name: "run strategy RerunOnFailure", state: strings.Replace(whole, "Always", "RerunOnFailure", 1) + instance("db", none), outcome: status.OutcomeStops, code: status.DrainStaysOff, says: "is shut down (evictionStrategy None); stays off (runStrategy RerunOnFailure), unless its guest does not shut down in time"},
	{name: "no VirtualMachine", state: nodes + kubevirt + instance("db", none), outcome: status.OutcomeStops, code: status.DrainStaysOff, says: "is shut down (evictionStrategy None); nothing starts it again, because it has no VirtualMachine"},
	{name: "VirtualMachine unknown", state: nodes + kubevirt + strings.Replace(instance("db", none), "namespace: prod", "namespace: prod, ownerReferences: [{apiVersion: kubevirt.io/v1, kind: VirtualMachine, name: db}]", 1), outcome: status.OutcomeStops, code: status.DrainRestarts, unknown: "the state lacks its VirtualMachine"},
	{name: "stopping", state: whole + strings.Replace(instance("db", migrate), "namespace: prod", `namespace: prod, deletionTimestamp: "2026-11-22T03:00:00Z"`, 1), outcome: status.OutcomeStops, code: status.DrainStopping, says: "is stopping already"},

	{name: "budget", state: whole + instance("db", none) + budget("quorum", "{matchLabels: {app: db}}", "{disruptionsAllowed: 0}"), outcome: status.OutcomeBlocks, code: status.DrainBudget, says: "its pod cannot be evicted: the PodDisruptionBudget quorum allows no disruption now", advice: "get the other pods of the budget ready, or stop it (virtctl stop db -n prod)"},
	{name: "budget with room", state: whole + instance("db", none) + budget("quorum", "{matchLabels: {app: db}}", "{disruptionsAllowed: 1}"), outcome: status.OutcomeStops, code: status.DrainRestarts},
	{name: "budget of others", state: whole + instance("db", none) + budget("quorum", "{matchExpressions: [{key: app, operator: NotIn, values: [db]}]}", "{disruptionsAllowed: 0}"), outcome: status.OutcomeStops, code: status.DrainRestarts},
	{name: "budget without status", state: whole + instance("db", none) + budget("quorum", "{matchExpressions: [{key: kubevirt.io, operator: Exists}]}", "{}"), outcome: status.OutcomeStops, code: status.DrainRestarts, unknown: "whether the PodDisruptionBudget quorum allows the eviction"},
	{name: "two budgets", state: whole + instance("db", none) + budget("a", "{}", "{disruptionsAllowed: 1}") + budget("b", "{matchExpressions: [{key: app, operator: In, values: [db]}]}", "{disruptionsAllowed: 1}"), outcome: status.OutcomeBlocks, code: status.DrainBudget, says: "its pod cannot be evicted: the PodDisruptionBudgets a and b both select it"},
	{name: "budget of a VM that is not ready", state: whole + instance("db", none, `{type: Ready, status: "False"}`) + budget("quorum", "{}", "{disruptionsAllowed: 0, currentHealthy: 2, desiredHealthy: 2}"), outcome: status.OutcomeStops, code: status.DrainRestarts},
	{name: "budget of a VM that migrates", state: whole + instance("db", migrate, movable) + budget("quorum", "{}", "{disruptionsAllowed: 0}"), outcome: status.OutcomeMoves, code: status.DrainMigrates},
	{name: "budget by the labels of the pod", state: whole + instance("db", none) + budget("quorum", "{matchLabels: {tier: a}}", "{disruptionsAllowed: 0}") + `
---
{apiVersion: v1, kind: Pod, metadata: {name: virt-launcher-db, namespace: prod, labels: {kubevirt.io/created-by: u-db, tier: a}}, spec: {nodeName: w1}}`, outcome: status.OutcomeBlocks, code: status.DrainBudget},
}

// drain reads a state, and returns what a drain of a node does.
func drain(t *testing.T, node, state string) (*status.Drain, error) {
	t.Helper()
	objects, err := manifest.Reader{Trees: true}.Read(strings.NewReader(state))
	require.NoError(t, err)
	return status.NewDrain(node, objects, false)
}

func TestDrain(t *testing.T) {
	for _, test := range drains {
		t.Run(test.name, func(t *testing.T) {
			d, err := drain(t, "w1", test.state)
			require.NoError(t, err)
			require.Len(t, d.VMs, 1)
			v := d.VMs[0]
			unknown := strings.Join(v.Unknown, "; ")
			require.Equal(t, test.outcome, v.Outcome, "%+v", v)
			require.Equal(t, test.code, v.Code)
			require.Contains(t, v.Says, test.says)
			require.Contains(t, v.Advice, test.advice)
			require.Contains(t, unknown, test.unknown)
			require.Equal(t, test.unknown == "", unknown == "", unknown)
			require.Equal(t, v.Outcome, d.Worst())
		})
	}
}

// VMs that leave the node share the room that other nodes have: the largest one takes it first.
func TestDrainSharesRoom(t *testing.T) {
	large := strings.Replace(instance("db", migrate, movable), "4Gi", "5Gi", 1)
	d, err := drain(t, "w1", whole+large+instance("web", migrate, movable))
	require.NoError(t, err)
	require.Equal(t, map[status.Outcome]int{status.OutcomeMoves: 1, status.OutcomeBlocks: 1}, d.Counts)
	require.Equal(t, "web", d.VMs[0].ID.Name)
	require.Contains(t, d.VMs[0].Says, "the other VMs of the node take the room that other nodes have")
	require.Equal(t, []string{"which VMs find room first"}, d.VMs[0].Unknown)
	require.True(t, d.IsApproximate())
}

// Only VMs that run on the node count; those that migrate to it are noted.
func TestDrainOfOtherNodes(t *testing.T) {
	there := strings.Replace(instance("db", migrate, movable), "nodeName: w1", "nodeName: w2, migrationState: {targetNode: w1}", 1)
	ended := strings.Replace(instance("old", migrate, movable), "phase: Running", "phase: Succeeded", 1)
	d, err := drain(t, "w1", whole+there+ended)
	require.NoError(t, err)
	require.Empty(t, d.VMs)
	require.Equal(t, []string{"one VM migrates to the node now: prod/db; look again when this has ended"}, d.Notes)
}

func TestDrainNotes(t *testing.T) {
	d, err := drain(t, "w1", strings.Replace(whole, "6Gi", "60Gi", 1)+
		instance("a", migrate, movable)+instance("b", migrate, movable)+instance("c", migrate, movable)+instance("db", none))
	require.NoError(t, err)
	said := strings.Join(d.Notes, "\n")
	for _, part := range []string{
		"3 VMs migrate, at most 2 at a time from one node: 2 waves; KubeVirt gives each up to 10 minutes",
		"the state in the cluster has no Pods",
		"whether PodDisruptionBudgets block VMs that stop is unknown",
	} {
		require.Contains(t, said, part)
	}
}

func TestDrainOfUnknownNode(t *testing.T) {
	_, err := drain(t, "worker", whole+strings.Replace(instance("db", migrate), "w1", "w3", 1))
	require.EqualError(t, err, `unknown node "worker"; accepted: w1, w2, w3`)
}
