package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
)

// definitions is the keyword of draft 7 with the parts of a schema.
const definitions = "definitions"

// Key returns the part of a JSON Schema that a dotted key has to satisfy, with the definitions that it needs. The names
// of entries, such as that of a disk, are segments of the key. A key that the file does not have can be one of a VM. It
// returns an error for an unknown key.
func Key(schema []byte, key string) ([]byte, error) {
	var all map[string]any
	if err := json.Unmarshal(schema, &all); err != nil {
		return nil, err
	}
	d := document{}
	d.parts, _ = all[definitions].(map[string]any)
	starts := []any{all}
	if vm, has := d.parts["VM"]; has {
		starts = append(starts, vm)
	}
	found, err := d.find(starts, strings.Split(key, "."))
	if err != nil {
		return nil, fmt.Errorf("key %q: %w", key, err)
	}
	needed := map[string]any{}
	d.need(found, needed)
	result := map[string]any{"$schema": all["$schema"]}
	maps.Copy(result, found)
	if len(needed) > 0 {
		result[definitions] = needed
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err = enc.Encode(result)
	return out.Bytes(), err
}

// document is a schema, with its parts by name.
type document struct {
	parts map[string]any
}

// find follows the segments of a key from any of several schemas.
func (d document) find(from []any, segments []string) (map[string]any, error) {
	var found map[string]any
	for _, segment := range segments {
		next, known := d.step(from, segment)
		if len(next) == 0 {
			return nil, fmt.Errorf("unknown %q; %s", segment, suggest.DidYouMean(segment, known))
		}
		found, _ = next[0].(map[string]any)
		from = next
	}
	return found, nil
}

// step returns what a key can be in any of several schemas, and the known keys, sorted.
func (d document) step(from []any, key string) (next []any, known []string) {
	for _, schema := range from {
		for _, object := range d.objects(schema, 0) {
			properties, _ := object["properties"].(map[string]any)
			known = slices.AppendSeq(known, maps.Keys(properties))
			if p, has := properties[key]; has {
				next = append(next, p)
			} else if entry, is := object["additionalProperties"].(map[string]any); is {
				next = append(next, entry)
			}
		}
	}
	slices.Sort(known)
	return next, slices.Compact(known)
}

// objects returns the alternatives of a schema that can have keys: without references, and the items of lists.
func (d document) objects(schema any, depth int) []map[string]any {
	s, is := schema.(map[string]any)
	if !is || depth > 20 {
		return nil
	}
	all := []map[string]any{s}
	if ref, has := s["$ref"].(string); has {
		all = append(all, d.objects(d.parts[strings.TrimPrefix(ref, "#/"+definitions+"/")], depth+1)...)
	}
	for _, word := range []string{"anyOf", "oneOf", "allOf"} {
		options, _ := s[word].([]any)
		for _, option := range options {
			all = append(all, d.objects(option, depth+1)...)
		}
	}
	for _, word := range []string{"then", "else", "items"} {
		all = append(all, d.objects(s[word], depth+1)...)
	}
	return all
}

// need adds the definitions that a schema refers to.
func (d document) need(schema any, needed map[string]any) {
	switch s := schema.(type) {
	case map[string]any:
		if ref, has := s["$ref"].(string); has {
			name, ours := strings.CutPrefix(ref, "#/"+definitions+"/")
			if _, done := needed[name]; ours && !done {
				needed[name] = d.parts[name]
				d.need(d.parts[name], needed)
			}
		}
		for _, value := range s {
			d.need(value, needed)
		}
	case []any:
		for _, value := range s {
			d.need(value, needed)
		}
	}
}
