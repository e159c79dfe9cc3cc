package values_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/vmrender/vmrender/pkg/source"
	"github.com/vmrender/vmrender/pkg/values"
)

// No problem of a key with a number, a quantity or a boolean contains a text that is none of them: it can be a password
// next to its key. A text that is nearly one is shown.
func TestNumbersQuoteNoText(t *testing.T) {
	keys := 0
	scalarKeys(reflect.TypeFor[values.VM](), "", func(before, after string) {
		keys++
		problems := problemsOf(t, before+"hunter2"+after)
		require.NotEmpty(t, problems, before)
		require.NotContains(t, problems, "hunter2", before)
	})
	require.Greater(t, keys, 50)
	require.Contains(t, problemsOf(t, "cpu: 4 cores"), `"4 cores"`)
	require.Contains(t, problemsOf(t, "tpm: \"yes\""), `"yes"`)
	require.Contains(t, problemsOf(t, "memory: 16GB"), `"16GB"`)
}

func problemsOf(t *testing.T, keys string) string {
	t.Helper()
	long := values.Long(parse(t, keys))
	var diags source.Diagnostics
	values.CheckForms(long, "vms.a", &diags)
	values.CheckTypes(long, "vms.a", &diags)
	var all strings.Builder
	for _, d := range diags.Sorted() {
		all.WriteString(d.String() + "\n")
	}
	return all.String()
}

// scalarKeys calls visit with the YAML before and after the value of each key of a type that accepts no other text
// than numbers, quantities and booleans.
func scalarKeys(of reflect.Type, before string, visit func(before, after string)) {
	for field := range of.Fields() {
		key, inside := values.Key(field), field.Type
		if key == "" {
			continue
		}
		start := before + "{" + key + ": "
		for ; ; inside = inside.Elem() {
			switch inside.Kind() {
			case reflect.Pointer:
				continue
			case reflect.Map:
				start += "{a: "
				continue
			case reflect.Slice:
				start += "["
				continue
			}
			break
		}
		quantity := field.Tag.Get("format") == "quantity" || inside == reflect.TypeFor[values.Amount]()
		switch kind := inside.Kind(); {
		case quantity || kind >= reflect.Bool && kind <= reflect.Float64 || inside == reflect.TypeFor[values.IntOrPercent]():
			visit(start, closing(start))
		case kind == reflect.Struct && inside != reflect.TypeFor[source.Node]():
			scalarKeys(inside, start, visit)
		}
	}
}

// closing returns the brackets that close those of a text.
func closing(text string) string {
	var out string
	for _, c := range text {
		switch c {
		case '{':
			out = "}" + out
		case '[':
			out = "]" + out
		}
	}
	return out
}
