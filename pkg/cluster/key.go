package cluster

import (
	"github.com/vmrender/vmrender/pkg/manifest"
)

// Key identifies an object in any version of its API.
type Key struct{ group, kind, namespace, name string }

// KeyOf returns the key of an object.
func KeyOf(id manifest.ID) Key { return Key{id.Group(), id.Kind, id.Namespace, id.Name} }

// KeyFor returns the key of an object, or of any with a part left empty.
func KeyFor(group, kind, namespace, name string) Key { return Key{group, kind, namespace, name} }

// KeyOfVM returns the key of a VirtualMachine.
func KeyOfVM(namespace, name string) Key {
	return Key{"kubevirt.io", "VirtualMachine", namespace, name}
}
