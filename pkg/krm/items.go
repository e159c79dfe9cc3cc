package krm

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"sigs.k8s.io/kustomize/kyaml/kio/kioutil"
	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/vmrender/vmrender/pkg/values"
)

// localConfig is the annotation of objects that configure tools, and that kustomize and kpt do not apply
// (https://kpt.dev/reference/annotations/local-config).
const localConfig = "config.kubernetes.io/local-config"

// isFleet reports whether an object is a Fleet of vmrender, of any version.
func isFleet(of *yaml.RNode) bool {
	group, _, _ := strings.Cut(values.APIVersion, "/")
	return of.GetKind() == values.Kind && strings.HasPrefix(of.GetApiVersion(), group+"/")
}

// isLocal reports whether an object is not to be applied.
func isLocal(of *yaml.RNode) bool {
	value, found := of.GetAnnotations()[localConfig]
	return found && value != "false"
}

// pathOf returns the file of an object, or "" if it is unknown.
func pathOf(of *yaml.RNode) string {
	at, _, err := kioutil.GetFileAnnotations(of)
	if err != nil || at == "" {
		return ""
	}
	return path.Clean(at)
}

// fileOf returns the file for what is rendered of a Fleet or a configuration: next to its own. The function owns the
// whole file, so that rendering again leaves nothing over.
func fileOf(of *yaml.RNode, items []*yaml.RNode) string {
	if of == nil {
		return "rendered.yaml"
	}
	return path.Join(path.Dir(originOf(of, items)), "rendered-"+of.GetName()+".yaml")
}

// originOf returns the file of an object. A configuration, which kpt passes without its file, is also an item.
func originOf(of *yaml.RNode, items []*yaml.RNode) string {
	if at := pathOf(of); at != "" {
		return at
	}
	for _, item := range items {
		if item.GetKind() == of.GetKind() && item.GetApiVersion() == of.GetApiVersion() && item.GetName() == of.GetName() {
			return pathOf(item)
		}
	}
	return ""
}

// with returns the items with the rendered objects of a Fleet or a configuration, in place of those before.
func with(items []*yaml.RNode, of *yaml.RNode, rendered []*yaml.RNode) []*yaml.RNode {
	file := fileOf(of, items)
	others := slices.DeleteFunc(slices.Clone(items), func(item *yaml.RNode) bool { return pathOf(item) == file })
	return append(others, inFile(file, rendered)...)
}

// inFile returns the objects with the annotations of their place in a file, which kustomize and kpt remove.
func inFile(file string, objects []*yaml.RNode) []*yaml.RNode {
	for i, o := range objects {
		annotations := o.GetAnnotations()
		annotations[kioutil.PathAnnotation] = file
		annotations[kioutil.IndexAnnotation] = strconv.Itoa(i)
		_ = o.SetAnnotations(annotations)
	}
	return objects
}

// subject is the object in the list that problems are about. The zero value is for problems of files.
type subject struct {
	file   string                   // its name while it is read; empty for files of a directory
	name   string                   // its name for users
	object *yaml.ResourceIdentifier // nil for the function's configuration
}

func subjectOf(of *yaml.RNode, items []*yaml.RNode) subject {
	name := originOf(of, items)
	if name == "" {
		name = of.GetKind() + "/" + of.GetName()
	}
	id := &yaml.ResourceIdentifier{
		TypeMeta: yaml.TypeMeta{APIVersion: of.GetApiVersion(), Kind: of.GetKind()},
		NameMeta: yaml.NameMeta{Name: of.GetName(), Namespace: of.GetNamespace()},
	}
	return subject{name: name, object: id}
}
