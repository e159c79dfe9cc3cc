// Package kubevirt creates the webhooks and controllers of KubeVirt 1.9 as virt-api and virt-controller do (v1.9.0,
// pkg/virt-api/api.go; pkg/virt-controller/watch/application.go, initCommon and initVirtualMachines).
package kubevirt

import (
	"k8s.io/client-go/tools/cache"
	kvcontroller "kubevirt.io/kubevirt/pkg/controller"
	instancetype "kubevirt.io/kubevirt/pkg/instancetype/controller/vm"
	netcontrollers "kubevirt.io/kubevirt/pkg/network/controllers"
	netmigration "kubevirt.io/kubevirt/pkg/network/migration"
	netannotations "kubevirt.io/kubevirt/pkg/network/pod/annotations"
	storageannotations "kubevirt.io/kubevirt/pkg/storage/pod/annotations"
	"kubevirt.io/kubevirt/pkg/virt-controller/services"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/topology"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/vm"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/vmi"

	"github.com/vmrender/vmrender/test/impact/judge/wiring"
)

// MigrationIndexers are those of the informer of migrations.
func MigrationIndexers() cache.Indexers {
	return kvcontroller.GetVirtualMachineInstanceMigrationInformerIndexers()
}

// NewMachines returns the controller of VMs.
func NewMachines(c wiring.Cluster) (*vm.Controller, error) {
	types := c.Types.GetStore()
	return vm.NewController(
		c.Instances, c.Machines, c.DataVolumes, c.DataSources, c.KubeVirts, c.Namespaces, c.Claims, c.Revisions,
		c.Events, c.Client, c.Config,
		netcontrollers.NewVMController(c.Generated),
		vm.NewFirmwareController(c.Generated),
		instancetype.New(types, types, types, types, c.Revisions.GetStore(), c.Client, c.Config, c.Events),
		nil, nil,
	)
}

// NewInstances returns the controller of instances.
func NewInstances(c wiring.Cluster) (*vmi.Controller, error) {
	network := netannotations.NewGenerator(c.Config)
	templates := services.NewTemplateService(
		c.Launcher, wiring.Timeout, wiring.Share, wiring.Disks, wiring.Images, wiring.Hotplug, "",
		c.Claims.GetStore(), c.Client, c.Config, wiring.QEMU, wiring.Exporter, c.Quotas.GetStore(), c.Namespaces.GetStore(),
		services.WithAnnotationsGenerators(network, storageannotations.Generator{}),
	)
	return vmi.NewController(
		templates,
		c.Instances, c.Machines, c.Pods, c.Claims, c.Migrations, c.Classes, c.Events, c.Client,
		c.DataVolumes, c.Profiles, c.CDIs, c.CDIConfigs, c.KubeVirts, c.Config,
		topology.NewTopologyHinter(c.Nodes.GetStore(), c.Instances.GetStore(), c.Config),
		network, storageannotations.NewGenerator(c.Config),
		netcontrollers.UpdateVMIStatus,
		validateNew,
		netmigration.NewEvaluatorWithTimeProvider(afterGrace),
		nil, nil,
	)
}
