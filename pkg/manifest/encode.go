package manifest

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
)

// Encode appends the compact JSON of a Kubernetes API struct, or a pointer to
// one, to dst. Keys are in the order in which the struct declares its fields,
// except that apiVersion comes before kind (so apiVersion, kind, metadata, spec
// for every Kubernetes type). Keys of maps are sorted, and <, > and & are not
// escaped.
//
// The result means the same to the API server as that of encoding/json, and omits
// what carries no information:
//
//   - A field marked omitempty is omitted if it is empty. Unlike in encoding/json,
//     that includes structs: `status: {}`, `resources: {}`, `metadata: {}`. A
//     struct without omitempty is a required key of the object's schema
//     (`devices: {}`) and stays. KubeVirt's `acpi: {}`, whose empty value means
//     enabled, also stays.
//   - A pointer to an empty struct is a choice, not noise, and stays
//     (`masquerade: {}`, `rng: {}`, `blank: {}`).
//   - Fields and map entries that are null are omitted. In a list null stays,
//     because omitting it would move the other items.
//
// On error, dst is returned unchanged. Errors come from values that JSON cannot
// represent (NaN, channels, maps without string keys) and from json.Marshalers.
// Encode does not return for a value that contains itself through pointers.
func Encode(dst []byte, v any) ([]byte, error) {
	rv := reflect.ValueOf(v)
	for rv.Kind() == reflect.Pointer && !rv.IsNil() {
		rv = rv.Elem()
	}
	if !rv.IsValid() || rv.Kind() == reflect.Pointer {
		return append(dst, "null"...), nil
	}
	out, err := encoderOf(rv.Type())(dst, addressable(rv))
	if err != nil {
		return dst, fmt.Errorf("encoding %v: %w", rv.Type(), err)
	}
	return out, nil
}

// encodeFunc appends the JSON of a value of the type that the function was built for. The value is addressable.
type encodeFunc func(dst []byte, v reflect.Value) ([]byte, error)

// encoders caches the encodeFunc of each type that was encoded, so that the fields
// and tags of a type are inspected once per process.
var encoders sync.Map // of reflect.Type to encodeFunc

func encoderOf(t reflect.Type) encodeFunc {
	if f, ok := encoders.Load(t); ok {
		return f.(encodeFunc)
	}
	f, _ := encoders.LoadOrStore(t, build(t))
	return f.(encodeFunc)
}

// addressable returns v, or a copy if v is not addressable.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// later returns an encodeFunc that calls encoderOf when the first value of the type
// is encoded: the KubeVirt API has a thousand types, and an object contains few of
// them. This also allows types that contain themselves.
func later(t reflect.Type) encodeFunc {
	var known atomic.Pointer[encodeFunc]
	return func(dst []byte, v reflect.Value) ([]byte, error) {
		f := known.Load()
		if f == nil {
			f = new(encoderOf(t))
			known.Store(f)
		}
		return (*f)(dst, v)
	}
}

// build returns the encodeFunc of a type.
func build(t reflect.Type) encodeFunc {
	if f := marshalerOf(t); f != nil {
		return f
	}
	switch kind := t.Kind(); kind {
	case reflect.Interface:
		return encodeInterface
	case reflect.Pointer:
		return encodePointer(later(t.Elem()))
	case reflect.Struct:
		return structOf(t)
	case reflect.Map:
		return mapOf(t)
	case reflect.Slice, reflect.Array:
		return listOf(t)
	default:
		if f := simple[kind]; f != nil {
			return f
		}
		return refuse("a %v cannot be written as JSON", t)
	}
}

// refuse returns an encodeFunc that always fails. A type that cannot be encoded is
// an error only if a value of it is encoded.
func refuse(format string, args ...any) encodeFunc {
	err := fmt.Errorf(format, args...)
	return func(dst []byte, _ reflect.Value) ([]byte, error) { return dst, err }
}

// simple contains the encodeFuncs of kinds without elements.
var simple = [reflect.UnsafePointer + 1]encodeFunc{
	reflect.Bool:    encodeBool,
	reflect.Int:     encodeInt,
	reflect.Int8:    encodeInt,
	reflect.Int16:   encodeInt,
	reflect.Int32:   encodeInt,
	reflect.Int64:   encodeInt,
	reflect.Uint:    encodeUint,
	reflect.Uint8:   encodeUint,
	reflect.Uint16:  encodeUint,
	reflect.Uint32:  encodeUint,
	reflect.Uint64:  encodeUint,
	reflect.Float32: encodeFloat,
	reflect.Float64: encodeFloat,
	reflect.String:  encodeString,
}

func encodeBool(dst []byte, v reflect.Value) ([]byte, error) {
	return strconv.AppendBool(dst, v.Bool()), nil
}

func encodeInt(dst []byte, v reflect.Value) ([]byte, error) {
	return strconv.AppendInt(dst, v.Int(), 10), nil
}

func encodeUint(dst []byte, v reflect.Value) ([]byte, error) {
	return strconv.AppendUint(dst, v.Uint(), 10), nil
}

func encodeFloat(dst []byte, v reflect.Value) ([]byte, error) {
	return appendFloat(dst, v.Float(), v.Type().Bits())
}

func encodeString(dst []byte, v reflect.Value) ([]byte, error) {
	return appendString(dst, v.String()), nil
}

func encodeInterface(dst []byte, v reflect.Value) ([]byte, error) {
	if v.IsNil() {
		return append(dst, "null"...), nil
	}
	v = v.Elem()
	return encoderOf(v.Type())(dst, addressable(v))
}

func encodePointer(elem encodeFunc) encodeFunc {
	return func(dst []byte, v reflect.Value) ([]byte, error) {
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		return elem(dst, v.Elem())
	}
}

// listOf returns the encodeFunc of a list. Bytes are encoded as base64, as in the
// data of a Secret, where nil is an empty value and not a missing one.
func listOf(t reflect.Type) encodeFunc {
	if t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 {
		return encodeBytes
	}
	elem := later(t.Elem())
	return func(dst []byte, v reflect.Value) (_ []byte, err error) {
		if v.Kind() == reflect.Slice && v.IsNil() {
			return append(dst, "null"...), nil
		}
		dst = append(dst, '[')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = elem(dst, v.Index(i)); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	}
}

func encodeBytes(dst []byte, v reflect.Value) ([]byte, error) {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, v.Bytes())
	return append(dst, '"'), nil
}
