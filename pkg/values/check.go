package values

import (
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"slices"
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
}

// CheckForms reports the strings under VM keys, in their long forms, that do not have
// the form of their key, whether or not a level above replaces them. It skips
// templates, whose result counts. path is the path of the keys.
func CheckForms(keys *source.Node, path string, diags *source.Diagnostics) {
	if keys == nil || keys.Kind != source.Map {
		return
	}
	w := formWalk{root: path, diags: diags}
	for i := range keys.Fields {
		f := &keys.Fields[i]
		forms := formsOfKeys()[f.Key]
		if forms == nil {
			continue
		}
		w.trail.PushKey(f.Key)
		checks := forms()
		for j := range checks {
			w.check(&checks[j], f.Value, checks[j].keys)
		}
		w.trail.Pop()
	}
}

// formCheck is the form of the strings at a path below a VM key. Any key of a map is
// "*", and any item of a list "[]".
type formCheck struct {
	form
	keys   []string
	ofKeys bool // the keys of the map have the form, not its values
	short  bool // the last key can be left out: its value is the short form of the map
}

// formsOfKeys returns the checks of each VM key. They are collected for keys that occur, which in a fleet are few.
var formsOfKeys = sync.OnceValue(func() map[string]func() []formCheck {
	all := map[string]func() []formCheck{}
	for field := range reflect.TypeFor[VM]().Fields() {
		all[Key(field)] = sync.OnceValue(func() []formCheck { return formsBelow(field.Type, field.Tag, nil) })
	}
	return all
})

func formsBelow(t reflect.Type, tag reflect.StructTag, keys []string) []formCheck {
	switch t.Kind() {
	case reflect.Pointer:
		return formsBelow(t.Elem(), tag, keys)
	case reflect.Map, reflect.Slice:
		if f, ok := stringForms[tag.Get("keys")]; ok {
			return []formCheck{{form: f, keys: keys, ofKeys: true}}
		}
		each := map[reflect.Kind]string{reflect.Map: "*", reflect.Slice: "[]"}[t.Kind()]
		return formsBelow(t.Elem(), tag, append(slices.Clip(keys), each))
	case reflect.Struct:
		var all []formCheck
		for field := range t.Fields() {
			key := Key(field)
			if key == "" || t == reflect.TypeFor[source.Node]() {
				continue
			}
			_, other := source.SplitTag(field.Tag)
			for _, c := range formsBelow(field.Type, other, append(slices.Clip(keys), key)) {
				c.short = c.short || len(c.keys) == len(keys)+1 && key == Forms[t].Key
				all = append(all, c)
			}
		}
		return all
	}
	if f, ok := stringForms[tag.Get("format")]; ok {
		return []formCheck{{form: f, keys: keys}}
	}
	return nil
}

// formWalk descends into VM keys, and reports the strings that do not have their form.
type formWalk struct {
	root  string
	trail source.Trail // below root
	diags *source.Diagnostics
}

// check checks the strings of n at the keys. The item of a list can be in its short
// form, whose only string is that of the key.
func (w *formWalk) check(c *formCheck, n *source.Node, keys []string) {
	switch {
	case !n.IsSet():
	case len(keys) == 0 && c.ofKeys:
		for i := range n.Fields {
			w.trail.PushKey(n.Fields[i].Key)
			w.report(c, n.Fields[i].Key, n.Fields[i].Pos())
			w.trail.Pop()
		}
	case len(keys) == 0:
		if n.Kind == source.String || n.Kind == source.Int || n.Kind == source.Float {
			w.report(c, n.Text, n.Pos())
		}
	case n.Kind == source.Map && keys[0] == "*":
		for i := range n.Fields {
			w.checkKey(c, n.Fields[i].Key, n.Fields[i].Value, keys[1:])
		}
	case n.Kind == source.List && keys[0] == "[]":
		for i, item := range n.Items {
			w.trail.PushIndex(i)
			w.check(c, item, keys[1:])
			w.trail.Pop()
		}
	case n.Kind == source.Map && n.Style == source.ShortForm && keys[0] != "[]":
		w.check(c, n.Get(keys[0]), keys[1:])
	case n.Kind == source.Map && keys[0] != "[]":
		w.checkKey(c, keys[0], n.Get(keys[0]), keys[1:])
	case len(keys) == 1 && c.short:
		w.check(c, n, nil)
	}
}

func (w *formWalk) checkKey(c *formCheck, key string, value *source.Node, keys []string) {
	w.trail.PushKey(key)
	w.check(c, value, keys)
	w.trail.Pop()
}

func (w *formWalk) report(c *formCheck, text string, at source.Pos) {
	isTemplate := strings.Contains(text, "{{") && c.id != rule.Approval // which no template can give
	if text == "" || isTemplate {
		return
	}
	if problem := c.problem(text); problem != "" {
		w.diags.Errorf(at, c.id, w.trail.Under(w.root), "%s", problem)
	}
}

func quantityProblem(text string) string {
	if _, err := ParseQuantity(text); err != nil {
		return err.Error()
	}
	return ""
}

// AddressProblem returns what is wrong with the static address of a NIC, or "".
func AddressProblem(text string) string {
	if _, err := netip.ParsePrefix(text); err != nil {
		return fmt.Sprintf("invalid address %q; expected an address with its prefix length such as \"10.0.0.5/24\"", text)
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
var token = lazyregexp.New(`^(?:none|[0-9a-f]{8})-[0-9a-f]{8}$`)

// IsToken reports whether a text has the form of an approval's token, FROM-TO.
func IsToken(text string) bool { return token().MatchString(text) }

func tokenProblem(text string) string {
	if IsToken(text) {
		return ""
	}
	return fmt.Sprintf("invalid approval %q; expected the token that `vmrender plan` prints, "+
		"such as \"1a2b3c4d-5e6f7a8b\"", text)
}

// CheckTypes reports what is wrong with VM keys, in their long forms, that another level replaces. Otherwise they are
// decoded when all levels are merged.
func CheckTypes(keys *source.Node, path string, diags *source.Diagnostics) {
	source.Decode(keys, new(VM), path, diags)
}
