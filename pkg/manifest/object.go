package manifest

import (
	"cmp"
	"iter"
	"strings"
)

// ID says which object of a cluster is meant. IDs are comparable and can be
// keys of a map.
type ID struct {
	APIVersion string // such as "kubevirt.io/v1"
	Kind       string // such as "VirtualMachine"
	Namespace  string // empty for objects without one
	Name       string // or metadata.generateName, which ends in a dash
}

// Object is one object: who it is, and its compact JSON.
type Object struct {
	ID
	JSON []byte
}

// New returns a typed API struct as an object. Its JSON is canonical, as in the
// result of [Read]; for the order in which a type declares its fields, see [Encode].
func New(v any) (Object, error) {
	text, err := Encode(nil, v)
	if err == nil {
		text, err = canonical(text)
	}
	if err != nil {
		return Object{}, err
	}
	return Object{ID: identify(text), JSON: text}, nil
}

// Group returns the API group, such as "kubevirt.io"; it is empty for core
// objects. An object stays the same when only the version of its group changes.
func (id ID) Group() string {
	group, _, found := strings.Cut(id.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

// String returns the identity for people: "VirtualMachine default/web01".
func (id ID) String() string {
	if id.Namespace == "" {
		return id.Kind + " " + id.Name
	}
	return id.Kind + " " + id.Namespace + "/" + id.Name
}

// Compare orders identities by namespace, kind, name and API version, those
// without a namespace first. It returns -1, 0 or 1.
func (id ID) Compare(other ID) int {
	return cmp.Or(
		cmp.Compare(id.Namespace, other.Namespace),
		cmp.Compare(id.Kind, other.Kind),
		cmp.Compare(id.Name, other.Name),
		cmp.Compare(id.APIVersion, other.APIVersion),
	)
}

// identify reads an object's identity from its JSON, no further than it must.
// Whatever is missing, or is not a string, stays empty.
func identify(json []byte) (id ID) {
	s := scanner{text: json}
	for key := range s.keys() {
		switch key {
		case "apiVersion":
			id.APIVersion = s.stringValue()
		case "kind":
			id.Kind = s.stringValue()
		case "metadata":
			id.Namespace, id.Name = s.nameOf()
		default:
			s.skip()
		}
		if id.APIVersion != "" && id.Kind != "" && id.Name != "" {
			break
		}
	}
	return id
}

// nameOf reads what the metadata that begin here say about the name.
func (s *scanner) nameOf() (namespace, name string) {
	generateName := ""
	for key := range s.keys() {
		switch key {
		case "namespace":
			namespace = s.stringValue()
		case "name":
			name = s.stringValue()
		case "generateName":
			generateName = s.stringValue()
		default:
			s.skip()
		}
	}
	return namespace, cmp.Or(name, generateName)
}

// keys yields the keys of the object that begins here, with the scanner before
// the key's value, which must be passed over. A value that is not an object is
// passed over itself.
func (s *scanner) keys() iter.Seq[string] {
	return func(yield func(string) bool) {
		if s.peek() != '{' {
			s.skip()
			return
		}
		for s.pos++; s.more('}'); {
			if !yield(plainText(s.key())) {
				return
			}
		}
	}
}

// stringValue returns the string that begins here, or passes over a value that
// is none.
func (s *scanner) stringValue() string {
	if s.peek() != '"' {
		s.skip()
		return ""
	}
	return plainText(s.str())
}

func plainText(raw []byte, has class) string {
	if has&hasEscape != 0 {
		raw = unescape(nil, raw)
	}
	return string(raw)
}
