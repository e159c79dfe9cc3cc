package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strings"

	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// object is a parsed manifest.
type object = map[string]any

// difference is a permitted difference of the two renderings, with a function
// that removes it from both before they are compared.
type difference struct {
	Why    string
	Remove func(object)
}

// equalSize is the size of the fleet that is compared before any measurement.
const equalSize = 100

// checkEqual renders the same fleet with the chart, with the sidecar in both
// layouts, and with the command-line tool in both formats. It returns an error
// that lists where the objects differ, except for known differences.
func (dir inputs) checkEqual(ctx context.Context, bin tools) error {
	want, err := objects(ctx, dir.helm(bin, equalSize))
	if err != nil {
		return err
	}
	if len(want) != equalSize {
		return fmt.Errorf("the chart rendered %d objects for %d VMs", len(want), equalSize)
	}
	calls := []command{
		dir.vmrender(bin, equalSize, filePerVM, "yaml"),
		dir.vmrender(bin, equalSize, filePerVM, "json"),
		dir.sidecar(bin, equalSize, filePerVM),
		dir.sidecar(bin, equalSize, oneFile),
	}
	for _, call := range calls {
		got, err := objects(ctx, call)
		if err != nil {
			return err
		}
		if differing := differences("", want, got); len(differing) > 0 {
			return fmt.Errorf("%s %q and the chart do not render the same objects (chart, then vmrender):\n%s",
				call.Path, call.Args, strings.Join(differing[:min(len(differing), 20)], "\n"))
		}
	}
	return nil
}

// objects runs the command and returns the rendered objects by kind, namespace,
// and name, without the known differences.
func objects(ctx context.Context, call command) (object, error) {
	text, err := call.output(ctx)
	if err != nil {
		return nil, err
	}
	parsed, err := parseObjects(text)
	if err != nil {
		return nil, fmt.Errorf("reading what %s %q wrote: %w", call.Path, call.Args, err)
	}
	return parsed, nil
}

// parseObjects reads a stream of YAML documents or JSON Lists, as Argo CD does.
func parseObjects(text []byte) (object, error) {
	all := object{}
	stream := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		var parsed object
		if err := stream.Decode(&parsed); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		items := []any{parsed}
		if parsed["kind"] == "List" {
			items, _ = parsed["items"].([]any)
		}
		if err := addObjects(all, items); err != nil {
			return nil, err
		}
	}
}

func addObjects(all object, items []any) error {
	for _, item := range items {
		manifest, _ := item.(object)
		if len(manifest) == 0 {
			continue
		}
		id := fmt.Sprint(manifest["kind"], " ", at(manifest, "metadata", "namespace"), "/", at(manifest, "metadata", "name"))
		if _, twice := all[id]; twice {
			return fmt.Errorf("%s occurs twice", id)
		}
		if err := parseUserData(manifest); err != nil {
			return fmt.Errorf("%s: %w", id, err)
		}
		for _, known := range knownDifferences {
			known.Remove(manifest)
		}
		all[id] = manifest
	}
	return nil
}

// parseUserData replaces cloud-init user data with its parsed content, so that two
// spellings of the same YAML are equal.
func parseUserData(manifest object) error {
	volumes, _ := at(manifest, "spec", "template", "spec", "volumes").([]any)
	for _, volume := range volumes {
		cloudInit, _ := at(volume, "cloudInitNoCloud").(object)
		text, _ := cloudInit["userData"].(string)
		if !strings.HasPrefix(text, "#cloud-config\n") {
			continue
		}
		var parsed object
		if err := yaml.Unmarshal([]byte(text), &parsed); err != nil {
			return fmt.Errorf("reading user data: %w", err)
		}
		cloudInit["userData"] = parsed
	}
	return nil
}

// at returns the value under keys, or nil if there is none.
func at(value any, keys ...string) any {
	for _, key := range keys {
		fields, _ := value.(object)
		value = fields[key]
	}
	return value
}

// differences lists where two values differ, one per line.
func differences(path string, want, got any) []string {
	wantFields, wantMap := want.(object)
	gotFields, gotMap := got.(object)
	wantItems, wantList := want.([]any)
	gotItems, gotList := got.([]any)
	switch {
	case wantMap && gotMap:
		return fieldDifferences(path, wantFields, gotFields)
	case wantList && gotList && len(wantItems) == len(gotItems):
		var all []string
		for i := range wantItems {
			all = append(all, differences(fmt.Sprintf("%s[%d]", path, i), wantItems[i], gotItems[i])...)
		}
		return all
	case reflect.DeepEqual(want, got):
		return nil
	}
	return []string{fmt.Sprintf("%s: %s, %s", path, shown(want), shown(got))}
}

func fieldDifferences(path string, want, got object) []string {
	keys := maps.Clone(want)
	maps.Copy(keys, got)
	all := make([][]string, 0, len(keys))
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		all = append(all, differences(strings.TrimPrefix(path+"."+key, "."), want[key], got[key]))
	}
	return slices.Concat(all...)
}

// shown returns a value as one short line of JSON.
func shown(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(firstBytes(text, 200))
}
