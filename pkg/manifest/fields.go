package manifest

import (
	"reflect"
	"strings"
	"unsafe"
)

// field specifies how a field of a struct is written.
type field struct {
	index    int    // in the struct
	key      string // with a comma, quotes and a colon
	encode   encodeFunc
	omitted  omission
	omitBare bool   // whether to omit a value that encodes to {}
	inline   object // the fields of an inlined struct, or of a pointer to one; nil for other fields
}

// object specifies how a struct is written: its fields in the order declared,
// except that apiVersion comes before kind.
type object []field

// keptEmpty names the struct types whose empty value has a meaning although their
// field is marked omitempty.
//
// FeatureState (kubevirt.io/api, core/v1/schema.go, v1.9.0) enables a feature if
// `enabled` is not set. All KubeVirt features are pointers to it except `acpi`,
// which KubeVirt itself therefore writes as `acpi: {}` in all `features`.
var keptEmpty = map[string]bool{
	"kubevirt.io/api/core/v1.FeatureState": true,
}

func structOf(t reflect.Type) encodeFunc {
	o, twice := collect(t, map[string]bool{})
	if twice != "" {
		return refuse("%v declares the key %q twice", t, twice)
	}
	return func(dst []byte, v reflect.Value) (_ []byte, err error) {
		if dst, err = o.encode(append(dst, '{'), v); err != nil {
			return dst, err
		}
		return append(dst, '}'), nil
	}
}

// collect returns the fields of t with those of the structs inlined in it, and the
// first key that occurs twice, or "".
func collect(t reflect.Type, keys map[string]bool) (o object, twice string) {
	o = object{}
	for f := range t.Fields() {
		name, options := parseTag(f)
		switch {
		case name == "" && isInlined(f):
			in := field{index: f.Index[0], omitted: omissionOf(f, false, false)}
			if in.inline, twice = collect(structType(f.Type), keys); twice != "" {
				return nil, twice
			}
			o = append(o, in)
			continue
		case name == "-" && f.Tag.Get("json") == "-", !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		if keys[name] {
			return nil, name
		}
		keys[name] = true
		o = append(o, planField(f, name, options))
	}
	o.putVersionFirst()
	return o, ""
}

// putVersionFirst puts apiVersion before kind, the usual order;
// metav1.TypeMeta declares them in the other order.
func (o object) putVersionFirst() {
	for i := range len(o) - 1 {
		if o[i].key == `,"kind":` && o[i+1].key == `,"apiVersion":` {
			o[i], o[i+1] = o[i+1], o[i]
		}
	}
}

func planField(f reflect.StructField, name, options string) field {
	omitEmpty, omitZero := hasOption(options, "omitempty"), hasOption(options, "omitzero")
	bare := omitEmpty && f.Type.Kind() == reflect.Struct && !keptEmpty[f.Type.PkgPath()+"."+f.Type.Name()]
	return field{
		index:    f.Index[0],
		key:      string(append(appendString([]byte{','}, name), ':')),
		encode:   fieldEncoder(f.Type),
		omitted:  omissionOf(f, omitEmpty, omitZero || bare && marshalerOf(f.Type) != nil),
		omitBare: bare,
	}
}

// omission is the test for values with which a field is omitted.
type omission struct {
	emptiness
	word uintptr // offset in the struct of a word that is 0 if the field is omitted, from ifUnset on
}

// emptiness is the kind of a test for values with which a field is omitted.
type emptiness int

const (
	never emptiness = iota
	ifZero
	ifUnset     // a pointer, a string or a slice, whose word is then 0
	ifNoEntries // a map, whose word is 0 if it is nil
)

// toLength is the size of the pointer to the content of a string or slice, which their length follows (package reflect,
// StringHeader and SliceHeader).
const toLength = unsafe.Sizeof(uintptr(0))

// omissionOf returns the test for values with which a field is omitted. The options are those of
// encoding/json: for omitEmpty, no struct is empty. Null pointers are always omitted.
func omissionOf(f reflect.StructField, omitEmpty, omitZero bool) omission {
	switch kind := f.Type.Kind(); {
	case kind == reflect.Pointer:
		return omission{ifUnset, f.Offset}
	case omitEmpty && (kind == reflect.String || kind == reflect.Slice):
		return omission{ifUnset, f.Offset + toLength}
	case omitEmpty && kind == reflect.Map:
		return omission{ifNoEntries, f.Offset}
	case omitZero, omitEmpty && kind != reflect.Struct && (kind != reflect.Array || f.Type.Len() == 0):
		return omission{emptiness: ifZero}
	}
	return omission{}
}

// isUnset reports whether the word of a field of the struct at start is 0. It looks at the struct itself, because most
// fields of an object are unset, and reflection takes longer.
func (o *omission) isUnset(start unsafe.Pointer) bool {
	return o.emptiness >= ifUnset && *(*uintptr)(unsafe.Add(start, o.word)) == 0
}

// isEmpty reports whether the value of a field whose word is not 0 is omitted.
func (o *omission) isEmpty(v reflect.Value) bool {
	return o.emptiness == ifNoEntries && v.Len() == 0 || o.emptiness == ifZero && v.IsZero()
}

// fieldEncoder returns the encodeFunc of a field. That of a simple type is looked up immediately.
func fieldEncoder(t reflect.Type) encodeFunc {
	switch {
	case simple[t.Kind()] != nil:
		return encoderOf(t)
	case t.Kind() == reflect.Pointer:
		return encodePointer(later(t.Elem()))
	}
	return later(t)
}

func parseTag(f reflect.StructField) (name, options string) {
	// In most tags the key is the first one, and nothing in it is escaped.
	text, first := strings.CutPrefix(string(f.Tag), `json:"`)
	tag, _, closed := strings.Cut(text, `"`)
	if !first || !closed || strings.Contains(tag, `\`) {
		tag = f.Tag.Get("json")
	}
	name, options, _ = strings.Cut(tag, ",")
	return name, options
}

func hasOption(options, option string) bool {
	for o := range strings.SplitSeq(options, ",") {
		if o == option {
			return true
		}
	}
	return false
}

func isInlined(f reflect.StructField) bool {
	return f.Anonymous && structType(f.Type).Kind() == reflect.Struct
}

func structType(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// encode writes the fields of v, without braces.
func (o object) encode(dst []byte, v reflect.Value) (_ []byte, err error) {
	start := unsafe.Pointer(v.UnsafeAddr())
	for i := range o {
		f := &o[i]
		if f.omitted.isUnset(start) {
			continue
		}
		value := v.Field(f.index)
		switch {
		case f.omitted.isEmpty(value):
			continue
		case f.inline != nil:
			dst, err = f.inline.encode(dst, reflect.Indirect(value))
		default:
			dst, err = f.append(dst, value)
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// append writes the field with its key, or nothing if it encodes to null or, with
// omitBare, to {}.
func (f *field) append(dst []byte, v reflect.Value) (_ []byte, err error) {
	start := len(dst)
	key := f.key
	if dst[start-1] == '{' {
		key = key[1:]
	}
	dst = append(dst, key...)
	value := len(dst)
	if dst, err = f.encode(dst, v); err != nil {
		return dst, err
	}
	if string(dst[value:]) == "null" || f.omitBare && string(dst[value:]) == "{}" {
		dst = dst[:start]
	}
	return dst, nil
}
