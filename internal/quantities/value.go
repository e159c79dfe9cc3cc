package quantities

import (
	"encoding/json"
	"strconv"

	"k8s.io/apimachinery/pkg/api/resource"
)

// Of returns the quantity that a scalar is.
func Of(v any) (resource.Quantity, bool) {
	var s string
	switch v := v.(type) {
	case string:
		s = v
	case json.Number:
		s = v.String()
	default:
		return resource.Quantity{}, false
	}
	q, err := Parse(s)
	return q, err == nil && s != ""
}

// Size returns a number or quantity; 0 for what is neither.
func Size(v any) *resource.Quantity {
	q, ok := Of(v)
	if !ok {
		q = resource.Quantity{}
	}
	return &q
}

// Count returns a small number, or the default for nil.
func Count(v any, otherwise int) int {
	if n, ok := v.(json.Number); ok {
		if i, err := strconv.Atoi(n.String()); err == nil {
			return i
		}
	}
	return otherwise
}
