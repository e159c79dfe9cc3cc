package main

import (
	"maps"
	"reflect"
	"slices"

	"github.com/invopop/jsonschema"

	"github.com/vmrender/vmrender/pkg/drill"
	"github.com/vmrender/vmrender/pkg/gate"
	"github.com/vmrender/vmrender/pkg/impact"
	"github.com/vmrender/vmrender/pkg/plan"
	"github.com/vmrender/vmrender/pkg/report"
	"github.com/vmrender/vmrender/pkg/status"
)

// output is what a command prints as JSON, and the kind of its schema.
type output struct {
	kind, command string
	of            reflect.Type
}

var outputs = []output{
	{"plan", "plan", reflect.TypeFor[report.PlanDocument]()},
	{"status", "status", reflect.TypeFor[report.StatusDocument]()},
	{"drain", "status --drain NODE", reflect.TypeFor[report.DrainDocument]()},
	{"drill", "drill", reflect.TypeFor[report.DrillDocument]()},
}

// outputSchema returns the JSON Schema of what `vmrender COMMAND -o json` prints. It accepts
// more keys than there are, so that readers can check the output of later versions.
func (c comments) outputSchema(o output) ([]byte, error) {
	r := jsonschema.Reflector{
		Anonymous:                 true,
		ExpandedStruct:            true,
		AllowAdditionalProperties: true,
		LookupComment:             c.of,
		Mapper:                    outputWords,
	}
	s := r.ReflectFromType(o.of)
	s.Version, s.ID = draft, jsonschema.ID(ids+o.kind+".schema.json")
	s.Title, s.Description = "the output of vmrender "+o.command+" -o json", c.of(o.of, "")
	for _, def := range slices.Concat([]*jsonschema.Schema{s}, slices.Collect(maps.Values(s.Definitions))) {
		describeReferences(def)
	}
	return encode(s)
}

// outputWords returns the schemas of words from closed lists.
func outputWords(t reflect.Type) *jsonschema.Schema {
	switch t {
	case reflect.TypeFor[impact.Level]():
		return words(impact.Levels())
	case reflect.TypeFor[impact.Code]():
		return words(plan.Codes())
	case reflect.TypeFor[status.State]():
		return words(status.States())
	case reflect.TypeFor[status.FactCode]():
		return words(status.FactCodes())
	case reflect.TypeFor[status.Outcome]():
		return words(status.Outcomes())
	case reflect.TypeFor[status.DrainCode]():
		return words(status.DrainCodes())
	case reflect.TypeFor[drill.Kind]():
		return words(drill.Kinds())
	case reflect.TypeFor[gate.Risk]():
		return words([]gate.Risk{gate.RiskRestart, gate.RiskDelete, gate.RiskData})
	case reflect.TypeFor[gate.ApprovalState]():
		return words([]gate.ApprovalState{gate.Given, gate.Missing, gate.Stale})
	case reflect.TypeFor[gate.Removal]():
		return words([]gate.Removal{gate.RemovalApproved, gate.RemovalMissing})
	case reflect.TypeFor[map[impact.Level]int]():
		return counts(impact.Levels())
	case reflect.TypeFor[map[status.State]int]():
		return counts(status.States())
	case reflect.TypeFor[map[status.Outcome]int]():
		return counts(status.Outcomes())
	case reflect.TypeFor[map[drill.Kind]int]():
		return counts(drill.Kinds()[1:])
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
