package main

import (
	"maps"
	"reflect"
	"slices"

	"github.com/invopop/jsonschema"

	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report"
)

// planSchema returns the JSON Schema of `vmrender plan -o json`. It accepts more keys than
// there are, so that readers can check the output of later versions.
func (c comments) planSchema() ([]byte, error) {
	r := jsonschema.Reflector{
		Anonymous:                 true,
		ExpandedStruct:            true,
		AllowAdditionalProperties: true,
		LookupComment:             c.of,
		Mapper:                    planWords,
	}
	s := r.ReflectFromType(reflect.TypeFor[report.PlanDocument]())
	s.Version, s.ID = draft, jsonschema.ID(ids+"plan.schema.json")
	s.Title, s.Description = "the output of vmrender plan -o json", c.of(reflect.TypeFor[report.PlanDocument](), "")
	for _, def := range slices.Concat([]*jsonschema.Schema{s}, slices.Collect(maps.Values(s.Definitions))) {
		describeReferences(def)
	}
	return encode(s)
}

// planWords returns the schemas of words from closed lists.
func planWords(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[plan.Level]():
		return words(plan.Levels())
	case reflect.TypeFor[plan.Code]():
		return words(plan.Codes())
	case reflect.TypeFor[map[plan.Level]int]():
		return &jsonschema.Schema{
			Type: "object", PropertyNames: words(plan.Levels()),
			AdditionalProperties: &jsonschema.Schema{Type: "integer", Minimum: "0"},
		}
	}
	return nil
}

func words[T any](list []T) *jsonschema.Schema {
	s := text()
	for _, word := range list {
		s.Enum = append(s.Enum, word)
	}
	return s
}

// describeReferences puts references with a description into the form of draft 7.
func describeReferences(s *jsonschema.Schema) {
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		if p.Value.Ref != "" && p.Value.Description != "" {
			s.Properties.Set(p.Key, oneOfMany(p.Value))
		}
	}
}
