package render

import (
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/vmrender/vmrender/pkg/lifecycle"
	"github.com/vmrender/vmrender/pkg/machine"
	"github.com/vmrender/vmrender/pkg/source"
)

// writtenObject is an object of any kind that the user writes.
type writtenObject struct {
	metav1.TypeMeta
	tree *source.Node
}

// MarshalJSON returns the manifest.
func (o *writtenObject) MarshalJSON() ([]byte, error) { return source.AppendJSON(nil, o.tree), nil }

// DeepCopyObject returns a copy that shares the manifest, which is never changed.
func (o *writtenObject) DeepCopyObject() runtime.Object {
	out := *o
	return &out
}

// appendWritten appends the user's objects. They are applied and deleted as the VM's Services are.
func (x *rendering) appendWritten(objects []runtime.Object) []runtime.Object {
	for i := range x.Objects {
		objects = append(objects, x.written(&x.Objects[i]))
	}
	return objects
}

func (x *rendering) written(o *machine.Object) *writtenObject {
	kind := metav1.TypeMeta{APIVersion: o.Manifest.Get("apiVersion").Str(), Kind: o.Manifest.Get("kind").Str()}
	meta := x.objectMeta(o.Name, x.syncAnnotations(lifecycle.Dependent))
	at := o.Manifest
	own := mapOf(at, "apiVersion", textNode(at, kind.APIVersion), "kind", textNode(at, kind.Kind), "metadata", mapOf(at,
		"name", textNode(at, meta.Name), "namespace", textNode(at, meta.Namespace),
		"labels", textsNode(at, meta.Labels), "annotations", textsNode(at, meta.Annotations)))
	return &writtenObject{kind, source.Merge(own, o.Manifest)}
}

// mapOf returns a map of keys and their values.
func mapOf(at *source.Node, pairs ...any) *source.Node {
	n := source.EmptyMap(at)
	for i := 0; i < len(pairs); i += 2 {
		n.Add(pairs[i].(string), pairs[i+1].(*source.Node))
	}
	return n
}

func textNode(at *source.Node, text string) *source.Node {
	n := *at
	n.Kind, n.Style, n.Text, n.Fields = source.String, source.DoubleQuoted, text, nil
	return &n
}

func textsNode(at *source.Node, texts map[string]string) *source.Node {
	n := source.EmptyMap(at)
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		n.Add(key, textNode(at, texts[key]))
	}
	return n
}
