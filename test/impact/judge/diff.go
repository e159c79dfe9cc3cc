package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// flat is a tree as its leaves, by their paths.
type flat map[string]string

func flatten(object any) (flat, error) {
	raw, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	var tree any
	if err := json.Unmarshal(raw, &tree); err != nil {
		return nil, err
	}
	out := flat{}
	out.add("", tree)
	return out, nil
}

func (f flat) add(path string, value any) {
	switch v := value.(type) {
	case map[string]any:
		if len(v) == 0 {
			f[path] = "{}"
		}
		for key, entry := range v {
			f.add(path+"."+key, entry)
		}
	case []any:
		for i, entry := range v {
			named, _ := entry.(map[string]any)
			if name, ok := named["name"].(string); ok {
				f.add(fmt.Sprintf("%s[%s]", path, name), entry)
			} else {
				f.add(fmt.Sprintf("%s[%d]", path, i), entry)
			}
		}
	default:
		f[path] = fmt.Sprint(v)
	}
}

// changed returns the paths of the leaves that differ, sorted.
func changed(a, b flat) []string {
	paths := map[string]bool{}
	for path, value := range a {
		if other, ok := b[path]; !ok || other != value {
			paths[path] = true
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok {
			paths[path] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}
