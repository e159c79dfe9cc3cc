package manifest

import (
	"reflect"
	"strings"
	"unsafe"
)

// field specifies how a field of a struct is written.
type field struct {
	typ      reflect.Type
	offset   uintptr // in the struct
	key      string  // with a comma, quotes and a colon
	encode   encodeFunc
	omitted  omission
	omitBare bool    // whether to omit a value that encodes to {}
	inline   *object // of an inlined struct, or of a pointer to one; nil for other fields
	pointed  bool    // whether inline is of a pointer
}

// object specifies how a struct is written: its fields in the order declared,
// except that apiVersion comes before kind.
type object struct {
	fields []field
	words  []uintptr // of each field, the offset of a word of the struct that is 0 if it is omitted, or noWord
}

// noWord is that of a field that is written, or omitted by another test.
const noWord = ^uintptr(0)

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
	return func(dst []byte, at unsafe.Pointer) (_ []byte, err error) {
		if dst, err = o.encode(append(dst, '{'), at); err != nil {
			return dst, err
		}
		return append(dst, '}'), nil
	}
}

// collect returns the fields of t with those of the structs inlined in it, and the
// first key that occurs twice, or "".
func collect(t reflect.Type, keys map[string]bool) (o *object, twice string) {
	o = &object{}
	for f := range t.Fields() {
		name, options := parseTag(f)
		switch {
		case name == "" && isInlined(f):
			in := field{offset: f.Offset, omitted: omissionOf(f, false, false), pointed: f.Type.Kind() == reflect.Pointer}
			if in.inline, twice = collect(structType(f.Type), keys); twice != "" {
				return nil, twice
			}
			o.fields = append(o.fields, in)
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
		o.fields = append(o.fields, planField(f, name, options))
	}
	o.putVersionFirst()
	for i := range o.fields {
		o.words = append(o.words, o.fields[i].word())
	}
	return o, ""
}

// putVersionFirst puts apiVersion before kind, the usual order;
// metav1.TypeMeta declares them in the other order.
func (o *object) putVersionFirst() {
	for i := range len(o.fields) - 1 {
		if f := o.fields[i:]; f[0].key == `,"kind":` && f[1].key == `,"apiVersion":` {
			f[0], f[1] = f[1], f[0]
		}
	}
}

func planField(f reflect.StructField, name, options string) field {
	omitEmpty, omitZero := hasOption(options, "omitempty"), hasOption(options, "omitzero")
	bare := omitEmpty && f.Type.Kind() == reflect.Struct && !keptEmpty[f.Type.PkgPath()+"."+f.Type.Name()]
	return field{
		typ:      f.Type,
		offset:   f.Offset,
		key:      string(append(appendString([]byte{','}, name), ':')),
		encode:   fieldEncoder(f.Type),
		omitted:  omissionOf(f, omitEmpty, omitZero || bare && marshalerOf(f.Type) != nil),
		omitBare: bare,
	}
}

// omission is the test for values with which a field is omitted.
type omission int

const (
	never omission = iota
	ifZero
	ifFalse     // a bool
	ifNull      // a pointer
	ifNoLength  // a string or a slice
	ifNoEntries // a map
)

// omissionOf returns the test for values with which a field is omitted. The options are those of
// encoding/json: for omitEmpty, no struct is empty. Null pointers are always omitted.
func omissionOf(f reflect.StructField, omitEmpty, omitZero bool) omission {
	switch kind := f.Type.Kind(); {
	case kind == reflect.Pointer:
		return ifNull
	case omitEmpty && (kind == reflect.String || kind == reflect.Slice):
		return ifNoLength
	case omitEmpty && kind == reflect.Map:
		return ifNoEntries
	case (omitEmpty || omitZero) && kind == reflect.Bool:
		return ifFalse
	case omitZero, omitEmpty && kind != reflect.Struct && (kind != reflect.Array || f.Type.Len() == 0):
		return ifZero
	}
	return never
}

// word returns the offset in the struct of a word that is 0 if the field is omitted, or noWord.
func (f *field) word() uintptr {
	switch f.omitted {
	case ifNull, ifNoEntries: // a nil map is a null pointer
		return f.offset
	case ifNoLength: // the length follows the pointer to the content (package reflect, StringHeader and SliceHeader)
		return f.offset + unsafe.Sizeof(uintptr(0))
	}
	return noWord
}

// isEmpty reports whether the value of a field is omitted although its word is not 0.
func (f *field) isEmpty(value unsafe.Pointer) bool {
	switch f.omitted {
	case ifFalse:
		return !*(*bool)(value)
	case ifZero:
		return reflect.NewAt(f.typ, value).Elem().IsZero()
	case ifNoEntries:
		return reflect.NewAt(f.typ, value).Elem().Len() == 0
	}
	return false
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

// encode writes the fields of the struct at start, without braces. It passes over the fields that are unset before
// anything else, because most are.
func (o *object) encode(dst []byte, start unsafe.Pointer) (_ []byte, err error) {
	for i, word := range o.words {
		if word != noWord && *(*uintptr)(unsafe.Add(start, word)) == 0 {
			continue
		}
		f := &o.fields[i]
		value := unsafe.Add(start, f.offset)
		switch {
		case f.isEmpty(value):
			continue
		case f.inline == nil:
			dst, err = f.append(dst, value)
		case f.pointed:
			dst, err = f.inline.encode(dst, *(*unsafe.Pointer)(value))
		default:
			dst, err = f.inline.encode(dst, value)
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// append writes the field with its key, or nothing if it encodes to null or, with
// omitBare, to {}.
func (f *field) append(dst []byte, at unsafe.Pointer) (_ []byte, err error) {
	start := len(dst)
	key := f.key
	if dst[start-1] == '{' {
		key = key[1:]
	}
	dst = append(dst, key...)
	value := len(dst)
	if dst, err = f.encode(dst, at); err != nil {
		return dst, err
	}
	if string(dst[value:]) == "null" || f.omitBare && string(dst[value:]) == "{}" {
		dst = dst[:start]
	}
	return dst, nil
}
