package cluster

import (
	"encoding/json"
	"fmt"
	"reflect"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/testing"
	v1 "kubevirt.io/api/core/v1"
)

// moment is the time of everything that has a timestamp.
var moment = metav1.Unix(1_700_000_000, 0)

// server treats writes as an API server does, as far as the controllers can see:
// admission, generated names, UIDs, generations, finalizers, and the status
// subresource.
type server struct {
	admission *admission
	writes    int // number of writes that changed anything
}

// serve puts the server between clients and the tracker that keeps their objects.
func (s *server) serve(fake *testing.Fake, tracker testing.ObjectTracker) {
	fake.PrependReactor("create", "*", s.reactor(func(action testing.Action) (runtime.Object, error) {
		return s.create(tracker, action.(testing.CreateAction))
	}))
	fake.PrependReactor("update", "*", s.reactor(func(action testing.Action) (runtime.Object, error) {
		update := action.(testing.UpdateAction)
		return s.update(tracker, action, update.GetObject())
	}))
	fake.PrependReactor("patch", "*", s.reactor(func(action testing.Action) (runtime.Object, error) {
		return s.patch(tracker, action.(testing.PatchAction))
	}))
	fake.PrependReactor("delete", "*", s.reactor(func(action testing.Action) (runtime.Object, error) {
		return s.delete(tracker, action.(testing.DeleteAction))
	}))
}

func (*server) reactor(do func(testing.Action) (runtime.Object, error)) testing.ReactionFunc {
	return func(action testing.Action) (bool, runtime.Object, error) {
		if action.GetSubresource() != "" && action.GetSubresource() != "status" || action.GetResource().Resource == "subjectaccessreviews" {
			return false, nil, nil
		}
		object, err := do(action)
		return true, object, err
	}
}

func (s *server) create(tracker testing.ObjectTracker, action testing.CreateAction) (runtime.Object, error) {
	object, err := s.admission.create(action.GetObject().DeepCopyObject())
	if err != nil {
		return nil, err
	}
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	s.writes++
	if m.GetName() == "" {
		m.SetName(fmt.Sprintf("%s%d", m.GetGenerateName(), s.writes))
	}
	m.SetNamespace(action.GetNamespace())
	m.SetUID(types.UID(fmt.Sprintf("%s-%s-%d", action.GetResource().Resource, m.GetName(), s.writes)))
	m.SetGeneration(1)
	m.SetCreationTimestamp(moment)
	m.SetResourceVersion(fmt.Sprint(s.writes))
	if err := tracker.Create(action.GetResource(), object, action.GetNamespace()); err != nil {
		return nil, err
	}
	return tracker.Get(action.GetResource(), action.GetNamespace(), m.GetName())
}

func (s *server) update(tracker testing.ObjectTracker, action testing.Action, object runtime.Object) (runtime.Object, error) {
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	resource := action.GetResource()
	old, err := tracker.Get(resource, action.GetNamespace(), m.GetName())
	if err != nil {
		return nil, err
	}
	object = merged(old, object.DeepCopyObject(), action.GetSubresource())
	if err := sameVersion(object, old); err != nil || equality.Semantic.DeepEqual(old, object) {
		return old, err
	}
	if object, err = s.admission.update(object, old, action.GetSubresource()); err != nil {
		return nil, err
	}
	if equality.Semantic.DeepEqual(old, object) {
		return old, nil
	}
	s.writes++
	if m, err = meta.Accessor(object); err != nil {
		return nil, err
	}
	m.SetResourceVersion(fmt.Sprint(s.writes))
	if generation(object) != generation(old) {
		m.SetGeneration(m.GetGeneration() + 1)
	}
	if m.GetDeletionTimestamp() != nil && len(m.GetFinalizers()) == 0 {
		return object, tracker.Delete(resource, action.GetNamespace(), m.GetName())
	}
	if err := tracker.Update(resource, object, action.GetNamespace()); err != nil {
		return nil, err
	}
	return tracker.Get(resource, action.GetNamespace(), m.GetName())
}

// sameVersion sets the object's resource version to that of the old one. Every write is
// based on the newest version, because there is no other writer.
func sameVersion(object, old runtime.Object) error {
	is, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	was, err := meta.Accessor(old)
	if err != nil {
		return err
	}
	is.SetResourceVersion(was.GetResourceVersion())
	return nil
}

// merged returns the result of an update of the object or of its status. Of the
// kinds that are written here, only VirtualMachines have a status subresource.
func merged(old, object runtime.Object, subresource string) runtime.Object {
	was, ok := old.(*v1.VirtualMachine)
	if !ok {
		return object
	}
	is := object.(*v1.VirtualMachine)
	if subresource == "status" {
		out := was.DeepCopy()
		out.Status = is.Status
		return out
	}
	is.Status = *was.Status.DeepCopy()
	is.Generation = was.Generation
	return is
}

// generation returns a text that changes whenever an object's generation grows.
func generation(object runtime.Object) string {
	raw, err := json.Marshal(object)
	if err != nil {
		return err.Error()
	}
	var o struct {
		Spec json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return err.Error()
	}
	return string(o.Spec)
}

func (s *server) patch(tracker testing.ObjectTracker, action testing.PatchAction) (runtime.Object, error) {
	old, err := tracker.Get(action.GetResource(), action.GetNamespace(), action.GetName())
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(old)
	if err != nil {
		return nil, err
	}
	switch action.GetPatchType() {
	case types.JSONPatchType:
		patch, err := jsonpatch.DecodePatch(action.GetPatch())
		if err != nil {
			return nil, err
		}
		raw, err = patch.Apply(raw)
		if err != nil {
			return nil, fmt.Errorf("patching %s %s: %w", action.GetResource().Resource, action.GetName(), err)
		}
	case types.MergePatchType, types.StrategicMergePatchType:
		if raw, err = jsonpatch.MergePatch(raw, action.GetPatch()); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("patch of type %s", action.GetPatchType())
	}
	object, err := decode(old, raw)
	if err != nil {
		return nil, err
	}
	return s.update(tracker, action, object)
}

func (s *server) delete(tracker testing.ObjectTracker, action testing.DeleteAction) (runtime.Object, error) {
	old, err := tracker.Get(action.GetResource(), action.GetNamespace(), action.GetName())
	if err != nil {
		return nil, err
	}
	m, err := meta.Accessor(old)
	if err != nil {
		return nil, err
	}
	s.writes++
	if len(m.GetFinalizers()) == 0 {
		return old, tracker.Delete(action.GetResource(), action.GetNamespace(), action.GetName())
	}
	m.SetDeletionTimestamp(&moment)
	return old, tracker.Update(action.GetResource(), old, action.GetNamespace())
}

// decode reads JSON into a new object of the kind of like.
func decode(like runtime.Object, raw []byte) (runtime.Object, error) {
	object, ok := reflect.New(reflect.TypeOf(like).Elem()).Interface().(runtime.Object)
	if !ok {
		return nil, fmt.Errorf("%T is no object", like)
	}
	return object, json.Unmarshal(raw, object)
}
