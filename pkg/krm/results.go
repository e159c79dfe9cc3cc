package krm

import (
	"fmt"
	"path"
	"strconv"

	"sigs.k8s.io/kustomize/kyaml/yaml"

	"github.com/vmrender/vmrender/pkg/source"
)

// problem is a problem, and the object in the list that has it, or nil.
type problem struct {
	source.Diagnostic
	object *yaml.ResourceIdentifier
}

// result is a problem in the form of the specification of functions. What it has no place for is in tags.
type result struct {
	Message  string                   `yaml:"message"`
	Severity string                   `yaml:"severity"`
	Resource *yaml.ResourceIdentifier `yaml:"resourceRef,omitempty"`
	Field    *place                   `yaml:"field,omitempty"`
	File     *place                   `yaml:"file,omitempty"`
	Tags     map[string]string        `yaml:"tags"`
}

// place is the path of a field or of a file.
type place struct {
	Path string `yaml:"path"`
}

// results returns the problems as the results of the list, or nil if there are none.
func (f *function) results() (*yaml.RNode, error) {
	if len(f.problems) == 0 {
		return nil, nil //nolint:nilnil // a list without results
	}
	list := make([]result, 0, len(f.problems))
	for _, p := range f.problems {
		list = append(list, p.result())
	}
	text, err := yaml.Marshal(list)
	if err != nil {
		return nil, fmt.Errorf("writing results: %w", err)
	}
	return yaml.Parse(string(text))
}

func (p problem) result() result {
	r := result{
		Message: p.String(), Severity: "error", Resource: p.object,
		Tags: map[string]string{"rule": string(p.Rule)},
	}
	if p.Severity == source.Warning {
		r.Severity = "warning"
	}
	if p.Path != "" {
		r.Field = &place{p.Path}
	}
	if ext := path.Ext(p.File); ext == ".yaml" || ext == ".yml" {
		r.File = &place{p.File}
	}
	if p.Line > 0 {
		r.Tags["line"], r.Tags["column"] = strconv.Itoa(p.Line), strconv.Itoa(p.Col)
	}
	return r
}
