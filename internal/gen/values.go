package main

import (
	_ "embed"
	"reflect"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/values"
	"github.com/vmrender/vmrender/pkg/versions"
)

//go:embed values.md.tmpl
var valuesTemplate string

// tableTemplate defines the parts that the references of all files share.
//
//go:embed table.md.tmpl
var tableTemplate string

// section is the table of one type's keys.
type section struct {
	of    reflect.Type
	paths []string // of its keys; empty for the root of a file

	Comment string
	Short   string // the short form's example
	Rows    []row
}

// row is one key.
type row struct{ Key, Type, Accepted, Meaning string }

// Title returns the section's heading: the paths of its keys.
func (s *section) Title() string {
	if len(s.paths) == 0 {
		return ""
	}
	return "`" + strings.Join(s.paths, "`, `") + "`"
}

// reference collects the sections that tables can link to.
type reference struct {
	comments comments
	byType   map[reflect.Type]*section
}

// valuesReference returns docs/reference/values.md.
func (c comments) valuesReference() ([]byte, error) {
	r := &reference{c, map[reflect.Type]*section{}}
	vm := r.collect(vmType, "")
	header := r.collect(reflect.TypeFor[values.Header](), "")
	entries := r.collect(catalogType, "catalog")
	overlay := r.collect(reflect.TypeFor[values.Environment](), "")
	file := r.collect(reflect.TypeFor[values.File](), "")
	r.fill()
	return execute("values.md", tableTemplate+valuesTemplate, map[string][]*section{
		"VM": vm, "Fleet": header, "Overlay": overlay, "Catalog": entries, "File": file,
	})
}

// fill sets the rows of all sections. All of them must exist, to be linked to.
func (r *reference) fill() {
	for _, s := range r.byType {
		s.Rows = r.rows(s.of)
	}
}

// collect returns new sections for a type and all types below it. A type that
// already has a section gets another path instead.
func (r *reference) collect(t reflect.Type, path string) []*section {
	var list []*section
	add := func(t reflect.Type, path string) bool {
		if t == reflect.TypeFor[catalog.Source]() {
			t = reflect.TypeFor[values.Source]() // the same keys
		}
		s := r.byType[t]
		known := s != nil
		if !known {
			s = &section{of: t, Comment: r.comments.of(t, ""), Short: shortForms[t].Example}
			r.byType[t] = s
			list = append(list, s)
		}
		if path != "" && !slices.Contains(s.paths, path) {
			s.paths = append(s.paths, path)
		}
		return !known
	}
	add(t, path)
	walk(t, path, func(t reflect.Type, path string) bool {
		return t != vmType && t != catalogType && add(t, path)
	})
	return list
}

func (r *reference) rows(t reflect.Type) []row {
	keys := keysOf(t)
	rows := make([]row, 0, len(keys))
	for _, k := range keys {
		meaning := r.comments.of(k.of, k.field.Name)
		if f, ok := foreignForms[k.field.Tag.Get("ref")]; ok {
			meaning += " " + f.where
		}
		if k.required {
			meaning = "Required. " + meaning
		}
		tag := k.field.Tag
		rows = append(rows, row{"`" + k.name + "`", r.words(k.field.Type, tag, false), accepted(tag), meaning})
	}
	return rows
}

// words describes a type, in the singular or in the plural.
func (r *reference) words(t reflect.Type, tag reflect.StructTag, many bool) string {
	switch {
	case t.Kind() == reflect.Pointer && t.Elem() == nodeType:
		return r.free(tag.Get("ref"))
	case t.Kind() == reflect.Pointer:
		return r.words(t.Elem(), tag, many)
	case t.Kind() == reflect.Slice:
		return plural("list", many) + " of " + r.words(t.Elem(), tag, true)
	case t.Kind() == reflect.Map:
		return plural("map", many) + " of " + r.words(t.Elem(), tag, true)
	case t == reflect.TypeFor[values.Command]():
		return plural("string", many) + " or " + plural("list", many) + " of strings"
	case t == reflect.TypeFor[values.IntOrPercent]():
		return "integer or percentage"
	case t == reflect.TypeFor[values.Amount]():
		return plural("quantity", many)
	case t == reflect.TypeFor[values.DriversDisk]():
		return "boolean or image"
	case t == reflect.TypeFor[versions.OpenShift]():
		return "boolean or release"
	case t.Kind() == reflect.Struct:
		return r.link(t, many)
	}
	return plural(scalar(t, tag), many)
}

// free describes a value that is rendered unchanged.
func (r *reference) free(ref string) string {
	if f, ok := foreignForms[ref]; ok {
		return f.noun
	}
	for t := range r.byType {
		if ref != "" && t.Name() == ref {
			return r.link(t, false)
		}
	}
	return "anything"
}

// link returns a link to the table of a type's keys.
func (r *reference) link(t reflect.Type, many bool) string {
	switch t {
	case vmType:
		return "[VM keys](#vm-keys)"
	case catalogType:
		return "[map](#the-catalog)"
	case reflect.TypeFor[catalog.Source]():
		t = reflect.TypeFor[values.Source]()
		return "[" + plural("map", many) + "](#" + anchor(r.byType[t].Title()) + ")"
	}
	text := "[" + plural("map", many) + "](#" + anchor(r.byType[t].Title()) + ")"
	short, ok := shortForms[t]
	switch {
	case !ok:
		return text
	case many:
		return plural(short.Noun, true) + " or " + text
	}
	return short.Noun + " or " + text
}

// anchor returns the anchor that GitHub generates for a heading.
func anchor(heading string) string {
	return strings.Map(func(c rune) rune {
		switch {
		case c == ' ':
			return '-'
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '-', c == '_':
			return c
		}
		return -1
	}, strings.ToLower(heading))
}

func scalar(t reflect.Type, tag reflect.StructTag) string {
	switch {
	case tag.Get("format") == "quantity":
		return "quantity"
	case t.Kind() == reflect.String:
		return "string"
	case t.Kind() == reflect.Bool:
		return "boolean"
	}
	return "integer"
}

func plural(noun string, many bool) string {
	switch {
	case !many:
		return noun
	case strings.HasPrefix(noun, "`"):
		return noun
	case noun == "quantity":
		return "quantities"
	}
	return noun + "s"
}

// accepted describes the tags that restrict a value.
func accepted(tag reflect.StructTag) string {
	least, most := tag.Get("minimum"), tag.Get("maximum")
	switch {
	case tag.Get("enum") != "":
		return "`" + strings.ReplaceAll(tag.Get("enum"), ",", "`, `") + "`"
	case least != "" && most != "":
		return least + " to " + most
	case least != "":
		return "from " + least
	case tag.Get("format") == "ip":
		return "address"
	case tag.Get("format") == "token", tag.Get("format") == "tokens":
		return "what `vmrender plan` prints"
	case tag.Get("format") == "cidr":
		return "subnet"
	}
	return ""
}
