package draft

import (
	"cmp"
	"reflect"
	"slices"
	"sync"

	"github.com/vmrender/vmrender/pkg/node"
	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
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

// Ordered returns VM keys in the order of the reference.
func Ordered(keys *node.Map) *source.Node {
	fields := slices.Clone(keys.Fields)
	slices.SortStableFunc(fields, func(a, b source.Field) int {
		return cmp.Compare(slices.Index(keyOrder(), a.Key), slices.Index(keyOrder(), b.Key))
	})
	return &source.Node{Kind: source.Map, Fields: fields}
}
