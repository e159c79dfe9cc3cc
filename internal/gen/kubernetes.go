package main

import (
	"maps"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	kubevirtv1 "kubevirt.io/api/core/v1"
	cdiv1 "kubevirt.io/containerized-data-importer-api/pkg/apis/core/v1beta1"
)

// kubernetesFile is the schema of the parts of Kubernetes, KubeVirt and CDI that values
// files contain as they are. The schemas of values files refer to it.
const kubernetesFile = "kubernetes.schema.json"

// kubernetesTypes are the types of those parts, by the `ref` tags of the fields that contain
// them, or items of them.
var kubernetesTypes = map[string]reflect.Type{
	"DataVolume":                reflect.TypeFor[cdiv1.DataVolume](),
	"Disk":                      reflect.TypeFor[kubevirtv1.Disk](),
	"Interface":                 reflect.TypeFor[kubevirtv1.Interface](),
	"Service":                   reflect.TypeFor[corev1.Service](),
	"VirtualMachine":            reflect.TypeFor[kubevirtv1.VirtualMachine](),
	"accessCredentials":         reflect.TypeFor[kubevirtv1.AccessCredential](),
	"affinity":                  reflect.TypeFor[corev1.Affinity](),
	"dataSourceRef":             reflect.TypeFor[corev1.TypedObjectReference](),
	"imageio":                   reflect.TypeFor[cdiv1.DataVolumeSourceImageIO](),
	"livenessProbe":             reflect.TypeFor[kubevirtv1.Probe](),
	"readinessProbe":            reflect.TypeFor[kubevirtv1.Probe](),
	"tolerations":               reflect.TypeFor[corev1.Toleration](),
	"topologySpreadConstraints": reflect.TypeFor[corev1.TopologySpreadConstraint](),
	"volume":                    reflect.TypeFor[kubevirtv1.VolumeSource](),
	"vddk":                      reflect.TypeFor[cdiv1.DataVolumeSourceVDDK](),
}

// kubernetesSchema returns the JSON Schema of the parts, as definitions. Merge patches remove
// with null, so every value can be null.
func kubernetesSchema() ([]byte, error) {
	all := &jsonschema.Schema{
		Version: draft, ID: ids + kubernetesFile, Comments: "parts of Kubernetes, KubeVirt and CDI",
		Definitions: jsonschema.Definitions{nullName: null()},
	}
	for _, t := range kubernetesTypes {
		r := jsonschema.Reflector{
			Anonymous: true, RequiredFromJSONSchemaTags: true, Namer: kubernetesName, Mapper: kubernetesForm,
			LookupComment: swaggerDoc,
		}
		maps.Copy(all.Definitions, r.ReflectFromType(t).Definitions)
	}
	for _, def := range all.Definitions {
		for p := def.Properties.Oldest(); p != nil; p = p.Next() {
			def.Properties.Set(p.Key, nullable(p.Value))
		}
	}
	describe(all)
	return encode(all)
}

// kubernetesName returns a unique name for a type: KubeVirt and Kubernetes have a Volume each.
func kubernetesName(t reflect.Type) string {
	project := "kubernetes"
	switch {
	case t.Name() == "":
		return "" // lists and maps have no definitions
	case strings.Contains(t.PkgPath(), "containerized-data-importer"):
		project = "cdi"
	case strings.HasPrefix(t.PkgPath(), "kubevirt.io/"):
		project = "kubevirt"
	}
	return project + "." + t.Name()
}

// kubernetesForm returns the schema of a type that is written in another form than its
// fields have, or nil.
func kubernetesForm(t reflect.Type) *jsonschema.Schema {
	types := func(names ...string) *jsonschema.Schema {
		return &jsonschema.Schema{Extras: map[string]any{"type": names}}
	}
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		return types("string", "number")
	case reflect.TypeFor[intstr.IntOrString]():
		return types("integer", "string")
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime](), reflect.TypeFor[metav1.Duration]():
		return text()
	case reflect.TypeFor[runtime.RawExtension](), reflect.TypeFor[metav1.FieldsV1]():
		return &jsonschema.Schema{Type: "object"}
	case reflect.TypeFor[[]byte]():
		return text()
	}
	return nil
}

// swaggerDoc returns the first sentence of a type's description of one of its fields.
func swaggerDoc(t reflect.Type, field string) string {
	doc, ok := reflect.TypeAssert[interface{ SwaggerDoc() map[string]string }](reflect.New(t).Elem())
	if !ok || field == "" {
		return ""
	}
	f, _ := t.FieldByName(field)
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	line, _, _ := strings.Cut(doc.SwaggerDoc()[name], "\n")
	sentence, _, more := strings.Cut(line, ". ")
	if more {
		sentence += "."
	}
	return sentence
}
