package template

import (
	"encoding/base32"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/Masterminds/sprig/v3"

	"github.com/vmrender/vmrender/internal/lazyregexp"
)

// FunctionNames returns the names of the functions that templates can call, sorted.
func FunctionNames() []string { return slices.Sorted(maps.Keys(hermetic())) }

// impure are functions in the hermetic set of sprig that can still return
// different strings for the same call, or change data that other templates see
// (Masterminds/sprig, functions.go, v3.3.0).
var impure = []string{
	// The clock, and the time zone of the computer.
	"ago", "durationRound", "mustDateModify", "mustToDate", "must_date_modify", "toDate", "unixEpoch",
	// Random numbers.
	"bcrypt", "encryptAES", "genCA", "genCAWithKey", "genPrivateKey", "genSelfSignedCert", "genSelfSignedCertWithKey",
	"genSignedCert", "genSignedCertWithKey", "htpasswd", "randInt", "shuffle",
	// They change the map they are passed, which can be the vars of all VMs, or insert it into itself.
	"merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite", "set", "unset",
	// Paths in the format of the operating system that renders.
	"osBase", "osClean", "osDir", "osExt", "osIsAbs",
	// They return pointers, whose addresses printf prints.
	"buildCustomCert", "semver",
	// Intentionally slow: a second per call.
	"derivePassword",
}

// hermetic returns the functions that templates can call: with the same input
// they always return the same string. They include the built-in functions that
// print, so that those are metered too.
var hermetic = sync.OnceValue(func() template.FuncMap {
	funcs := sprig.HermeticTxtFuncMap()
	for _, name := range impure {
		delete(funcs, name)
	}
	maps.Copy(funcs, template.FuncMap{
		"keys": sortedKeys, "values": sortedValues,
		"b32dec": decoded(base32.StdEncoding.DecodeString), "b64dec": decoded(base64.StdEncoding.DecodeString),
		"print": fmt.Sprint, "printf": printf, "println": fmt.Sprintln,
		"html": template.HTMLEscaper, "js": template.JSEscaper, "urlquery": template.URLQueryEscaper,
	})
	for _, name := range lenient {
		funcs[name] = funcs["must"+strings.ToUpper(name[:1])+name[1:]]
	}
	return funcs
})

// lenient are functions of sprig that return nothing for what they cannot read or write. Each is replaced by its
// variant that fails.
var lenient = []string{"fromJson", "toJson", "toPrettyJson", "toRawJson"}

// decoded returns a function that decodes text. That of sprig returns the text of the error instead of failing.
func decoded(decode func(string) ([]byte, error)) func(string) (string, error) {
	return func(text string) (string, error) {
		data, err := decode(text)
		return string(data), err
	}
}

// sortedKeys returns the sorted keys of maps. The sprig function returns them
// in random order.
func sortedKeys(of ...map[string]any) []string {
	var keys []string
	for _, m := range of {
		keys = slices.AppendSeq(keys, maps.Keys(m))
	}
	slices.Sort(keys)
	return keys
}

// sortedValues returns the values of a map, sorted by key. The sprig function
// returns them in random order.
func sortedValues(of map[string]any) []any {
	values := make([]any, 0, len(of))
	for _, key := range sortedKeys(of) {
		values = append(values, of[key])
	}
	return values
}

// addressVerb matches the fmt verb that prints addresses.
var addressVerb = lazyregexp.New(`%[^a-zA-Z]*p`)

// printf is the built-in function without the verb that prints addresses,
// which differ on every run.
func printf(format string, args ...any) (string, error) {
	if addressVerb().MatchString(strings.ReplaceAll(format, "%%", "")) {
		return "", errors.New("printf: the verb %p shows an address; expected a verb such as %v")
	}
	return fmt.Sprintf(format, args...), nil
}
