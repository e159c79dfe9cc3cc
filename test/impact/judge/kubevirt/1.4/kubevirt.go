// Package kubevirt creates the webhooks and controllers of KubeVirt 1.4 as virt-api and virt-controller do (v1.4.0,
// pkg/virt-api/api.go; pkg/virt-controller/watch/application.go, initCommon and initVirtualMachines).
package kubevirt

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/cache"
	v1 "kubevirt.io/api/core/v1"
	kvcontroller "kubevirt.io/kubevirt/pkg/controller"
	"kubevirt.io/kubevirt/pkg/instancetype"
	netannotations "kubevirt.io/kubevirt/pkg/network/pod/annotations"
	"kubevirt.io/kubevirt/pkg/network/vmicontroller"
	storageannotations "kubevirt.io/kubevirt/pkg/storage/pod/annotations"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks/mutating-webhook/mutators"
	"kubevirt.io/kubevirt/pkg/virt-api/webhooks/validating-webhook/admitters"
	virtconfig "kubevirt.io/kubevirt/pkg/virt-config"
	"kubevirt.io/kubevirt/pkg/virt-controller/network"
	"kubevirt.io/kubevirt/pkg/virt-controller/services"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/topology"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/vm"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/vmi"

	"github.com/vmrender/vmrender/test/impact/judge/wiring"
)

// Key is the type of the keys in the controllers' queues.
type Key = any

// Gates are the feature gates without which this version has no live updates.
var Gates = []string{virtconfig.VMLiveUpdateFeaturesGate, virtconfig.VolumesUpdateStrategy, virtconfig.VolumeMigration}

// ForMigration are the conditions of an instance that waits for a migration
// (pkg/virt-controller/watch/workload-updater).
var ForMigration = []v1.VirtualMachineInstanceConditionType{
	v1.VirtualMachineInstanceVCPUChange, v1.VirtualMachineInstanceMemoryChange, v1.VirtualMachineInstanceVolumesChange,
}

// MigrationIndexers are those of the informer of migrations.
func MigrationIndexers() cache.Indexers { return nil }

// NewWebhooks returns the webhooks for VMs, and the one that admits new instances.
func NewWebhooks(c wiring.Cluster) (*mutators.VMsMutator, *admitters.VMsAdmitter, *admitters.VMICreateAdmitter) {
	return &mutators.VMsMutator{ClusterConfig: c.Config, InstancetypeMethods: &instancetype.InstancetypeMethods{Clientset: c.Client}},
		admitters.NewVMsAdmitter(c.Config, c.Client, &webhooks.Informers{
			DataSourceInformer: c.DataSources, NamespaceInformer: c.Namespaces, DataVolumeInformer: c.DataVolumes,
		}),
		&admitters.VMICreateAdmitter{ClusterConfig: c.Config}
}

// NewMachines returns the controller of VMs.
func NewMachines(c wiring.Cluster) (*vm.Controller, error) {
	types := c.Types.GetStore()
	return vm.NewController(
		c.Instances, c.Machines, c.DataVolumes, c.DataSources, c.Namespaces.GetStore(), c.Claims, c.Revisions, c.Pods,
		&instancetype.InstancetypeMethods{
			InstancetypeStore: types, ClusterInstancetypeStore: types, PreferenceStore: types, ClusterPreferenceStore: types,
			ControllerRevisionStore: c.Revisions.GetStore(), Clientset: c.Client,
		},
		c.Events, c.Client, c.Config,
		network.NewVMNetController(c.Generated, kvcontroller.NewPodCacheStore(c.Pods.GetIndexer())),
	)
}

// NewInstances returns the controller of instances.
func NewInstances(c wiring.Cluster) (*vmi.Controller, error) {
	annotations := netannotations.NewGenerator(c.Config)
	templates := services.NewTemplateService(
		c.Launcher, wiring.Timeout, wiring.Share, wiring.Library, wiring.Disks, wiring.Images, wiring.Hotplug, "",
		c.Claims.GetStore(), c.Client, c.Config, wiring.QEMU, wiring.Exporter, c.Quotas.GetStore(), c.Namespaces.GetStore(),
		services.WithAnnotationsGenerators(annotations, storageannotations.Generator{}),
	)
	return vmi.NewController(
		templates,
		c.Instances, c.Machines, c.Pods, c.Claims, c.Classes, c.Events, c.Client,
		c.DataVolumes, c.Profiles, c.CDIs, c.CDIConfigs, c.Config,
		topology.NewTopologyHinter(c.Nodes.GetStore(), c.Instances.GetStore(), c.Config),
		annotations,
		func(config *virtconfig.ClusterConfig, instance *v1.VirtualMachineInstance, pod *corev1.Pod) error {
			return vmicontroller.UpdateStatus(config, instance, pod)
		},
	)
}
