// Package kubevirt plays the controllers of KubeVirt and CDI, on a cluster
// without nodes: machines start at once and disks are filled at once. What is
// written follows KubeVirt v1.8.4 (pkg/virt-controller/watch/vm/vm.go) and CDI
// v1.65.0 (pkg/controller/datavolume); each function names what it stands for.
package kubevirt

import (
	"context"
	"fmt"

	"github.com/vmrender/vmrender/test/e2e/cluster"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// The resources that are controlled.
var (
	VirtualMachines = schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachines"}
	// Instances are those of machines that run, by the machine's name.
	Instances   = schema.GroupVersionResource{Group: "kubevirt.io", Version: "v1", Resource: "virtualmachineinstances"}
	DataVolumes = schema.GroupVersionResource{Group: "cdi.kubevirt.io", Version: "v1beta1", Resource: "datavolumes"}
)

// VirtualMachine is the kind of machines.
func VirtualMachine() schema.GroupVersionKind {
	return VirtualMachines.GroupVersion().WithKind("VirtualMachine")
}

// finalizer is KubeVirt's on machines.
const finalizer = "kubevirt.io/virtualMachineControllerFinalize"

// controllers play KubeVirt and CDI.
type controllers struct {
	client *cluster.Client
	errors func(error)
}

// request is an object to bring where it should be.
type request struct {
	resource        schema.GroupVersionResource
	namespace, name string
}

// Run controls all machines and disks of the cluster until the context is done.
// It hands out the errors that are not those of a race.
func Run(ctx context.Context, client *cluster.Client, errors func(error)) {
	c := &controllers{client, errors}
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[request]())
	informers := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
	// An instance is its machine's business.
	reconciled := map[schema.GroupVersionResource]schema.GroupVersionResource{
		VirtualMachines: VirtualMachines, DataVolumes: DataVolumes, Instances: VirtualMachines,
	}
	for watched, resource := range reconciled {
		enqueue := func(object any) {
			if o, ok := object.(*unstructured.Unstructured); ok {
				queue.Add(request{resource, o.GetNamespace(), o.GetName()})
			}
		}
		_, err := informers.ForResource(watched).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    enqueue,
			UpdateFunc: func(_, object any) { enqueue(object) },
			DeleteFunc: enqueue,
		})
		if err != nil {
			errors(err)
		}
	}
	informers.Start(ctx.Done())
	go func() {
		<-ctx.Done()
		queue.ShutDown()
	}()
	for c.next(ctx, queue) {
	}
}

func (c *controllers) next(ctx context.Context, queue workqueue.TypedRateLimitingInterface[request]) bool {
	r, stopped := queue.Get()
	if stopped {
		return false
	}
	defer queue.Done(r)
	err := c.reconcile(ctx, r)
	if err == nil {
		queue.Forget(r)
		return true
	}
	if !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) && ctx.Err() == nil {
		c.errors(fmt.Errorf("%s %s/%s: %w", r.resource.Resource, r.namespace, r.name, err))
	}
	queue.AddRateLimited(r)
	return true
}

func (c *controllers) reconcile(ctx context.Context, r request) error {
	object, err := c.client.Resource(r.resource).Namespace(r.namespace).Get(ctx, r.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	if r.resource == DataVolumes {
		return c.fill(ctx, object)
	}
	return c.run(ctx, object)
}

// setStatus writes fields of the status where one of them differs.
func (c *controllers) setStatus(ctx context.Context, resource schema.GroupVersionResource, object *unstructured.Unstructured, fields map[string]any) error {
	status, _, err := unstructured.NestedMap(object.Object, "status")
	if err != nil {
		return err
	}
	changed := status == nil
	if changed {
		status = map[string]any{}
	}
	for key, value := range fields {
		changed = changed || !apiequality.Semantic.DeepEqual(status[key], value)
		status[key] = value
	}
	if !changed {
		return nil
	}
	object.Object["status"] = status
	_, err = c.client.Resource(resource).Namespace(object.GetNamespace()).UpdateStatus(ctx, object, metav1.UpdateOptions{})
	return err
}
