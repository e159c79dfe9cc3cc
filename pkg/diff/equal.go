package diff

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// names returns the names of the entries of a list, in brackets and in order.
func names(l []any) []string {
	out := make([]string, len(l))
	for i, v := range l {
		out[i] = "[" + manifest.EntryName(v) + "]"
	}
	return out
}

// Keys returns the keys of both trees, sorted.
func Keys(a, b manifest.Tree) []string {
	all := maps.Clone(a)
	if all == nil {
		all = manifest.Tree{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// Same reports whether two decoded values are exactly the same. Most are, so the cost of
// a plan depends on it.
func Same(a, b any) bool {
	switch a := a.(type) {
	case manifest.Tree:
		b, ok := b.(manifest.Tree)
		return ok && maps.EqualFunc(a, b, Same)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, Same)
	}
	switch b.(type) {
	case manifest.Tree, []any:
		return false
	}
	return a == b
}

// Equal reports whether two values of a field are the same, down to other spellings of a
// number and, if the field has one, of a quantity. Any other text is compared as it is: a label 1.1 is not 1.10.
func Equal(path []string, a, b any) bool {
	x, y := manifest.Compact(a), manifest.Compact(b)
	if x == y {
		return true
	}
	if isText := !isNumber(a) || !isNumber(b); isText && !isQuantity(path) {
		return false
	}
	p, okP := quantities.Of(a)
	q, okQ := quantities.Of(b)
	return okP && okQ && p.Cmp(q) == 0
}

// The fields that are a [resource.Quantity], and the maps of quantities, in VMs, DataVolumes, pods, claims, volumes and
// quotas (kubevirt.io/api v1.9.0, core/v1; containerized-data-importer-api v1.66.0; k8s.io/api v0.36.6, core/v1).
var (
	quantityFields = []string{"capacity", "guest", "maxGuest", "sizeLimit", "divisor"}
	quantityMaps   = []string{"requests", "limits", "hard", "capacity"}
)

// isQuantity reports whether a field has a quantity.
func isQuantity(path []string) bool {
	n := len(path)
	return n > 0 && slices.Contains(quantityFields, path[n-1]) || n > 1 && slices.Contains(quantityMaps, path[n-2])
}

func isNumber(v any) bool {
	_, ok := v.(json.Number)
	return ok
}
