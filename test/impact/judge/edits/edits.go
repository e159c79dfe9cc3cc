// Package edits provides VirtualMachines and edits of them as data: bases/*.yaml are
// the VMs, and edits.txt lists the changes.
package edits

import (
	"embed"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed bases/*.yaml
var files embed.FS

//go:embed edits.txt
var table string

// Object is a Kubernetes object as JSON decodes it.
type Object = map[string]any

// Edit is a change of a VM.
type Edit struct {
	Base string   // the name of the VM's file, such as "linux"
	In   []string // clusters in which it must be tried, in addition to others
	Text string   // as in edits.txt
	Old  Object
	New  Object
}

// Bases returns the VMs by name.
func Bases() (map[string]Object, error) {
	entries, err := files.ReadDir("bases")
	if err != nil {
		return nil, err
	}
	bases := make(map[string]Object, len(entries))
	for _, entry := range entries {
		raw, err := files.ReadFile("bases/" + entry.Name())
		if err != nil {
			return nil, err
		}
		var o Object
		if err := yaml.Unmarshal(raw, &o); err != nil {
			return nil, fmt.Errorf("%s: %w", entry.Name(), err)
		}
		bases[strings.TrimSuffix(entry.Name(), ".yaml")] = o
	}
	return bases, nil
}

// All returns every edit of the table, with the bases in alphabetical order.
func All() ([]Edit, error) {
	bases, err := Bases()
	if err != nil {
		return nil, err
	}
	var all []Edit
	for number, line := range strings.Split(table, "\n") {
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		names, text, ok := strings.Cut(line, " | ")
		if !ok {
			return nil, fmt.Errorf("edits.txt:%d: no bases", number+1)
		}
		names, clusters, _ := strings.Cut(names, " @")
		of := strings.Split(names, ",")
		if names == "*" {
			of = slices.Sorted(maps.Keys(bases))
		}
		for _, base := range of {
			edited, err := Apply(bases[base], text)
			if err != nil {
				return nil, fmt.Errorf("edits.txt:%d: %s: %w", number+1, base, err)
			}
			all = append(all, Edit{Base: base, In: strings.Split(clusters, ","), Text: text, Old: bases[base], New: edited})
		}
	}
	return all, nil
}

// Apply returns the VM with the changes of a line of edits.txt.
func Apply(machine Object, text string) (Object, error) {
	edited := copied(machine).(Object)
	for _, change := range strings.Split(text, " ; ") {
		path, value, set := strings.Cut(change, " = ")
		var to any
		if set {
			if err := yaml.Unmarshal([]byte(value), &to); err != nil {
				return nil, fmt.Errorf("%s: %w", change, err)
			}
		} else if path, set = strings.CutSuffix(change, " -"); !set {
			return nil, fmt.Errorf("%s: no value", change)
		} else {
			set = false
		}
		if err := write(edited, split(path), to, set); err != nil {
			return nil, fmt.Errorf("%s: %w", change, err)
		}
	}
	return edited, nil
}

// Clone returns a copy of the VM that shares nothing with it.
func Clone(machine Object) Object { return copied(machine).(Object) }

func copied(value any) any {
	switch v := value.(type) {
	case Object:
		out := make(Object, len(v))
		for key, entry := range v {
			out[key] = copied(entry)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, entry := range v {
			out[i] = copied(entry)
		}
		return out
	default:
		return v
	}
}
