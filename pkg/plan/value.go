package plan

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/vmrender/vmrender/internal/quantities"
	"github.com/vmrender/vmrender/pkg/manifest"
)

// tree is a decoded JSON object; see [manifest.Decode].
type tree = manifest.Tree

// names returns the names of the entries of a list, in brackets and in order.
func names(l []any) []string {
	out := make([]string, len(l))
	for i, v := range l {
		out[i] = "[" + manifest.EntryName(v) + "]"
	}
	return out
}

// keys returns the keys of both trees, sorted.
func keys(a, b tree) []string {
	all := maps.Clone(a)
	if all == nil {
		all = tree{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

// same reports whether two decoded values are exactly the same. Most are, so the cost of
// a plan depends on it.
func same(a, b any) bool {
	switch a := a.(type) {
	case tree:
		b, ok := b.(tree)
		return ok && maps.EqualFunc(a, b, same)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	}
	switch b.(type) {
	case tree, []any:
		return false
	}
	return a == b
}

// equal reports whether two values of a field are the same, down to other spellings of a
// number and, if the field has one, of a quantity. Any other text is compared as it is: a label 1.1 is not 1.10.
func equal(path []string, a, b any) bool {
	x, y := compact(a), compact(b)
	if x == y {
		return true
	}
	if isText := !isNumber(a) || !isNumber(b); isText && !isQuantity(path) {
		return false
	}
	p, okP := quantity(a)
	q, okQ := quantity(b)
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

// quantity returns the quantity that a scalar is.
func quantity(v any) (resource.Quantity, bool) {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case json.Number:
		s = v.String()
	default:
		return resource.Quantity{}, false
	}
	q, err := quantities.Parse(s)
	return q, err == nil && s != ""
}

// compact returns a value as compact JSON with sorted keys, or "" for nil.
func compact(v any) string {
	if v == nil {
		return ""
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v) != nil {
		return ""
	}
	return strings.TrimSuffix(b.String(), "\n")
}
