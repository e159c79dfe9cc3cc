package cluster

import (
	"time"
	_ "unsafe" // go:linkname

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/tools/record"
	"k8s.io/client-go/util/workqueue"
	v1 "kubevirt.io/api/core/v1"
	kvcontroller "kubevirt.io/kubevirt/pkg/controller"
	instancetype "kubevirt.io/kubevirt/pkg/instancetype/controller/vm"
	netadmitter "kubevirt.io/kubevirt/pkg/network/admitter"
	netcontrollers "kubevirt.io/kubevirt/pkg/network/controllers"
	netmigration "kubevirt.io/kubevirt/pkg/network/migration"
	netannotations "kubevirt.io/kubevirt/pkg/network/pod/annotations"
	storageannotations "kubevirt.io/kubevirt/pkg/storage/pod/annotations"
	virtconfig "kubevirt.io/kubevirt/pkg/virt-config"
	"kubevirt.io/kubevirt/pkg/virt-controller/services"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/topology"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/vm"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/vmi"
	workloadupdater "kubevirt.io/kubevirt/pkg/virt-controller/watch/workload-updater"
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
		migrations: newInformer(kvcontroller.GetVirtualMachineInstanceMigrationInformerIndexers()),
		revisions:  newInformer(kvcontroller.GetControllerRevisionInformerIndexers()),
		kubevirts:  newInformer(nil), dataVolumes: newInformer(nil), dataSources: newInformer(nil),
		profiles: newInformer(nil), cdis: newInformer(nil), cdiConfigs: newInformer(nil),
		pods: newInformer(nil), claims: newInformer(nil), namespaces: newInformer(nil),
		classes: newInformer(nil), quotas: newInformer(nil), nodes: newInformer(nil),
	}
}

// controllers are the controllers of virt-controller (KubeVirt v1.8.4,
// pkg/virt-controller/watch/application.go, initCommon and
// initVirtualMachines).
type controllers struct {
	machines  *vm.Controller
	instances *vmi.Controller
	workloads *workloadupdater.WorkloadUpdateController
	events    *record.FakeRecorder
}

func newControllers(c *clients, in *informers, config *virtconfig.ClusterConfig) (*controllers, error) {
	out := &controllers{events: &record.FakeRecorder{}}
	var err error
	out.machines, err = vm.NewController(
		in.instances, in.machines, in.dataVolumes, in.dataSources, in.kubevirts, in.namespaces, in.claims, in.revisions,
		out.events, c, config,
		netcontrollers.NewVMController(c.kubevirt, config),
		vm.NewFirmwareController(c.kubevirt),
		instancetype.New(
			newInformer(nil).GetStore(), newInformer(nil).GetStore(), newInformer(nil).GetStore(), newInformer(nil).GetStore(),
			in.revisions.GetStore(), c, config, out.events,
		),
		nil, nil,
	)
	if err != nil {
		return nil, err
	}
	if out.instances, err = newInstances(c, in, config, out.events); err != nil {
		return nil, err
	}
	out.machines.Queue, out.instances.Queue = prompt{out.machines.Queue}, prompt{out.instances.Queue}
	out.workloads, err = workloadupdater.NewWorkloadUpdateController(
		launcher, in.instances, in.pods, in.migrations, in.kubevirts, out.events, c, config)
	return out, err
}

// prompt is a queue without delays. Every round processes every object again, with
// informers that know all writes. A retry after some milliseconds could come in the
// middle of a round, before the informers know the write that failed halfway.
type prompt struct {
	workqueue.TypedRateLimitingInterface[string]
}

func (prompt) AddRateLimited(string)          {}
func (prompt) AddAfter(string, time.Duration) {}

func newInstances(c *clients, in *informers, config *virtconfig.ClusterConfig, events record.EventRecorder) (*vmi.Controller, error) {
	const qemu = 107 // the group of QEMU
	network := netannotations.NewGenerator(config)
	templates := services.NewTemplateService(
		launcher, 240, "share", "ephemeral", "container", "hotplug", "", in.claims.GetStore(), c, config, qemu, "export",
		in.quotas.GetStore(), in.namespaces.GetStore(),
		services.WithAnnotationsGenerators(network, storageannotations.Generator{}),
	)
	return vmi.NewController(
		templates,
		in.instances, in.machines, in.pods, in.claims, in.migrations, in.classes, events, c,
		in.dataVolumes, in.profiles, in.cdis, in.cdiConfigs, in.kubevirts, config,
		topology.NewTopologyHinter(in.nodes.GetStore(), in.instances.GetStore(), config),
		network, storageannotations.NewGenerator(config),
		netcontrollers.UpdateVMIStatus,
		func(path *field.Path, spec *v1.VirtualMachineInstanceSpec, config *virtconfig.ClusterConfig) []metav1.StatusCause {
			return netadmitter.ValidateCreation(path, spec, config)
		},
		netmigration.NewEvaluatorWithTimeProvider(afterGrace, config),
		nil, nil,
	)
}

// afterGrace returns a time at which every interface has waited long enough.
// There is no dynamic networks controller to plug it into the Pod.
func afterGrace() metav1.Time {
	return metav1.NewTime(metav1.Now().Add(2 * netmigration.DynamicNetworkControllerGracePeriod))
}

// updateWorkloads does what the controller does for the key in its queue. The
// controller itself adds keys only with a delay.
//
//go:linkname updateWorkloads kubevirt.io/kubevirt/pkg/virt-controller/watch/workload-updater.(*WorkloadUpdateController).execute
func updateWorkloads(c *workloadupdater.WorkloadUpdateController, key string) error
