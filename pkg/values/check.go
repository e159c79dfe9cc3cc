package values

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/vmrender/vmrender/internal/lazyregexp"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// form is the form of a string, by the `format` tag of its field.
type form struct {
	id      rule.ID
	problem func(string) string // what is wrong with a text, or ""
}

var stringForms = map[string]form{
	"quantity": {rule.BadQuantity, quantityProblem},
	"memory":   {rule.BadQuantity, memoryProblem}, // a quantity, by the tag `form`
	"address":  {rule.BadIP, AddressProblem},
	"ip":       {rule.BadIP, IPProblem},
	"cidr":     {rule.BadIP, DestinationProblem},
	"mac":      {rule.BadMAC, MACProblem},
	"uuid":     {rule.BadUUID, UUIDProblem},
	"name":     {rule.BadName, ObjectNameProblem},
	"label":    {rule.BadLabel, labelKeyProblem}, // of keys
	"resource": {rule.BadValue, resourceProblem},
	"sshKey":   {rule.BadValue, sshKeyProblem},
	"token":    {rule.Approval, tokenProblem},
	"time":     {rule.BadValue, timeProblem},
	"window":   {rule.BadValue, windowProblem},
	"schedule": {rule.BadValue, scheduleProblem},
}

// CheckForms reports the strings under VM keys, in their long forms, that do not have
// the form of their key, whether or not a level above replaces them. It skips
// templates, whose result counts. path is the path of the keys.
func CheckForms(keys *source.Node, path string, diags *source.Diagnostics) {
	if keys == nil || keys.Kind != source.Map {
		return
	}
	w := formWalk{root: path, trail: make(source.Trail, 0, 8), diags: diags}
	forms := formsOfKeys()
	for i := range keys.Fields {
		f := &keys.Fields[i]
		if tree := forms[f.Key]; tree != nil {
			w.check(f.Key, f.Value, tree())
		}
	}
}

// formTree contains the forms of the strings below a VM key.
type formTree struct {
	form             // of a scalar here, or of the keys of a map; its problem is nil if there is none
	ofKeys bool      // the keys of the map have the form
	keys   []formKey // of a map with fixed keys
	each   *formTree // of the values of any other map
	items  *formTree // of a list
	short  *formTree // of the key that a scalar here is the value of
}

// formKey is a key of a map, and the forms below it.
type formKey struct {
	key  string
	tree *formTree
}

// formsOfKeys returns the forms below each VM key, nil if there are none. They are collected for keys that occur, which
// in a fleet are few.
var formsOfKeys = sync.OnceValue(func() map[string]func() *formTree {
	all := map[string]func() *formTree{}
	for field := range reflect.TypeFor[VM]().Fields() {
		all[Key(field)] = sync.OnceValue(func() *formTree { return formsBelow(field.Type, field.Tag) })
	}
	return all
})

// formsBelow returns the forms of the strings in values of a type, or nil if there are none.
func formsBelow(t reflect.Type, tag reflect.StructTag) *formTree {
	switch t.Kind() {
	case reflect.Pointer:
		return formsBelow(t.Elem(), tag)
	case reflect.Map, reflect.Slice:
		if f, ok := stringForms[tag.Get("keys")]; ok {
			return &formTree{form: f, ofKeys: true}
		}
		below := formsBelow(t.Elem(), tag)
		switch {
		case below == nil:
			return nil
		case t.Kind() == reflect.Map:
			return &formTree{each: below}
		}
		return &formTree{items: below}
	case reflect.Struct:
		return formsOfFields(t)
	}
	if f, ok := stringForms[cmp.Or(tag.Get("form"), tag.Get("format"))]; ok {
		return &formTree{form: f}
	}
	return nil
}

func formsOfFields(t reflect.Type) *formTree {
	if t == reflect.TypeFor[source.Node]() {
		return nil
	}
	tree := &formTree{}
	for field := range t.Fields() {
		key := Key(field)
		if key == "" {
			continue
		}
		_, other := source.SplitTag(field.Tag)
		below := formsBelow(field.Type, other)
		if below == nil {
			continue
		}
		tree.keys = append(tree.keys, formKey{key, below})
		if key == Forms[t].Key {
			tree.short = below
		}
	}
	if tree.keys == nil {
		return nil
	}
	return tree
}

// formWalk descends into VM keys, and reports the strings that do not have their form.
type formWalk struct {
	root  string
	trail source.Trail // below root
	diags *source.Diagnostics
}

// check checks the strings of the value of a key.
func (w *formWalk) check(key string, n *source.Node, tree *formTree) {
	if tree == nil || !n.IsSet() {
		return
	}
	w.trail.PushKey(key)
	w.checkValue(n, tree)
	w.trail.Pop()
}

func (w *formWalk) checkValue(n *source.Node, tree *formTree) {
	switch n.Kind {
	case source.Null, source.Bool:
	case source.Map:
		w.checkMap(n, tree)
	case source.List:
		for i, item := range n.Items {
			if tree.items != nil {
				w.trail.PushIndex(i)
				w.checkValue(item, tree.items)
				w.trail.Pop()
			}
		}
	default:
		if tree.problem != nil && !tree.ofKeys {
			w.report(&tree.form, n.Text, n.Pos())
		}
		if tree.short != nil { // the item of a list
			w.checkValue(n, tree.short)
		}
	}
}

func (w *formWalk) checkMap(n *source.Node, tree *formTree) {
	for i := range n.Fields {
		f := &n.Fields[i]
		switch {
		case tree.ofKeys:
			w.trail.PushKey(f.Key)
			w.report(&tree.form, f.Key, f.Pos())
			w.trail.Pop()
		case tree.each != nil:
			w.check(f.Key, f.Value, tree.each)
		case n.Style != source.ShortForm:
			w.check(f.Key, f.Value, tree.of(f.Key))
		case f.Value.IsSet() && tree.of(f.Key) != nil:
			w.checkValue(f.Value, tree.of(f.Key))
		}
	}
}

// of returns the forms below a key, or nil if there are none.
func (t *formTree) of(key string) *formTree {
	for i := range t.keys {
		if t.keys[i].key == key {
			return t.keys[i].tree
		}
	}
	return nil
}

func (w *formWalk) report(f *form, text string, at source.Pos) {
	isTemplate := strings.Contains(text, "{{") && f.id != rule.Approval // which no template can give
	if text == "" || isTemplate {
		return
	}
	if problem := f.problem(text); problem != "" {
		w.diags.Errorf(at, f.id, w.trail.Under(w.root), "%s", problem)
	}
}

func quantityProblem(text string) string {
	_, err := ParseQuantity(text)
	return textOf(err)
}

func memoryProblem(text string) string {
	_, err := ParseMemory(text)
	return textOf(err)
}

func textOf(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

// NoAddress is the `ip` of a NIC that the guest gives no address.
const NoAddress = "none"

// AddressProblem returns what is wrong with the static address of a NIC, or "".
func AddressProblem(text string) string {
	if _, err := netip.ParsePrefix(text); err != nil && text != NoAddress {
		return fmt.Sprintf("invalid address %q; expected an address with its prefix length such as \"10.0.0.5/24\", or none",
			text)
	}
	return ""
}

// IPProblem returns what is wrong with an address, or "".
func IPProblem(text string) string {
	if _, err := netip.ParseAddr(text); err != nil {
		return fmt.Sprintf("invalid address %q; expected an address such as \"10.0.0.1\"", text)
	}
	return ""
}

// DestinationProblem returns what is wrong with the destination of a route, or "".
func DestinationProblem(text string) string {
	if _, err := netip.ParsePrefix(text); err != nil && text != "default" {
		return fmt.Sprintf("invalid destination %q; expected a subnet such as \"10.20.0.0/16\"", text)
	}
	return ""
}

// MACProblem returns what is wrong with a MAC address, or "".
func MACProblem(text string) string {
	if mac, err := net.ParseMAC(text); err != nil || len(mac) != 6 {
		return fmt.Sprintf("invalid MAC address %q; expected six bytes such as \"02:a1:b2:00:00:01\"", text)
	}
	return ""
}

// UUIDProblem returns what is wrong with a UUID, or "".
func UUIDProblem(text string) string {
	if !IsUUID(text) {
		return fmt.Sprintf("invalid UUID %q; expected the form 5d307ca9-b3ef-428c-8861-06e72d69f223", text)
	}
	return ""
}

// ObjectNameProblem returns what is wrong with the name of an object of any kind, or "".
func ObjectNameProblem(text string) string {
	if plainName(text) || len(validation.IsDNS1123Subdomain(text)) == 0 {
		return ""
	}
	return fmt.Sprintf("invalid name %q; expected lower case letters, digits, \"-\" and \".\", "+
		"starting and ending with a letter or digit", text)
}

func labelKeyProblem(text string) string { return LabelProblem(text, "") }

func resourceProblem(text string) string {
	if strings.Count(text, "/") != 1 || len(validation.IsQualifiedName(text)) > 0 {
		return fmt.Sprintf("invalid device %q; expected the resource name that the cluster permits, "+
			"such as \"nvidia.com/GA102GL_A10\"", text)
	}
	return ""
}

// sshKeyProblem never quotes the text, which may be a private key.
func sshKeyProblem(text string) string {
	for word := range strings.FieldsSeq(text) {
		for _, kind := range []string{"ssh-", "ecdsa-", "sk-"} {
			if strings.HasPrefix(word, kind) {
				return ""
			}
		}
	}
	return "invalid SSH key; expected a public key such as \"ssh-ed25519 AAAA… me@example.com\""
}

// token matches the tokens of approvals.
var token = lazyregexp.New(`^(?:none|[0-9a-f]{32})-[0-9a-f]{32}$`)

// IsToken reports whether a text has the form of an approval's token, FROM-TO.
func IsToken(text string) bool { return token().MatchString(text) }

func tokenProblem(text string) string {
	if IsToken(text) {
		return ""
	}
	return fmt.Sprintf("invalid approval %q; expected the token that `vmrender plan` prints: "+
		"FROM-TO, 32 hexadecimal digits each, or none as FROM", text)
}

// CheckTypes reports what is wrong with VM keys, in their long forms, that another level replaces. Otherwise they are
// decoded when all levels are merged.
func CheckTypes(keys *source.Node, path string, diags *source.Diagnostics) {
	source.Decode(keys, new(VM), path, diags)
}
