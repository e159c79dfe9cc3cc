package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

// jsonSchema is a JSON Schema. Before it is expanded, its types can also be names
// of a chartTypeSet.
type jsonSchema = map[string]any

// chartTypeSet is the types that values can have in addition to those of JSON, by name.
type chartTypeSet map[string]jsonSchema

// chartType is a type as the reference shows it.
type chartType struct {
	Name, Doc string
	Keys      []chartTypeKey
}

// chartTypeKey is a key of a type that is a map.
type chartTypeKey struct{ Name, Type, Doc string }

// readChartTypes reads the files that exist. A name must be unique in all of them.
func readChartTypes(paths ...string) (chartTypeSet, error) {
	all := chartTypeSet{}
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		} else if err != nil {
			return nil, err
		}
		var types chartTypeSet
		if err := yaml.UnmarshalStrict(data, &types); err != nil {
			return nil, fmt.Errorf("reading %s: %w", path, err)
		}
		for name, s := range types {
			if all[name] != nil || slices.Contains(slices.Collect(maps.Values(jsonTypes)), name) {
				return nil, fmt.Errorf("reading %s: type %q exists already", path, name)
			}
			all[name] = s
		}
	}
	return all, nil
}

// expand replaces named types by their schemas, and forbids unlisted keys in every
// map that lists keys.
func (t chartTypeSet) expand(s jsonSchema) (jsonSchema, error) {
	s, err := t.resolve(s)
	if err != nil {
		return nil, err
	}
	for key, value := range s {
		if value == nil && key != "const" && key != "default" {
			return nil, fmt.Errorf("keyword %q has no value; quote a description with a comma", key)
		}
		if s[key], err = t.expandKeyword(key, value); err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
	}
	if s["type"] == "object" && s["additionalProperties"] == nil {
		if s["properties"] == nil && s["patternProperties"] == nil {
			return nil, errors.New("the keys of the map are missing; set properties, or additionalProperties: true for any")
		}
		s["additionalProperties"] = false
	}
	return s, nil
}

// expandKeyword expands the schemas under a keyword.
func (t chartTypeSet) expandKeyword(key string, value any) (any, error) {
	switch key {
	case "properties", "patternProperties":
		return t.expandEach(value)
	case "items", "additionalProperties", "not", "if", "then", "else":
		if s, ok := value.(jsonSchema); ok {
			return t.expand(s)
		}
	case "anyOf", "oneOf", "allOf":
		list, _ := value.([]any)
		expanded := make([]any, len(list))
		for i, item := range list {
			s, _ := item.(jsonSchema)
			var err error
			if expanded[i], err = t.expand(s); err != nil {
				return nil, err
			}
		}
		return expanded, nil
	}
	return value, nil
}

func (t chartTypeSet) expandEach(properties any) (any, error) {
	named, ok := properties.(jsonSchema)
	if !ok {
		return nil, errors.New("not a map")
	}
	expanded := jsonSchema{}
	for name, value := range named {
		s, _ := value.(jsonSchema)
		var err error
		if expanded[name], err = t.expand(s); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return expanded, nil
}

// resolve returns a copy of a schema with one of JSON's types. Keywords next to a
// named type override those of the type.
func (t chartTypeSet) resolve(s jsonSchema) (jsonSchema, error) {
	name, ok := s["type"].(string)
	if !ok || slices.Contains(slices.Collect(maps.Values(jsonTypes)), name) || name == "null" {
		return maps.Clone(s), nil
	}
	meant, ok := t[name]
	if !ok {
		return nil, fmt.Errorf("unknown type %q; types.yaml has the names in addition to those of JSON", name)
	}
	resolved := maps.Clone(meant)
	for key, value := range s {
		if key != "type" {
			resolved[key] = value
		}
	}
	return t.resolve(resolved)
}

// typesOf returns the types that a schema allows, or nil if it allows any.
func typesOf(s jsonSchema) []any {
	switch types := s["type"].(type) {
	case string:
		return []any{types}
	case []any:
		return slices.Clone(types)
	}
	return nil
}

// text returns the type of a value as the reference shows it.
func (t chartTypeSet) text(s jsonSchema) string {
	if values, ok := s["enum"].([]any); ok {
		words := make([]string, len(values))
		for i, v := range values {
			words[i] = code(fmt.Sprint(v))
		}
		return strings.Join(words, ", ")
	}
	if items, ok := s["items"].(jsonSchema); ok {
		return "list of " + t.text(items)
	}
	if values := mapValues(s); values != nil {
		return "map of " + t.text(values)
	}
	words := make([]string, 0, 2)
	for _, v := range typesOf(s) {
		words = append(words, t.link(fmt.Sprint(v)))
	}
	return strings.Join(words, " or ")
}

// mapValues returns the schema of the values of a map whose keys users choose, or
// nil if the schema is of something else.
func mapValues(s jsonSchema) jsonSchema {
	values, _ := s["additionalProperties"].(jsonSchema)
	patterns, _ := s["patternProperties"].(jsonSchema)
	for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
		values, _ = patterns[pattern].(jsonSchema)
	}
	return values
}

// link returns a link to the description of a named type.
func (t chartTypeSet) link(name string) string {
	if t[name] == nil {
		return strings.Replace(name, "object", "map", 1)
	}
	return "[" + name + "](#" + anchor(name) + ")"
}

// named returns the named types of the values, and the types that these refer to.
func (t chartTypeSet) named(root *chartValue) []chartType {
	used := map[string]bool{}
	var visit func(*chartValue)
	visit = func(v *chartValue) {
		t.collect(v.written, used)
		for _, k := range v.Keys {
			visit(k)
		}
	}
	visit(root)
	list := make([]chartType, 0, len(used))
	for _, name := range slices.Sorted(maps.Keys(used)) {
		list = append(list, t.describe(name))
	}
	return list
}

// collect adds the named types anywhere in a schema to used.
func (t chartTypeSet) collect(part any, used map[string]bool) {
	switch part := part.(type) {
	case []any:
		for _, p := range part {
			t.collect(p, used)
		}
	case jsonSchema:
		if name, ok := part["type"].(string); ok && t[name] != nil && !used[name] {
			used[name] = true
			t.collect(t[name], used)
		}
		for _, p := range part {
			t.collect(p, used)
		}
	}
}

func (t chartTypeSet) describe(name string) chartType {
	s := t[name]
	described := chartType{Name: name, Doc: sentence(s["description"])}
	properties, _ := s["properties"].(jsonSchema)
	for _, key := range slices.Sorted(maps.Keys(properties)) {
		p, _ := properties[key].(jsonSchema)
		described.Keys = append(described.Keys, chartTypeKey{Name: key, Type: t.text(p), Doc: sentence(p["description"])})
	}
	return described
}

// sentence returns a description on one line, with a capital letter and a full stop.
func sentence(description any) string {
	text, _ := description.(string)
	words := strings.Join(strings.Fields(text), " ")
	if words == "" {
		return ""
	}
	return strings.ToUpper(words[:1]) + words[1:] + "."
}
