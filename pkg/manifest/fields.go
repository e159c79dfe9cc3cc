package manifest

import (
	"reflect"
	"strings"
)

// field is how one field of a struct is written.
type field struct {
	index     int
	key       string // with quotes and colon; empty for an inlined struct
	kind      reflect.Kind
	encode    encodeFunc
	inline    *object // the fields of an inlined struct, or of the one that it points to
	omitEmpty bool    // in the sense of encoding/json, which no struct is
	omitZero  bool
	omitBare  bool // left out when it encodes to {}
	zero      zeroTest
}

// object is how a struct is written: its fields in the order declared, but
// apiVersion before kind.
type object struct{ fields []field }

// keptEmpty names the struct types whose empty value says something although
// their field is marked omitempty.
//
// FeatureState (kubevirt.io/api, core/v1/schema.go, v1.9.0) switches a feature
// on when its `enabled` is not set. All of KubeVirt's features are pointers to
// one but `acpi`, which KubeVirt itself therefore writes as `acpi: {}` wherever
// there are features.
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

// collect plans the fields of t and of the structs inlined in it. It returns
// the first key that occurs twice, or "".
func collect(t reflect.Type, o *object, keys map[string]bool) (twice string) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, options := parseTag(f)
		switch {
		case name == "" && isInlined(f):
			in := field{index: i, kind: f.Type.Kind(), inline: &object{}}
			if twice = collect(structType(f.Type), in.inline, keys); twice != "" {
				return twice
			}
			o.fields = append(o.fields, in)
			continue
		case f.Tag.Get("json") == "-", !f.IsExported():
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

// putVersionFirst makes apiVersion come before kind, as everyone writes them;
// metav1.TypeMeta declares them the other way round.
func (o *object) putVersionFirst() {
	for i := range len(o.fields) - 1 {
		if o.fields[i].key == `"kind":` && o.fields[i+1].key == `"apiVersion":` {
			o.fields[i], o.fields[i+1] = o.fields[i+1], o.fields[i]
		}
	}
}

func planField(i int, f reflect.StructField, name, options string) field {
	planned := field{
		index:     i,
		key:       string(append(appendString(nil, name), ':')),
		kind:      f.Type.Kind(),
		encode:    fieldEncoder(f.Type),
		omitEmpty: hasOption(options, "omitempty"),
		omitZero:  hasOption(options, "omitzero"),
	}
	if planned.omitEmpty && planned.kind == reflect.Struct && !keptEmpty[f.Type.PkgPath()+"."+f.Type.Name()] {
		planned.omitZero = planned.omitZero || marshalerOf(f.Type) != nil
		planned.omitBare = true
	}
	planned.zero = zeroTestOf(f, planned.omitEmpty)
	return planned
}

// fieldEncoder knows the simplest types at once: most fields have one.
func fieldEncoder(t reflect.Type) encodeFunc {
	if k := t.Kind(); k <= reflect.Float64 || k == reflect.String {
		return encoderOf(t)
	}
	return later(t)
}

func parseTag(f reflect.StructField) (name, options string) {
	name, options, _ = strings.Cut(f.Tag.Get("json"), ",")
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
		if dst, err = f.append(dst, v.Field(f.index)); err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// append writes the field with its key, or nothing when it is noise.
func (f *field) append(dst []byte, v reflect.Value) (_ []byte, err error) {
	if f.inline != nil {
		return f.appendInline(dst, v)
	}
	if f.isLeftOut(v) {
		return dst, nil
	}
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
	if f.kind != reflect.Pointer {
		return f.inline.encode(dst, v)
	}
	if v.IsNil() {
		return dst, nil
	}
	return f.inline.encode(dst, v.Elem())
}

func (f *field) isLeftOut(v reflect.Value) bool {
	switch {
	case f.kind == reflect.Pointer:
		return v.IsNil()
	case f.omitZero:
		return v.IsZero()
	default:
		return f.omitEmpty && isEmpty(f.kind, v)
	}
}

// isEmpty is encoding/json's rule for omitempty.
func isEmpty(kind reflect.Kind, v reflect.Value) bool {
	switch kind {
	case reflect.String, reflect.Slice, reflect.Map, reflect.Array:
		return v.Len() == 0
	case reflect.Struct:
		return false
	default:
		return v.IsZero()
	}
}
