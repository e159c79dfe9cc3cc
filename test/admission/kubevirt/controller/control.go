package main

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
	"kubevirt.io/client-go/kubecli"
	"kubevirt.io/kubevirt/pkg/controller"
	instancetype "kubevirt.io/kubevirt/pkg/instancetype/controller/vm"
	network "kubevirt.io/kubevirt/pkg/network/controllers"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/pool"
	"kubevirt.io/kubevirt/pkg/virt-controller/watch/vm"

	"github.com/vmrender/vmrender/test/admission/kubevirt"
)

// workers is the number of workers of each controller (KubeVirt v1.8.4,
// pkg/virt-controller/watch/application.go has more).
const workers = 3

// control starts the controllers as virt-controller does (the same file,
// initVirtualMachines and initPool), until the context is done.
func control(ctx context.Context, client kubecli.KubevirtClient) error {
	informers := controller.NewKubeInformerFactory(client.RestClient(), client, nil, namespace)
	machines, err := newMachines(client, informers)
	if err != nil {
		return err
	}
	pools, err := pool.NewController(
		client, informers.VMI(), informers.VirtualMachine(), informers.VMPool(), informers.PersistentVolumeClaim(),
		informers.DataVolume(), informers.ControllerRevision(), recorder(client, "virtualmachinepool-controller"), controller.BurstReplicas,
	)
	if err != nil {
		return err
	}
	informers.Start(ctx.Done())
	informers.WaitForCacheSync(ctx.Done())
	go machines.Run(workers, ctx.Done())
	go pools.Run(workers, ctx.Done())
	return nil
}

func newMachines(client kubecli.KubevirtClient, informers controller.KubeInformerFactory) (*vm.Controller, error) {
	config := kubevirt.Config()
	events := recorder(client, "virtualmachine-controller")
	return vm.NewController(
		informers.VMI(), informers.VirtualMachine(), informers.DataVolume(), informers.DataSource(), informers.KubeVirt(),
		informers.Namespace(), informers.PersistentVolumeClaim(), informers.ControllerRevision(),
		events, client, config,
		network.NewVMController(client.GeneratedKubeVirtClient(), config),
		vm.NewFirmwareController(client.GeneratedKubeVirtClient()),
		instancetype.New(
			informers.VirtualMachineInstancetype().GetStore(), informers.VirtualMachineClusterInstancetype().GetStore(),
			informers.VirtualMachinePreference().GetStore(), informers.VirtualMachineClusterPreference().GetStore(),
			informers.ControllerRevision().GetStore(), client, config, events,
		),
		nil, nil,
	)
}

func recorder(client kubecli.KubevirtClient, component string) record.EventRecorder {
	broadcaster := record.NewBroadcaster()
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events(corev1.NamespaceAll)})
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: component})
}
