package manifest

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"unsafe"
)

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
	quantityType  = reflect.TypeFor[quantity]()
	numberType    = reflect.TypeFor[json.Number]()
)

// quantity is implemented by resource.Quantity (k8s.io/apimachinery,
// pkg/api/resource). The method does not allocate. String returns the same text,
// but stores it in the caller's object.
type quantity interface {
	CanonicalizeBytes(out []byte) (number, suffix []byte)
}

// marshalerOf returns the encodeFunc of a type that has a method to encode itself,
// or nil if it has none. It returns nil for pointers: the value that they point to
// is addressable, and its methods include those of the pointer.
func marshalerOf(t reflect.Type) encodeFunc {
	if t.Kind() == reflect.Pointer || t.Kind() == reflect.Interface {
		return nil
	}
	p := reflect.PointerTo(t)
	switch {
	case t == numberType:
		return encodeNumber
	case p.Implements(quantityType) && p.Implements(jsonMarshaler):
		return of(t, encodeQuantity)
	case p.Implements(jsonMarshaler):
		return of(t, encodeMarshaler)
	case p.Implements(textMarshaler):
		return of(t, encodeText)
	}
	return nil
}

// of returns the encodeFunc of a type whose values encode encodes. They are addressable.
func of(t reflect.Type, encode func([]byte, reflect.Value) ([]byte, error)) encodeFunc {
	return func(dst []byte, at unsafe.Pointer) ([]byte, error) { return encode(dst, reflect.NewAt(t, at).Elem()) }
}

func encodeQuantity(dst []byte, v reflect.Value) ([]byte, error) {
	dst = append(dst, '"')
	number, suffix := v.Addr().Interface().(quantity).CanonicalizeBytes(dst[len(dst):])
	dst = append(append(dst, number...), suffix...)
	return append(dst, '"'), nil
}

func encodeMarshaler(dst []byte, v reflect.Value) ([]byte, error) {
	if isNil(v) {
		return append(dst, "null"...), nil
	}
	text, err := v.Addr().Interface().(json.Marshaler).MarshalJSON()
	if err != nil {
		return dst, err
	}
	buf := bytes.NewBuffer(dst)
	if err := json.Compact(buf, text); err != nil {
		return dst, fmt.Errorf("the JSON of %v: %w", v.Type(), err)
	}
	return buf.Bytes(), nil
}

func encodeText(dst []byte, v reflect.Value) ([]byte, error) {
	if isNil(v) {
		return append(dst, "null"...), nil
	}
	text, err := v.Addr().Interface().(encoding.TextMarshaler).MarshalText()
	if err != nil {
		return dst, err
	}
	return appendString(dst, string(text)), nil
}

func isNil(v reflect.Value) bool {
	return (v.Kind() == reflect.Map || v.Kind() == reflect.Slice) && v.IsNil()
}
