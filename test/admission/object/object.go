// Package object reads the manifests that the admission tests judge. It turns a
// YAML stream into single Kubernetes objects as JSON, as an API server would
// see them.
package object

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Object is one Kubernetes object: its identity and its JSON.
type Object struct {
	APIVersion, Kind, Namespace, Name string
	JSON                              []byte
}

// New reads the identity of an object from its JSON.
func New(raw []byte) (Object, error) {
	var o struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Metadata   struct {
			Name      string `json:"name"`
			Namespace string `json:"namespace"`
		} `json:"metadata"`
	}
	if err := json.Unmarshal(raw, &o); err != nil {
		return Object{}, fmt.Errorf("reading object: %w", err)
	}
	if o.APIVersion == "" || o.Kind == "" {
		return Object{}, fmt.Errorf("object %q has no apiVersion or no kind", o.Metadata.Name)
	}
	return Object{APIVersion: o.APIVersion, Kind: o.Kind, Namespace: o.Metadata.Namespace, Name: o.Metadata.Name, JSON: raw}, nil
}

// Read splits a YAML stream into its objects, in order. It skips empty
// documents and returns an error for duplicate keys.
func Read(stream []byte) ([]Object, error) {
	var objects []Object
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(stream)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		raw, err := yaml.YAMLToJSONStrict(document)
		if err != nil {
			return nil, fmt.Errorf("reading document %d: %w", len(objects)+1, err)
		}
		if bytes.Equal(raw, []byte("null")) {
			continue
		}
		o, err := New(raw)
		if err != nil {
			return nil, err
		}
		objects = append(objects, o)
	}
}

// String returns the object's kind, namespace, and name.
func (o Object) String() string {
	return o.Kind + " " + o.Namespace + "/" + o.Name
}

// Content decodes the object into maps, slices, strings, bools, int64, and
// float64: the types that Kubernetes' validation expects. Every call returns a
// new tree.
func (o Object) Content() (map[string]any, error) {
	var content map[string]any
	if err := json.Unmarshal(o.JSON, &content); err != nil {
		return nil, fmt.Errorf("%s: %w", o, err)
	}
	return content, nil
}

// Patched applies RFC 6902 operations and returns the result.
func (o Object) Patched(operations []map[string]any) (Object, error) {
	encoded, err := json.Marshal(operations)
	if err != nil {
		return Object{}, fmt.Errorf("%s: writing patch: %w", o, err)
	}
	patch, err := jsonpatch.DecodePatch(encoded)
	if err != nil {
		return Object{}, fmt.Errorf("%s: reading patch: %w", o, err)
	}
	raw, err := patch.Apply(o.JSON)
	if err != nil {
		return Object{}, fmt.Errorf("%s: patching: %w", o, err)
	}
	return New(raw)
}
