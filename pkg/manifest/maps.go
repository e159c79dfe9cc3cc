package manifest

import (
	"cmp"
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

// entries contains the keys and values of a map while it is written. There is a pool
// for each map type, so that writing a map allocates nothing.
type entries struct {
	keys   []entryKey
	key    reflect.Value // of the map's key type
	values reflect.Value // a slice of the map's value type, as long as keys
}

// entryKey is a key and the index of its value.
type entryKey struct {
	text  string
	value int
}

func mapOf(t reflect.Type) encodeFunc {
	if t.Key().Kind() != reflect.String {
		return refuse("%v has keys that are not strings", t)
	}
	if t == stringsType {
		return appendStrings
	}
	elem := later(t.Elem())
	pool := &sync.Pool{New: func() any { return newEntries(t) }}
	return func(dst []byte, p unsafe.Pointer) ([]byte, error) {
		v := valueAt(t, p)
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		e := pool.Get().(*entries)
		e.fill(v)
		dst, err := e.encode(dst, elem)
		e.values.Clear()
		clear(e.keys)
		pool.Put(e)
		return dst, err
	}
}

func newEntries(t reflect.Type) *entries {
	return &entries{
		key:    reflect.New(t.Key()).Elem(),
		values: reflect.New(reflect.SliceOf(t.Elem())).Elem(),
	}
}

// fill copies the entries of m, sorted by key.
func (e *entries) fill(m reflect.Value) {
	n := m.Len()
	e.keys = e.keys[:0]
	if e.values.Cap() < n {
		e.values.Set(reflect.MakeSlice(e.values.Type(), n, n))
	}
	e.values.SetLen(n)
	for it := m.MapRange(); it.Next(); {
		i := len(e.keys)
		e.key.SetIterKey(it)
		e.values.Index(i).SetIterValue(it)
		e.keys = append(e.keys, entryKey{e.key.String(), i})
	}
	slices.SortFunc(e.keys, func(a, b entryKey) int { return cmp.Compare(a.text, b.text) })
}

// encode writes all entries except those that are null.
func (e *entries) encode(dst []byte, elem encodeFunc) (_ []byte, err error) {
	dst = append(dst, '{')
	for _, key := range e.keys {
		start := len(dst)
		if dst[start-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(appendString(dst, key.text), ':')
		value := len(dst)
		if dst, err = elem(dst, addressOf(e.values.Index(key.value))); err != nil {
			return dst, err
		}
		if string(dst[value:]) == "null" {
			dst = dst[:start]
		}
	}
	return append(dst, '}'), nil
}
