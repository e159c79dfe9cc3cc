package manifest

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
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
		return encodeQuantity
	case p.Implements(jsonMarshaler):
		return encodeMarshaler
	case p.Implements(textMarshaler):
		return encodeText
	}
	return nil
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
