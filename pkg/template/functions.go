package template

import (
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

// impure are functions that sprig's hermetic set still holds although the same
// call can give different texts, or change what other strings see
// (Masterminds/sprig, functions.go, v3.3.0).
var impure = []string{
	// The clock, and the time zone of the machine.
	"ago", "durationRound", "mustDateModify", "mustToDate", "must_date_modify", "toDate", "unixEpoch",
	// Dice.
	"bcrypt", "encryptAES", "genCA", "genCAWithKey", "genPrivateKey", "genSelfSignedCert", "genSelfSignedCertWithKey",
	"genSignedCert", "genSignedCertWithKey", "htpasswd", "randInt", "shuffle",
	// They change the map that they are given, which may be the vars of all VMs, or put it into itself.
	"merge", "mergeOverwrite", "mustMerge", "mustMergeOverwrite", "set", "unset",
	// Paths in the form of the operating system that renders.
	"osBase", "osClean", "osDir", "osExt", "osIsAbs",
	// They give pointers, of which printf shows the address.
	"buildCustomCert", "semver",
	// A second of work by intention.
	"derivePassword",
}

// hermetic are the functions that templates can call: the same input always
// gives the same text. The built-in functions that print are among them, so
// that they are metered as well.
var hermetic = sync.OnceValue(func() template.FuncMap {
	funcs := sprig.HermeticTxtFuncMap()
	for _, name := range impure {
		delete(funcs, name)
	}
	maps.Copy(funcs, template.FuncMap{
		"keys": sortedKeys, "values": sortedValues,
		"print": fmt.Sprint, "printf": printf, "println": fmt.Sprintln,
		"html": template.HTMLEscaper, "js": template.JSEscaper, "urlquery": template.URLQueryEscaper,
	})
	return funcs
})

// sortedKeys gives the keys of maps; sprig's are in random order.
func sortedKeys(of ...map[string]any) []string {
	var keys []string
	for _, m := range of {
		keys = slices.AppendSeq(keys, maps.Keys(m))
	}
	slices.Sort(keys)
	return keys
}

// sortedValues gives the values of a map in the order of their keys; sprig's are in random order.
func sortedValues(of map[string]any) []any {
	values := make([]any, 0, len(of))
	for _, key := range sortedKeys(of) {
		values = append(values, of[key])
	}
	return values
}

// addressVerb is the verb of fmt that shows addresses.
var addressVerb = lazyregexp.New(`%[^a-zA-Z]*p`)

// printf is the built-in function without the verb that shows addresses, which
// are others every time.
func printf(format string, args ...any) (string, error) {
	if addressVerb().MatchString(strings.ReplaceAll(format, "%%", "")) {
		return "", errors.New("printf: the verb %p shows an address; expected a verb such as %v")
	}
	return fmt.Sprintf(format, args...), nil
}
