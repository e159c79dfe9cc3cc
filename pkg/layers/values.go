package layers

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"github.com/vmrender/vmrender/internal/suggest"
	"github.com/vmrender/vmrender/pkg/rule"
	"github.com/vmrender/vmrender/pkg/source"
)

// checkValues validates a layer's values, merged over the chart's own, against the
// chart's schema. It reports problems at their positions in the platform's file.
func (l *layer) checkValues(c *chart, diags *source.Diagnostics) {
	user := orEmpty(l.Values)
	source.ReportAmbiguous(user, l.path+".values", diags)
	if c.schema == nil {
		return
	}
	v := valuesCheck{layer: l, schema: c.schemaTree, values: source.Merge(c.defaults, user), user: user, diags: diags}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(source.AppendJSON(nil, v.values)))
	if err == nil {
		err = c.schema.Validate(doc)
	}
	var invalid *jsonschema.ValidationError
	switch {
	case errors.As(err, &invalid):
		v.report(invalid)
	case err != nil:
		diags.Errorf(l.key, rule.Values, l.path+".values", "%v", err)
	}
}

// valuesCheck converts errors of a schema to diagnostics.
type valuesCheck struct {
	*layer
	schema       map[string]any
	values, user *source.Node
	diags        *source.Diagnostics
}

// report reports the innermost causes of an error.
func (v *valuesCheck) report(e *jsonschema.ValidationError) {
	if len(e.Causes) > 0 {
		for _, cause := range e.Causes {
			v.report(cause)
		}
		return
	}
	if extra, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
		v.reportUnknown(e, extra.Properties)
		return
	}
	at, path := v.locate(v.user, e.InstanceLocation)
	v.diags.Errorf(at, rule.Values, path, "%s", v.wording(e))
}

// reportUnknown reports keys that are not in the schema, each at its position.
func (v *valuesCheck) reportUnknown(e *jsonschema.ValidationError, keys []string) {
	known := v.knownKeys(e.SchemaURL)
	for _, key := range keys {
		at, path := v.locate(v.user, append(slices.Clone(e.InstanceLocation), key))
		unknown := suggest.Later(fmt.Sprintf("unknown key %q", key), key, searchedForKey, func() []string { return known })
		if len(e.InstanceLocation) == 0 {
			unknown.End = func() string { return v.meantKey(key, known) }
		}
		v.diags.Errorf(at, rule.UnknownKey, path, "%s", unknown)
	}
}

// searchedForKey is the number of keys of a schema that are searched for an unknown one, roughly.
const searchedForKey = 1000

// meantKey returns a guess at the meaning of an unknown key at the top.
func (v *valuesCheck) meantKey(key string, known []string) string {
	if places := places(v.schema, key, nil); len(places) > 0 {
		return fmt.Sprintf("did you mean %q?", strings.Join(places[0], "."))
	}
	return suggest.DidYouMean(key, known)
}

// places returns where a key is deeper in a schema, the nearest first: HyperConverged's
// older API, for example, has at the top what the values have under `virtualization`.
func places(schema map[string]any, key string, prefix []string) [][]string {
	var found [][]string
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		place := append(slices.Clone(prefix), name)
		if name == key {
			found = append(found, place)
		}
		if inner, ok := properties[name].(map[string]any); ok {
			found = append(found, places(inner, key, place)...)
		}
	}
	slices.SortStableFunc(found, func(a, b []string) int { return len(a) - len(b) })
	return found
}

// knownKeys returns the properties of the schema object at the fragment of a URL.
func (v *valuesCheck) knownKeys(url string) []string {
	_, pointer, _ := strings.Cut(url, "#")
	var at any = v.schema
	for token := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		if object, ok := at.(map[string]any); ok && token != "" {
			at = object[unescape(token)]
		}
	}
	object, _ := at.(map[string]any)
	properties, _ := object["properties"].(map[string]any)
	return slices.Sorted(maps.Keys(properties))
}

// locate returns the position of one of the user's values in the platform's file, or of
// what contains it, and its path.
func (l *layer) locate(n *source.Node, tokens []string) (source.Pos, string) {
	at, path := l.key, l.path+".values"
	for _, token := range tokens {
		if i, err := strconv.Atoi(token); err == nil && n != nil && n.Kind == source.List {
			path = source.IndexPath(path, i)
			n = item(n, i)
		} else {
			path = source.JoinPath(path, token)
			n = n.Get(token)
		}
		if n != nil && n.Line > 0 {
			at = n.Pos()
		}
	}
	return at, path
}

func item(n *source.Node, i int) *source.Node {
	if i < len(n.Items) {
		return n.Items[i]
	}
	return nil
}

// wording returns the message for an error: what is wrong and what is accepted. It
// replaces the messages of the library that use terms of JSON Schema.
func (v *valuesCheck) wording(e *jsonschema.ValidationError) string {
	switch k := e.ErrorKind.(type) {
	case *kind.Type:
		return fmt.Sprintf("wrong type: got %s, expected %s", typeName(k.Got), typeNames(k.Want))
	case *kind.Maximum:
		return fmt.Sprintf("%s is out of range; expected at most %s", k.Got.RatString(), k.Want.RatString())
	case *kind.Minimum:
		return fmt.Sprintf("%s is out of range; expected at least %s", k.Got.RatString(), k.Want.RatString())
	case *kind.Enum:
		return fmt.Sprintf("%s is not accepted; expected one of: %s", quoted(k.Got), list(k.Want))
	case *kind.Required:
		return "missing " + strings.Join(k.Missing, ", ")
	case *kind.Pattern:
		return fmt.Sprintf("%q is not accepted; expected a string that matches %s", k.Got, k.Want)
	}
	return e.ErrorKind.LocalizedString(message.NewPrinter(language.English))
}

// typeName returns the name in YAML of a type in JSON Schema.
func typeName(jsonType string) string {
	switch jsonType {
	case "object":
		return "a map"
	case "array":
		return "a list"
	case "integer":
		return "an integer"
	case "null":
		return "null"
	}
	return "a " + jsonType
}

func typeNames(jsonTypes []string) string {
	names := make([]string, 0, len(jsonTypes))
	for _, t := range jsonTypes {
		names = append(names, typeName(t))
	}
	return strings.Join(names, " or ")
}

func list(values []any) string {
	texts := make([]string, 0, len(values))
	for _, v := range values {
		texts = append(texts, quoted(v))
	}
	return strings.Join(texts, ", ")
}

func quoted(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(text)
}

// unescape decodes a token of a JSON pointer in the fragment of a URL.
func unescape(token string) string {
	return strings.NewReplacer("~1", "/", "~0", "~", "%25", "%").Replace(token)
}
