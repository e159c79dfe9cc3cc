package fleetgen

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"sync"

	"sigs.k8s.io/yaml"
)

//go:embed values.yaml
var tableText []byte

// table is values.yaml.
type table struct {
	Header map[string]any      `json:"header"`
	Names  map[string][]string `json:"names"`
	Values map[string][]any    `json:"values"`
	Parts  []map[string]any    `json:"parts"`
	Free   []string            `json:"free"`
	Wrong  map[string][]any    `json:"wrong"`
	Odd    []any               `json:"odd"`
}

// sources are what all fleets are made of. They are read once and not changed.
type sources struct {
	*grammar
	table
}

var readSources = sync.OnceValue(func() *sources {
	g, err := readGrammar()
	if err != nil {
		panic(fmt.Errorf("reading the schemas: %w", err))
	}
	s := &sources{grammar: g}
	if err := yaml.UnmarshalStrict(tableText, &s.table); err != nil {
		panic(fmt.Errorf("reading values.yaml: %w", err))
	}
	return s
})

// clone returns a copy of a tree.
func clone[T any](tree T) T {
	text, err := json.Marshal(tree)
	if err != nil {
		panic(err) // it was read from JSON
	}
	var out T
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

// merge sets the keys of a tree in another, as the levels of a fleet merge.
func merge(into, from map[string]any) {
	for key, value := range from {
		below, ok := into[key].(map[string]any)
		if more, also := value.(map[string]any); ok && also {
			merge(below, more)
		} else {
			into[key] = value
		}
	}
}
