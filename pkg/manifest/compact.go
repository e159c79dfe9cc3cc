package manifest

import (
	"encoding/json"
	"strings"
)

// Compact returns a value as compact JSON with sorted keys, or "" for nil.
func Compact(v any) string {
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
