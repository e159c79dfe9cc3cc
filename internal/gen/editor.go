package main

import (
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/source"
)

// What editors make of a schema follows yaml-language-server 1.25 (schemaValidation,
// yamlCompletion and yamlHover in src/languageservice).

// nullName is the name of the definition of null.
const nullName = "null"

// null returns the schema of null, in a form that editors do not offer as a value: with a
// type, every key would complete to null first.
func null() *jsonschema.Schema {
	others := []string{"string", "number", "boolean", "array", "object"}
	return &jsonschema.Schema{Not: &jsonschema.Schema{Extras: map[string]any{"type": others}}}
}

// nullable returns the schema of a value that can also be null.
func nullable(p *jsonschema.Schema) *jsonschema.Schema {
	also := &jsonschema.Schema{Ref: "#/$defs/" + nullName}
	if p.AnyOf != nil && p.If == nil {
		p.AnyOf = append(p.AnyOf, also)
		return p
	}
	value := *p
	value.Description = ""
	return &jsonschema.Schema{Description: p.Description, AnyOf: []*jsonschema.Schema{&value, also}}
}

// withShortForm returns a schema that also accepts the short form of a type. The type of the
// value decides, so that editors report what is wrong with the form that is used.
func withShortForm(s *jsonschema.Schema, t reflect.Type) *jsonschema.Schema {
	short, ok := shortForms[t]
	if !ok {
		return s
	}
	object := &jsonschema.Schema{Type: "object"}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{shortSchema(t, &short), object}, If: object, Then: s}
}

// named restricts a string, or the items of a list, to the name of an entry of the catalog.
func named(p *jsonschema.Schema, kind string) {
	if kind == "" {
		return
	}
	if p.Items != nil {
		p = p.Items
	}
	p.Type, p.Ref = "", "#/$defs/"+catalog.SchemaOfNames(kind)
}

// addNames adds the definitions of null and of the names that are built in, as far as a schema
// refers to them. Other names are also accepted: those of a fleet are known to `vmrender schema
// --write`.
func addNames(s *jsonschema.Schema) error {
	written, err := encode(s)
	if err != nil {
		return err
	}
	if s.Definitions == nil {
		s.Definitions = jsonschema.Definitions{}
	}
	s.Definitions[nullName] = null()
	for _, kind := range catalog.NamedKinds() {
		if !strings.Contains(string(written), `/`+catalog.SchemaOfNames(kind)+`"`) {
			continue
		}
		names := text()
		if entries := catalog.New(nil, new(source.Diagnostics)).Entries(kind); len(entries) > 0 {
			known := &jsonschema.Schema{Extras: map[string]any{}}
			says := make([]string, 0, len(entries))
			for _, e := range entries {
				known.Enum = append(known.Enum, e.Name)
				says = append(says, e.Text)
			}
			known.Extras["enumDescriptions"] = says
			names = &jsonschema.Schema{AnyOf: []*jsonschema.Schema{known, text()}}
		}
		s.Definitions[catalog.SchemaOfNames(kind)] = names
	}
	return nil
}

// smallNumbers refuses numbers of bytes below 1Mi, whose unit is probably missing, and reports it.
func smallNumbers() *jsonschema.Schema {
	return &jsonschema.Schema{
		If: &jsonschema.Schema{Type: "integer", Maximum: "1048575"},
		Then: &jsonschema.Schema{
			Const:  "a quantity with its unit",
			Extras: map[string]any{"errorMessage": "A number of bytes; expected a quantity with its unit, such as 16Gi."},
		},
	}
}

// nameSchema returns the schema of the names of entries that Kubernetes objects are named
// after.
func nameSchema(pattern string) *jsonschema.Schema {
	return &jsonschema.Schema{Title: "name", Pattern: pattern, Extras: map[string]any{
		"patternErrorMessage": "A name has lower-case letters, digits and \"-\", up to 63.",
	}}
}

// explainPattern sets the text that editors show for a value that a format does not accept, instead of
// its regular expression.
func explainPattern(s *jsonschema.Schema, format string) {
	says := map[string]string{
		"quantity": "A quantity with a unit, such as 16Gi or 500M.",
		"ip":       "An IP address, such as 10.0.0.1.",
		"token":    "A token that `vmrender plan` prints.",
		"tokens":   "A token that `vmrender plan` prints for several VMs.",
		"window":   "A window with days, times and zone, such as Sun 02:00-04:00 Europe/Berlin.",
		"schedule": "Days, a time and a zone, such as daily 01:30 Europe/Berlin, or a cron expression and a zone.",
		"cidr":     "A network with its prefix length, such as 10.20.0.0/16.",
	}[format]
	if says == "" {
		return
	}
	if s.Extras == nil {
		s.Extras = map[string]any{}
	}
	s.Extras["patternErrorMessage"] = says
}

var pageLink = lazyregexp.New(`\[([^\]]*)\]\([^)]*\)`)

// describe puts the descriptions of a schema into the forms of editors: plain text, and
// Markdown where that differs. Links to pages lead nowhere there. Descriptions of definitions
// would hide those of the keys that refer to them.
func describe(s *jsonschema.Schema) {
	for name, def := range s.Definitions {
		def.Description = ""
		if name == nullName {
			def.Description = "null removes what is inherited." // without, hovers lose their Markdown
		}
		describe(def)
	}
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		describe(p.Value)
	}
	inner := append([]*jsonschema.Schema{s.Items, s.AdditionalProperties, s.Then}, s.AnyOf...)
	for _, i := range inner {
		if i != nil {
			describe(i)
		}
	}
	s.Description = pageLink().ReplaceAllString(s.Description, "$1")
	if !strings.Contains(s.Description, "`") {
		return
	}
	if s.Extras == nil {
		s.Extras = map[string]any{}
	}
	s.Extras["markdownDescription"] = s.Description
	s.Description = strings.ReplaceAll(s.Description, "`", "")
}
