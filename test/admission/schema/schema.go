// Package schema judges objects by the structural schemas of their
// CustomResourceDefinitions, as a kube-apiserver with strict field validation
// does, but without one. It checks types, required fields, enumerations, CEL
// rules, the uniqueness of list keys, metadata, and unknown fields.
package schema

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structural "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	metavalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/vmrender/vmrender/test/admission/object"
)

// Judge knows the schemas of some kinds. It is safe for concurrent use.
type Judge struct {
	versions map[string]version // by apiVersion and kind
}

// version is one served version of a CustomResourceDefinition, compiled.
type version struct {
	structural *structural.Structural
	openAPI    validation.SchemaValidator
	cel        *cel.Validator
	namespaced bool
}

// New compiles every version of the given definitions that has a schema.
func New(definitions ...*apiextensionsv1.CustomResourceDefinition) (*Judge, error) {
	j := &Judge{versions: map[string]version{}}
	for _, d := range definitions {
		for _, v := range d.Spec.Versions {
			compiled, err := compile(v)
			if err != nil {
				return nil, fmt.Errorf("compiling %s %s: %w", d.Name, v.Name, err)
			}
			compiled.namespaced = d.Spec.Scope == apiextensionsv1.NamespaceScoped
			j.versions[d.Spec.Group+"/"+v.Name+" "+d.Spec.Names.Kind] = compiled
		}
	}
	return j, nil
}

func compile(v apiextensionsv1.CustomResourceDefinitionVersion) (version, error) {
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		return version{}, fmt.Errorf("no schema")
	}
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(v.Schema.OpenAPIV3Schema, &props, nil); err != nil {
		return version{}, err
	}
	s, err := structural.NewStructural(&props)
	if err != nil {
		return version{}, err
	}
	openAPI, _, err := validation.NewSchemaValidator(&props)
	if err != nil {
		return version{}, err
	}
	return version{structural: s, openAPI: openAPI, cel: cel.NewValidator(s, true, celconfig.PerCallLimit)}, nil
}

// Problems returns the reasons why an API server would refuse the object, and
// `unknown field "PATH"` for each field that it would drop.
func (j *Judge) Problems(o object.Object) []string {
	v, ok := j.versions[o.APIVersion+" "+o.Kind]
	if !ok {
		return []string{fmt.Sprintf("no schema for %s %s", o.APIVersion, o.Kind)}
	}
	content, err := o.Content()
	if err != nil {
		return []string{err.Error()}
	}
	var problems []string
	for _, e := range append(v.validate(content), v.validateMetadata(o)...) {
		problems = append(problems, e.Error())
	}
	for _, path := range v.unknown(content) {
		problems = append(problems, fmt.Sprintf("unknown field %q", path))
	}
	return problems
}

func (v version) validate(content map[string]any) field.ErrorList {
	errs := validation.ValidateCustomResource(nil, content, v.openAPI)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, v.structural, content)...)
	rules, _ := v.cel.Validate(context.Background(), nil, v.structural, content, nil, celconfig.RuntimeCELCostBudget)
	return append(errs, rules...)
}

// validateMetadata checks names, labels, and annotations by the rules for
// custom resources (apiextensions-apiserver, pkg/registry/customresource).
func (v version) validateMetadata(o object.Object) field.ErrorList {
	var m metav1.PartialObjectMetadata
	if err := json.Unmarshal(o.JSON, &m); err != nil {
		return field.ErrorList{field.Invalid(field.NewPath("metadata"), o.Name, err.Error())}
	}
	return metavalidation.ValidateObjectMeta(&m.ObjectMeta, v.namespaced, metavalidation.NameIsDNSSubdomain, field.NewPath("metadata"))
}

// unknown prunes the content and returns the pruned paths.
func (v version) unknown(content map[string]any) []string {
	options := structural.UnknownFieldPathOptions{TrackUnknownFieldPaths: true}
	return pruning.PruneWithOptions(content, v.structural, true, options)
}
