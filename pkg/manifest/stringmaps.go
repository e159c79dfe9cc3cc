package manifest

import (
	"reflect"
	"slices"
	"sync"
)

// stringsType is the type of labels and annotations, which most maps are.
var stringsType = reflect.TypeFor[map[string]string]()

// sortedKeys is a pool of lists of keys.
var sortedKeys = sync.Pool{New: func() any { return new([]string) }}

// appendStrings writes a map of strings as mapOf would, but without reflection.
// Measured end to end: 10,000 VMs, a file each, take 4 % more instructions
// without it (callgrind).
func appendStrings(dst []byte, v reflect.Value) ([]byte, error) {
	m := v.Interface().(map[string]string)
	if m == nil {
		return append(dst, "null"...), nil
	}
	pooled := sortedKeys.Get().(*[]string)
	keys := (*pooled)[:0]
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	dst = append(dst, '{')
	for i, k := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, k), ':')
		dst = appendString(dst, m[k])
	}
	clear(keys)
	*pooled = keys
	sortedKeys.Put(pooled)
	return append(dst, '}'), nil
}
