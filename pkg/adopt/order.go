package adopt

import (
	"cmp"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
	"reflect"
	"slices"
	"sync"
)

// keyOrder is the keys of a VM in the order in which the format's reference has them.
var keyOrder = sync.OnceValue(func() []string {
	fields := reflect.VisibleFields(reflect.TypeFor[values.VM]())
	keys := make([]string, len(fields))
	for i, f := range fields {
		keys[i] = values.Key(f)
	}
	return keys
})

// ordered returns the map with its keys in the order of the reference.
func (n *node) ordered() *source.Node {
	fields := slices.Clone(n.fields)
	slices.SortStableFunc(fields, func(a, b source.Field) int {
		return cmp.Compare(slices.Index(keyOrder(), a.Key), slices.Index(keyOrder(), b.Key))
	})
	return &source.Node{Kind: source.Map, Fields: fields}
}
