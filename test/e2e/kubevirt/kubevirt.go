// Package kubevirt runs KubeVirt's own controllers of VirtualMachines and pools,
// and its subresources restart, start and stop (test/admission/kubevirt/controller),
// on a cluster without nodes. It plays the missing parts: nodes, storage, golden
// images, snapshots and restores. A test decides when those are done, and whether
// they fail.
//
// The played parts follow KubeVirt v1.8.4 and CDI v1.65.0; each function names
// the code that it replaces.
package kubevirt

import (
	"context"
	_ "embed"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/vmrender/vmrender/test/e2e/cluster"
	"github.com/vmrender/vmrender/test/e2e/process"
)

// These are the resources of KubeVirt and CDI, and the claims and volumes of
// disks.
var (
	VirtualMachines  = schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachines"}
	Instances        = schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachineinstances"}
	DataVolumes      = schema.GroupVersionResource{Group: "cdi.kubevirt.io", Version: "v1beta1", Resource: "datavolumes"}
	Snapshots        = schema.GroupVersionResource{Group: "snapshot.kubevirt.io", Version: "v1beta1", Resource: "virtualmachinesnapshots"}
	SnapshotContents = Snapshots.GroupVersion().WithResource("virtualmachinesnapshotcontents")
	Restores         = Snapshots.GroupVersion().WithResource("virtualmachinerestores")
	Claims           = corev1.SchemeGroupVersion.WithResource("persistentvolumeclaims")
	volumes          = corev1.SchemeGroupVersion.WithResource("persistentvolumes")
)

// VirtualMachine returns the kind of VMs.
func VirtualMachine() schema.GroupVersionKind {
	return VirtualMachines.GroupVersion().WithKind("VirtualMachine")
}

// address is where the subresources are served; platformYAML names it too.
const address = "127.0.0.1:9445"

//go:embed platform.yaml
var platformYAML []byte

// KubeVirt is KubeVirt on a cluster.
type KubeVirt struct {
	*stage
	controller *process.Running
}

// Start starts the controllers with the program that package build has built,
// and plays the rest until the context is done. Logs are written to dir. It
// passes errors of the played parts to complain, except for those of races.
func Start(ctx context.Context, c *cluster.Cluster, dir, program string, complain func(error)) (*KubeVirt, error) {
	objects, err := cluster.Objects(platformYAML)
	if err != nil {
		return nil, err
	}
	if err := c.Install(ctx, objects); err != nil {
		return nil, err
	}
	pair, err := c.Certificate("virt-controller")
	if err != nil {
		return nil, err
	}
	k := &KubeVirt{stage: newStage(c.Client, complain)}
	k.controller, err = process.Start(ctx, dir, process.Server{
		Name: "virt-controller", Path: program, Ready: process.Listens(address),
		Args: []string{"--kubeconfig=" + c.Kubeconfig, "--address=" + address, "--cert=" + pair.Cert, "--key=" + pair.Key},
	})
	if err != nil {
		return nil, err
	}
	go k.play(ctx)
	if err := process.Poll(ctx, func(ctx context.Context) error { return served(ctx, c) }); err != nil {
		k.Stop()
		return nil, fmt.Errorf("the API server does not hand on the subresources: %w", err)
	}
	return k, nil
}

// Restart restarts a VM as `virtctl restart` does.
func (k *KubeVirt) Restart(ctx context.Context, namespace, name string) error {
	return k.put(ctx, namespace, name, "restart")
}

// PowerOn starts a VM as `virtctl start` does.
func (k *KubeVirt) PowerOn(ctx context.Context, namespace, name string) error {
	return k.put(ctx, namespace, name, "start")
}

// PowerOff stops a VM as `virtctl stop` does.
func (k *KubeVirt) PowerOff(ctx context.Context, namespace, name string) error {
	return k.put(ctx, namespace, name, "stop")
}

func (k *KubeVirt) put(ctx context.Context, namespace, name, subresource string) error {
	return k.client.Put(ctx, "/apis/subresources.kubevirt.io/v1/namespaces/"+namespace+"/virtualmachines/"+name+"/"+subresource)
}

// EndGuest ends the instance of a VM, as the shutdown of its guest does, or its failure
// (pkg/virt-handler/vm.go, calculateVmPhaseForStatusReason).
func (k *KubeVirt) EndGuest(ctx context.Context, namespace, name string, hasFailed bool) error {
	kind := Instances.GroupVersion().WithKind("VirtualMachineInstance")
	return k.client.Update(ctx, kind, namespace, name, func(vmi *unstructured.Unstructured) {
		status := nested[map[string]any](vmi, "status")
		status["phase"] = map[bool]string{false: succeeded, true: failed}[hasFailed]
		status["conditions"] = []any{condition("Ready", "False", "PodTerminating")}
		vmi.Object["status"] = status
	})
}

// Stop ends the controllers.
func (k *KubeVirt) Stop() { k.controller.Stop() }

// Servers returns the running servers, for their logs.
func (k *KubeVirt) Servers() []*process.Running { return []*process.Running{k.controller} }

// served returns an error until the API server passes requests on to the
// subresource.
func served(ctx context.Context, c *cluster.Cluster) error {
	kind := schema.GroupVersionKind{Group: "apiregistration.k8s.io", Version: "v1", Kind: "APIService"}
	service, err := c.Get(ctx, kind, "", "v1.subresources.kubevirt.io")
	if err != nil {
		return err
	}
	conditions, _, err := unstructured.NestedSlice(service.Object, "status", "conditions")
	if err != nil {
		return err
	}
	for _, condition := range conditions {
		if c, ok := condition.(map[string]any); ok && c["type"] == "Available" && c["status"] == "True" {
			return nil
		}
	}
	return errors.New("not available")
}
