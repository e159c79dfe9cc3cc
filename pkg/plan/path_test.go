package plan_test

import (
	"strconv"
	"strings"
)

// splitPath splits a path such as "spec.volumes.1.name".
func splitPath(path string) []string {
	parts := strings.Split(path, ".")
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], "~", ".")
	}
	return parts
}

// setIn sets a field and creates the maps on the way to it.
func setIn(v any, path []string, value any) {
	for i, part := range path {
		last := i == len(path)-1
		switch in := v.(type) {
		case map[string]any:
			if last {
				in[part] = value
				return
			}
			if in[part] == nil {
				in[part] = map[string]any{}
			}
			v = in[part]
		case []any:
			n, _ := strconv.Atoi(part)
			if last {
				in[n] = value
				return
			}
			v = in[n]
		}
	}
}
