package labels

import (
	"maps"
	"slices"
	"strings"
)

// ParsePairs returns the pairs of an annotation such as [Stopped]: "a=1 b=2".
func ParsePairs(annotation string) map[string]string {
	out := map[string]string{}
	for pair := range strings.FieldsSeq(annotation) {
		if key, value, ok := strings.Cut(pair, "="); ok {
			out[key] = value
		}
	}
	return out
}

// FormatPairs is the inverse of [ParsePairs], sorted by key.
func FormatPairs(pairs map[string]string) string {
	out := make([]string, 0, len(pairs))
	for _, key := range slices.Sorted(maps.Keys(pairs)) {
		out = append(out, key+"="+pairs[key])
	}
	return strings.Join(out, " ")
}
