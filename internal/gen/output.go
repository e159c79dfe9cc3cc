package main

import (
	"maps"
	"reflect"
	"slices"

	"github.com/invopop/jsonschema"

	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report"
)

// outputs are what commands print as JSON, by the command.
var outputs = []struct {
	command string
	of      reflect.Type
}{
	{"plan", reflect.TypeFor[report.PlanDocument]()},
	{"status", reflect.TypeFor[report.StatusDocument]()},
}

// outputSchema returns the JSON Schema of what `vmrender COMMAND -o json` prints. It accepts
// more keys than there are, so that readers can check the output of later versions.
func (c comments) outputSchema(command string, of reflect.Type) ([]byte, error) {
	r := jsonschema.Reflector{
		Anonymous:                 true,
		ExpandedStruct:            true,
		AllowAdditionalProperties: true,
		LookupComment:             c.of,
		Mapper:                    outputWords,
	}
	s := r.ReflectFromType(of)
	s.Version, s.ID = draft, jsonschema.ID(ids+command+".schema.json")
	s.Title, s.Description = "the output of vmrender "+command+" -o json", c.of(of, "")
	for _, def := range slices.Concat([]*jsonschema.Schema{s}, slices.Collect(maps.Values(s.Definitions))) {
		describeReferences(def)
	}
	return encode(s)
}

// outputWords returns the schemas of words from closed lists.
func outputWords(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[plan.Level]():
		return words(plan.Levels())
	case reflect.TypeFor[plan.Code]():
		return words(plan.Codes())
	case reflect.TypeFor[plan.State]():
		return words(plan.States())
	case reflect.TypeFor[plan.FactCode]():
		return words(plan.FactCodes())
	case reflect.TypeFor[plan.Risk]():
		return words([]plan.Risk{plan.RiskRestart, plan.RiskDelete, plan.RiskData})
	case reflect.TypeFor[plan.ApprovalState]():
		return words([]plan.ApprovalState{plan.Given, plan.Missing, plan.Stale})
	case reflect.TypeFor[plan.Removal]():
		return words([]plan.Removal{plan.RemovalApproved, plan.RemovalMissing})
	case reflect.TypeFor[map[plan.Level]int]():
		return counts(plan.Levels())
	case reflect.TypeFor[map[plan.State]int]():
		return counts(plan.States())
	}
	return nil
}

// counts returns the schema of an object with a number for each word.
func counts[T any](list []T) *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", PropertyNames: words(list), AdditionalProperties: &jsonschema.Schema{Type: "integer", Minimum: "0"},
	}
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
			s.Properties.Set(p.Key, &jsonschema.Schema{
				Description: p.Value.Description, AnyOf: []*jsonschema.Schema{{Ref: p.Value.Ref}},
			})
		}
	}
}
