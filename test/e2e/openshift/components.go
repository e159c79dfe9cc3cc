package openshift

import (
	"cmp"
	"context"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// This file follows operator-framework/operator-lifecycle-manager v0.40.0,
// pkg/controller/operators. There, adoption_controller.go labels the components of a
// package's operator, and operator_controller.go collects them in the status of an
// Operator, as defined in decorators/operator.go.

var operatorKind = kind("operators.coreos.com", "v1", "Operator")

// componentLabel is the prefix of the label of an operator's components.
const componentLabel = "operators.coreos.com/"

// adopt labels each Subscription and the objects that it has installed. Definitions are
// created with their label, which avoids a change to the cluster's API.
func (o *OpenShift) adopt(ctx context.Context) error {
	return o.each(ctx, subscriptionKind, func(s *unstructured.Unstructured) error {
		key, namespace := componentKey(get[string](s, "spec", "name"), s.GetNamespace()), s.GetNamespace()
		if err := o.label(ctx, subscriptionKind, namespace, s.GetName(), key); err != nil {
			return err
		}
		if plan := get[string](s, "status", "installPlanRef", "name"); plan != "" {
			if err := o.label(ctx, installPlanKind, namespace, plan, key); err != nil {
				return err
			}
		}
		installed := get[string](s, "status", "installedCSV")
		if installed == "" {
			return nil
		}
		return o.label(ctx, versionKind, namespace, installed, key)
	})
}

// componentKey returns the key of the label of the components of a package's operator. It
// is limited to 63 characters, like the name of the Operator that is derived from it
// (ComponentLabelKey, OperatorNames).
func componentKey(pkg, namespace string) string {
	name := pkg + "." + namespace
	if len(name) > longestName {
		name = strings.TrimRight(name[:longestName], "._-")
	}
	return componentLabel + name
}

const longestName = 63

// operators creates the Operators whose components exist, and writes their status.
func (o *OpenShift) operators(ctx context.Context) error {
	components, err := o.components(ctx)
	if err != nil {
		return err
	}
	found := map[string][]any{}
	for _, component := range components {
		for key := range component.GetLabels() {
			if name, ok := strings.CutPrefix(key, componentLabel); ok {
				found[name] = append(found[name], reference(component))
			}
		}
	}
	for name, references := range found {
		operator, err := o.find(ctx, operatorKind, "", name)
		if err != nil {
			return err
		}
		if operator == nil {
			if err := o.make(ctx, operatorKind, "", name, map[string]any{"spec": map[string]any{}}); err != nil {
				return err
			}
			continue
		}
		slices.SortStableFunc(references, func(a, b any) int { return cmp.Compare(identity(a), identity(b)) })
		err = o.setStatus(ctx, operator, map[string]any{"components": map[string]any{
			"labelSelector": map[string]any{"matchExpressions": []any{
				map[string]any{"key": componentLabel + name, "operator": "Exists"},
			}},
			"refs": references,
		}})
		if err != nil {
			return err
		}
	}
	return nil
}

// components returns the objects that may belong to an operator.
func (o *OpenShift) components(ctx context.Context) ([]*unstructured.Unstructured, error) {
	var found []*unstructured.Unstructured
	for _, k := range []schema.GroupVersionKind{versionKind, installPlanKind, subscriptionKind} {
		objects, err := o.all(ctx, k)
		if err != nil {
			return nil, err
		}
		found = append(found, objects...)
	}
	for _, p := range o.release.products() {
		for _, name := range p.definitions {
			definition, err := o.defined(ctx, name)
			if err != nil {
				return nil, err
			}
			if definition != nil {
				found = append(found, definition)
			}
		}
	}
	return found, nil
}

// defined returns a definition, or nil if it does not exist. Definitions are read one by one,
// because those of KubeVirt are too large to read them all repeatedly, and only until they are
// served, because nothing changes them later.
func (o *OpenShift) defined(ctx context.Context, name string) (*unstructured.Unstructured, error) {
	if definition, ok := o.served[name]; ok {
		return definition, nil
	}
	definition, err := o.of(definitionKind, "").Get(ctx, name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil, nil
	}
	if holds(definition, "Established") {
		o.served[name] = definition
	}
	return definition, err
}

// reference returns the entry for a component in the status of an Operator, with its
// conditions. For a ClusterServiceVersion, these are a single condition for its phase.
func reference(component *unstructured.Unstructured) map[string]any {
	r := map[string]any{"apiVersion": component.GetAPIVersion(), "kind": component.GetKind(), "name": component.GetName()}
	if namespace := component.GetNamespace(); namespace != "" {
		r["namespace"] = namespace
	}
	conditions := get[[]any](component, "status", "conditions")
	if component.GroupVersionKind() == versionKind {
		phase := condition(get[string](component, "status", "phase"), true,
			get[string](component, "status", "reason"), get[string](component, "status", "message"))
		conditions = []any{phase}
	}
	if conditions != nil {
		r["conditions"] = conditions
	}
	return r
}

func identity(r any) string {
	reference, _ := r.(map[string]any)    //nolint:errcheck // made above
	kind, _ := reference["kind"].(string) //nolint:errcheck // as above
	name, _ := reference["name"].(string) //nolint:errcheck // as above
	return kind + " " + name
}
