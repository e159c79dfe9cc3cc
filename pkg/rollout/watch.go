package rollout

import (
	"context"
	"errors"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

// view is the state of a namespace, which informers update.
type view struct {
	machines, instances, disks cache.SharedIndexInformer

	broken atomic.Pointer[error] // the last error in watching; nil if there is none
}

// watch starts to watch the VirtualMachines, instances and DataVolumes of a namespace,
// until the context ends. It passes permanent errors to stop.
func (c *Cluster) watch(ctx context.Context, namespace string, stop context.CancelCauseFunc) (*view, error) {
	v := new(view)
	for _, w := range []struct {
		resource schema.GroupVersionResource
		typed    cache.TransformFunc
		informer *cache.SharedIndexInformer
	}{
		{machines, typed[kubevirtv1.VirtualMachine], &v.machines},
		{instances, typed[kubevirtv1.VirtualMachineInstance], &v.instances},
		{dataVolumes, typed[cdiv1.DataVolume], &v.disks},
	} {
		informer := dynamicinformer.
			NewFilteredDynamicInformer(c.objects, w.resource, namespace, 0, cache.Indexers{}, nil).Informer()
		if err := informer.SetTransform(w.typed); err != nil {
			return nil, err
		}
		if err := informer.SetWatchErrorHandlerWithContext(v.trouble(w.resource, namespace, stop)); err != nil {
			return nil, err
		}
		*w.informer = informer
		go informer.RunWithContext(ctx)
	}
	return v, nil
}

// trouble returns a handler that stores the error of a list or watch. The informer
// retries by itself.
func (v *view) trouble(
	resource schema.GroupVersionResource, namespace string, stop context.CancelCauseFunc,
) cache.WatchErrorHandlerWithContext {
	return func(_ context.Context, _ *cache.Reflector, err error) {
		if cause := errors.Unwrap(err); cause != nil {
			err = cause // the reflector's message names its own types
		}
		explained := explain(err, "list and watch", resource, namespace)
		v.broken.Store(&explained)
		if isPermanent(err) {
			stop(explained)
		}
	}
}

// typed converts an object from a watch to its type.
func typed[T any](delivered any) (any, error) {
	object, ok := delivered.(*unstructured.Unstructured)
	if !ok {
		return delivered, nil
	}
	out := new(T)
	unstructured.RemoveNestedField(object.Object, "metadata", "managedFields")
	return out, runtime.DefaultUnstructuredConverter.FromUnstructured(object.Object, out)
}

// synced reports whether all objects have been read.
func (v *view) synced() bool {
	return v.machines.HasSynced() && v.instances.HasSynced() && v.disks.HasSynced()
}

// list returns the VMs with a label as they are now. asked contains the instances for
// which this run has requested a restart, by name.
func (v *view) list(label, value string, asked map[string]types.UID) []*machine {
	running := byName(v.instances, func(i *kubevirtv1.VirtualMachineInstance) string { return i.Name })
	disks := byName(v.disks, func(d *cdiv1.DataVolume) string { return d.Name })
	var out []*machine
	for _, vm := range all[kubevirtv1.VirtualMachine](v.machines) {
		if vm.Labels[label] == value && vm.Spec.Template != nil {
			out = append(out, &machine{
				VirtualMachine: vm, instance: running[vm.Name], disks: disks, asked: asked[vm.Name],
			})
		}
	}
	return out
}

func byName[T any](informer cache.SharedIndexInformer, name func(*T) string) map[string]*T {
	out := map[string]*T{}
	for _, object := range all[T](informer) {
		out[name(object)] = object
	}
	return out
}

// all returns the objects of an informer.
func all[T any](informer cache.SharedIndexInformer) []*T {
	var out []*T
	for _, object := range informer.GetStore().List() {
		if t, ok := object.(*T); ok {
			out = append(out, t)
		}
	}
	return out
}
