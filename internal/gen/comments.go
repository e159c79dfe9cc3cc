package main

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/invopop/jsonschema"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/values"
)

// comments are the comments on the types of the format and on their fields.
type comments map[string]string

func readComments() (comments, error) {
	r := new(jsonschema.Reflector)
	for _, dir := range []string{"pkg/catalog", "pkg/layers", "pkg/patch", "pkg/report", "pkg/values"} {
		if err := r.AddGoComments(module, dir, jsonschema.WithFullComment()); err != nil {
			return nil, fmt.Errorf("reading the comments in %s: %w", dir, err)
		}
	}
	return r.CommentMap, nil
}

// of returns the comment on a type, or on one of its fields, as one line. The
// comment on a type is returned without the type's name at the beginning.
func (c comments) of(t reflect.Type, field string) string {
	if field == "" {
		return withoutName(c.line(t.PkgPath()+"."+t.Name()), t.Name())
	}
	if t == reflect.TypeFor[values.Source]() {
		t = reflect.TypeFor[catalog.Source]() // whose fields it has
	}
	return c.line(t.PkgPath() + "." + t.Name() + "." + field)
}

func (c comments) line(key string) string { return strings.Join(strings.Fields(c[key]), " ") }

// withoutName turns "CPU is the long form" into "The long form".
func withoutName(comment, name string) string {
	rest := strings.TrimPrefix(strings.TrimPrefix(comment, name+" "), "is ")
	if rest == "" {
		return ""
	}
	return strings.ToUpper(rest[:1]) + rest[1:]
}
