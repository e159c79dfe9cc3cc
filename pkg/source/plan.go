package source

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
)

var (
	nodeDecoderType = reflect.TypeFor[NodeDecoder]()
	unmarshalerType = reflect.TypeFor[json.Unmarshaler]()
	nodeType        = reflect.TypeFor[*Node]()
	stringMapType   = reflect.TypeFor[map[string]string]()
)

// plan describes how to decode values of one Go type. It is computed once per type, and
// only for types that occur, because an API has many.
type plan struct {
	typ       reflect.Type
	own       bool // the type is a NodeDecoder
	unmarshal bool // the type is a json.Unmarshaler
	opaque    bool // a json.Unmarshaler without tagged fields: it also gets maps and lists
	long      func(*plan, *decoder, *Node, reflect.Value)

	elem     *lazyPlan      // of a pointer, slice or map
	fields   []structField  // of a struct
	short    *structField   // of a struct; nil if it has no short form of its own
	byLength [][]namedField // fields by the length of their names
	accepted []string       // keys of a struct, sorted
	required bool           // a struct has required keys
}

// plans caches the results of planOf by type. Entries never change.
var plans sync.Map // reflect.Type → *plan

func planOf(t reflect.Type) *plan {
	if p, ok := plans.Load(t); ok {
		return p.(*plan)
	}
	p, _ := plans.LoadOrStore(t, newPlan(t))
	return p.(*plan)
}

// lazyPlan is the plan of a type that another type refers to.
type lazyPlan struct {
	typ  reflect.Type
	plan atomic.Pointer[plan]
}

func (l *lazyPlan) get() *plan {
	p := l.plan.Load()
	if p == nil {
		p = planOf(l.typ)
		l.plan.Store(p)
	}
	return p
}

func newPlan(t reflect.Type) *plan {
	p := &plan{typ: t}
	if t == nodeType {
		p.long = decodeNode
		return p
	}
	if t.Kind() != reflect.Pointer {
		p.own = reflect.PointerTo(t).Implements(nodeDecoderType)
		p.unmarshal = reflect.PointerTo(t).Implements(unmarshalerType)
	}
	switch t.Kind() {
	case reflect.Pointer:
		p.long, p.elem = decodePointer, &lazyPlan{typ: t.Elem()}
	case reflect.Struct:
		p.long = decodeStruct
		p.addFields()
	case reflect.Map:
		p.long, p.elem = decodeMap, &lazyPlan{typ: t.Elem()}
		if t == stringMapType {
			p.long = decodeStrings
		}
	case reflect.Slice:
		p.long, p.elem = decodeSlice, &lazyPlan{typ: t.Elem()}
		if t.Elem().Kind() == reflect.Uint8 {
			p.long = decodeBytes
		}
	default:
		p.long = scalarDecoders[t.Kind()]
	}
	p.opaque = p.unmarshal && !slices.ContainsFunc(p.fields, func(f structField) bool { return f.tagged })
	if p.long == nil || t.Kind() == reflect.Map && t.Key().Kind() != reflect.String {
		panic("source: values of type " + t.String() + " cannot be decoded")
	}
	return p
}

// run decodes n, which is not null, into v.
func (p *plan) run(d *decoder, n *Node, v reflect.Value) {
	if p.own {
		v.Addr().Interface().(NodeDecoder).DecodeNode(n, Path{d.root, d.trail}, d.diags)
		return
	}
	p.runLong(d, n, v)
}

// runLong decodes n without the type's own DecodeNode.
func (p *plan) runLong(d *decoder, n *Node, v reflect.Value) {
	if p.opaque || p.unmarshal && n.Kind != Map && n.Kind != List {
		d.unmarshal(n, v)
		return
	}
	p.long(p, d, n, v)
}

// decodeNode stores a value as a tree, after checking only that its scalars are
// unambiguous.
func decodeNode(_ *plan, d *decoder, n *Node, v reflect.Value) {
	d.walk(n)
	v.Set(reflect.ValueOf(n))
}

func decodePointer(p *plan, d *decoder, n *Node, v reflect.Value) {
	if v.IsNil() {
		v.Set(reflect.New(p.elem.typ))
	}
	p.elem.get().run(d, n, v.Elem())
}

// reportNoStruct reports a value that should be a map of the fields of a struct. It may be a secret that belongs into
// one of them.
func (p *plan) reportNoStruct(d *decoder, n *Node) {
	if of, ok := reflect.TypeAssert[meant](reflect.New(p.typ)); ok && n.Kind == String && !d.secret {
		if text := of.Meant(n.Text); text != "" {
			d.errorf(n, rule.WrongType, "wrong type: got a string, expected a map; did you mean %s?", text)
			return
		}
	}
	outer := d.secret
	d.secret = outer || slices.ContainsFunc(p.fields, func(f structField) bool { return f.secret })
	d.reportWrongType(n, "a map", "")
	d.secret = outer
}

func decodeStruct(p *plan, d *decoder, n *Node, v reflect.Value) {
	if n.Kind != Map {
		p.reportNoStruct(d, n)
		return
	}
	if p.required {
		d.checkRequired(p, n)
	}
	for i := range n.Fields {
		f := &n.Fields[i]
		at := p.find(f.Key)
		if at < 0 {
			d.reportUnknownKey(f, p)
			continue
		}
		if f.Value.Kind == Null {
			continue
		}
		outside := len(d.trail)
		if n.Style != ShortForm {
			d.trail.PushKey(f.Key)
		}
		d.key = f
		d.field(&p.fields[at], f.Value, v)
		d.trail = d.trail[:outside]
	}
	if p.short != nil && n.Short.IsSet() {
		d.field(p.short, n.Short, v)
	}
}

// field decodes the value of one field of the struct v.
func (d *decoder) field(field *structField, value *Node, v reflect.Value) {
	outer := d.secret
	d.secret = outer || field.secret
	d.example, d.exampleOf = field.example, value
	if field.limits.hasConstraint {
		value = field.limits.asText(value)
	}
	if !field.limits.hasConstraint || !field.limits.check(d, value) {
		field.plan.get().run(d, value, field.in(v))
	}
	d.secret = outer
}

// meant is implemented by structs for which users write a string in another form: it returns what they
// meant, as in YAML, or "".
type meant interface{ Meant(text string) string }

// elsewhere is implemented by structs whose keys users know by other names: it returns the
// keys here by those names.
type elsewhere interface{ Elsewhere() map[string][]string }

func (d *decoder) reportUnknownKey(f *Field, of *plan) {
	d.diags.Errorf(f.Pos(), rule.UnknownKey, JoinPath(d.trail.Under(d.root), f.Key), "%s", suggest.Message{
		Problem: fmt.Sprintf("unknown key %q", f.Key),
		Names:   searchedForKey,
		End:     func() string { return meantKey(f.Key, of) },
	})
}

// searchedForKey is the number of keys of KubeVirt's types that are searched for an unknown one, roughly.
const searchedForKey = 1000

// meantKey returns a guess at the meaning of an unknown key.
func meantKey(key string, of *plan) string {
	named, ok := reflect.TypeAssert[elsewhere](reflect.New(of.typ))
	if ok && named.Elsewhere()[key] != nil {
		return suggest.OneOf(named.Elsewhere()[key])
	}
	if _, near := suggest.Nearest(key, of.accepted); !near {
		if path := pathBelow(of, key); path != "" {
			return suggest.OneOf([]string{path})
		}
	}
	return suggest.DidYouMean(key, of.accepted)
}

// pathBelow returns the path of the only key of a name below the maps of a struct, such as spec.template.spec.domain in
// a VirtualMachine, or "" if there is none, or are several in the same depth. Users do not write a `status`.
func pathBelow(of *plan, key string) string {
	seen := map[reflect.Type]bool{}
	for level := map[string]*plan{"": of}; len(level) > 0; {
		next, found := map[string]*plan{}, []string(nil)
		for path, at := range level {
			seen[at.typ] = true
			for i := range at.fields {
				f := &at.fields[i]
				if f.name == key {
					found = append(found, JoinPath(path, f.name))
				}
				if below := structOf(f.plan.typ); below != nil && f.name != "status" {
					next[JoinPath(path, f.name)] = planOf(below)
				}
			}
		}
		if len(found) > 0 {
			return onlyOne(found)
		}
		maps.DeleteFunc(next, func(_ string, p *plan) bool { return seen[p.typ] })
		level = next
	}
	return ""
}

// structOf returns a struct type that has keys, or nil if t is no such type, or a pointer to one.
func structOf(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || t == nodeType.Elem() {
		return nil
	}
	return t
}

func onlyOne(texts []string) string {
	if len(texts) == 1 {
		return texts[0]
	}
	return ""
}

func decodeMap(p *plan, d *decoder, n *Node, v reflect.Value) {
	if n.Kind != Map {
		d.reportWrongType(n, "a map", "")
		return
	}
	if v.IsNil() {
		v.Set(reflect.MakeMapWithSize(p.typ, len(n.Fields)))
	}
	key, elem := reflect.New(p.typ.Key()).Elem(), reflect.New(p.elem.typ).Elem()
	for i := range n.Fields {
		f := &n.Fields[i]
		if f.Value.Kind == Null {
			continue
		}
		d.key = f
		d.trail.PushKey(f.Key)
		elem.SetZero()
		p.elem.get().run(d, f.Value, elem)
		d.trail.Pop()
		key.SetString(f.Key)
		v.SetMapIndex(key, elem)
	}
}

// decodeStrings decodes map[string]string, the most frequent kind of map, without
// reflection.
func decodeStrings(_ *plan, d *decoder, n *Node, v reflect.Value) {
	if n.Kind != Map {
		d.reportWrongType(n, "a map", "")
		return
	}
	m := v.Addr().Interface().(*map[string]string)
	if *m == nil {
		*m = make(map[string]string, len(n.Fields))
	}
	for i := range n.Fields {
		f := &n.Fields[i]
		if f.Value.Kind == Null {
			continue
		}
		d.trail.PushKey(f.Key)
		if text, ok := d.text(f.Value); ok {
			(*m)[f.Key] = text
		}
		d.trail.Pop()
	}
}

// reportNoList reports a value that should be a list; that of a single scalar is shown.
func (d *decoder) reportNoList(n *Node) {
	if n.IsScalar() && !d.secret && !strings.ContainsAny(n.Text, "\n,{}[]#:'\"") && len(n.Text) < longest {
		d.exampleOf, d.example = n, "["+n.Text+"]"
	}
	d.reportWrongType(n, "a list", "")
}

func decodeSlice(p *plan, d *decoder, n *Node, v reflect.Value) {
	if n.Kind != List {
		d.reportNoList(n)
		return
	}
	if v.SetZero(); len(n.Items) == 0 {
		v.Set(reflect.MakeSlice(p.typ, 0, 0)) // an empty list is not a missing one
	}
	v.Grow(len(n.Items))
	v.SetLen(len(n.Items))
	for i, item := range n.Items {
		d.trail.PushIndex(i)
		if item.Kind != Null {
			p.elem.get().run(d, item, v.Index(i))
		} else if k := p.elem.typ.Kind(); k != reflect.Pointer && k != reflect.Interface {
			d.errorf(item, rule.WrongType, "the list entry is empty; give it a value or remove it")
		}
		d.trail.Pop()
	}
}
