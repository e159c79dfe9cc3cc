package values

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/source"
)

// Every suggested key exists, and a valid name is never taken for another one.
func TestElsewhere(t *testing.T) {
	for _, of := range []interface{ Elsewhere() map[string][]string }{new(VM), new(Disk), new(NIC), new(CloudInit)} {
		typ := reflect.TypeOf(of).Elem()
		for name, keys := range of.Elsewhere() {
			require.Nil(t, fieldOf(typ, name), "%s is a key of %s", name, typ)
			require.NotEmpty(t, keys, name)
			for _, key := range keys {
				require.True(t, exists(typ, key), "%s: no key %s", name, key)
			}
		}
	}
}

var part = regexp.MustCompile(`^\w+|\[\]|\.\w+`)

// exists reports whether a type has a key such as disks.root.size or nics[].mac.
func exists(t reflect.Type, key string) bool {
	for _, p := range part.FindAllString(key, -1) {
		for t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		if t.Kind() == reflect.Map || t.Kind() == reflect.Slice {
			t = t.Elem()
			continue
		}
		if t == reflect.TypeFor[source.Node]() {
			return true // which others define
		}
		next := fieldOf(t, strings.TrimPrefix(p, "."))
		if next == nil {
			return false
		}
		t = next
	}
	return true
}

func fieldOf(t reflect.Type, key string) reflect.Type {
	for f := range t.Fields() {
		if Key(f) == key {
			return f.Type
		}
	}
	return nil
}
