package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// chartValue is a key of a chart's values, with its comment:
//
//	# -- Description of the key.
//	# @schema {minimum: 1}
//	key: 3
//
// After "@schema" come keywords of JSON Schema as a YAML map. The type defaults to
// that of the default value. A default of null means "not set" and needs a type.
type chartValue struct {
	Path    string
	Doc     string
	Type    string        // as the reference shows it
	Default string        // in YAML's flow style; empty for null
	written jsonSchema    // from the comment, with named types
	schema  jsonSchema    // expanded
	Keys    []*chartValue // of a map whose keys are described one by one
}

// readChartValues reads a chart's values.yaml. The path of the root is empty.
func readChartValues(data []byte, types chartTypeSet) (*chartValue, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(data, &document); err != nil {
		return nil, err
	}
	if len(document.Content) == 0 || document.Content[0].Kind != yaml.MappingNode {
		return nil, errors.New("not a map")
	}
	root := &chartValue{Type: "object"}
	if err := root.readKeys(document.Content[0], types); err != nil {
		return nil, err
	}
	return root, nil
}

func (v *chartValue) readKeys(node *yaml.Node, types chartTypeSet) error {
	properties := jsonSchema{}
	var errs []error
	for i := 0; i < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		child := &chartValue{Path: join(v.Path, key.Value)}
		if err := child.read(key.HeadComment, value, types); err != nil {
			errs = append(errs, fmt.Errorf("line %d: %s: %w", key.Line, child.Path, err))
			continue
		}
		v.Keys = append(v.Keys, child)
		properties[key.Value] = child.schema
	}
	v.schema = jsonSchema{"type": "object", "properties": properties, "additionalProperties": false}
	return errors.Join(errs...)
}

func (v *chartValue) read(comment string, node *yaml.Node, types chartTypeSet) error {
	written, err := v.readComment(comment)
	if err != nil {
		return err
	}
	if node.Kind == yaml.MappingNode && len(node.Content) > 0 && !describesMap(written) {
		err = v.readKeys(node, types)
	} else if err = derive(written, node); err == nil {
		v.written, v.Type, v.Default = written, types.text(written), flow(node)
		v.schema, err = types.expand(written)
	}
	if err != nil {
		return err
	}
	if node.Tag == "!!null" {
		acceptNull(v.schema)
	}
	v.schema["description"] = v.Doc
	return nil
}

// readComment sets Doc from a comment and returns the keywords after "@schema".
func (v *chartValue) readComment(comment string) (jsonSchema, error) {
	var words []string
	for line := range strings.Lines(comment) {
		words = append(words, strings.Fields(strings.TrimPrefix(line, "#"))...)
	}
	doc, keywords, _ := strings.Cut(strings.Join(words, " "), "@schema")
	doc, ok := strings.CutPrefix(strings.TrimSpace(doc), "-- ")
	if !ok {
		return nil, errors.New(`no comment "# -- …" describes it`)
	}
	v.Doc = doc
	written := jsonSchema{}
	if err := yaml.Unmarshal([]byte(keywords), &written); err != nil {
		return nil, fmt.Errorf("reading @schema: %w", err)
	}
	return written, nil
}

// describesMap reports whether the schema itself defines the keys of a map.
func describesMap(s jsonSchema) bool {
	for _, keyword := range []string{"type", "properties", "patternProperties", "additionalProperties"} {
		if s[keyword] != nil {
			return true
		}
	}
	return false
}

var jsonTypes = map[string]string{
	"!!str": "string", "!!int": "integer", "!!float": "number", "!!bool": "boolean", "!!seq": "array", "!!map": "object",
}

// derive adds the type of the default value.
func derive(s jsonSchema, node *yaml.Node) error {
	if s["type"] == nil && s["enum"] == nil {
		if node.Tag == "!!null" {
			return errors.New("null has no type; set it with @schema")
		}
		s["type"] = jsonTypes[node.Tag]
	}
	if s["type"] == "array" && s["items"] == nil {
		return errors.New("@schema does not say what its items are")
	}
	return nil
}

// acceptNull adds null to the types and values that a key accepts.
func acceptNull(s jsonSchema) {
	if values, ok := s["enum"].([]any); ok {
		s["enum"] = append(slices.Clone(values), nil)
	}
	if types := typesOf(s); types != nil {
		s["type"] = append(types, "null")
	}
}

// flow returns a default value on one line, or a reference to values.yaml for a
// map with keys, which is too long.
func flow(node *yaml.Node) string {
	switch {
	case node.Tag == "!!null":
		return ""
	case node.Kind == yaml.MappingNode && len(node.Content) > 0:
		return "see values.yaml"
	}
	short := *node
	short.Style |= yaml.FlowStyle
	short.HeadComment, short.LineComment, short.FootComment = "", "", ""
	text, err := yaml.Marshal(&short)
	if err != nil {
		return "see values.yaml"
	}
	return code(strings.Join(strings.Fields(string(text)), " "))
}

// Leaves reports whether at least one key has no keys of its own.
func (v *chartValue) Leaves() bool {
	return slices.ContainsFunc(v.Keys, func(k *chartValue) bool { return k.Keys == nil })
}
