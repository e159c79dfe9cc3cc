package main

import (
	"reflect"

	"github.com/invopop/jsonschema"

	"github.com/vmrender/vmrender/pkg/values"
)

// levelTypes returns the types of VM keys, at any depth, that levels of inheritance merge: all except items of lists.
func levelTypes(items map[reflect.Type]bool) map[reflect.Type]bool {
	levels := map[reflect.Type]bool{vmType: true}
	walk(vmType, "", func(t reflect.Type, _ string) bool {
		levels[t] = !items[t]
		return !items[t]
	})
	return levels
}

// appendable adds a KEY+ for each key of a level that is a list.
func appendable(s *jsonschema.Schema, t reflect.Type, levels map[reflect.Type]bool) {
	if !levels[t] {
		return
	}
	for _, k := range keysOf(t) {
		if !values.IsList(k.field) {
			continue
		}
		key, _ := s.Properties.Get(k.name)
		list := key
		for _, form := range key.AnyOf { // without null, which removes the inherited list
			if form.Type == "array" {
				list = form
			}
		}
		s.Properties.Set(k.name+values.Plus, &jsonschema.Schema{
			Type: "array", Items: list.Items,
			Description: "Appended to the inherited `" + k.name + "`. " + key.Description,
		})
	}
}
