package manifest

import (
	"reflect"
	"strings"
)

// field specifies how a field of a struct is written.
type field struct {
	index    int
	key      string // with quotes and colon; empty for an inlined struct
	encode   encodeFunc
	inline   *object                  // the fields of an inlined struct, or of a pointer to one
	isEmpty  func(reflect.Value) bool // reports whether a value is omitted; nil if none is
	omitBare bool                     // whether to omit a value that encodes to {}
	zero     zeroTest
}

// object specifies how a struct is written: its fields in the order declared,
// except that apiVersion comes before kind.
type object struct{ fields []field }

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
	o := &object{}
	if key := collect(t, o, map[string]bool{}); key != "" {
		return refuse("%v declares the key %q twice", t, key)
	}
	return func(dst []byte, v reflect.Value) (_ []byte, err error) {
		if dst, err = o.encode(append(dst, '{'), v); err != nil {
			return dst, err
		}
		return append(dst, '}'), nil
	}
}

// collect adds the fields of t, and of the structs inlined in it, to o. It returns
// the first key that occurs twice, or "".
func collect(t reflect.Type, o *object, keys map[string]bool) (twice string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options := parseTag(f)
		switch {
		case name == "" && isInlined(f):
			in := field{index: i, inline: &object{}}
			if twice = collect(structType(f.Type), in.inline, keys); twice != "" {
				return twice
			}
			o.fields = append(o.fields, in)
			continue
		case name == "-" && f.Tag.Get("json") == "-", !f.IsExported():
			continue
		case name == "":
			name = f.Name
		}
		if keys[name] {
			return name
		}
		keys[name] = true
		o.fields = append(o.fields, planField(i, f, name, options))
	}
	o.putVersionFirst()
	return ""
}

// putVersionFirst puts apiVersion before kind, the usual order;
// metav1.TypeMeta declares them in the other order.
func (o *object) putVersionFirst() {
	for i := range len(o.fields) - 1 {
		if o.fields[i].key == `"kind":` && o.fields[i+1].key == `"apiVersion":` {
			o.fields[i], o.fields[i+1] = o.fields[i+1], o.fields[i]
		}
	}
}

func planField(i int, f reflect.StructField, name, options string) field {
	omitEmpty, omitZero := hasOption(options, "omitempty"), hasOption(options, "omitzero")
	bare := omitEmpty && f.Type.Kind() == reflect.Struct && !keptEmpty[f.Type.PkgPath()+"."+f.Type.Name()]
	return field{
		index:    i,
		key:      string(append(appendString(nil, name), ':')),
		encode:   fieldEncoder(f.Type),
		isEmpty:  emptyTest(f.Type.Kind(), omitEmpty, omitZero || bare && marshalerOf(f.Type) != nil),
		omitBare: bare,
		zero:     zeroTestOf(f, omitEmpty),
	}
}

// emptyTest returns a function that reports whether a field of a kind is omitted,
// or nil if it never is. The options are those of encoding/json: for omitEmpty, no
// struct is empty.
func emptyTest(kind reflect.Kind, omitEmpty, omitZero bool) func(reflect.Value) bool {
	switch {
	case kind == reflect.Pointer:
		return reflect.Value.IsNil
	case omitEmpty && (kind == reflect.String || kind == reflect.Slice || kind == reflect.Map):
		return hasNoElements
	case omitZero:
		return reflect.Value.IsZero
	case !omitEmpty, kind == reflect.Struct:
		return nil
	case kind == reflect.Array:
		return hasNoElements
	default:
		return reflect.Value.IsZero
	}
}

func hasNoElements(v reflect.Value) bool { return v.Len() == 0 }

// fieldEncoder returns the encodeFunc of a field. That of a simple type, which most
// fields have, is looked up immediately.
func fieldEncoder(t reflect.Type) encodeFunc {
	if k := t.Kind(); k <= reflect.Float64 || k == reflect.String {
		return encoderOf(t)
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

func (o *object) encode(dst []byte, v reflect.Value) (_ []byte, err error) {
	base := addressOf(v)
	for i := range o.fields {
		f := &o.fields[i]
		if f.zero.passes(base) {
			continue
		}
		value := v.Field(f.index)
		switch {
		case f.inline != nil:
			dst, err = f.appendInline(dst, value)
		case f.isEmpty == nil || !f.isEmpty(value):
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
	if dst[start-1] != '{' {
		dst = append(dst, ',')
	}
	dst = append(dst, f.key...)
	value := len(dst)
	if dst, err = f.encode(dst, v); err != nil {
		return dst, err
	}
	if string(dst[value:]) == "null" || f.omitBare && string(dst[value:]) == "{}" {
		dst = dst[:start]
	}
	return dst, nil
}

func (f *field) appendInline(dst []byte, v reflect.Value) ([]byte, error) {
	if v.Kind() != reflect.Pointer {
		return f.inline.encode(dst, v)
	}
	if v.IsNil() {
		return dst, nil
	}
	return f.inline.encode(dst, v.Elem())
}
