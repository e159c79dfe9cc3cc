package manifest

import (
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// fewEntries is more than most maps have, so that the list of their entries needs no memory of its own.
const fewEntries = 16

// stringsType is the type of labels and annotations, which most maps are.
var stringsType = reflect.TypeFor[map[string]string]()

// mapOf returns the encodeFunc of a map, which writes all entries except those that are null.
func mapOf(t reflect.Type) encodeFunc {
	if t.Key().Kind() != reflect.String {
		return refuse("%v has keys that are not strings", t)
	}
	if t == stringsType {
		return encodeStrings
	}
	elem := later(t.Elem())
	return func(dst []byte, at unsafe.Pointer) (_ []byte, err error) {
		m := reflect.NewAt(t, at).Elem()
		if m.IsNil() {
			return append(dst, "null"...), nil
		}
		key, value := reflect.New(t.Key()).Elem(), reflect.New(t.Elem())
		dst = append(dst, '{')
		if m.Len() == 1 { // as in the requests of disks
			it := m.MapRange()
			it.Next()
			key.SetIterKey(it)
			value.Elem().SetIterValue(it)
			dst, err = appendEntry(dst, key.String(), elem, value.UnsafePointer())
			return append(dst, '}'), err
		}
		for _, text := range sortedKeys(m, key) {
			key.SetString(text)
			value.Elem().Set(m.MapIndex(key))
			if dst, err = appendEntry(dst, text, elem, value.UnsafePointer()); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
}

// appendEntry appends an entry of a map, unless its value is null.
func appendEntry(dst []byte, key string, elem encodeFunc, value unsafe.Pointer) (_ []byte, err error) {
	start := len(dst)
	dst = appendKey(dst, key)
	after := len(dst)
	if dst, err = elem(dst, value); err == nil && string(dst[after:]) == "null" {
		dst = dst[:start]
	}
	return dst, err
}

// sortedKeys returns the keys of a map. It changes key, which has their type.
func sortedKeys(m, key reflect.Value) []string {
	keys := make([]string, 0, m.Len())
	for it := m.MapRange(); it.Next(); {
		key.SetIterKey(it)
		keys = append(keys, key.String())
	}
	slices.Sort(keys)
	return keys
}

// encodeStrings writes a map of strings as mapOf would, but without reflection. Measured end to end: 10,000 VMs, a
// file each, take 8 % more instructions without it (callgrind).
func encodeStrings(dst []byte, at unsafe.Pointer) ([]byte, error) {
	m := *(*map[string]string)(at)
	if m == nil {
		return append(dst, "null"...), nil
	}
	entries := make([]entry, 0, fewEntries)
	for key, value := range m {
		entries = append(entries, entry{key, value})
	}
	slices.SortFunc(entries, func(a, b entry) int { return strings.Compare(a.key, b.key) })
	dst = append(dst, '{')
	for _, e := range entries {
		dst = appendString(appendKey(dst, e.key), e.value)
	}
	return append(dst, '}'), nil
}

// entry is an entry of a map of strings.
type entry struct{ key, value string }

// appendKey appends the key of an entry, and a comma if it is not the first one.
func appendKey(dst []byte, key string) []byte {
	if dst[len(dst)-1] != '{' {
		dst = append(dst, ',')
	}
	return append(appendString(dst, key), ':')
}
