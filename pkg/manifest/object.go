package manifest

import (
	"cmp"
	"iter"
	"strings"
)

// ID identifies an object in a cluster. IDs are comparable and can be keys of a map.
type ID struct {
	APIVersion string // such as "kubevirt.io/v1"
	Kind       string // such as "VirtualMachine"
	Namespace  string // empty for objects without a namespace
	Name       string // or metadata.generateName, which ends in a dash
}

// Object is an object: its identity and its compact JSON.
type Object struct {
	ID
	JSON []byte // nil if it has a tree; see [Reader]
	tree Tree
}

// New returns a typed API struct as an object. Its JSON is canonical, as in the
// result of [Read]; [Encode] keeps the order in which a type declares its fields.
func New(v any) (Object, error) {
	text, err := Encode(nil, v)
	if err == nil {
		text, err = canonical(text)
	}
	if err != nil {
		return Object{}, err
	}
	return Object{ID: Identify(text), JSON: text}, nil
}

// Canonical returns the object with canonical JSON, as in the result of [Read].
func (o Object) Canonical() (Object, error) {
	if o.tree != nil {
		return Object{ID: o.ID, JSON: Bytes(o.tree)}, nil
	}
	text, err := canonical(o.JSON)
	return Object{ID: o.ID, JSON: text}, err
}

// Group returns the API group, such as "kubevirt.io", or "" for core objects. An
// object remains the same if only the version of its group changes.
func (id ID) Group() string {
	group, _, found := strings.Cut(id.APIVersion, "/")
	if !found {
		return ""
	}
	return group
}

// String returns the identity for users: "VirtualMachine default/web01".
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

// Identify reads an object's identity from its JSON, and stops when it is complete.
// Fields that are missing, or are not strings, stay empty.
func Identify(json []byte) (id ID) {
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

// nameOf reads the namespace and name from the metadata that begin here.
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

// keys yields the keys of the object that begins here, with the scanner before the
// value of the key, which the caller must read or skip. If the value that begins
// here is not an object, keys skips it.
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

// stringValue returns the string that begins here. It skips a value that is not a
// string, and returns "".
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
