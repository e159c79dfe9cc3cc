package kinds

import "github.com/vmrender/vmrender/internal/lazyregexp"

// Effect is what applying an object of the platform does to nodes, or to VMs that it does not name. The zero value is
// none.
type Effect struct {
	Group, Name string
	// If is a condition on the object as compact JSON with sorted keys, such as a field and its value; nil for none. An
	// effect with a condition begins when a change makes the condition true.
	If func(json string) bool
	// Level is the name of the level of impact. Later reports whether it comes with a later event, such as an update or a
	// node that fails: the sync itself then only changes the object.
	Level string
	Later bool
	Does  string // a sentence
	Stage string // how to apply it step by step
	// Source is where the fact was read.
	Source string
}

// Impact returns "medium" if operators restart or VMs migrate, and "high" if nodes reboot, their network changes, or VMs
// shut down.
func (e *Effect) Impact() string {
	if e.Level == "migrate" {
		return "medium"
	}
	return "high"
}

// Effects returns the table.
func Effects() []Effect { return effects }

const (
	mco      = "machine-config-operator, pkg/daemon/update.go"
	pool     = "pause the MachineConfigPool, and set its maxUnavailable, before the sync"
	approved = "approve updates manually (`approval: Manual` of the operators chart), and set batchEvictionSize"
	drained  = "the nodes of its pool are drained and reboot"
	updater  = "kubevirt/kubevirt v1.8.4, pkg/virt-controller/watch/workload-updater"
	shuts    = "every update of KubeVirt shuts down the virtual machines that cannot migrate"
	moves    = "every update of KubeVirt migrates all virtual machines"
)

// has returns the condition that a pattern matches. Nothing is compiled before it is used.
func has(pattern string) func(string) bool {
	re := lazyregexp.New(pattern)
	return func(json string) bool { return re().MatchString(json) }
}

var (
	evicts   = has(`"workloadUpdateMethods":\[[^]]*"Evict"`)
	migrates = has(`"workloadUpdateMethods":\["LiveMigrate"\]`)
	// An nmstate policy rolls back what its probes find broken (nmstate/kubernetes-nmstate, pkg/probe), and nothing else.
	reaches = has(`"name":"br-ex"|"destination":"(0\.0\.0\.0|::)/0"|"dhcp":true`)
)

var effects = []Effect{
	{Group: "machineconfiguration.openshift.io", Name: "MachineConfig", Level: "node-reboot", Does: drained, Stage: pool, Source: mco},
	{Group: "machineconfiguration.openshift.io", Name: "KubeletConfig", Level: "node-reboot", Does: drained, Stage: pool, Source: mco},
	{Group: "machineconfiguration.openshift.io", Name: "ContainerRuntimeConfig", Level: "node-reboot", Does: drained, Stage: pool, Source: mco},
	{
		Group: "performance.openshift.io", Name: "PerformanceProfile", Level: "node-reboot", Does: drained, Stage: pool,
		Source: "cluster-node-tuning-operator, pkg/performanceprofile/controller: it writes a MachineConfig and a KubeletConfig",
	},
	{
		Group: "sriovnetwork.openshift.io", Name: "SriovNetworkNodePolicy", Level: "node-reboot",
		Does:   "the nodes that it selects are drained one after the other, and reboot if firmware or kernel arguments must change",
		Stage:  "let its nodeSelector select one node first",
		Source: "sriov-network-operator release-4.20, pkg/daemon/daemon.go and controllers/drain_controller_helper.go",
	},
	{
		Group: "nmstate.io", Name: "NodeNetworkConfigurationPolicy", If: reaches, Level: "node-network",
		Does:   "nodes can lose the network through which they are reachable",
		Stage:  "try it on one node first: `canary` of the network chart, and maxUnavailable: 1",
		Source: "kubernetes-nmstate, pkg/probe",
	},
	{
		Group: "remediation.medik8s.io", Name: "NodeHealthCheck", Level: "power", Later: true,
		Does:   "nodes that do not report are fenced, with all that runs on them",
		Stage:  "set minHealthy, and pauseRequests while nodes are maintained",
		Source: "medik8s/node-healthcheck-operator, controllers/nodehealthcheck_controller.go",
	},
	{Group: "hco.kubevirt.io", Name: "HyperConverged", If: evicts, Level: "power", Later: true, Does: shuts, Stage: approved, Source: updater},
	{Group: "hco.kubevirt.io", Name: "HyperConverged", If: migrates, Level: "migrate", Later: true, Does: moves, Stage: approved, Source: updater},
	{Group: "kubevirt.io", Name: "KubeVirt", If: evicts, Level: "power", Later: true, Does: shuts, Stage: "set batchEvictionSize", Source: updater},
	{Group: "kubevirt.io", Name: "KubeVirt", If: migrates, Level: "migrate", Later: true, Does: moves, Stage: "set batchEvictionSize", Source: updater},
	{
		Group: "operator.openshift.io", Name: "KubeDescheduler", If: has(`"mode":"Automatic"`), Level: "migrate",
		Does:   "virtual machines migrate repeatedly to nodes with less load",
		Stage:  "begin with mode: Predictive, and review what it would move",
		Source: "cluster-kube-descheduler-operator, pkg/operator/target_config_reconciler.go",
	},
}
