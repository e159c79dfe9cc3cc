package openshift

import (
	"context"
	"maps"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func kind(group, version, name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: name}
}

// all returns the objects of a kind; none where it is not served.
func (o *OpenShift) all(ctx context.Context, k schema.GroupVersionKind) ([]*unstructured.Unstructured, error) {
	items, err := o.List(ctx, k, "")
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	objects := make([]*unstructured.Unstructured, len(items))
	for i := range items {
		objects[i] = &items[i]
	}
	return objects, nil
}

// each takes a step with every object of a kind.
func (o *OpenShift) each(ctx context.Context, k schema.GroupVersionKind, act func(*unstructured.Unstructured) error) error {
	objects, err := o.all(ctx, k)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if err := act(object); err != nil {
			return err
		}
	}
	return nil
}

// find returns an object, or nil where it is not there or its kind is not served.
func (o *OpenShift) find(ctx context.Context, k schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	object, err := o.Get(ctx, k, namespace, name)
	if meta.IsNoMatchError(err) {
		return nil, nil
	}
	return object, err
}

// make creates an object.
func (o *OpenShift) make(ctx context.Context, k schema.GroupVersionKind, namespace, name string, content map[string]any) error {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	maps.Copy(object.Object, content)
	object.SetGroupVersionKind(k)
	object.SetNamespace(namespace)
	object.SetName(name)
	resource, err := o.Of(k, namespace)
	if err != nil {
		return err
	}
	_, err = resource.Create(ctx, object, metav1.CreateOptions{})
	return err
}

// setStatus writes fields of the status where one of them differs.
func (o *OpenShift) setStatus(ctx context.Context, object *unstructured.Unstructured, fields map[string]any) error {
	status := get[map[string]any](object, "status")
	if status == nil {
		status = map[string]any{}
	}
	changed := false
	for key, value := range fields {
		changed = changed || !apiequality.Semantic.DeepEqual(status[key], value)
		status[key] = value
	}
	if !changed {
		return nil
	}
	object.Object["status"] = status
	resource, err := o.Of(object.GroupVersionKind(), object.GetNamespace())
	if err != nil {
		return err
	}
	_, err = resource.UpdateStatus(ctx, object, metav1.UpdateOptions{})
	return err
}

// label adds a label to an object that has it not, if there is one.
func (o *OpenShift) label(ctx context.Context, k schema.GroupVersionKind, namespace, name, key string) error {
	object, err := o.find(ctx, k, namespace, name)
	if err != nil || object == nil {
		return err
	}
	if _, ok := object.GetLabels()[key]; ok {
		return nil
	}
	return o.Update(ctx, k, namespace, name, func(object *unstructured.Unstructured) {
		labels := object.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels[key] = ""
		object.SetLabels(labels)
	})
}

// get is a field of an object; the zero value where there is none of that type.
func get[T any](object *unstructured.Unstructured, path ...string) T {
	value, _, _ := unstructured.NestedFieldCopy(object.Object, path...) //nolint:errcheck // what is no map has no fields
	typed, _ := value.(T)                                               //nolint:errcheck // as documented
	return typed
}

func condition(name string, is bool, reason, message string) map[string]any {
	return map[string]any{
		"type": name, "status": map[bool]string{true: "True", false: "False"}[is], "reason": reason, "message": message,
		"lastTransitionTime": moment,
	}
}

// moment is the time of everything that happens.
const moment = "2026-01-01T00:00:00Z"

// holds tells whether a condition of an object is True.
func holds(object *unstructured.Unstructured, name string) bool {
	return object != nil && slices.ContainsFunc(get[[]any](object, "status", "conditions"), func(c any) bool {
		found, ok := c.(map[string]any)
		return ok && found["type"] == name && found["status"] == "True"
	})
}
