package template

import (
	"fmt"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
)

// MissingVar returns the message for a name that is not among the vars, in an expression
// such as ".vars.dns.servers", or "" if the expression is not about vars.
func MissingVar(expr, name string, vars any) string {
	if !strings.HasPrefix(expr, ".vars.") {
		return ""
	}
	known := nextTo(expr, name, vars)
	if len(known) == 0 {
		return fmt.Sprintf("missing variable %q; set it under `vars` or with --set", name)
	}
	return fmt.Sprintf("missing variable %q; %s", name, suggest.DidYouMean(name, known))
}

// nextTo returns the keys of the map in which an expression looks for a name.
func nextTo(expr, name string, vars any) []string {
	at, _ := vars.(map[string]any)
	for _, key := range strings.Split(expr, ".")[2:] {
		if key == name {
			break
		}
		at, _ = at[key].(map[string]any)
	}
	known := make([]string, 0, len(at))
	for k := range at {
		known = append(known, k)
	}
	slices.Sort(known)
	return known
}
