package main

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/values"
)

const (
	// draft is the version of JSON Schema that yaml-language-server supports best.
	draft = "http://json-schema.org/draft-07/schema#"
	// ids is the prefix of the schemas' identifiers; nothing is fetched from there.
	ids = "https://vmrender.io/schema/v1alpha1/"
)

// schema returns the JSON Schema of one kind of file.
func (c comments) schema(kind fileKind) ([]byte, error) {
	types := map[string]reflect.Type{}
	r := jsonschema.Reflector{
		Anonymous:      true,
		ExpandedStruct: true,
		LookupComment:  c.of,
		Mapper:         ownForm,
		Namer: func(t reflect.Type) string {
			types[definition(t)] = t
			return definition(t)
		},
	}
	s := r.ReflectFromType(kind.of)
	s.Version, s.ID = draft, jsonschema.ID(ids+kind.name+".schema.json")
	s.Comments, s.Description = kind.title, "" // a title would be shown over every key
	items := listItems(kind.of)
	items[reflect.TypeFor[values.File]()] = true // not a level of inheritance either
	levels := levelTypes(items)
	refine(s, kind.of, items[kind.of])
	appendable(s, kind.of, levels)
	if kind.of == reflect.TypeFor[values.Overlay]() {
		nameByNamespace(s)
	}
	for name, def := range s.Definitions {
		t := types[name]
		refine(def, t, items[t])
		appendable(def, t, levels)
		s.Definitions[name] = withShortForm(def, t)
	}
	if err := addNames(s); err != nil {
		return nil, err
	}
	describe(s)
	return encode(s)
}

// objectName is the form of names that Kubernetes objects have.
const objectName = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"

// nameByNamespace accepts VMs as namespace/name, as overlays name them.
func nameByNamespace(s *jsonschema.Schema) {
	vms, _ := s.Properties.Get("vms")
	vms.AnyOf[0].PropertyNames = nameSchema("^(" + objectName + "/)?" + objectName + "$")
}

// definition returns a unique name for a type: two packages have a Source.
func definition(t reflect.Type) string {
	if t == reflect.TypeFor[catalog.Source]() {
		return "Image"
	}
	return t.Name()
}

// refine adds the struct tags of a type to its schema, and accepts null for each
// key, which removes the inherited value. Keys are required only if the type is
// not merged with inherited values (whole).
func refine(s *jsonschema.Schema, t reflect.Type, whole bool) {
	for _, k := range keysOf(t) {
		p, _ := s.Properties.Get(k.name)
		p = foreign(p, k.field.Tag.Get("ref"))
		limit(p, k.field.Tag)
		named(p, k.field.Tag.Get("names"))
		if p.AdditionalProperties != nil {
			entries(p, k.field.Type.Elem())
		}
		if !k.required || p.Type == "object" {
			p = nullable(p)
		}
		s.Properties.Set(k.name, p)
	}
	if !whole {
		s.Required = nil
	}
}

// foreign returns a free value in the format that its `ref` tag names.
func foreign(p *jsonschema.Schema, ref string) *jsonschema.Schema {
	if ref == "" {
		return p
	}
	f, ok := foreignForms[ref]
	if !ok { // one of our own types
		return &jsonschema.Schema{Description: p.Description, Ref: "#/$defs/" + ref}
	}
	p.Type, p.Description = f.typ, p.Description+" "+f.where
	part := &jsonschema.Schema{Type: "object"}
	if t := kubernetesTypes[ref]; t != nil {
		part = &jsonschema.Schema{Ref: kubernetesFile + "#/$defs/" + kubernetesName(t)}
	}
	switch {
	case p.AdditionalProperties != nil:
		p.AdditionalProperties = part
	case f.typ == "array":
		p.Items = part
	case part.Ref != "":
		p.Type, p.Ref = "", part.Ref
	}
	return p
}

// limit adds the tags `enum`, `minimum`, `maximum` and `format` to a value, or to
// the items of a list.
func limit(p *jsonschema.Schema, tag reflect.StructTag) {
	description := p.Description
	if p.Items != nil {
		p = p.Items
	}
	if enum := tag.Get("enum"); enum != "" {
		for word := range strings.SplitSeq(enum, ",") {
			p.Enum = append(p.Enum, word)
		}
		key, _, _ := strings.Cut(tag.Get("json"), ",")
		explainWords(p, description, key)
	}
	p.Minimum, p.Maximum = json.Number(tag.Get("minimum")), json.Number(tag.Get("maximum"))
	limitFormat(p, tag.Get("format"))
}

// entries accepts null for entries of a map, which removes them, and restricts the
// names of entries that Kubernetes objects are named after.
func entries(p *jsonschema.Schema, of reflect.Type) {
	p.AdditionalProperties = nullable(p.AdditionalProperties)
	t, _ := target(of, "")
	switch t {
	case vmType, reflect.TypeFor[values.Disk](), reflect.TypeFor[values.Service]():
		longest := uint64(63)
		p.PropertyNames = nameSchema("^" + objectName + "$")
		p.PropertyNames.MaxLength = &longest
	}
}

// draft7 replaces the encoder's keywords with those of draft 7, and its escapes
// with readable characters.
var draft7 = strings.NewReplacer(
	`"$defs":`, `"definitions":`, `#/$defs/`, `#/definitions/`,
	`\u003c`, "<", `\u003e`, ">", `\u0026`, "&",
)

func encode(s *jsonschema.Schema) ([]byte, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(draft7.Replace(string(data))), "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}
