package openshift

import (
	"context"
	"maps"
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
)

func kind(group, version, name string) schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: group, Version: version, Kind: name}
}

// of returns access to the objects of a kind, without asking the API server whether it is
// served. For most of the time, most kinds are not.
func (o *OpenShift) of(k schema.GroupVersionKind, namespace string) dynamic.ResourceInterface {
	resource, _ := meta.UnsafeGuessKindToResource(k)
	if k == networkKind {
		resource.Resource = "network-attachment-definitions"
	}
	return o.Resource(resource).Namespace(namespace)
}

// all returns the objects of a kind, or none if it is not served. Within a step, they are read
// once, unless one of them is written, and from the API server's memory. A part that acts on
// what is no longer true is refused, and tries again in the next step.
func (o *OpenShift) all(ctx context.Context, k schema.GroupVersionKind) ([]*unstructured.Unstructured, error) {
	if objects, ok := o.read[k]; ok {
		return objects, nil
	}
	list, err := o.of(k, "").List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil && !apierrors.IsNotFound(err) {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	if err == nil {
		for i := range list.Items {
			objects = append(objects, &list.Items[i])
		}
	}
	o.read[k] = objects
	return objects, nil
}

// each calls act with every object of a kind.
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

// find returns an object, or nil if it does not exist or its kind is not served.
func (o *OpenShift) find(ctx context.Context, k schema.GroupVersionKind, namespace, name string) (*unstructured.Unstructured, error) {
	objects, err := o.all(ctx, k)
	i := slices.IndexFunc(objects, func(object *unstructured.Unstructured) bool {
		return object.GetNamespace() == namespace && object.GetName() == name
	})
	if err != nil || i < 0 {
		return nil, err
	}
	return objects[i], nil
}

// make creates an object.
func (o *OpenShift) make(ctx context.Context, k schema.GroupVersionKind, namespace, name string, content map[string]any) error {
	object := &unstructured.Unstructured{Object: map[string]any{}}
	maps.Copy(object.Object, content)
	object.SetGroupVersionKind(k)
	object.SetNamespace(namespace)
	object.SetName(name)
	delete(o.read, k)
	_, err := o.of(k, namespace).Create(ctx, object, metav1.CreateOptions{})
	return err
}

// setStatus writes fields of the status if one of them differs.
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
	k := object.GroupVersionKind()
	delete(o.read, k)
	subresources := []string{"status"}
	if k == importKind || k == sourceKind || k == locationKind || k == scheduleKind {
		subresources = nil // the kinds of CDI have none, except DataVolume, nor those of Velero
	}
	_, err := o.of(k, object.GetNamespace()).Update(ctx, object, metav1.UpdateOptions{}, subresources...)
	return err
}

// label adds a label to an object, if the object exists and does not have the label.
func (o *OpenShift) label(ctx context.Context, k schema.GroupVersionKind, namespace, name, key string) error {
	object, err := o.find(ctx, k, namespace, name)
	if err != nil || object == nil {
		return err
	}
	if _, ok := object.GetLabels()[key]; ok {
		return nil
	}
	delete(o.read, k)
	return o.Update(ctx, k, namespace, name, func(object *unstructured.Unstructured) {
		labels := object.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels[key] = ""
		object.SetLabels(labels)
	})
}

// get returns a field of an object, or the zero value if there is none of that type.
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

// moment is the time of all events.
const moment = "2026-01-01T00:00:00Z"

// holds reports whether a condition of an object is True.
func holds(object *unstructured.Unstructured, name string) bool {
	return object != nil && slices.ContainsFunc(get[[]any](object, "status", "conditions"), func(c any) bool {
		found, ok := c.(map[string]any)
		return ok && found["type"] == name && found["status"] == "True"
	})
}
