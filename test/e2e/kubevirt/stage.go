package kubevirt

import (
	"context"
	"fmt"
	"maps"
	"sync"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	"github.com/vmrender/vmrender/test/e2e/cluster"
)

// Outcome is the outcome of a disk, an instance or a snapshot.
type Outcome uint8

// These are the outcomes. An outcome that has been reached stays, even if another
// one is set later.
const (
	Done Outcome = iota // filled, ready or taken immediately, unless a test sets another outcome
	Wait                // nothing for now
	Fail
)

// request is an object to process.
type request struct {
	resource        schema.GroupVersionResource
	namespace, name string
}

// stage plays what KubeVirt's controllers wait for.
type stage struct {
	client   *cluster.Client
	complain func(error)
	queue    workqueue.TypedRateLimitingInterface[request]
	actors   map[schema.GroupVersionResource]func(context.Context, *unstructured.Unstructured) error

	lock     sync.Mutex
	outcomes map[request]Outcome
	provided map[string]bool // the objects that have been created for the cluster, by name
}

func newStage(client *cluster.Client, complain func(error)) *stage {
	s := &stage{
		client: client, complain: complain,
		queue:    workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[request]()),
		outcomes: map[request]Outcome{}, provided: map[string]bool{},
	}
	s.actors = map[schema.GroupVersionResource]func(context.Context, *unstructured.Unstructured) error{
		VirtualMachines: s.provideImages,
		Instances:       s.runInstance,
		DataVolumes:     s.fillDisk,
		Claims:          s.growClaim,
		Snapshots:       s.takeSnapshot,
		Restores:        s.restore,
	}
	return s
}

// Set sets the outcome of an object or, with an empty name, of all objects of the
// namespace that have no outcome of their own.
func (s *stage) Set(ctx context.Context, resource schema.GroupVersionResource, namespace, name string, outcome Outcome) error {
	s.lock.Lock()
	s.outcomes[request{resource, namespace, name}] = outcome
	s.lock.Unlock()
	list, err := s.client.Resource(resource).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for i := range list.Items {
		s.queue.Add(request{resource, namespace, list.Items[i].GetName()})
	}
	return nil
}

func (s *stage) outcome(resource schema.GroupVersionResource, object *unstructured.Unstructured) Outcome {
	s.lock.Lock()
	defer s.lock.Unlock()
	if outcome, ok := s.outcomes[request{resource, object.GetNamespace(), object.GetName()}]; ok {
		return outcome
	}
	return s.outcomes[request{resource, object.GetNamespace(), ""}]
}

// play processes objects as they change, until the context is done. An instance
// and its disks wait for each other.
func (s *stage) play(ctx context.Context) {
	informers := dynamicinformer.NewDynamicSharedInformerFactory(s.client, 0)
	for resource := range s.actors {
		look := func(object any) {
			if o, ok := object.(*unstructured.Unstructured); ok {
				s.queue.Add(request{resource, o.GetNamespace(), o.GetName()})
				s.queueRelated(resource, o, informers.ForResource(Instances).Informer().GetStore(),
					informers.ForResource(Restores).Informer().GetStore())
			}
		}
		_, err := informers.ForResource(resource).Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
			AddFunc:    look,
			UpdateFunc: func(_, object any) { look(object) },
			DeleteFunc: look,
		})
		if err != nil {
			s.complain(err)
		}
	}
	informers.Start(ctx.Done())
	go func() {
		<-ctx.Done()
		s.queue.ShutDown()
	}()
	for s.next(ctx) {
	}
}

func (s *stage) queueRelated(
	resource schema.GroupVersionResource, object *unstructured.Unstructured, instances, restores cache.Store,
) {
	switch resource {
	case Instances:
		for _, disk := range disksOf(object) {
			s.queue.Add(request{DataVolumes, object.GetNamespace(), disk})
		}
		for _, restore := range restores.List() {
			if r, ok := restore.(*unstructured.Unstructured); ok && r.GetNamespace() == object.GetNamespace() {
				s.queue.Add(request{Restores, r.GetNamespace(), r.GetName()})
			}
		}
	case DataVolumes, Claims:
		for _, other := range instances.List() {
			if instance, ok := other.(*unstructured.Unstructured); ok && instance.GetNamespace() == object.GetNamespace() {
				s.queue.Add(request{Instances, instance.GetNamespace(), instance.GetName()})
			}
		}
	}
}

func (s *stage) next(ctx context.Context) bool {
	r, stopped := s.queue.Get()
	if stopped {
		return false
	}
	defer s.queue.Done(r)
	err := s.act(ctx, r)
	if err == nil {
		s.queue.Forget(r)
		return true
	}
	// Without an answer, the API server is away, because a test has stopped it.
	if apierrors.ReasonForError(err) != metav1.StatusReasonUnknown && !apierrors.IsConflict(err) && !apierrors.IsNotFound(err) {
		s.complain(fmt.Errorf("%s %s/%s: %w", r.resource.Resource, r.namespace, r.name, err))
	}
	s.queue.AddRateLimited(r)
	return true
}

func (s *stage) act(ctx context.Context, r request) error {
	object, err := s.client.Resource(r.resource).Namespace(r.namespace).Get(ctx, r.name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return s.actors[r.resource](ctx, object)
}

// provide creates an object once.
func (s *stage) provide(ctx context.Context, kind schema.GroupVersionKind, namespace, name string, content map[string]any) error {
	key := kind.Kind + " " + namespace + "/" + name
	if s.provided[key] {
		return nil
	}
	object := &unstructured.Unstructured{Object: map[string]any{}}
	maps.Copy(object.Object, content)
	object.SetGroupVersionKind(kind)
	object.SetNamespace(namespace)
	object.SetName(name)
	if err := s.client.Apply(ctx, object); err != nil {
		return err
	}
	s.provided[key] = true
	return nil
}

// setStatus writes fields of the status if one of them differs. Instances have no
// status subresource.
func (s *stage) setStatus(ctx context.Context, resource schema.GroupVersionResource, object *unstructured.Unstructured, fields map[string]any) error {
	status := nested[map[string]any](object, "status")
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
	subresources := []string{"status"}
	if resource == Instances {
		subresources = nil
	}
	_, err := s.client.Resource(resource).Namespace(object.GetNamespace()).Update(ctx, object, metav1.UpdateOptions{}, subresources...)
	return err
}

// nested returns a field of an object, whose type the schema has checked, or the
// zero value if there is none.
func nested[T any](object *unstructured.Unstructured, path ...string) T {
	value, _, _ := unstructured.NestedFieldCopy(object.Object, path...)
	typed, _ := value.(T)
	return typed
}

// elements returns the elements of a list of maps in an object.
func elements(object *unstructured.Unstructured, path ...string) []*unstructured.Unstructured {
	out := []*unstructured.Unstructured{}
	for _, e := range nested[[]any](object, path...) {
		out = append(out, &unstructured.Unstructured{Object: e.(map[string]any)}) //nolint:forcetypeassert // as the schema says
	}
	return out
}

func condition(kind, status, reason string) map[string]any {
	c := map[string]any{"type": kind, "status": status}
	if reason != "" {
		c["reason"] = reason
	}
	return c
}
