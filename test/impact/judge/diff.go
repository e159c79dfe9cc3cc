package judge

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// flat is a tree as a map of its leaves, by path. The path of a list with "[]" has
// the names of its entries, in order.
type flat map[string]string

// ordered are the lists whose order the guest sees, because it determines the
// addresses of the devices (KubeVirt v1.8.4,
// pkg/virt-launcher/virtwrap/converter/converter.go).
var ordered = []string{".spec.domain.devices.disks", ".spec.domain.devices.interfaces"}

const separator = "\x00"

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
		if slices.Contains(ordered, path) {
			f[path+"[]"] = joined(v)
		}
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

// joined returns the names of the entries of a list.
func joined(list []any) string {
	var names []string
	for _, entry := range list {
		named, _ := entry.(map[string]any)
		names = append(names, fmt.Sprint(named["name"]))
	}
	return strings.Join(names, separator)
}

// same reports whether two leaves are equal. For the order of a list, it compares
// only names that are in both.
func same(path, a, b string) bool {
	if !strings.HasSuffix(path, "[]") {
		return a == b
	}
	x, y := strings.Split(a, separator), strings.Split(b, separator)
	return slices.Equal(common(x, y), common(y, x))
}

func common(names, others []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !slices.Contains(others, name) })
}

// changed returns the paths of the leaves that differ, sorted.
func changed(a, b flat) []string {
	paths := map[string]bool{}
	for path, value := range a {
		other, ok := b[path]
		if isOrder := strings.HasSuffix(path, "[]"); !ok && !isOrder || ok && !same(path, value, other) {
			paths[path] = true
		}
	}
	for path := range b {
		if _, ok := a[path]; !ok && !strings.HasSuffix(path, "[]") {
			paths[path] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}
