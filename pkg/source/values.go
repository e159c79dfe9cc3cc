package source

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/vmrender/vmrender/pkg/rule"
)

// scalarDecoders are the functions that decode scalars, by kind.
var scalarDecoders = map[reflect.Kind]func(*plan, *decoder, *Node, reflect.Value){
	reflect.String: decodeString,
	reflect.Bool:   decodeBool,

	reflect.Int:   decodeInt,
	reflect.Int8:  decodeInt,
	reflect.Int16: decodeInt,
	reflect.Int32: decodeInt,
	reflect.Int64: decodeInt,

	reflect.Uint:   decodeUint,
	reflect.Uint8:  decodeUint,
	reflect.Uint16: decodeUint,
	reflect.Uint32: decodeUint,
	reflect.Uint64: decodeUint,

	reflect.Float32: decodeFloat,
	reflect.Float64: decodeFloat,

	reflect.Interface: decodeAny,
}

func decodeString(_ *plan, d *decoder, n *Node, v reflect.Value) {
	if text, ok := d.text(n); ok {
		v.SetString(text)
	}
}

// text returns the text of a string, and reports a value that is not one.
func (d *decoder) text(n *Node) (string, bool) {
	switch n.Kind {
	case String:
		return n.Text, d.checkUnambiguous(n)
	case Bool, Int, Float:
		d.reportWrongType(n, "a string", fmt.Sprintf("quote it: %q", n.Text))
	default:
		d.reportWrongType(n, "a string", "")
	}
	return "", false
}

func decodeBool(_ *plan, d *decoder, n *Node, v reflect.Value) {
	if n.Kind == Bool {
		v.SetBool(n.truth())
		return
	}
	hint := ""
	if n.Kind == String {
		switch strings.ToLower(n.Text) {
		case "true", "yes", "on", "y":
			hint = "write true"
		case "false", "no", "off", "n":
			hint = "write false"
		}
	}
	d.reportWrongType(n, "a boolean", hint)
}

// truth returns the value of a Bool.
func (n *Node) truth() bool { return n.Text[0] == 't' || n.Text[0] == 'T' }

func decodeInt(p *plan, d *decoder, n *Node, v reflect.Value) {
	if n.Kind != Int {
		d.reportNotNumber(n, "an integer")
		return
	}
	bits := p.typ.Bits()
	i, err := strconv.ParseInt(n.Text, 10, bits)
	if err != nil {
		low := int64(-1) << (bits - 1)
		d.reportOutOfRange(n, strconv.FormatInt(low, 10), strconv.FormatInt(-1-low, 10))
		return
	}
	v.SetInt(i)
}

func decodeUint(p *plan, d *decoder, n *Node, v reflect.Value) {
	if n.Kind != Int {
		d.reportNotNumber(n, "an integer")
		return
	}
	bits := p.typ.Bits()
	i, err := strconv.ParseUint(strings.TrimPrefix(n.Text, "+"), 10, bits)
	if err != nil {
		d.reportOutOfRange(n, "0", strconv.FormatUint(1<<bits-1, 10))
		return
	}
	v.SetUint(i)
}

func (d *decoder) reportOutOfRange(n *Node, low, high string) {
	what := n.Text
	if d.secret {
		what = "the number"
	}
	d.errorf(n, rule.OutOfRange, "%s is out of range; accepted: %s to %s", what, low, high)
}

// reportNotNumber reports a value that should be a number, and how to write it if it
// looks like one.
func (d *decoder) reportNotNumber(n *Node, want string) {
	note := n.Ambiguous()
	if n.Kind != String || d.secret || note == "" {
		hint := ""
		if k := resolvePlain(n.Text); n.Kind == String && (k == Int || k == Float && want == "a number") {
			hint = "write it without quotes: " + n.Text
		}
		d.reportWrongType(n, want, hint)
		return
	}
	accepted := "expected " + want
	if decimal := strings.ReplaceAll(n.Text, "_", ""); digits(decimal) == decimal {
		accepted = "write " + cmp.Or(strings.TrimLeft(decimal, "0"), "0")
	}
	d.errorf(n, rule.AmbiguousScalar, "%s; %s", note, accepted)
}

func decodeFloat(p *plan, d *decoder, n *Node, v reflect.Value) {
	if n.Kind != Float && n.Kind != Int {
		d.reportNotNumber(n, "a number")
		return
	}
	f, err := strconv.ParseFloat(n.Text, p.typ.Bits())
	if err != nil {
		d.reportOutOfRange(n, "-1.8e308", "1.8e308")
		return
	}
	v.SetFloat(f)
}

func decodeBytes(p *plan, d *decoder, n *Node, v reflect.Value) {
	if n.Kind != String || !d.checkUnambiguous(n) {
		if n.Kind != String {
			d.reportWrongType(n, "a string in base64", "")
		}
		return
	}
	b, err := base64.StdEncoding.DecodeString(n.Text)
	if err != nil {
		d.errorf(n, rule.InvalidValue, "the value is not valid base64")
		return
	}
	v.SetBytes(b)
}

// decodeAny stores map[string]any, []any, string, bool, int64 (float64 if it is too large) or float64.
func decodeAny(p *plan, d *decoder, n *Node, v reflect.Value) {
	if p.typ.NumMethod() > 0 {
		d.reportWrongType(n, "a value of another form", "")
		return
	}
	if value := d.value(n); value != nil {
		v.Set(reflect.ValueOf(value))
	}
}

func (d *decoder) value(n *Node) any {
	switch n.Kind {
	case Bool:
		return n.truth()
	case Int:
		if i, err := strconv.ParseInt(n.Text, 10, 64); err == nil {
			return i
		}
		return d.float(n)
	case Float:
		return d.float(n)
	case String:
		d.checkUnambiguous(n)
		return n.Text
	case Map:
		return d.anyMap(n)
	case List:
		return d.anyList(n)
	}
	return nil
}

func (d *decoder) float(n *Node) any {
	f, err := strconv.ParseFloat(n.Text, 64)
	if err != nil {
		d.reportOutOfRange(n, "-1.8e308", "1.8e308")
		return nil
	}
	return f
}

func (d *decoder) anyMap(n *Node) map[string]any {
	m := make(map[string]any, len(n.Fields))
	for i := range n.Fields {
		f := &n.Fields[i]
		d.trail.PushKey(f.Key)
		m[f.Key] = d.value(f.Value)
		d.trail.Pop()
	}
	return m
}

func (d *decoder) anyList(n *Node) []any {
	list := make([]any, len(n.Items))
	for i, item := range n.Items {
		d.trail.PushIndex(i)
		list[i] = d.value(item)
		d.trail.Pop()
	}
	return list
}

// words splits the name of a Go type: "IntOrString" is "int or string".
func words(name string) string {
	var b strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

func article(noun string) string {
	if noun != "" && strings.IndexByte("aeiou", noun[0]) >= 0 {
		return "an " + noun
	}
	return "a " + noun
}
