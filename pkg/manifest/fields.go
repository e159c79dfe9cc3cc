package manifest

import (
	"reflect"
	"strings"
	"unsafe"
)

// field specifies how a field of a struct is written.
type field struct {
	offset   uintptr // in the struct
	key      string  // with a comma, quotes and a colon; empty for an inlined struct
	encode   encodeFunc
	inline   *object // the fields of an inlined struct, or of a pointer to one
	pointer  bool    // whether inline is that of a pointer
	omitted  emptiness
	omitBare bool // whether to omit a value that encodes to {}
}

// object specifies how a struct is written: its fields in the order declared,
// except that apiVersion comes before kind.
type object struct {
	fields []field
	words  []int32 // for each field, the offset of the word that is 0 if the field is omitted, or -1
}

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
	o.findWords()
	return func(dst []byte, p unsafe.Pointer) (_ []byte, err error) {
		if dst, err = o.encode(append(dst, '{'), p); err != nil {
			return dst, err
		}
		return append(dst, '}'), nil
	}
}

// collect adds the fields of t, and of the structs inlined in it, to o. It returns
// the first key that occurs twice, or "".
func collect(t reflect.Type, o *object, keys map[string]bool) (twice string) {
	for f := range t.Fields() {
		name, options := parseTag(f)
		switch {
		case name == "" && isInlined(f):
			in := field{offset: f.Offset, inline: &object{}, pointer: f.Type.Kind() == reflect.Pointer}
			if twice = collect(structType(f.Type), in.inline, keys); twice != "" {
				return twice
			}
			in.inline.findWords()
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
		o.fields = append(o.fields, planField(f, name, options))
	}
	o.putVersionFirst()
	return ""
}

// putVersionFirst puts apiVersion before kind, the usual order;
// metav1.TypeMeta declares them in the other order.
func (o *object) putVersionFirst() {
	for i := range len(o.fields) - 1 {
		if o.fields[i].key == `,"kind":` && o.fields[i+1].key == `,"apiVersion":` {
			o.fields[i], o.fields[i+1] = o.fields[i+1], o.fields[i]
		}
	}
}

// findWords prepares the test of most fields, so that encode skips one in few instructions: most are omitted.
func (o *object) findWords() {
	o.words = make([]int32, len(o.fields))
	for i, f := range o.fields {
		o.words[i] = -1
		if f.omitted.word {
			o.words[i] = int32(f.offset + f.omitted.offset) //nolint:gosec // no struct has 2 GiB
		}
	}
}

func planField(f reflect.StructField, name, options string) field {
	omitEmpty, omitZero := hasOption(options, "omitempty"), hasOption(options, "omitzero")
	bare := omitEmpty && f.Type.Kind() == reflect.Struct && !keptEmpty[f.Type.PkgPath()+"."+f.Type.Name()]
	return field{
		offset:   f.Offset,
		key:      string(append(appendString([]byte{','}, name), ':')),
		encode:   fieldEncoder(f.Type),
		omitted:  emptinessOf(f.Type, omitEmpty, omitZero || bare && marshalerOf(f.Type) != nil),
		omitBare: bare,
	}
}

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

func (o *object) encode(dst []byte, base unsafe.Pointer) (_ []byte, err error) {
	for i, word := range o.words {
		if word >= 0 && *(*uintptr)(unsafe.Add(base, word)) == 0 {
			continue
		}
		f := &o.fields[i]
		p := unsafe.Add(base, f.offset)
		switch {
		case f.inline != nil:
			dst, err = f.appendInline(dst, p)
		case !f.omitted.holds(p):
			dst, err = f.append(dst, p)
		}
		if err != nil {
			return dst, err
		}
	}
	return dst, nil
}

// append writes the field with its key, or nothing if it encodes to null or, with
// omitBare, to {}.
func (f *field) append(dst []byte, p unsafe.Pointer) (_ []byte, err error) {
	start := len(dst)
	key := f.key
	if dst[start-1] == '{' {
		key = key[1:]
	}
	dst = append(dst, key...)
	value := len(dst)
	if dst, err = f.encode(dst, p); err != nil {
		return dst, err
	}
	if string(dst[value:]) == "null" || f.omitBare && string(dst[value:]) == "{}" {
		dst = dst[:start]
	}
	return dst, nil
}

func (f *field) appendInline(dst []byte, p unsafe.Pointer) ([]byte, error) {
	if f.pointer {
		p = *(*unsafe.Pointer)(p)
	}
	if p == nil {
		return dst, nil
	}
	return f.inline.encode(dst, p)
}
