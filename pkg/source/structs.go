package source

import (
	"reflect"
	"slices"
	"strings"
)

// structField is one key of a struct.
type structField struct {
	name   string
	index  []int // as in reflect.StructField, through embedded structs
	tagged bool
	secret bool
	short  bool // for the scalar that the struct's map is the long form of
	limits constraints
	needed bool // `required:"true"`
	// example is a value, as in YAML: `example:"{data: 20Gi}"`.
	example string
	plan    *lazyPlan
}

// in returns the field of a struct, and allocates the embedded pointers on the way.
func (f *structField) in(v reflect.Value) reflect.Value {
	if len(f.index) == 1 {
		return v.Field(f.index[0])
	}
	for i, at := range f.index {
		if i > 0 && v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(at)
	}
	return v
}

// addFields adds the keys of a struct type by the rules of encoding/json: if several
// fields have the same name, the least deeply embedded one counts, then the tagged one;
// if that leaves more than one, none counts.
func (p *plan) addFields() {
	all := collectFields(p.typ, nil, nil)
	p.fields, p.accepted = make([]structField, 0, len(all)), make([]string, 0, len(all))
	for i := range all {
		if f := &all[i]; f.dominant(all) {
			f.plan = &lazyPlan{typ: p.typ.FieldByIndex(f.index).Type}
			if f.short {
				p.short = f
				continue
			}
			p.addName(len(p.fields), f.name)
			p.fields = append(p.fields, *f)
			p.required = p.required || f.needed
			p.accepted = append(p.accepted, f.name)
		}
	}
	slices.Sort(p.accepted)
}

// namedField is the name of a field and its index in the plan.
type namedField struct {
	name  string
	index int
}

// addName adds the index of a field to those with names of the same length.
func (p *plan) addName(index int, name string) {
	if missing := len(name) + 1 - len(p.byLength); missing > 0 {
		p.byLength = append(p.byLength, make([][]namedField, missing)...)
	}
	p.byLength[len(name)] = append(p.byLength[len(name)], namedField{name, index})
}

// find returns the index of the field with a name, or -1. Names differ mostly in their lengths, so this is
// faster than a map.
func (p *plan) find(name string) int {
	if name == "" || len(name) >= len(p.byLength) {
		return -1
	}
	for _, f := range p.byLength[len(name)] {
		if f.name[0] == name[0] && f.name == name {
			return f.index
		}
	}
	return -1
}

func (f *structField) dominant(all []structField) bool {
	for i := range all {
		o := &all[i]
		if o.name != f.name || slices.Equal(o.index, f.index) {
			continue
		}
		if len(o.index) < len(f.index) || len(o.index) == len(f.index) && (o.tagged || !f.tagged) {
			return false
		}
	}
	return true
}

// collectFields returns the fields of a struct and of the structs embedded in it.
// within are the types that embed this one.
func collectFields(t reflect.Type, index []int, within []reflect.Type) []structField {
	if slices.Contains(within, t) {
		return nil
	}
	within = append(slices.Clip(within), t)
	list := make([]structField, 0, t.NumField())
	for i := range t.NumField() {
		sf := t.Field(i)
		tag, other := SplitTag(sf.Tag)
		name, _, _ := strings.Cut(tag, ",")
		short := other.Get("source") == "short"
		if tag == "-" && !short || !sf.IsExported() && !sf.Anonymous {
			continue
		}
		at := append(slices.Clip(index), i)
		if inner := embedded(sf); inner != nil && name == "" {
			list = append(list, collectFields(inner, at, within)...)
			continue
		}
		if !sf.IsExported() {
			continue
		}
		f := structField{
			name: name, index: at, tagged: name != "", secret: other.Get("source") == "secret", short: short,
			limits: constraintsOf(other), needed: other.Get("required") == "true", example: other.Get("example"),
		}
		if name == "" {
			f.name = sf.Name
		}
		list = append(list, f)
	}
	return list
}

// SplitTag returns the value of json in a tag, and a tag with all its other keys: most fields have none, and finding
// that
// out key by key took a tenth of the instructions of a render of one VM.
func SplitTag(tag reflect.StructTag) (json string, other reflect.StructTag) {
	text, first := strings.CutPrefix(string(tag), `json:"`)
	if value, rest, closed := strings.Cut(text, `"`); first && closed && !strings.Contains(value, `\`) {
		return value, reflect.StructTag(rest)
	}
	return tag.Get("json"), tag
}

// embedded returns the struct type that a field embeds, or nil if it embeds none.
func embedded(sf reflect.StructField) reflect.Type {
	t := sf.Type
	if t.Kind() == reflect.Pointer && sf.IsExported() {
		t = t.Elem()
	}
	if !sf.Anonymous || t.Kind() != reflect.Struct {
		return nil
	}
	return t
}
