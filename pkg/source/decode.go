package source

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"

	"github.com/vmrender/vmrender/pkg/rule"
)

// NodeDecoder is implemented by types that decode themselves, because they accept a
// short form, such as a scalar for a map, or check more than their type. DecodeNode is
// never called with a [Null]; for the long form it calls [DecodeFields] with its
// receiver.
type NodeDecoder interface {
	DecodeNode(n *Node, path Path, diags *Diagnostics)
}

// Decode stores a tree in the value that into points to, following the "json" tags of
// Go structs. It adds every problem to diags, at the position of the value, or of the
// key if the key is unknown. path is the path of n; n may be nil.
//
//   - A map fills a struct key by key, even if the type implements [json.Unmarshaler],
//     so that unknown keys are found; keys match exactly.
//   - A json.Unmarshaler gets scalars, and also maps and lists if it is not a struct
//     with tagged fields.
//   - A [NodeDecoder] gets every value that is not null.
//   - A null leaves the value as it is.
//   - A scalar converts only to its own kind; see [Node.Ambiguous].
//
// The value of a struct field tagged `source:"secret"` is never quoted in a diagnostic.
func Decode(n *Node, into any, path string, diags *Diagnostics) {
	if n == nil || n.Kind == Null {
		return
	}
	d := newDecoder(path, diags)
	d.trail = d.steps[:0]
	v := reflect.ValueOf(into).Elem()
	planOf(v.Type()).run(d, n, v)
	decoders.Put(d)
}

// DecodeFields is like [Decode] but does not call into's own DecodeNode.
func DecodeFields(n *Node, into any, path Path, diags *Diagnostics) {
	if n == nil || n.Kind == Null {
		return
	}
	d := newDecoder(path.root, diags)
	d.trail = path.trail
	v := reflect.ValueOf(into).Elem()
	planOf(v.Type()).runLong(d, n, v)
	decoders.Put(d)
}

// decoders are reused, because each VM is decoded in several calls.
var decoders = sync.Pool{New: func() any { return new(decoder) }}

func newDecoder(root string, diags *Diagnostics) *decoder {
	d := decoders.Get().(*decoder)
	*d = decoder{root: root, diags: diags}
	return d
}

// decoder is the state of one call of Decode.
type decoder struct {
	root   string
	trail  Trail
	steps  [6]step // memory of most trails
	diags  *Diagnostics
	key    *Field // field whose value is being decoded, unless that is a list item
	secret bool   // inside a value that diagnostics must not quote

	example   string // of the value exampleOf, as in YAML
	exampleOf *Node
}

func (d *decoder) errorf(n *Node, id rule.ID, format string, args ...any) {
	d.diags.Errorf(n.Pos(), id, d.trail.Under(d.root), format, args...)
}

// reportWrongType reports a value whose kind is not the expected one; hint may be
// empty. A text is part of the problem only if it is nearly what is expected: any other
// can be a secret that stands next to its key.
func (d *decoder) reportWrongType(n *Node, want, hint string) {
	got := kindName(n.Kind)
	if n.Kind != String || hint != "" || BeginsNumber(n.Text) {
		got = d.describe(n)
	}
	message := "wrong type: got " + got + ", expected " + want
	if n == d.exampleOf && d.example != "" {
		message += ", such as " + d.example
	}
	if hint != "" && !d.secret {
		message += "; " + hint
	}
	d.errorf(n, rule.WrongType, "%s", message)
}

// longest is the length of the longest text that a message quotes.
const longest = 60

// describe returns what was written, for messages: the kind and, for a short scalar,
// the text.
func (d *decoder) describe(n *Node) string {
	if d.secret || len(n.Text) > longest {
		return kindName(n.Kind)
	}
	switch n.Kind {
	case Bool:
		return "the boolean " + n.Text
	case Int, Float:
		return "the number " + n.Text
	case String:
		return fmt.Sprintf("the string %q", n.Text)
	}
	return kindName(n.Kind)
}

// BeginsNumber reports whether a text begins as a number does.
func BeginsNumber(text string) bool {
	text = strings.TrimSpace(text)
	return text != "" && strings.IndexByte("0123456789.+-", text[0]) >= 0
}

// checkUnambiguous adds an error if YAML versions read a value differently, and reports
// whether they read it alike.
func (d *decoder) checkUnambiguous(n *Node) bool {
	note := n.Ambiguous()
	switch {
	case note == "":
		return true
	case d.secret:
		d.errorf(n, rule.AmbiguousScalar, "the value is read differently by different versions of YAML; quote it")
	default:
		d.errorf(n, rule.AmbiguousScalar, "%s; quote it: %q", note, n.Text)
	}
	return false
}

// ReportAmbiguous reports every value of a tree that YAML versions read
// differently (see [Node.Ambiguous]), for trees that are used without [Decode].
func ReportAmbiguous(n *Node, path string, diags *Diagnostics) {
	if n != nil {
		d := decoder{root: path, diags: diags}
		d.walk(n)
	}
}

func (d *decoder) walk(n *Node) {
	d.checkUnambiguous(n)
	for i := range n.Fields {
		d.trail.PushKey(n.Fields[i].Key)
		d.walk(n.Fields[i].Value)
		d.trail.Pop()
	}
	for i, item := range n.Items {
		d.trail.PushIndex(i)
		d.walk(item)
		d.trail.Pop()
	}
}

// unmarshal passes a value to a type's own UnmarshalJSON.
func (d *decoder) unmarshal(n *Node, v reflect.Value) {
	if !d.checkUnambiguous(n) {
		return
	}
	name := words(v.Type().Name())
	err := errLongNumber
	if name != "quantity" || !longNumber(n.Text) {
		err = v.Addr().Interface().(json.Unmarshaler).UnmarshalJSON(AppendJSON(nil, n))
	}
	if err == nil {
		return
	}
	what := article(name)
	var wrongType *json.UnmarshalTypeError
	isType := errors.As(err, &wrongType)
	switch {
	case isType || n.Kind == Map || n.Kind == List:
		d.reportWrongType(n, what, "")
	case d.secret:
		d.errorf(n, rule.InvalidValue, "the value is not %s", what)
	case !BeginsNumber(n.Text) && accepted[name] != "": // those of all begin with a number
		d.errorf(n, rule.InvalidValue, "the value is not %s; %s", what, accepted[name])
	default:
		d.errorf(n, rule.InvalidValue, "%q is not %s; %s", n.Text, what, cmp.Or(accepted[name], err.Error()))
	}
}

var errLongNumber = errors.New("write a number with fewer digits")

// longNumber reports whether a number has so many digits that computing it takes hours:
// a quantity of 1e-2147483648 is exact (k8s.io/apimachinery,
// pkg/api/resource/quantity.go, v0.34.3).
func longNumber(text string) bool {
	const digits, exponent = 1000, 4
	i := strings.LastIndexAny(text, "eE") + 1
	return len(text) > digits || i > 0 && len(text)-i > exponent
}

// accepted describes how to write values of common types that implement [json.Unmarshaler],
// by the words of their names. Their own errors are meant for programmers.
var accepted = map[string]string{
	"quantity":   "write a number with or without a unit, such as 500m, 4 or 16Gi",
	"duration":   "write a number with a unit, such as 30s, 5m or 1h30m",
	"time":       `write a date and time such as "2026-01-31T15:04:05Z"`,
	"micro time": `write a date and time such as "2026-01-31T15:04:05.000000Z"`,
}
