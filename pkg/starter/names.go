package starter

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
)

// withNames returns a schema whose names of entries are those of catalogs: an editor offers
// them, and marks others where only a catalog has them. It returns a schema without such
// names, and any schema if there are no catalogs, as it is.
func withNames(schema []byte, sets []*catalog.Set) ([]byte, error) {
	if len(sets) == 0 || !strings.Contains(string(schema), `"`+catalog.SchemaOfNames("os")+`":`) {
		return schema, nil
	}
	var s map[string]json.RawMessage
	if err := json.Unmarshal(schema, &s); err != nil {
		return nil, err
	}
	var definitions map[string]json.RawMessage
	if err := json.Unmarshal(s["definitions"], &definitions); err != nil {
		return nil, err
	}
	for _, kind := range catalog.NamedKinds() {
		if definitions[catalog.SchemaOfNames(kind)] == nil {
			continue
		}
		names, err := json.Marshal(schemaOf(kind, union(kind, sets)))
		if err != nil {
			return nil, err
		}
		definitions[catalog.SchemaOfNames(kind)] = names
	}
	var err error
	if s["definitions"], err = json.Marshal(definitions); err != nil {
		return nil, err
	}
	out, err := json.MarshalIndent(s, "", "  ")
	return append(out, '\n'), err
}

// union returns the entries of a kind in any of the catalogs; of several with one name, the
// first.
func union(kind string, sets []*catalog.Set) []catalog.Entry {
	var all []catalog.Entry
	seen := map[string]bool{}
	for _, set := range sets {
		for _, e := range set.Entries(kind) {
			if !seen[e.Name] {
				seen[e.Name] = true
				all = append(all, e)
			}
		}
	}
	return all
}

// names is a JSON Schema with the extensions that yaml-language-server 1.25 reads
// (src/languageservice, jsonSchema.ts).
type names struct {
	Type                string    `json:"type,omitempty"`
	Enum                []string  `json:"enum,omitempty"`
	EnumDescriptions    []string  `json:"enumDescriptions,omitempty"`
	ErrorMessage        string    `json:"errorMessage,omitempty"`
	Pattern             string    `json:"pattern,omitempty"`
	PatternErrorMessage string    `json:"patternErrorMessage,omitempty"`
	DefaultSnippets     []snippet `json:"defaultSnippets,omitempty"`
}

type snippet struct {
	Label       string `json:"label"`
	Description string `json:"description"`
	Body        string `json:"body"`
}

// schemaOf returns the schema of the names of a kind. Networks also have other names:
// namespace/name of a NetworkAttachmentDefinition. Without entries any name is accepted, such as
// those of the storage classes in the cluster.
func schemaOf(kind string, entries []catalog.Entry) names {
	if kind == "networks" {
		return networkNames(entries)
	}
	known := names{ErrorMessage: "Not in the catalog of this fleet; `vmrender catalog " + kind + "` lists its names."}
	for _, e := range entries {
		known.Enum = append(known.Enum, e.Name)
		known.EnumDescriptions = append(known.EnumDescriptions, e.Text)
	}
	if len(entries) == 0 {
		return names{Type: "string"}
	}
	return known
}

func networkNames(entries []catalog.Entry) names {
	n := names{
		Type: "string", PatternErrorMessage: "Neither a network of this fleet's catalog, nor namespace/name of a " +
			"NetworkAttachmentDefinition; `vmrender catalog networks` lists its names.",
	}
	quoted := make([]string, len(entries))
	for i, e := range entries {
		quoted[i] = regexp.QuoteMeta(e.Name)
		n.DefaultSnippets = append(n.DefaultSnippets, snippet{e.Name, e.Text, e.Name})
	}
	n.Pattern = "^(" + strings.Join(quoted, "|") + ")$|/"
	return n
}
