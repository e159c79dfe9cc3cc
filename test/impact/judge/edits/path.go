package edits

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// split returns the steps of a path: keys, and "[…]" for entries of lists.
func split(path string) []string {
	if rest, ok := strings.CutPrefix(path, "~~"); ok {
		path = "spec.template.spec.domain" + rest
	} else if rest, ok := strings.CutPrefix(path, "~"); ok {
		path = "spec.template.spec" + rest
	}
	path = strings.ReplaceAll(path, "[", ".[")
	const dot = "\x00"
	steps := strings.Split(strings.ReplaceAll(path, `\.`, dot), ".")
	for i := range steps {
		steps[i] = strings.ReplaceAll(steps[i], dot, ".")
	}
	return steps
}

// write sets or removes the value at the path. It creates missing parents.
func write(parent Object, path []string, to any, set bool) error {
	key := path[0]
	if len(path) == 1 {
		if set {
			parent[key] = to
		} else if _, ok := parent[key]; !ok {
			return fmt.Errorf("%q is not there", key)
		} else {
			delete(parent, key)
		}
		return nil
	}
	if strings.HasPrefix(path[1], "[") {
		list, _ := parent[key].([]any)
		list, err := writeEntry(slices.Clone(list), path[1:], to, set)
		parent[key] = list
		return err
	}
	child, ok := parent[key].(Object)
	if !ok {
		child = Object{}
		parent[key] = child
	}
	return write(child, path[1:], to, set)
}

func writeEntry(list []any, path []string, to any, set bool) ([]any, error) {
	if path[0] == "[+]" {
		return append(list, to), nil
	}
	index := slices.IndexFunc(list, func(entry any) bool {
		named, _ := entry.(Object)
		return "["+fmt.Sprint(named["name"])+"]" == path[0]
	})
	if index < 0 {
		var err error
		if index, err = strconv.Atoi(strings.Trim(path[0], "[]")); err != nil || index >= len(list) {
			return nil, fmt.Errorf("no entry %s", path[0])
		}
	}
	if len(path) > 1 {
		return list, write(list[index].(Object), path[1:], to, set)
	}
	if set {
		list[index] = to
		return list, nil
	}
	return slices.Delete(list, index, index+1), nil
}
