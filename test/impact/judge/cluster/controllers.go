package cluster

import (
	"time"
	_ "unsafe" // go:linkname

	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	v1 "kubevirt.io/api/core/v1"
	kvcontroller "kubevirt.io/kubevirt/pkg/controller"
	virtconfig "kubevirt.io/kubevirt/pkg/virt-config"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/common"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/vm"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/vmi"
	workloadupdater "kubevirt.io/kubevirt/pkg/virt-controller/watch/workload-updater"

	"github.com/vmrender/vmrender/test/impact/judge/kubevirt"
	"github.com/vmrender/vmrender/test/impact/judge/wiring"
)

// launcher is the image of the instances' Pods, so that none is outdated.
const launcher = "virt-launcher"

// informers are the objects that the controllers know about.
type informers struct {
	machines, instances, migrations, kubevirts           *informer
	dataVolumes, dataSources, profiles, cdis, cdiConfigs *informer
	pods, claims, namespaces, revisions, classes, quotas *informer
	nodes                                                *informer
}

func newInformers() *informers {
	return &informers{
		machines:   newInformer(kvcontroller.GetVirtualMachineInformerIndexers()),
		instances:  newInformer(kvcontroller.GetVMIInformerIndexers()),
		migrations: newInformer(kubevirt.MigrationIndexers()),
		revisions:  newInformer(kvcontroller.GetControllerRevisionInformerIndexers()),
		kubevirts:  newInformer(nil), dataVolumes: newInformer(nil), dataSources: newInformer(nil),
		profiles: newInformer(nil), cdis: newInformer(nil), cdiConfigs: newInformer(nil),
		pods: newInformer(nil), claims: newInformer(nil), namespaces: newInformer(nil),
		classes: newInformer(nil), quotas: newInformer(nil), nodes: newInformer(nil),
	}
}

// controllers are the controllers of virt-controller.
type controllers struct {
	machines  *vm.Controller
	instances *vmi.Controller
	workloads *workloadupdater.WorkloadUpdateController
}

// wire returns what the webhooks and controllers are made from.
func (in *informers) wire(c *clients, config *virtconfig.ClusterConfig) wiring.Cluster {
	return wiring.Cluster{
		Client: c, Generated: c.kubevirt, Config: config, Events: &record.FakeRecorder{}, Launcher: launcher,
		Accounts: map[string]struct{}{controller: {}},
		Informers: wiring.Informers{
			Machines: in.machines, Instances: in.instances, Migrations: in.migrations, KubeVirts: in.kubevirts,
			DataVolumes: in.dataVolumes, DataSources: in.dataSources, Profiles: in.profiles, CDIs: in.cdis, CDIConfigs: in.cdiConfigs,
			Pods: in.pods, Claims: in.claims, Namespaces: in.namespaces, Revisions: in.revisions, Classes: in.classes,
			Quotas: in.quotas, Nodes: in.nodes, Types: newInformer(nil),
		},
	}
}

func newControllers(c wiring.Cluster) (*controllers, error) {
	out := &controllers{}
	var err error
	if out.machines, err = kubevirt.NewMachines(c); err != nil {
		return nil, err
	}
	if out.instances, err = kubevirt.NewInstances(c); err != nil {
		return nil, err
	}
	out.machines.Queue, out.instances.Queue = prompt{out.machines.Queue}, prompt{out.instances.Queue}
	out.workloads, err = workloadupdater.NewWorkloadUpdateController(
		launcher, c.Instances, c.Pods, c.Migrations, c.KubeVirts, c.Events, c.Client, c.Config)
	return out, err
}

// prompt is a queue without delays. Every round processes every object again, with
// informers that know all writes. A retry after some milliseconds could come in the
// middle of a round, before the informers know the write that failed halfway.
type prompt struct {
	workqueue.TypedRateLimitingInterface[kubevirt.Key]
}

func (prompt) AddRateLimited(kubevirt.Key)          {}
func (prompt) AddAfter(kubevirt.Key, time.Duration) {}

// updateWorkloads does what the controller does for the key in its queue. The
// controller itself adds keys only with a delay.
//
//go:linkname updateWorkloads kubevirt.io/kubevirt/pkg/virt-controller/watch/workload-updater.(*WorkloadUpdateController).execute
func updateWorkloads(c *workloadupdater.WorkloadUpdateController, key string) error

// keepState makes the claim with the state of an instance's TPM and firmware, or deletes it, as the controller does before
// it creates the instance's Pod. The cluster creates that Pod itself.
//
//go:linkname keepState kubevirt.io/kubevirt/pkg/virt-controller/watch/vmi.(*Controller).handleBackendStorage
func keepState(c *vmi.Controller, instance *v1.VirtualMachineInstance) (string, common.SyncError)
