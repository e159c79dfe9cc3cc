package main

import (
	"reflect"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/layers"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// fileKind is a kind of file, and the type that it is decoded into.
type fileKind struct {
	name, title string
	of          reflect.Type
}

var fileKinds = []fileKind{
	{"fleet", "fleet.yaml, the root of a vmrender fleet", reflect.TypeFor[values.Header]()},
	{"overlay", "an overlay of a vmrender fleet: one of its environments", reflect.TypeFor[values.Overlay]()},
	{"defaults", "_defaults.yaml, what VMs of a vmrender fleet inherit", reflect.TypeFor[values.VM]()},
	{"vms", "a file of a vmrender fleet with VMs", reflect.TypeFor[values.File]()},
	{"platform", "platform.yaml, the layers below VMs", reflect.TypeFor[layers.Platform]()},
}

var (
	nodeType    = reflect.TypeFor[source.Node]()
	vmType      = reflect.TypeFor[values.VM]()
	catalogType = reflect.TypeFor[catalog.Catalog]()
)

// key is one key that a user can write.
type key struct {
	name     string
	required bool // by its own type; another level of inheritance can set it
	field    reflect.StructField
	of       reflect.Type // the struct that declares the field
}

// keysOf returns the keys of a struct and of the structs embedded in it.
func keysOf(t reflect.Type) []key {
	var keys []key
	for f := range t.Fields() {
		_, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch name := values.Key(f); {
		case name == "" && f.Anonymous:
			keys = append(keys, keysOf(f.Type)...)
		case name != "":
			keys = append(keys, key{name, options != "omitempty", f, t})
		}
	}
	return keys
}

// target returns the type of a value without pointers, maps and lists, and path
// with ".*" for the entries of each map and "[]" for the items of each list.
func target(t reflect.Type, path string) (reflect.Type, string) {
	switch t.Kind() {
	case reflect.Pointer:
		return target(t.Elem(), path)
	case reflect.Map:
		return target(t.Elem(), path+".*")
	case reflect.Slice:
		return target(t.Elem(), path+"[]")
	}
	return t, path
}

// hasKeys reports whether a type is a struct that is written key by key.
func hasKeys(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t != nodeType && len(keysOf(t)) > 0
}

// walk calls visit for all types with keys below t, with their paths. It continues
// below a type only if visit returns true.
func walk(t reflect.Type, path string, visit func(t reflect.Type, path string) bool) {
	for _, k := range keysOf(t) {
		inner, at := target(k.field.Type, join(path, k.name))
		if hasKeys(inner) && visit(inner, at) {
			walk(inner, at, visit)
		}
	}
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// listItems returns the types of items of lists. A list replaces an inherited one
// as a whole, so that no other level of inheritance sets a missing key.
func listItems(t reflect.Type) map[reflect.Type]bool {
	items := map[reflect.Type]bool{}
	walk(t, "", func(t reflect.Type, path string) bool {
		items[t] = items[t] || strings.HasSuffix(path, "[]")
		return true
	})
	return items
}
