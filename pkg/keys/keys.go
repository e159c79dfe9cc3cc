// Package keys links the keys of a VM with the fields of KubeVirt and CDI that they are rendered as. Each part of a VM
// (NICs, disks, processors, firmware …) has a table with a row for each of its keys. Package render reads the rows
// forwards, from a resolved VM to the objects; package draft reads them backwards, from the objects of a VM that
// exists to its entry. What a patch of a part must not change follows from the same rows.
//
// What is not one to one, such as the kinds of content that a disk can have, is a pair of functions: Set writes, Get
// reads. What has neither depends on more than one part, as labels do, or is no field of the VM, as a Service.
package keys

import (
	"cmp"
	"strings"

	"github.com/vmrender/vmrender/pkg/catalog"
	"github.com/vmrender/vmrender/pkg/node"
)

// Row links a key of a part with a field of it.
type Row[Field, Value any] struct {
	Key  string // below the part, such as "mac"; "" if only a patch could set the fields
	Path string // of the field below the part, with dots, such as "macAddress"
	// Also are further fields that are the key's, which no patch of the part may set either.
	Also []string
	// Set writes the value of the key into the field. It writes nothing if the value is unset. It is nil if what the
	// field is depends on more than the part.
	Set func(*Field, *Value)
	// Get returns the value of the key that the field has. It is nil, or the zero value of its type, if the field is
	// unset; see [node.Map.Set]. A nil function leaves the key to the caller.
	Get func(*Field, *Inherited) any
	// Default returns the value that the key has by itself, which is not written. A nil function returns nothing.
	Default func(*Field, *Inherited) string
	// Instead tells users who change the field by a patch what to do instead. If it is "", they are to set the key.
	Instead string
	// Patched is true if patches of the part may change the field.
	Patched bool
	// Nullable is true if they may remove it, which no value of the key does: KubeVirt chooses it then.
	Nullable bool
}

// Table is the rows of a part, in the order in which users read its keys.
type Table[Field, Value any] struct {
	Part string // such as "NIC"
	Rows []Row[Field, Value]
}

// Inherited is what the keys of a part have by themselves.
type Inherited struct {
	OS *catalog.ResolvedOS
	// Preferred is true if a preference sets what the VM does not name.
	Preferred bool
	// Binding is the binding of the NICs of a network, such as "bridge".
	Binding string
	// Hotpluggable is true if a disk is.
	Hotpluggable bool
	// Name is the name of a device that names none.
	Name string
}

// Set writes all values into their fields.
func (t *Table[F, V]) Set(to *F, from *V) {
	for i := range t.Rows {
		if set := t.Rows[i].Set; set != nil {
			set(to, from)
		}
	}
}

// Get sets all keys to what their fields have, as far as they do not have it by themselves.
func (t *Table[F, V]) Get(to *node.Map, from *F, in *Inherited) {
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Get == nil {
			continue
		}
		value := r.Get(from, in)
		if text, ok := value.(string); !ok || r.Default == nil || text != r.Default(from, in) {
			to.Set(r.Key, value)
		}
	}
}

// Paths returns the fields that no patch of the part may change in any way.
func (t *Table[F, V]) Paths() []string {
	var all []string
	for i := range t.Rows {
		if r := &t.Rows[i]; !r.Patched && !r.Nullable {
			all = append(all, r.paths()...)
		}
	}
	return all
}

// Owned returns, by the paths of the fields that no patch of the part may change, what users are to do instead.
func (t *Table[F, V]) Owned() map[string]string {
	all := map[string]string{}
	for i := range t.Rows {
		r := &t.Rows[i]
		if r.Patched {
			continue
		}
		for _, path := range r.paths() {
			all[path] = cmp.Or(r.Instead, "set `"+r.Key+"` of the "+t.Part+" instead")
		}
	}
	return all
}

// Allowed returns, by their paths, the values that a patch may give to fields of the part although a key has them, as
// JSON.
func (t *Table[F, V]) Allowed() map[string]string {
	all := map[string]string{}
	for i := range t.Rows {
		if r := &t.Rows[i]; r.Nullable {
			for _, path := range r.paths() {
				all[path] = "null"
			}
		}
	}
	return all
}

func (r *Row[F, V]) paths() []string {
	if r.Path == "" {
		return r.Also
	}
	return append([]string{r.Path}, r.Also...)
}

// escaped returns a text as it is written where the format has templates.
func escaped(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

// optional returns the pointer, or nil if the text is empty.
func optional(text *string) *string {
	if *text == "" {
		return nil
	}
	return text
}

// valueOf returns what a pointer points to, or the zero value for nil.
func valueOf[T any](p *T) T {
	if p == nil {
		return *new(T)
	}
	return *p
}
