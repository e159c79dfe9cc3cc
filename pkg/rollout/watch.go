package rollout

import (
	"context"
	"sync/atomic"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

// view is the state of a namespace, which informers update.
type view struct {
	machines, instances, disks *source

	broken atomic.Pointer[error] // the last error in watching; nil if there is none
}

// source is what a view reads of one resource.
type source struct {
	cache.SharedIndexInformer

	cluster   *Cluster
	resource  schema.GroupVersionResource
	namespace string
	failing   atomic.Bool // the last list or watch has failed
	heard     func(error) // receives the error of each list and watch
}

// watch starts to watch the VirtualMachines, instances and DataVolumes of a namespace,
// until the context ends. It passes an [UnavailableError] to stop.
func (c *Cluster) watch(ctx context.Context, namespace string, stop context.CancelCauseFunc) (*view, error) {
	v := new(view)
	heard := func(err error) {
		v.broken.Store(&err)
		if !isTrouble(err) {
			stop(err)
		}
	}
	for _, w := range []struct {
		resource schema.GroupVersionResource
		typed    cache.TransformFunc
		source   **source
	}{
		{machines, typed[kubevirtv1.VirtualMachine], &v.machines},
		{instances, typed[kubevirtv1.VirtualMachineInstance], &v.instances},
		{dataVolumes, typed[cdiv1.DataVolume], &v.disks},
	} {
		s := &source{cluster: c, resource: w.resource, namespace: namespace, heard: heard}
		if err := s.inform(w.typed); err != nil {
			return nil, err
		}
		*w.source = s
		go s.RunWithContext(ctx)
	}
	return v, nil
}

// inform sets the informer.
func (s *source) inform(typed cache.TransformFunc) error {
	client := s.cluster.objects.Resource(s.resource).Namespace(s.namespace)
	s.SharedIndexInformer = cache.NewSharedIndexInformer(
		cache.ToListWatcherWithWatchListSemantics(&cache.ListWatch{
			ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
				list, err := client.List(ctx, o)
				s.hear(ctx, err)
				return list, err
			},
			WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
				w, err := client.Watch(ctx, o)
				s.hear(ctx, err)
				return w, err
			},
		}, s.cluster.objects), &unstructured.Unstructured{}, 0, cache.Indexers{})
	if err := s.SetTransform(typed); err != nil {
		return err
	}
	return s.SetWatchErrorHandlerWithContext(func(context.Context, *cache.Reflector, error) {
		// hear has heard it, and the informer tries again.
	})
}

// hear judges the error of a list or watch. The informer repeats both by itself.
func (s *source) hear(ctx context.Context, err error) {
	if ctx.Err() != nil || apierrors.IsResourceExpired(err) || apierrors.IsGone(err) {
		return // the end of the run, or of what the API server remembers: the next list is without it
	}
	err = s.cluster.answered(err, "list and watch", s.resource, s.namespace)
	s.failing.Store(err != nil)
	if err != nil {
		s.heard(err)
	}
}

// sees reports whether the API server tells what changes. Otherwise, the view may be
// out of date.
func (v *view) sees() bool {
	return !v.machines.failing.Load() && !v.instances.failing.Load() && !v.disks.failing.Load()
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
	return v.where(asked, func(vm *kubevirtv1.VirtualMachine) bool { return vm.Labels[label] == value })
}

// where is list for the VMs that are wanted.
func (v *view) where(asked map[string]types.UID, wanted func(*kubevirtv1.VirtualMachine) bool) []*machine {
	running := byName(v.instances, func(i *kubevirtv1.VirtualMachineInstance) string { return i.Name })
	disks := byName(v.disks, func(d *cdiv1.DataVolume) string { return d.Name })
	var out []*machine
	for _, vm := range all[kubevirtv1.VirtualMachine](v.machines) {
		if wanted(vm) && vm.Spec.Template != nil {
			out = append(out, &machine{
				VirtualMachine: vm, instance: running[vm.Name], disks: disks, asked: asked[vm.Name],
			})
		}
	}
	return out
}

func byName[T any](informer *source, name func(*T) string) map[string]*T {
	out := map[string]*T{}
	for _, object := range all[T](informer) {
		out[name(object)] = object
	}
	return out
}

// all returns the objects of an informer.
func all[T any](informer *source) []*T {
	var out []*T
	for _, object := range informer.GetStore().List() {
		if t, ok := object.(*T); ok {
			out = append(out, t)
		}
	}
	return out
}
