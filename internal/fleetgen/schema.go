package fleetgen

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/schema"
)

// shape is a JSON schema, as far as the generator reads it.
type shape struct {
	Ref        string            `json:"$ref"`
	Types      oneOrMore         `json:"type"`
	Properties map[string]*shape `json:"properties"`
	Entries    *shape            `json:"additionalProperties"`
	Items      *shape            `json:"items"`
	AnyOf      []*shape          `json:"anyOf"`
	Then       *shape            `json:"then"` // of maps; other values have the forms of AnyOf
	Enum       []any             `json:"enum"`
	Minimum    *int64            `json:"minimum"`
	Maximum    *int64            `json:"maximum"`
	Required   []string          `json:"required"`

	Definitions map[string]*shape `json:"definitions"`
}

// UnmarshalJSON reads a schema. The schemas true and false become empty.
func (s *shape) UnmarshalJSON(text []byte) error {
	type plain shape
	if text[0] != '{' {
		return nil
	}
	return json.Unmarshal(text, (*plain)(s))
}

// oneOrMore is a name or a list of names.
type oneOrMore []string

// UnmarshalJSON reads both forms.
func (l *oneOrMore) UnmarshalJSON(text []byte) error {
	if text[0] == '[' {
		return json.Unmarshal(text, (*[]string)(l))
	}
	*l = make([]string, 1)
	return json.Unmarshal(text, &(*l)[0])
}

// grammar is the schemas of a fleet's files, by "fleet", "overlay", "defaults" and "vms", and
// their definitions.
type grammar struct {
	kinds       map[string]*shape
	definitions map[string]*shape
}

func readGrammar() (*grammar, error) {
	g := &grammar{kinds: map[string]*shape{}, definitions: map[string]*shape{}}
	for _, kind := range []string{"fleet", "overlay", "defaults", "vms"} {
		text, err := schema.FS.ReadFile(kind + ".schema.json")
		if err != nil {
			return nil, err
		}
		s := new(shape)
		if err := json.Unmarshal(text, s); err != nil {
			return nil, err
		}
		g.kinds[kind] = s
		maps.Copy(g.definitions, s.Definitions)
	}
	return g, nil
}

// resolve follows a reference. It returns the name of the definition, or the name
// that was given if the schema is not a reference.
func (g *grammar) resolve(s *shape, name string) (*shape, string) {
	file, definition, found := strings.Cut(s.Ref, "#/definitions/")
	switch {
	case !found:
		return s, name
	case file != "": // a part of Kubernetes, which the tables have values for
		return &shape{Types: oneOrMore{"object"}}, name
	case strings.HasPrefix(definition, "names."):
		return g.definitions[definition], name
	}
	return g.definitions[definition], definition
}

// alternatives returns the forms of a value, without null.
func (g *grammar) alternatives(s *shape, name string) []form {
	s, name = g.resolve(s, name)
	if len(s.AnyOf) == 0 {
		return []form{{s, name}}
	}
	var out []form
	for _, a := range s.AnyOf {
		if s.Then != nil && slices.Equal(a.Types, []string{"object"}) {
			a = s.Then
		}
		if a.Ref != "#/definitions/null" {
			out = append(out, g.alternatives(a, name)...)
		}
	}
	return out
}

// form is a schema without alternatives, and the name by which the tables know it.
type form struct {
	*shape
	name string
}

// keys returns all keys of the schemas, as DEFINITION.KEY, sorted.
func (g *grammar) keys() []string {
	seen := map[string]bool{}
	for kind, s := range g.kinds {
		g.addKeys(s, owner(kind), seen)
	}
	return slices.Sorted(maps.Keys(seen))
}

func (g *grammar) addKeys(s *shape, name string, seen map[string]bool) {
	for _, f := range g.alternatives(s, name) {
		for key, below := range f.Properties {
			id := f.name + "." + key
			if !seen[id] {
				seen[id] = true
				g.addKeys(below, id, seen)
			}
		}
		for _, below := range []*shape{f.Entries, f.Items} {
			if below != nil {
				g.addKeys(below, f.name+".*", seen)
			}
		}
	}
}

// used adds the keys in a value of a schema.
func (g *grammar) used(s *shape, name string, value any, seen map[string]bool) {
	for _, f := range g.alternatives(s, name) {
		switch v := value.(type) {
		case map[string]any:
			for key, below := range v {
				if p := f.Properties[key]; p != nil {
					seen[f.name+"."+key] = true
					g.used(p, f.name+"."+key, below, seen)
				} else if f.Entries != nil {
					g.used(f.Entries, f.name+".*", below, seen)
				}
			}
		case []any:
			for _, below := range v {
				if f.Items != nil {
					g.used(f.Items, f.name+".*", below, seen)
				}
			}
		}
	}
}

// owner returns the name of a kind of file's own keys. Those of _defaults.yaml are
// the keys of a VM.
func owner(kind string) string {
	if kind == "defaults" {
		return "VM"
	}
	return kind
}

// kindOf returns the kind of a file.
func kindOf(file string) string {
	switch base := path.Base(file); {
	case base == headerFile:
		return "fleet"
	case strings.HasPrefix(base, "."):
		return "overlay"
	case base == defaultsFile:
		return "defaults"
	}
	return "vms"
}
