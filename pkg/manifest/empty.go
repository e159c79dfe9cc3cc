package manifest

import (
	"reflect"
	"unsafe"
)

// emptiness is a test for the values of a type with which a field is omitted. Most
// fields of a KubeVirt object are, and for most of them it is enough to read a word.
type emptiness struct {
	word   bool                      // a value is empty if the word at offset is 0
	offset uintptr                   // from the value
	other  func(unsafe.Pointer) bool // reports whether another value is empty; nil if none is
}

const wordSize = unsafe.Sizeof(uintptr(0))

// emptinessOf returns the test for a field of a type. The options are those of
// encoding/json: for omitEmpty, no struct is empty. Null pointers are always omitted.
func emptinessOf(t reflect.Type, omitEmpty, omitZero bool) emptiness {
	size := t.Size()
	isZero := func(p unsafe.Pointer) bool { return isUnset(p, size) || valueAt(t, p).IsZero() }
	switch kind := t.Kind(); {
	case kind == reflect.Pointer:
		return emptiness{word: true}
	case omitEmpty && (kind == reflect.String || kind == reflect.Slice):
		return emptiness{word: true, offset: wordSize} // the length follows the pointer
	case omitEmpty && kind == reflect.Map:
		return emptiness{word: true, other: isEmptyMap}
	case omitZero:
		return emptiness{other: isZero}
	case !omitEmpty, kind == reflect.Struct:
		return emptiness{}
	case kind == reflect.Interface:
		return emptiness{word: true}
	case kind == reflect.Array:
		empty := t.Len() == 0
		return emptiness{other: func(unsafe.Pointer) bool { return empty }}
	case kind == reflect.Bool:
		return emptiness{other: func(p unsafe.Pointer) bool { return !*(*bool)(p) }}
	case kind == reflect.Uint32:
		return emptiness{other: func(p unsafe.Pointer) bool { return *(*uint32)(p) == 0 }}
	case kind == reflect.Int64:
		return emptiness{other: func(p unsafe.Pointer) bool { return *(*int64)(p) == 0 }}
	default:
		return emptiness{other: isZero}
	}
}

// isEmptyMap reports whether a map of any type has no entries.
func isEmptyMap(p unsafe.Pointer) bool { return len(*(*map[string]struct{})(p)) == 0 } // all maps have the same header

// isUnset reports whether a value consists of words that are 0. Then it is zero, whatever its type is.
func isUnset(p unsafe.Pointer, size uintptr) bool {
	for at := uintptr(0); at < size; at += wordSize {
		if at+wordSize > size || *(*uintptr)(unsafe.Add(p, at)) != 0 {
			return false
		}
	}
	return true
}

// holds reports whether the value at p is empty.
func (e *emptiness) holds(p unsafe.Pointer) bool {
	return e.word && *(*uintptr)(unsafe.Add(p, e.offset)) == 0 || e.other != nil && e.other(p)
}
