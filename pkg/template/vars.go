package template

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/vmrender/vmrender/internal/suggest"
)

// MissingVar returns the message for a name that is not among the vars, in an expression
// such as ".vars.dns.servers", and whether the expression is about vars.
func MissingVar(expr, name string, vars any) (suggest.Message, bool) {
	if !strings.HasPrefix(expr, ".vars.") {
		return suggest.Message{}, false
	}
	problem := fmt.Sprintf("missing variable %q", name)
	at := nextTo(expr, name, vars)
	if len(at) == 0 {
		return suggest.Message{Problem: problem + "; set it under `vars` or with --set"}, true
	}
	return suggest.Later(problem, name, len(at), func() []string { return slices.Sorted(maps.Keys(at)) }), true
}

// nextTo returns the map in which an expression looks for a name.
func nextTo(expr, name string, vars any) map[string]any {
	at, _ := vars.(map[string]any)
	for _, key := range strings.Split(expr, ".")[2:] {
		if key == name {
			break
		}
		at, _ = at[key].(map[string]any)
	}
	return at
}
