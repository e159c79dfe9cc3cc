package manifest

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"strconv"
	"sync"
	"sync/atomic"
	"unsafe"
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
	out, err := encoderOf(rv.Type())(dst, addressOf(rv))
	if err != nil {
		return dst, fmt.Errorf("encoding %v: %w", rv.Type(), err)
	}
	return out, nil
}

// encodeFunc appends the JSON of the value at an address, whose type is the one that the function was built for. An
// address rather than a [reflect.Value]: most of an object is structs in structs, and each step into one takes longer
// with reflection. Measured end to end: 1,000 VMs in one file take 3 % more instructions with it (cachegrind).
type encodeFunc func(dst []byte, at unsafe.Pointer) ([]byte, error)

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

// addressOf returns the address of v, or of a copy if v has none.
func addressOf(v reflect.Value) unsafe.Pointer {
	if v.CanAddr() {
		return v.Addr().UnsafePointer()
	}
	c := reflect.New(v.Type())
	c.Elem().Set(v)
	return c.UnsafePointer()
}

// later returns an encodeFunc that calls encoderOf when the first value of the type
// is encoded: the KubeVirt API has a thousand types, and an object contains few of
// them. This also allows types that contain themselves.
func later(t reflect.Type) encodeFunc {
	var known atomic.Pointer[encodeFunc]
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
		f := known.Load()
		if f == nil {
			f = new(encoderOf(t))
			known.Store(f)
		}
		return (*f)(dst, at)
	}
}

// build returns the encodeFunc of a type.
func build(t reflect.Type) encodeFunc {
	if f := marshalerOf(t); f != nil {
		return f
	}
	switch kind := t.Kind(); kind {
	case reflect.Interface:
		return interfaceOf(t)
	case reflect.Pointer:
		return encodePointer(later(t.Elem()))
	case reflect.Struct:
		return structOf(t)
	case reflect.Map:
		return mapOf(t)
	case reflect.Slice:
		return sliceOf(t)
	case reflect.Array:
		return arrayOf(t)
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
	return func(dst []byte, _ unsafe.Pointer) ([]byte, error) { return dst, err }
}

// simple contains the encodeFuncs of kinds without elements.
var simple = [reflect.UnsafePointer + 1]encodeFunc{
	reflect.Bool:    encodeBool,
	reflect.Int:     encodeInt[int],
	reflect.Int8:    encodeInt[int8],
	reflect.Int16:   encodeInt[int16],
	reflect.Int32:   encodeInt[int32],
	reflect.Int64:   encodeInt[int64],
	reflect.Uint:    encodeUint[uint],
	reflect.Uint8:   encodeUint[uint8],
	reflect.Uint16:  encodeUint[uint16],
	reflect.Uint32:  encodeUint[uint32],
	reflect.Uint64:  encodeUint[uint64],
	reflect.Float32: encodeFloat[float32],
	reflect.Float64: encodeFloat[float64],
	reflect.String:  encodeString,
}

func encodeBool(dst []byte, at unsafe.Pointer) ([]byte, error) {
	return strconv.AppendBool(dst, *(*bool)(at)), nil
}

func encodeInt[T int | int8 | int16 | int32 | int64](dst []byte, at unsafe.Pointer) ([]byte, error) {
	return strconv.AppendInt(dst, int64(*(*T)(at)), 10), nil
}

func encodeUint[T uint | uint8 | uint16 | uint32 | uint64](dst []byte, at unsafe.Pointer) ([]byte, error) {
	return strconv.AppendUint(dst, uint64(*(*T)(at)), 10), nil
}

func encodeFloat[T float32 | float64](dst []byte, at unsafe.Pointer) ([]byte, error) {
	return appendFloat(dst, float64(*(*T)(at)), 8*int(unsafe.Sizeof(T(0))))
}

func encodeString(dst []byte, at unsafe.Pointer) ([]byte, error) {
	return appendString(dst, *(*string)(at)), nil
}

func interfaceOf(t reflect.Type) encodeFunc {
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
		v := reflect.NewAt(t, at).Elem()
		if v.IsNil() {
			return append(dst, "null"...), nil
		}
		v = v.Elem()
		return encoderOf(v.Type())(dst, addressOf(v))
	}
}

func encodePointer(elem encodeFunc) encodeFunc {
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
		to := *(*unsafe.Pointer)(at)
		if to == nil {
			return append(dst, "null"...), nil
		}
		return elem(dst, to)
	}
}

// sliceOf returns the encodeFunc of a slice. Bytes are encoded as base64, as in the
// data of a Secret, where nil is an empty value and not a missing one.
func sliceOf(t reflect.Type) encodeFunc {
	if t.Elem().Kind() == reflect.Uint8 {
		return encodeBytes
	}
	elem, size := later(t.Elem()), t.Elem().Size()
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) {
		// Slices of all types have the same form, and this does not look at the items.
		items := *(*[]struct{})(at)
		if items == nil {
			return append(dst, "null"...), nil
		}
		return encodeItems(dst, unsafe.Pointer(unsafe.SliceData(items)), len(items), elem, size)
	}
}

func arrayOf(t reflect.Type) encodeFunc {
	elem, size, n := later(t.Elem()), t.Elem().Size(), t.Len()
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) { return encodeItems(dst, at, n, elem, size) }
}

// encodeItems appends n items of a size in bytes, of which the first is at an address.
func encodeItems(dst []byte, first unsafe.Pointer, n int, elem encodeFunc, size uintptr) (_ []byte, err error) {
	dst = append(dst, '[')
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = elem(dst, unsafe.Add(first, uintptr(i)*size)); err != nil {
			return dst, err
		}
	}
	return append(dst, ']'), nil
}

func encodeBytes(dst []byte, at unsafe.Pointer) ([]byte, error) {
	dst = append(dst, '"')
	dst = base64.StdEncoding.AppendEncode(dst, *(*[]byte)(at))
	return append(dst, '"'), nil
}
