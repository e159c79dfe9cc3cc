package object

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ReadDir reads the files of a directory, by name. For a List or an OpenShift
// Template, it returns the objects in it.
func ReadDir(dir string) (map[string][]Object, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	all := make(map[string][]Object, len(files))
	for _, f := range files {
		if all[f.Name()], err = readFile(filepath.Join(dir, f.Name())); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name(), err)
		}
	}
	return all, nil
}

func readFile(name string) ([]Object, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	objects, err := Read(text)
	if err != nil {
		return nil, err
	}
	var all []Object
	for _, o := range objects {
		unpacked, err := o.unpack()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", o, err)
		}
		all = append(all, unpacked...)
	}
	return all, nil
}

// pack is a List, or a Template.
type pack struct {
	Items      []json.RawMessage `json:"items"`
	Objects    []json.RawMessage `json:"objects"`
	Parameters []struct {
		Name     string `json:"name"`
		Value    string `json:"value"`
		Generate string `json:"generate"`
	} `json:"parameters"`
}

// unpack returns the objects in a List or a Template, or else the object itself.
func (o Object) unpack() ([]Object, error) {
	if o.Kind != "List" && o.Kind != "Template" {
		return []Object{o}, nil
	}
	var p pack
	if err := json.Unmarshal(o.JSON, &p); err != nil {
		return nil, err
	}
	var objects []Object
	for _, raw := range append(p.Items, p.Objects...) {
		inner, err := New([]byte(p.values().Replace(string(raw))))
		if err != nil {
			return nil, err
		}
		objects = append(objects, inner)
	}
	return objects, nil
}

// values replaces parameters with values, as `oc process` does. A generated value
// is "generated", and `${{NAME}}` may stand for values other than text.
func (p *pack) values() *strings.Replacer {
	pairs := make([]string, 0, 4*len(p.Parameters))
	for _, parameter := range p.Parameters {
		value := parameter.Value
		if parameter.Generate != "" {
			value = "generated"
		}
		pairs = append(pairs, `"${{`+parameter.Name+`}}"`, value, "${"+parameter.Name+"}", value)
	}
	return strings.NewReplacer(pairs...)
}
